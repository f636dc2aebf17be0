/** How the result of each lab is shown: one large number, a figure, and what must be said beside them. */

/** @import { Run, Result } from "../kinds.js" */
/** @import { Results } from "../results.js" */
/** @import { Unit } from "../../charts/units.js" */
/** @import { Moment } from "../../charts/geometry-scrubber.js" */

import { compressors } from "./compressors.js";
import { generate } from "./generation.js";
import { distanceBias, extrapolation, positionTable, rotation } from "./position.js";
import { contextFree, cosineCone, order, residualStream } from "./stream.js";
import { amplitude, tying, width } from "./sweeps.js";
import { caseOffset, geometry, lookup, sparseGradient } from "./table.js";
import { merges, relabel } from "./tokens.js";

/**
 * @typedef {{number: {value: string, unit: string, caption: string} | null, figure: import("lit").TemplateResult,
 *   notes?: string[]}} View what a card shows
 *
 * @typedef {object} ViewArguments beside those of the probe
 * @property {Unit} unit      for losses
 * @property {string} label   of the model
 * @property {{label: string, encoding: string, nats: number} | null} best  the best finished run on the same text
 * @property {Moment[]} [moments]  the pictures of the run from step 0 on; without them that of the result stands alone
 * @property {number | null} [step]  of the result
 */

/**
 * By the name of a probe: from its result, which is defined, and its arguments, what the card shows. Pure functions; the
 * chart elements that their figures name are defined by elements.js.
 * @type {{[N in keyof Results]: (result: Results[N], args: ViewArguments) => View}}
 */
export const VIEWS = {
  lookup,
  "sparse-gradient": sparseGradient,
  geometry,
  "case-offset": caseOffset,
  relabel,
  merges,
  "residual-stream": residualStream,
  width,
  order,
  "position-table": positionTable,
  rotation,
  "distance-bias": distanceBias,
  extrapolation,
  "context-free": contextFree,
  "cosine-cone": cosineCone,
  tying,
  amplitude,
  compressors,
  generate,
};

/**
 * @param {string} probe
 * @param {Result} result of that probe, which is defined
 * @param {ViewArguments} args
 * @returns {View}
 */
export function viewOf(probe, result, args) {
  // That each result is what its view draws, tests show with the results of Python.
  const view = /** @type {Record<string, (result: object, args: ViewArguments) => View>} */ (VIEWS)[probe];
  return view(result, args);
}
