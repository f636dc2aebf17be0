/** A task that the page which holds the lab sets its reader: conditions on losses, such as "none-learned>0.1". */

import { gapBetween } from "./gaps.js";
import { choiceSetting } from "./settings.js";
/** @import { Baselines, Gap, Summary, Table } from "./kinds.js" */

/** What the lab tells of every text, to compare a loss with. */
const BASELINES = ["uniform", "unigram", "bigram"];

/** @type {Record<string, {holds: (nats: number, limit: number) => boolean, words: string}>} */
const COMPARISONS = {
  ">": { holds: (nats, limit) => nats > limit, words: "more than" },
  ">=": { holds: (nats, limit) => nats >= limit, words: "at least" },
  "<": { holds: (nats, limit) => nats < limit, words: "less than" },
  "<=": { holds: (nats, limit) => nats <= limit, words: "at most" },
};

const NAME = "[a-z][a-z0-9]*";
const CONDITION = new RegExp(`^(${NAME})(?:-(${NAME}))?(>=?|<=?)([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)$`);

/**
 * @typedef {{text: string, a: string, b: string|null, comparison: string, limit: number}} Condition the loss of `a`, or
 *   its loss less that of `b`, compared with a limit in nats per character; `text` as it was written, without spaces
 * @typedef {{expect: string, conditions: Condition[]}} Task
 * @typedef {{gaps: Gap[], summaries: Summary[], baselines: (Baselines & Record<string, number>)|null}} Outcome of the runs
 *   that have finished: `gaps` and `summaries` as `compare` gives them
 * @typedef {{nats: number, low?: number|null, high?: number|null, reason?: undefined} | {nats: null, reason: string, low?: undefined,
 *   high?: undefined}} Found
 * @typedef {{condition: string, nats: number|null, low: number|null, high: number|null, passed: boolean,
 *   reason: string|null}} Check `nats` is null where there is no number, and `reason` says why; `low` and `high` are the
 *   ends of a 95 % interval, where there is one
 */

/**
 * @param {Pick<Table, "settings" | "rules">} table
 * @param {string} expect conditions with commas between
 * @returns {{value?: Task, message?: string}}
 */
export function parseTask(table, expect) {
  const encodings = choiceSetting(table, "encoding").choices.map(({ value }) => value);
  const parts = expect.split(",").map((part) => part.replace(/\s+/g, ""));
  /** @type {Condition[]} */
  const conditions = [];
  for (const text of parts) {
    if (text === "") return { message: `expect ${parts.length > 1 ? "has an empty condition" : "is empty"}: ${FORM}` };
    const condition = parseCondition(text);
    const why = condition ? trouble(condition, encodings) : FORM;
    if (!condition || why) return { message: `expect = ${text} cannot be judged: ${why}` };
    conditions.push(condition);
  }
  return { value: { expect, conditions } };
}

const FORM = "write A-B>NUMBER or A<NUMBER, in nats per character, with one of > >= < <=, for example none-learned>0.1; commas separate conditions.";

/** @param {string} text @returns {Condition | null} */
function parseCondition(text) {
  const [, a, b = null, comparison, limit] = CONDITION.exec(text) ?? [];
  return a === undefined ? null : { text, a, b, comparison, limit: Number(limit) };
}

/** @param {Condition} condition @param {string[]} encodings */
function trouble({ a, b }, encodings) {
  const known = [...encodings, ...BASELINES];
  const unknown = [a, b].find((name) => name !== null && !known.includes(name));
  if (unknown) return `${unknown} is unknown: choose ${known.join(", ")}.`;
  if (a === b) return `${a} is on both sides: choose two that differ.`;
  if (b !== null && BASELINES.includes(a)) return `${a} is a baseline, which can stand alone or behind the minus: write an encoding before it.`;
  return null;
}

/**
 * @param {Task} task
 * @param {Outcome} outcome
 * @returns {{expect: string, passed: boolean, checks: Check[]}}
 */
export function judge({ expect, conditions }, outcome) {
  const checks = conditions.map((condition) => check(condition, outcome));
  return { expect, passed: checks.every(({ passed }) => passed), checks };
}

/** @param {Condition} condition @param {Outcome} outcome @returns {Check} */
function check({ text, a, b, comparison, limit }, outcome) {
  const { nats, low = null, high = null, reason = null } = b === null ? lossOf(a, outcome) : difference(a, b, outcome);
  return { condition: text, nats, low, high, passed: nats !== null && COMPARISONS[comparison].holds(nats, limit), reason };
}

/** The mean loss of an encoding, or a baseline. @param {string} name @param {Outcome} outcome @returns {Found} */
function lossOf(name, { summaries, baselines }) {
  if (BASELINES.includes(name)) return baselines ? { nats: baselines[name] } : { nats: null, reason: "no run has finished" };
  const summary = summaries.find(({ encoding }) => encoding === name);
  if (!summary) return { nats: null, reason: `no run of ${name} has finished` };
  return { nats: summary.mean, low: summary.low ?? null, high: summary.high ?? null };
}

/**
 * The loss of one less that of another, by the seeds that both have.
 * @param {string} a
 * @param {string} b
 * @param {Outcome} outcome
 * @returns {Found}
 */
function difference(a, b, outcome) {
  const [first, second] = [lossOf(a, outcome), lossOf(b, outcome)];
  const reason = [first, second].map((side) => side.reason).filter(Boolean).join(", and ");
  if (first.nats === null || second.nats === null) return { nats: null, reason };
  if (BASELINES.includes(b)) {
    const { nats } = second;
    /** @param {number | null | undefined} loss */
    const less = (loss) => (loss == null ? null : loss - nats);
    return { nats: first.nats - nats, low: less(first.low), high: less(first.high) };
  }
  const gap = gapBetween(outcome.gaps, a, b);
  if (!gap) return { nats: null, reason: `${a} and ${b} have not finished with the same seed` };
  return { nats: gap.nats, low: gap.low ?? null, high: gap.high ?? null };
}

/**
 * @param {Condition} condition
 * @param {(encoding: string) => string} label of an encoding
 * @returns {string} what is expected, such as "the validation loss of None minus that of Learned is more than 0.1 nats
 *   per character"
 */
export function taskWords({ a, b, comparison, limit }, label) {
  /** @param {string} name */
  const loss = (name) => (BASELINES.includes(name) ? `the ${name} baseline` : `the validation loss of ${label(name)}`);
  const compared = b === null ? loss(a) : `${loss(a)} minus ${BASELINES.includes(b) ? loss(b) : `that of ${label(b)}`}`;
  return `${compared} is ${COMPARISONS[comparison].words} ${String(limit).replace("-", "−")} nats per character`;
}
