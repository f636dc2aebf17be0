/** How long a call of a worker may take before its Python counts as hung. */

/** @import { Config } from "./kinds.js" */

/** Deadline of a call that computes next to nothing, in milliseconds. */
export const PATIENCE = 10_000;
/** The slowest machine that is waited for: 0.2 GFLOP/s, in operations per millisecond. */
const SLOWEST = 2e5;
/** The most characters that one validation reads (training.py); for the deadline alone. */
const VALIDATION_CHARACTERS = 16_384;

/**
 * What a very slow machine needs for one step and one validation. Before a run is open its cost is not known; the sizes
 * of its matrices bound it. A text among the arguments has to be read, at the slowest a hundred characters in a
 * millisecond.
 * @param {{config: Config, facts?: {flopsPerStep: number}|null}} run
 * @param {unknown[]} args of the call
 * @returns {number} milliseconds
 */
export function deadline({ config, facts }, args) {
  const { d, layers, context } = config;
  const validation = 2 * VALIDATION_CHARACTERS * (12 * layers * d * d + 2 * layers * context * d + 256 * d);
  const characters = args.reduce((/** @type {number} */ sum, arg) => sum + (typeof arg === "string" ? arg.length : 0), 0);
  return PATIENCE + (validation + (facts?.flopsPerStep ?? validation)) / SLOWEST + characters / 100;
}
