/** The outcome of an experiment as rows of a table: a row an encoding, and the gaps between every two. */

import { validationLoss } from "./run.js";

/** The encoding that the others are measured against. */
export const CONTROL = "none";

/** @import { Gap, Run } from "./kinds.js" */

/**
 * @typedef {object} Row
 * @property {string} encoding
 * @property {number|null} parameters
 * @property {number|null} mean  loss of the finished runs
 * @property {number} finished   how many those are
 * @property {number} total
 * @property {Gap|null} gap      loss of this encoding - loss of the control
 */

/**
 * @param {Run[]} runs
 * @param {Gap[]} gaps
 * @returns {{rows: Row[], pairs: Gap[]}} `pairs`: the gaps that have nothing to do with the control
 */
export function outcome(runs, gaps) {
  const rows = byEncoding(runs).map(({ encoding, runs: own }) => {
    const losses = own.filter(({ state }) => state === "finished").map((run) => validationLoss(run) ?? NaN);
    return {
      encoding,
      parameters: own.find(({ facts }) => facts)?.facts?.parameters ?? null,
      mean: losses.length ? losses.reduce((sum, loss) => sum + loss, 0) / losses.length : null,
      finished: losses.length,
      total: own.length,
      gap: gapToControl(gaps, encoding),
    };
  });
  return { rows, pairs: gaps.filter(({ a, b }) => a !== CONTROL && b !== CONTROL) };
}

/** @param {Run[]} runs @returns {{encoding: string, runs: Run[]}[]} the runs of each encoding, all in the order of their appearance */
export function byEncoding(runs) {
  const encodings = [...new Set(runs.map(({ encoding }) => encoding))];
  return encodings.map((encoding) => ({ encoding, runs: runs.filter((run) => run.encoding === encoding) }));
}

/**
 * @param {Gap[]} gaps
 * @param {string} encoding
 * @returns {Gap|null} the gap from the control to an encoding, loss(encoding) - loss(control)
 */
export const gapToControl = (gaps, encoding) => (encoding === CONTROL ? null : gapBetween(gaps, encoding, CONTROL));

/**
 * @param {Gap[]} gaps
 * @param {string} first
 * @param {string} second
 * @returns {Gap|null} the gap loss(first) - loss(second), whichever way round it was measured
 */
export function gapBetween(gaps, first, second) {
  const straight = gaps.find(({ a, b }) => a === first && b === second);
  if (straight) return straight;
  const turned = gaps.find(({ a, b }) => a === second && b === first);
  if (!turned) return null;
  const { nats, low, high } = turned;
  return { ...turned, a: first, b: second, nats: -nats, low: high === null ? null : -high, high: low === null ? null : -low };
}
