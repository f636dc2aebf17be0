/** A run as the archive keeps it: made of a run of the page, and checked and made a run again, since what is stored is not trusted. */

import { count } from "../charts/numbers.js";
import { CLASS_COLOR } from "../charts/palette.js";
import { isOwn } from "./own.js";
import { isCode, LONGEST_CODE } from "./own-code.js";
import { createRun, takeUp } from "./run.js";
import { validate } from "./settings.js";
/** @import { Config, Facts, Finding, Picture, Run, RunState, RunSummary, Saved } from "./kinds.js" */
/** @import { Row } from "./archive.js" */

/** What Python says of a run when it opens it that the page needs to show it. */
/** @type {(keyof Facts)[]} */
const FACTS = ["parameters", "vocabulary", "classes", "characters", "baselines", "flopsPerStep", "supplies", "rare"];
/** What an encoding may supply. */
const PARTS = ["table", "rotation", "bias"];
/** How `save_run` calls the end of a run, and how the page does. @type {Record<string, RunState>} */
const STATES = { training: "stopped", finished: "finished", diverged: "diverged" };
const BASELINES = ["uniform", "unigram", "bigram"];
/** The latest moment that a Date can name, in milliseconds since 1970. */
const LATEST = 8.64e15;

/** A record that is not what this version of the lab writes. */
export class RecordError extends Error {}

/**
 * @param {Run} run one that has ended and is saved, with its key, its experiment and the time in `keptAt`
 * @param {Finding[]} found what the chapter's labs found out about it
 * @param {string} build which Python they asked: its results have the shape that views of the same build draw
 * @returns {Row}
 * @throws {Error} it has not ended, or has no place
 */
export function toRow(run, found, build) {
  const { key, experiment, keptAt, version, config, code, saved, facts, geometry, history, text } = run;
  if (!saved || !facts || key === null || experiment === null || keptAt === null) throw new Error(`${run.label} is not to be kept`);
  const { step, seconds, state } = saved;
  const contents = {
    facts: Object.fromEntries(FACTS.map((name) => [name, facts[name]])),
    code,
    saved: compact(saved),
    geometry: geometry && compact(geometry),
    history: history.map(compact),
  };
  const own = config.corpus === "own" ? text : null;
  const loss = saved.validationLoss.at(-1) ?? null;
  const findings = { build, found };
  const bytes = size(contents) + size(findings);
  const textBytes = size(own ?? "");
  const summary = { key, experiment, keptAt, version, config: { ...config }, state, step, seconds, loss, bytes, textBytes };
  return { summary, contents, findings, text: own };
}

/**
 * Check what a list shows of a run.
 *
 * @param {import("./kinds.js").Table} table
 * @param {unknown} key
 * @param {unknown} summary as it is stored
 * @returns {RunSummary}
 * @throws {RecordError} it is none that this version writes
 */
export function readSummary(table, key, summary) {
  check(isObject(summary), "it is no record");
  const { experiment, keptAt, version, config, state, step, seconds, loss, bytes, textBytes } = summary;
  check(summary.key === key && isText(key) && isText(experiment), "it has no key");
  check(isObject(config), "its settings are missing");
  const { config: valid, errors } = validate(table, config);
  check(errors.length === 0, errors[0]?.message ?? "");
  check(Object.hasOwn(STATES, state), "its state is unknown");
  check(Number.isInteger(step) && step > 0 && isPossible(state, step, valid.steps), "its step is none of its settings");
  check([keptAt, seconds, bytes, textBytes].every(isSize) && keptAt <= LATEST, "its date, its time or its size is missing");
  check(loss === null || Number.isFinite(loss) || (state === "diverged" && typeof loss === "number"), "its loss is no number");
  return {
    key, experiment, keptAt, config: valid, state: STATES[state], step, seconds, loss, bytes, textBytes,
    version: isText(version) ? version : null,
  };
}

/**
 * The run of a record, as it was when it was kept.
 *
 * @param {RunSummary} summary as `readSummary` gives it
 * @param {unknown} contents as it is stored
 * @param {unknown} text as it is stored; not used with the texts that come with the page
 * @returns {Run}
 * @throws {RecordError} it is none that this version writes
 */
export function toRun({ key, experiment, keptAt, version, config, state, step, seconds }, contents, text) {
  check(isObject(contents), "its contents are missing");
  const { facts, saved, geometry, history, code = null } = contents; // a record without own code may say nothing of it
  checkCode(code, config.encoding);
  checkSaved(saved, state, step);
  checkFacts(facts);
  const characters = facts.vocabulary.length;
  check(Array.isArray(history), "its pictures are missing");
  for (const picture of geometry ? [geometry, ...history] : history) checkPicture(picture, characters);
  check(config.corpus !== "own" || isText(text), "its text is missing");
  const run = createRun(config, code);
  // Records from before there were own encodings and texts with rare characters say nothing of either.
  const { supplies = [], rare = null } = facts;
  Object.assign(run, { key, experiment, keptAt, version, facts: { ...facts, supplies, rare }, geometry, history });
  run.text = config.corpus === "own" && isText(text) ? text : null;
  run.thumbnail = geometry && { ...geometry, at: 0 };
  takeUp(run, { ...saved, seconds });
  return run;
}

/**
 * @param {unknown} findings as they are stored
 * @param {string} build which Python the page has
 * @returns {Finding[]} those of the same Python that have the shape of findings; the others can be found out anew
 */
export function readFindings(findings, build) {
  if (!isObject(findings) || findings.build !== build || !Array.isArray(findings.found)) return [];
  return findings.found.filter((finding) => {
    if (!isObject(finding)) return false;
    const { name, args, untrained, which, step, result, took } = finding;
    return isText(name) && isObject(args) && isObject(result) && typeof untrained === "boolean"
      && ["untrained", "now", "trained"].includes(which) && isSize(step) && isSize(took);
  });
}

/**
 * Whether a run of so many steps can have ended in such a way, as `save_run` calls it, at such a step.
 * @param {string} state
 * @param {number} step
 * @param {number} steps
 */
function isPossible(state, step, steps) {
  if (state === "training") return step < steps;
  return state === "finished" ? step === steps : step <= steps;
}

/**
 * Kept code is never run without the reader's leave (consent.js); here it is only held to be what can be shown to them.
 * @param {unknown} code
 * @param {string} encoding
 * @returns {asserts code is string | null}
 */
function checkCode(code, encoding) {
  if (!isOwn(encoding)) return check(code === null, "it has the code of an own encoding, and its encoding is the lab's");
  check(code !== null, "the code of its encoding is missing");
  check(isCode(code), `the code of its encoding is no text of 1 to ${count(LONGEST_CODE)} characters`);
}

/** @param {unknown} saved @param {RunState} state @param {number} step @returns {asserts saved is Saved} */
function checkSaved(saved, state, step) {
  check(isObject(saved) && saved.step === step, "what it has learned is missing");
  check(Object.hasOwn(STATES, saved.state) && STATES[saved.state] === state, "it has ended otherwise than the list says");
  const { vector, mean, square, trainLoss, validationSteps, validationLoss: losses, message = null } = saved;
  check([vector, mean, square].every((part) => part instanceof Float32Array && part.length === vector.length), "its parameters are damaged");
  /** @type {(values: unknown, length: number) => boolean} */
  const areLosses = (values, length) => values instanceof Float64Array && values.length === length
    && values.subarray(0, state === "diverged" ? -1 : undefined).every(Number.isFinite);
  check(areLosses(trainLoss, step), "its training loss is damaged");
  check(validationSteps instanceof Int32Array && areLosses(losses, validationSteps.length), "its validation loss is damaged");
  /** @type {(at: number, index: number) => boolean} */
  const isDue = (at, index) => at >= 0 && at <= step && (index === 0 || at > validationSteps[index - 1]);
  check(validationSteps.every(isDue), "its validation loss is damaged");
  check(message === null || typeof message === "string", "its message is damaged");
}

/** @param {unknown} facts @returns {asserts facts is Facts} */
function checkFacts(facts) {
  check(isObject(facts), "what Python said of it is missing");
  const { parameters, vocabulary, classes, baselines, flopsPerStep, characters, supplies = [], rare = null } = facts;
  check(isSize(parameters) && isSize(flopsPerStep) && isObject(characters), "its sizes are missing");
  check(isTexts(vocabulary) && isTexts(classes) && classes.length === vocabulary.length, "its vocabulary is damaged");
  check(classes.every((name) => Object.hasOwn(CLASS_COLOR, name)), "its vocabulary is damaged");
  check(Array.isArray(supplies) && supplies.every((part) => PARTS.includes(part)), "what its encoding supplies is damaged");
  check(rare === null || isRare(rare), "its rare characters are damaged");
  check(isObject(baselines) && BASELINES.every((name) => Number.isFinite(baselines[name])), "its baselines are damaged");
}

/** Of a text with more characters than the model has room for, those that became one. @param {any} rare */
function isRare({ threshold, share, characters }) {
  return isSize(threshold) && isSize(share) && Array.isArray(characters)
    && characters.every((each) => Array.isArray(each) && each.length === 2 && isText(each[0]) && isSize(each[1]));
}

/** @param {unknown} picture @param {number} characters @returns {asserts picture is Picture} */
function checkPicture(picture, characters) {
  check(isObject(picture) && isSize(picture.step), "its pictures are damaged");
  const { points, explained, points3, explained3 } = picture;
  /** @type {(values: unknown, shares: unknown, axes: number) => boolean} */
  const fits = (values, shares, axes) =>
    values instanceof Float32Array && values.length === axes * characters && Array.isArray(shares) && shares.length === axes && shares.every(Number.isFinite);
  check(fits(points, explained, 2), "its pictures are damaged");
  check(points3 === undefined || fits(points3, explained3, 3), "its pictures are damaged");
}

/** @param {unknown} condition @param {string} message @returns {asserts condition} */
function check(condition, message) {
  if (!condition) throw new RecordError(message);
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === "string" && value !== "";
/** @param {unknown} value @returns {value is string[]} */
const isTexts = (value) => Array.isArray(value) && value.every(isText);
/** @param {unknown} value @returns {value is number} */
const isSize = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** @param {unknown} value @returns {value is Float32Array} or another array of numbers */
const isArray = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);

/**
 * The same with arrays that hold nothing but themselves: a view of a larger buffer would be stored with all of it.
 * @param {object} part
 */
function compact(part) {
  /** @param {unknown} value */
  const own = (value) => (isArray(value) && value.byteLength < value.buffer.byteLength ? value.slice() : value);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, own(value)]));
}

/**
 * About how many bytes a value takes: its arrays of numbers, and eight for each other number.
 * @param {unknown} value
 * @returns {number}
 */
function size(value) {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce((sum, part) => sum + size(part), 0);
}
