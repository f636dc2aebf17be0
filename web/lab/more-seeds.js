/** Which more seeds to run, how many, why, and how long that takes. */

import { byEncoding, CONTROL } from "./gaps.js";
import { numberSetting } from "./settings.js";
/** @import { Gap, Run, Table } from "./kinds.js" */

/** Seeds that give a first interval, or make one narrower. */
const FEW = 2;

/**
 * @typedef {{count: number, reason: "none left"|"first interval"|"alone"|"no pair"|"not compared"|"settled"}
 *   | {count: number, reason: "settle", pair: Gap & {more: number}}
 *   | {count: number, reason: "out of reach", pair: Gap}} Suggestion
 */

/**
 * What a reader most wants settled is what position buys, so gaps to the control come first, and of those the one
 * that needs the fewest seeds; then the gaps between the others.
 *
 * @param {Run[]} runs of the experiment
 * @param {Gap[]} gaps as `compare` gives them
 * @param {number} left how many seeds may still be added
 * @returns {Suggestion} `count`: at least 2 where so many are left; `pair`: what they are for
 */
export function suggestion(runs, gaps, left) {
  const few = Math.min(FEW, left);
  if (left === 0) return { count: 0, reason: "none left" };
  if (gaps.length === 0) return { count: few, reason: byEncoding(runs).length === 1 ? "alone" : hasPair(runs) ? "not compared" : "no pair" };
  if (gaps.some(({ seeds }) => seeds === 1)) return { count: few, reason: "first interval" };
  /** @param {Gap} gap */
  const isToControl = ({ a, b }) => a === CONTROL || b === CONTROL;
  const open = gaps.filter(({ more }) => more !== 0);
  const [pair] = [open.filter(isToControl), open].filter((list) => list.length).map(leastMore);
  if (!pair) return { count: few, reason: "settled" };
  const { more } = pair;
  if (more === null || more > left) return { count: few, reason: "out of reach", pair };
  return { count: Math.max(few, more), reason: "settle", pair: { ...pair, more } };
}

/**
 * Whether two encodings have finished with the same seed; `compare` may not have told their gap yet.
 * @param {Run[]} runs
 */
function hasPair(runs) {
  const finished = runs.filter(({ state }) => state === "finished");
  return finished.some((run) => finished.some(({ seed, encoding }) => seed === run.seed && encoding !== run.encoding));
}

/** @param {Gap} gap @returns {[string, string]} the encodings of a gap as they are named: the control comes last */
export const namesOf = ({ a, b }) => (a === CONTROL ? [b, a] : [a, b]);

/** The gap that needs the fewest more seeds; of equal ones the first. @param {Gap[]} gaps */
const leastMore = (gaps) => gaps.reduce((best, gap) => ((gap.more ?? Infinity) < (best.more ?? Infinity) ? gap : best));

/**
 * @param {Run[]} runs of the experiment
 * @param {number} count of seeds, each for every encoding
 * @param {number} workers how many runs train at a time
 * @returns {number|null} seconds, as long as the finished runs took on average; null where none has finished
 */
export function secondsFor(runs, count, workers) {
  const finished = runs.filter(({ state }) => state === "finished");
  if (finished.length === 0) return null;
  const mean = finished.reduce((sum, { seconds }) => sum + seconds, 0) / finished.length;
  const added = count * new Set(runs.map(({ encoding }) => encoding)).size;
  return mean * Math.ceil(added / workers);
}

/**
 * @param {Pick<Table, "settings" | "rules">} table
 * @param {number[]} used seeds
 * @param {number} count
 * @returns {number[]} so many others: upwards from the largest, as a reader counts, and below it where nothing is left above
 */
export function nextSeeds(table, used, count) {
  const { low, high } = numberSetting(table, "seed");
  const free = Array.from({ length: high - low + 1 }, (_, index) => low + index).filter((seed) => !used.includes(seed));
  const above = free.filter((seed) => seed > Math.max(...used));
  return [...above, ...free.filter((seed) => !above.includes(seed))].slice(0, count);
}
