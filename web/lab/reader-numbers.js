/** The reader's own numbers in the chapter: for each name that the text uses, where it comes from and how it is written. */

import { count, probability, significant } from "../charts/numbers.js";
import { UNITS } from "../charts/units.js";
import { distanceWords, gapWords, lossWords } from "./format.js";
import { outcome } from "./gaps.js";
import { isAlike, isSameText, looksAtText } from "./probe-subject.js";
import { pastTraining } from "./probe-views/position.js";
import { bestRun, validationLoss } from "./run.js";

/** How a loss, a gap and a distance between losses are written: in the chosen unit, with its name if that is asked for. */
const loss = (nats, unit, named) => (named ? lossWords(unit, nats) : unit.loss(nats));
const gap = (nats, unit, named) => (named ? gapWords(unit, nats) : unit.gap(nats));
const distance = (nats, unit) => distanceWords(unit, nats);

const plain = (value) => significant(value);

/** What a name stands for: takes the lab, gives a number or null where there is none; how it is written; its probe. */
const of = (read, write, from = null) => ({ read, write, from });
/**
 * A number of a probe's result.
 * @param {{encodings?: string[], untrained?: boolean}} [which] of runs with these encodings alone; whether an untrained
 *   model has it as well, since the claim that it stands for needs no training
 */
const probe = (name, read, write = plain, which = {}) => of((lab) => {
  const result = resultOf(lab, name, which);
  return result ? read(result) : null;
}, write, name);
const UNTRAINED = { untrained: true };
/** A number of the finished runs. */
const runs = (read, write) => of((lab) => {
  const finished = lab.state.runs.filter(({ state }) => state === "finished");
  return finished.length ? read(finished) : null;
}, write);
/** A baseline of the text that is learned or, before a run, of the one that is chosen. */
const baseline = (name) => of((lab) => textFacts(lab)?.baselines[name], loss);
/** The loss without position less that with it. */
const gapTo = (encoding, read, write = gap) => of((lab) => {
  const { runs: all, gaps } = lab.state;
  const found = outcome(all, gaps).rows.find((row) => row.encoding === encoding)?.gap;
  return found ? read(found) : null;
}, write);

const least = (list) => validationLoss(bestRun(list));
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
const depth = (result, name) => result.depths.find((each) => each.name === name);
const entering = (result) => depth(result, "position") ?? depth(result, "embedding");
const lastBlock = (result) => result.depths.filter(({ name }) => /^block\d+\.mlp$/.test(name)).at(-1);
const largest = (list) => (list.length ? Math.max(...list) : null);
const slopes = (result) => result.slopes.map(Math.abs);

function orderCase(result, wanted, read) {
  const cases = result.cases.filter((each) => Object.entries(wanted).every(([name, value]) => each[name] === value));
  return largest(cases.map(read));
}

/** How much the loss changes past the training length, at the longest context that is defined. */
function extrapolated({ contexts, trained }) {
  const longest = contexts.filter(({ defined }) => defined).at(-1);
  return longest && longest.length > trained ? pastTraining(longest, trained).nats : null;
}

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
  "stream-norm-embedding": probe("residual-stream", (r) => depth(r, "embedding").meanNorm),
  "stream-norm-attention": probe("residual-stream", (r) => depth(r, "block0.attention").meanWrite),
  "stream-norm-mlp": probe("residual-stream", (r) => depth(r, "block0.mlp").meanWrite),
  "width-best": probe("width", (r) => r.best, count),
  "width-best-loss": probe("width", (r) => r.widths.find(({ d }) => d === r.best)?.mean, loss),
  "width-spread": probe("width", (r) => largest(r.widths.filter(({ low }) => low !== null).map(({ low, high }) => high - low)), distance),
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
  "bias-steepest": probe("distance-bias", (r) => Math.max(...slopes(r)), plain, UNTRAINED),
  "bias-shallowest": probe("distance-bias", (r) => Math.min(...slopes(r)), plain, UNTRAINED),
  ...Object.fromEntries(["none", "sinusoidal", "rope", "alibi"].map(
    (encoding) => [`extrapolation-${encoding}`, probe("extrapolation", extrapolated, gap, { encodings: [encoding] })])),
  "best-loss": runs(least, loss),
  // The three units side by side, whichever is chosen.
  ...Object.fromEntries(Object.values(UNITS).map((unit) => [`best-${unit.name}`, runs(least, (nats) => unit.loss(nats))])),
  ...Object.fromEntries(["zlib", "bz2", "xz"].map((name) => [
    `compressor-${name}`, probe("compressors", (r) => r.compressors.find((each) => each.name === name)?.nats ?? null, loss)])),
  "baseline-uniform": baseline("uniform"),
  "baseline-unigram": baseline("unigram"),
  "baseline-bigram": baseline("bigram"),
  "loss-none": runs((list) => {
    const losses = list.filter(({ encoding }) => encoding === "none").map(validationLoss);
    return losses.length ? mean(losses) : null;
  }, loss),
  ...Object.fromEntries(["learned", "sinusoidal", "rope", "alibi"].map(
    (encoding) => [`gap-none-${encoding}`, gapTo(encoding, (found) => -found.nats)])),
  // One seed has no interval: where its ends are missing, so is the number of seeds that they would be of.
  "gap-seeds": gapTo("learned", ({ seeds }) => (seeds > 1 ? seeds : null), count),
  // The gap of the table is that of Learned less None: its ends change places with its sign.
  "gap-low": gapTo("learned", ({ high }) => (high === null ? null : -high)),
  "gap-high": gapTo("learned", ({ low }) => (low === null ? null : -low)),
  "context-before": probe("context-free", (r) => entering(r).differing, count, UNTRAINED),
  "context-after": probe("context-free", (r) => depth(r, "final_norm").differing, count, UNTRAINED),
  "cone-first": probe("cosine-cone", (r) => entering(r).raw),
  "cone-last": probe("cosine-cone", (r) => lastBlock(r).raw),
  "cone-last-centred": probe("cosine-cone", (r) => lastBlock(r).centred),
  "tying-saved": probe("tying", (r) => r.saved, count),
  "tying-gap": probe("tying", (r) => (r.gap ? -r.gap.nats : null), gap), // tied less untied
  "tying-seeds": probe("tying", (r) => r.gap?.seeds, count),
};

/** The names that there are. */
export const NUMBER_NAMES = Object.keys(NUMBERS);

/** @returns {string|null} the probe that has to be asked for a number */
export const probeBehind = (name) => NUMBERS[name].from;

/**
 * @param {object} lab (lab.js)
 * @param {string} name one of `NUMBER_NAMES`
 * @param {boolean} [named] whether a loss or a gap has the name of its unit with it
 * @returns {string|null} the reader's number as text, or null while there is none
 */
export function readerNumber(lab, name, named = false) {
  const { read, write } = NUMBERS[name];
  const value = read(lab);
  return value === null || value === undefined || !Number.isFinite(value) ? null : write(value, lab.unit, named);
}

/**
 * The result that the text speaks of: of a model that has trained before one that has not, of the selected run if it
 * has been asked there, and else the latest. What needs no training may come from settings that no run had; then they
 * must be those of the experiment still, or the text alone where nothing else counts.
 */
function resultOf(lab, name, { encodings, untrained = false }) {
  const { selected, probes } = lab.state;
  const { answers, probe: described } = probes[name];
  const source = lab.probes.question(name)?.source;
  const isTrained = ({ which }) => which !== "untrained";
  const isStill = looksAtText(described) ? isSameText : isAlike;
  const holds = (answer) => answer.source.state || (source && isStill(answer.source, source));
  const counts = (answer) => (described.needsModel && !untrained ? isTrained(answer) : holds(answer));
  const isWanted = (answer) => !encodings || encodings.includes(answer.source.encoding);
  const usable = answers.filter((answer) => counts(answer) && isWanted(answer) && answer.result.defined !== false);
  const trained = described.needsModel ? usable.filter(isTrained) : [];
  const first = trained.length ? trained : usable;
  return (first.find((answer) => answer.source.id === selected) ?? first[0])?.result ?? null;
}

/** Baselines and size of the vocabulary: of the runs' text or, before a run, of the one that is chosen. */
function textFacts({ state, data }) {
  const { runs: all, values } = state;
  if (all.length) {
    const facts = all.find((run) => run.facts)?.facts;
    return facts && { baselines: facts.baselines, vocabulary: facts.vocabulary.length };
  }
  return data.corpora.find(({ name }) => name === values.corpus);
}
