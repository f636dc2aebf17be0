/** The curves of the loss chart as the rows of a table: each step at which a validation loss was measured. */

import { valueAt } from "./loss-columns.js";
import { count } from "./numbers.js";
/** @import { Numbers } from "./chart-table.js" */
/** @import { Points } from "./loss-columns.js" */
/** @import { Curve } from "./loss-groups.js" */
/** @import { Unit } from "./units.js" */

const MOST_ROWS = 200; // more of them no one reads to the end; the files that the page saves have every step

/**
 * @param {Curve[]} curves  those that are visible
 * @param {Unit} unit
 * @returns {Numbers}  the last step is always among the rows
 */
export function lossNumbers(curves, unit) {
  const measured = [...new Set(curves.flatMap(({ validation }) => Array.from(validation.steps)))].sort((a, b) => a - b);
  const every = Math.ceil(measured.length / MOST_ROWS);
  const steps = measured.filter((_, i) => (measured.length - 1 - i) % every === 0);
  const columns = curves.flatMap((curve) => columnsOf(curve));
  return {
    head: ["training step", ...columns.map(({ name }) => name)],
    rows: steps.map((step) => [count(step), ...columns.map(({ at }) => unit.loss(at(step)))]),
  };
}

/**
 * What a curve has of each step: of several seeds the mean and its band, of one the loss of the batch and the validation loss.
 * @param {Curve} curve
 */
function columnsOf(curve) {
  /** @param {string} what @param {Points} record */
  const column = (what, record) => ({ name: `${curve.label}, ${what}`, at: (/** @type {number} */ step) => exactly(record, step) });
  const { train, validation, band } = curve;
  if (!band) return [column("training", train), column("validation", validation)];
  /** @param {string} what @param {number[]} loss */
  const edge = (what, loss) => column(what, { steps: band.steps, loss });
  return [column("validation", validation), edge("least", band.low), edge("greatest", band.high)];
}

/** The loss of a record at this step and no other. @param {Points} record @param {number} step */
function exactly(record, step) {
  const value = valueAt(record, step);
  return value?.step === step ? value.loss : undefined;
}
