/** The outcome of an experiment as rows of a table: a row an encoding, and the gaps between every two. */

import { validationLoss } from "./run.js";

/** The encoding that the others are measured against. */
export const CONTROL = "none";

/**
 * @typedef {{a: string, b: string, nats: number, low: number|null, high: number|null, seeds: number, verdict: string,
 *   more: number|null}} Gap as `compare` gives it: nats = loss(a) - loss(b); more: seeds that would settle the verdict
 */

/**
 * @param {object[]} runs (run.js)
 * @param {Gap[]} gaps
 * @returns {{rows: object[], pairs: Gap[]}} `rows`: {encoding, parameters, mean, finished, total, gap} with the mean
 *   loss of the finished runs and gap = loss of this encoding - loss of the control, or null; `pairs`: the gaps that
 *   have nothing to do with the control
 */
export function outcome(runs, gaps) {
  const rows = byEncoding(runs).map(({ encoding, runs: own }) => {
    const losses = own.filter(({ state }) => state === "finished").map(validationLoss);
    return {
      encoding,
      parameters: own.find(({ facts }) => facts)?.facts.parameters ?? null,
      mean: losses.length ? losses.reduce((sum, loss) => sum + loss, 0) / losses.length : null,
      finished: losses.length,
      total: own.length,
      gap: gapToControl(gaps, encoding),
    };
  });
  return { rows, pairs: gaps.filter(({ a, b }) => a !== CONTROL && b !== CONTROL) };
}

/** @returns {{encoding: string, runs: object[]}[]} the runs of each encoding, all in the order of their appearance */
export function byEncoding(runs) {
  const encodings = [...new Set(runs.map(({ encoding }) => encoding))];
  return encodings.map((encoding) => ({ encoding, runs: runs.filter((run) => run.encoding === encoding) }));
}

/** @returns {Gap|null} the gap from the control to an encoding, loss(encoding) - loss(control) */
export const gapToControl = (gaps, encoding) => (encoding === CONTROL ? null : gapBetween(gaps, encoding, CONTROL));

/** @returns {Gap|null} the gap loss(first) - loss(second), whichever way round it was measured */
export function gapBetween(gaps, first, second) {
  const straight = gaps.find(({ a, b }) => a === first && b === second);
  if (straight) return straight;
  const turned = gaps.find(({ a, b }) => a === second && b === first);
  if (!turned) return null;
  const { nats, low, high } = turned;
  return { ...turned, a: first, b: second, nats: -nats, low: high === null ? null : -high, high: low === null ? null : -low };
}
