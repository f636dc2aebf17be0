/** How the result of each lab is shown: one large number, a figure, and what must be said beside them. */

import { compressors } from "./compressors.js";
import { generate } from "./generation.js";
import { distanceBias, extrapolation, positionTable, rotation } from "./position.js";
import { contextFree, cosineCone, order, residualStream } from "./stream.js";
import { amplitude, tying, width } from "./sweeps.js";
import { caseOffset, geometry, lookup, sparseGradient } from "./table.js";
import { merges, relabel } from "./tokens.js";

/**
 * By the name of a probe: from its result, which is defined, and its arguments, what the card shows. Beside the
 * arguments stand `unit`, an entry of UNITS, for losses; `label` of the model; and `best`, the best finished run on the
 * same text as {label, encoding, nats}, or null. Pure functions; the chart elements that their figures name are
 * defined by elements.js.
 * @type {Record<string, (result: object, args: object) => {number: {value: string, unit: string, caption: string} | null,
 *   figure: import("lit").TemplateResult, notes?: string[]}>}
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
