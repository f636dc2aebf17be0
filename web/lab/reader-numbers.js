/** The reader's own numbers in the chapter: for each name that the text uses, where it comes from and how it is written. */

import { encodingNames, isLimited } from "../charts/encodings.js";
import { count, probability, significant } from "../charts/numbers.js";
import { UNITS } from "../charts/units.js";
import { distanceWords, gapWords, lossWords } from "./format.js";
import { CONTROL, outcome } from "./gaps.js";
import { isAlike, isRun, isSameText, looksAtText } from "./probe-subject.js";
import { isStraight, pastTraining } from "./probe-views/position.js";
import { bestRun, validationLoss } from "./run.js";
/** @import { Baselines, Run } from "./kinds.js" */
/** @import { Answer } from "./probe-plan.js" */
/** @import { OrderCase, Results } from "./results.js" */
/** @import { Unit } from "../charts/units.js" */
/** @import { Lab } from "./lab.js" */

/**
 * @typedef {(value: number, unit: Unit, named: boolean) => string} Write
 * @typedef {number | null | undefined} Found
 * @typedef {{read: (lab: Lab) => Found, write: Write, from: string | null}} Entry what a name stands for: a number of the lab, how
 *   it is written, and its probe
 */

/**
 * @template R
 * @typedef {{encodings?: string[], untrained?: boolean, has?: (result: R) => boolean}} Which of runs with these encodings alone;
 *   whether an untrained model has it as well, since the claim that it stands for needs no training; which results have it
 */

/** How a loss, a gap and a distance between losses are written: in the chosen unit, with its name if that is asked for. @type {Write} */
const loss = (nats, unit, named) => (named ? lossWords(unit, nats) : unit.loss(nats));
/** @type {Write} */
const gap = (nats, unit, named) => (named ? gapWords(unit, nats) : unit.gap(nats));
/** @type {Write} */
const distance = (nats, unit) => distanceWords(unit, nats);

/** @type {Write} */
const plain = (value) => significant(value);

/** @type {(read: Entry["read"], write: Write, from?: string | null) => Entry} */
const of = (read, write, from = null) => ({ read, write, from });
/**
 * A number of a probe's result.
 * @template {keyof Results} N
 * @param {N} name
 * @param {(result: Results[N]) => Found} read
 * @param {Write} [write]
 * @param {Which<Results[N]>} [which]
 */
const probe = (name, read, write = plain, which = {}) => of((lab) => {
  const result = resultOf(lab, name, which);
  return result ? read(result) : null;
}, write, name);
const UNTRAINED = { untrained: true };
/** A number of the finished runs. @type {(read: (runs: Run[]) => Found, write: Write) => Entry} */
const runs = (read, write) => of((lab) => {
  const finished = lab.state.runs.filter(({ state }) => state === "finished");
  return finished.length ? read(finished) : null;
}, write);
/** A baseline of the text that is learned or, before a run, of the one that is chosen. @param {keyof Baselines} name */
const baseline = (name) => of((lab) => textFacts(lab)?.baselines[name], loss);
/** The loss without position less that with it. @type {(encoding: string, read: (found: import("./kinds.js").Gap) => Found, write?: Write) => Entry} */
const gapTo = (encoding, read, write = gap) => of((lab) => {
  const { runs: all, gaps } = lab.state;
  const found = outcome(all, gaps).rows.find((row) => row.encoding === encoding)?.gap;
  return found ? read(found) : null;
}, write);

/** @param {Run[]} list @returns {Found} */
const least = (list) => {
  const best = bestRun(list);
  return best && validationLoss(best);
};
/** @param {number[]} list */
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
/**
 * @template {{name: string}} D
 * @param {{depths: D[]}} result
 * @param {string} name
 */
const depth = (result, name) => result.depths.find((each) => each.name === name);
/**
 * @template {{name: string}} D
 * @param {{depths: D[]}} result
 */
const entering = (result) => depth(result, "position") ?? depth(result, "embedding");
/**
 * @template {{name: string}} D
 * @param {{depths: D[]}} result
 */
const lastBlock = (result) => result.depths.findLast(({ name }) => /^block\d+\.mlp$/.test(name));
/** @param {number[]} list */
const largest = (list) => (list.length ? Math.max(...list) : null);
/**
 * A slope of the heads of a bias that is a straight line: of one that bends, the nearest line says little.
 * @param {(...sizes: number[]) => number} extreme
 */
const slope = (extreme) =>
  probe("distance-bias", (r) => extreme(...r.slopes.map(Math.abs)), plain, { ...UNTRAINED, has: isStraight });

/** @param {Results["order"]} result @param {Partial<OrderCase>} wanted @param {(found: OrderCase) => number} read */
function orderCase(result, wanted, read) {
  /** @param {OrderCase} found */
  const isWanted = (found) => Object.entries(wanted).every(([name, value]) => Object.entries(found).some(([other, has]) => other === name && has === value));
  const cases = result.cases.filter(isWanted);
  return largest(cases.map(read));
}

/**
 * How much the loss changes past the training length, at the longest context that is defined.
 * @param {Results["extrapolation"]} result
 */
function extrapolated({ contexts, trained }) {
  const longest = contexts.filter((each) => each.defined).at(-1);
  return longest && longest.length > trained ? pastTraining(longest, trained).nats : null;
}

/** @type {Record<string, Entry>} */
const NUMBERS = {
  "lookup-difference": probe("lookup", (r) => r.largestDifference, plain, UNTRAINED),
  "gradient-distinct": probe("sparse-gradient", (r) => r.distinct, count, UNTRAINED),
  "gradient-rows-input": probe("sparse-gradient", (r) => r.input.rows, count, UNTRAINED),
  "gradient-rows-both": probe("sparse-gradient", (r) => r.both.rows, count, UNTRAINED),
  "vocabulary-size": of((lab) => textFacts(lab)?.vocabulary, count),
  silhouette: probe("geometry", (r) => r.separation.silhouette.value),
  "silhouette-shuffled": probe("geometry", (r) => r.separation.silhouette.shuffled?.mean),
  "silhouette-p": probe("geometry", (r) => r.separation.silhouette.p, probability),
  "frequency-correlation": probe("geometry", (r) => Math.abs(r.logFrequency.components[0])),
  "case-hits": probe("case-offset", (r) => r.oneOffset.hits, count),
  "case-letters": probe("case-offset", (r) => r.oneOffset.trials, count),
  "case-chance": probe("case-offset", (r) => r.oneOffset.chance * r.oneOffset.trials),
  "relabel-difference": probe("relabel", (r) => r.largestDifference),
  "merges-correlation": probe("merges", (r) => r.rankCorrelation),
  "stream-norm-embedding": probe("residual-stream", (r) => depth(r, "embedding")?.meanNorm),
  "stream-norm-attention": probe("residual-stream", (r) => depth(r, "block0.attention")?.meanWrite),
  "stream-norm-mlp": probe("residual-stream", (r) => depth(r, "block0.mlp")?.meanWrite),
  "width-best": probe("width", (r) => r.best, count),
  "width-best-loss": probe("width", (r) => r.widths.find(({ d }) => d === r.best)?.mean, loss),
  "width-spread": probe("width", (r) => largest(r.widths.flatMap(({ low, high }) => (low === null || high === null ? [] : [high - low]))), distance),
  "order-unmasked": probe("order", (r) => orderCase(r, { causal: false, encoding: "none" }, (each) => each.equivarianceError), plain, UNTRAINED),
  "order-encoded": probe("order", (r) =>
    r.encoding === "none" ? null : orderCase(r, { causal: false, encoding: r.encoding }, (each) => each.equivarianceError), plain, UNTRAINED),
  "order-one-layer": probe("order", (r) => orderCase(r, { causal: true, encoding: "none", layers: 1 }, (each) => each.lastDifference), plain, UNTRAINED),
  "order-two-layers": probe("order", (r) => orderCase(r, { causal: true, encoding: "none", layers: 2 }, (each) => each.lastDifference), plain, UNTRAINED),
  "position-parameters": probe("position-table", (r) => r.parameters, count, UNTRAINED),
  "position-parameters-learned": probe("position-table", (r) => r.parameters, count, { ...UNTRAINED, encodings: ["learned"] }),
  "position-cosine": probe("position-table", (r) => r.subspaces.cosines[0]),
  "position-cosine-random": probe("position-table", (r) => r.subspaces.randomLargest),
  "amplitude-loss-one": probe("amplitude", (r) => r.amplitudes.find(({ amplitude }) => amplitude === 1)?.mean, loss),
  "amplitude-best": probe("amplitude", (r) => r.best, (amplitude) => String(Number(amplitude.toPrecision(2)))),
  "amplitude-best-loss": probe("amplitude", (r) => r.amplitudes.find(({ amplitude }) => amplitude === r.best)?.mean, loss),
  "rotation-shift": probe("rotation", (r) => r.shiftDifference, plain, UNTRAINED),
  "rotation-move": probe("rotation", (r) => r.range, plain, UNTRAINED),
  "bias-steepest": slope(Math.max),
  "bias-shallowest": slope(Math.min),
  "best-loss": runs(least, loss),
  // The three units side by side, whichever is chosen.
  ...Object.fromEntries(Object.values(UNITS).map((unit) => [`best-${unit.name}`, runs(least, (nats) => unit.loss(nats))])),
  ...Object.fromEntries(["zlib", "bz2", "xz"].map((name) => [
    `compressor-${name}`, probe("compressors", (r) => r.compressors.find((each) => each.name === name)?.nats ?? null, loss)])),
  "baseline-uniform": baseline("uniform"),
  "baseline-unigram": baseline("unigram"),
  "baseline-bigram": baseline("bigram"),
  "loss-none": runs((list) => {
    const losses = list.filter(({ encoding }) => encoding === "none").flatMap((run) => validationLoss(run) ?? []);
    return losses.length ? mean(losses) : null;
  }, loss),
  // One seed has no interval: where its ends are missing, so is the number of seeds that they would be of.
  "gap-seeds": gapTo("learned", ({ seeds }) => (seeds > 1 ? seeds : null), count),
  // The gap of the table is that of Learned less None: its ends change places with its sign.
  "gap-low": gapTo("learned", ({ high }) => (high === null ? null : -high)),
  "gap-high": gapTo("learned", ({ low }) => (low === null ? null : -low)),
  "context-before": probe("context-free", (r) => entering(r)?.differing, count, UNTRAINED),
  "context-after": probe("context-free", (r) => depth(r, "final_norm")?.differing, count, UNTRAINED),
  "cone-first": probe("cosine-cone", (r) => entering(r)?.raw),
  "cone-last": probe("cosine-cone", (r) => lastBlock(r)?.raw),
  "cone-last-centred": probe("cosine-cone", (r) => lastBlock(r)?.centred),
  "tying-saved": probe("tying", (r) => r.saved, count),
  "tying-gap": probe("tying", (r) => (r.gap ? -r.gap.nats : null), gap), // tied less untied
  "tying-seeds": probe("tying", (r) => r.gap?.seeds, count),
};

/**
 * Numbers that the lab's encodings have, each of its own: no loss past its length where there is no encoding, and no
 * gap to itself.
 * @type {Record<string, {has: (encoding: string) => boolean, number: (encoding: string) => Entry}>}
 */
const OF_ENCODINGS = {
  extrapolation: {
    has: (encoding) => !isLimited(encoding),
    number: (encoding) => probe("extrapolation", extrapolated, gap, { encodings: [encoding] }),
  },
  "gap-none": { has: (encoding) => encoding !== CONTROL, number: (encoding) => gapTo(encoding, (found) => -found.nats) },
};

/**
 * @param {string} name of a number that encodings have, for example "gap-none"
 * @returns {{encoding: string, name: string}[]} the encodings that have it, and the name of that of each
 */
export const numbersOf = (name) =>
  encodingNames().filter(OF_ENCODINGS[name].has).map((encoding) => ({ encoding, name: `${name}-${encoding}` }));

/** Those of `OF_ENCODINGS` by name: made when asked, since the encodings are listed after this module is read. */
const ofEncodings = () => new Map(Object.entries(OF_ENCODINGS).flatMap(([kind, { number }]) =>
  numbersOf(kind).map(({ encoding, name }) => [name, number(encoding)])));

/** @returns {string[]} the names that there are */
export const numberNames = () => [...Object.keys(NUMBERS), ...ofEncodings().keys()];

/** @param {string} name */
function find(name) {
  const entry = NUMBERS[name] ?? ofEncodings().get(name);
  if (!entry) throw new RangeError(`${name} is no number of the chapter: choose one of ${numberNames().join(", ")}.`);
  return entry;
}

/** @param {string} name @returns {string|null} the probe that has to be asked for a number */
export const probeBehind = (name) => find(name).from;

/**
 * @param {Lab} lab
 * @param {string} name one of `numberNames`
 * @param {boolean} [named] whether a loss or a gap has the name of its unit with it
 * @returns {string|null} the reader's number as text, or null while there is none
 */
export function readerNumber(lab, name, named = false) {
  const { read, write } = find(name);
  const value = read(lab);
  return value === null || value === undefined || !Number.isFinite(value) ? null : write(value, lab.unit, named);
}

/**
 * The result that the text speaks of: of a model that has trained before one that has not, of the selected run if it
 * has been asked there, and else the latest. What needs no training may come from settings that no run had; then they
 * must be those of the experiment still, or the text alone where nothing else counts.
 * @template {keyof Results} N
 * @param {Lab} lab
 * @param {N} name
 * @param {Which<Results[N]>} which
 * @returns {Results[N]|null}
 */
function resultOf(lab, name, { encodings, untrained = false, has = () => true }) {
  const { selected, probes } = lab.state;
  const { answers, probe: described } = probes[name];
  const source = lab.probes.question(name)?.source;
  /** @param {Answer} answer */
  const isTrained = ({ which }) => which !== "untrained";
  const isStill = looksAtText(described) ? isSameText : isAlike;
  /** @param {Answer} answer */
  const holds = (answer) => isRun(answer.source) || (source && isStill(answer.source, source));
  /** @param {Answer} answer */
  const counts = (answer) => (described.needsModel && !untrained ? isTrained(answer) : holds(answer));
  /** @param {Answer} answer */
  const isWanted = (answer) => !encodings || encodings.includes(answer.source.encoding);
  /** @param {Answer} answer */
  const hasIt = ({ result }) => result.defined !== false && has(/** @type {Results[N]} */ (result)); // each is of its lab's probe
  const usable = answers.filter((answer) => counts(answer) && isWanted(answer) && hasIt(answer));
  const trained = described.needsModel ? usable.filter(isTrained) : [];
  const first = trained.length ? trained : usable;
  const found = first.find(({ source }) => isRun(source) && source.id === selected) ?? first[0];
  return /** @type {Results[N]|undefined} */ (found?.result) ?? null;
}

/**
 * Baselines and size of the vocabulary: of the runs' text or, before a run, of the one that is chosen.
 * @param {Pick<Lab, "state" | "data">} lab
 */
function textFacts({ state, data }) {
  const { runs: all, values } = state;
  if (all.length) {
    const facts = all.find((run) => run.facts)?.facts;
    return facts && { baselines: facts.baselines, vocabulary: facts.vocabulary.length };
  }
  return data.corpora.find(({ name }) => name === values.corpus);
}
