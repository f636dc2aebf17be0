/** What the loss chart says in words: the text alternative and the note on what does not fit in the picture. */

import { valueAt } from "./loss-columns.js";
import { bandAt } from "./loss-groups.js";
import { count } from "./numbers.js";
/** @import { Curve, Measured } from "./loss-groups.js" */
/** @import { DrawnCurve } from "./loss-scene.js" */
/** @import { Baselines } from "./loss-range.js" */
/** @import { Unit } from "./units.js" */

/** @param {string[]} parts */
const list = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

/**
 * One to three sentences for a reader who does not see the chart.
 * @param {Curve[]} curves  those that are visible
 * @param {Baselines | null} baselines
 * @param {number} steps
 * @param {Unit} unit
 * @param {Measured[]} measured  those of the rows of <loss-chart>'s `measured` that are drawn
 */
export function summary(curves, baselines, steps, unit, measured) {
  const results = curves.map((curve) => {
    const latest = valueAt(curve.validation, steps) ?? valueAt(curve.train, steps);
    if (!latest) return `${curve.label} not measured yet`;
    return `${curve.label} ${unit.loss(latest.loss, 2)}${range(bandAt(curve, steps), unit)} at step ${count(latest.step)}`;
  });
  const quantity = unit.quantity.replace(", ", " in ");
  const said = [results.length
    ? `${quantity} against training step, 0 to ${count(steps)}. Latest validation loss: ${list(results)}.`
    : `${quantity} against training step. No run yet.`];
  if (baselines) {
    const { uniform, unigram, bigram } = baselines;
    const named = Object.entries({ uniform, unigram, bigram }).map(([name, value]) => `${name} ${unit.loss(value, 2)}`);
    said.push(`Baselines: ${named.join(", ")}.`);
  }
  if (measured.length) {
    const rows = measured.map(({ encoding, label = encoding, mean, low, high }) =>
      `${label} ${unit.loss(mean.at(-1), 2)}${range({ low: low[low.length - 1], high: high[high.length - 1] }, unit)}`);
    said.push(`${measuredElsewhere(measured)}; at step ${count(measured[0].steps.at(-1) ?? 0)}: ${list(rows)}.`);
  }
  return said.join(" ");
}

/** @param {{low: number, high: number} | null} band @param {Unit} unit */
const range = (band, unit) => (band ? ` (from ${unit.loss(band.low, 2)} to ${unit.loss(band.high, 2)})` : "");

/** What the bands are that do not come from the reader's own runs. @param {{seeds: number}[]} measured  at least one */
export function measuredElsewhere(measured) {
  const seeds = [...new Set(measured.map((row) => row.seeds))].sort((a, b) => a - b);
  const many = seeds.length > 1 ? `${seeds[0]} to ${seeds.at(-1)}` : seeds[0];
  return `Measured elsewhere: ${many} seeds, least to greatest`;
}

/**
 * What a reader must know because the picture cannot show it, or "".
 * @param {Omit<DrawnCurve, "color">[]} shown  visible curves with what was read of them
 * @param {number} top  upper end of the y axis, in nats
 * @param {Unit} unit
 */
export function outOfPicture(shown, top, unit) {
  const above = [];
  const broken = [];
  for (const { curve, train, validation } of shown) {
    const peak = train.high >= validation.high ? train : validation;
    if (peak.high > top) above.push(`${curve.label} (up to ${unit.loss(peak.high, 1)} at step ${count(peak.highStep)})`);
    const step = train.brokenStep ?? validation.brokenStep;
    if (step !== null) broken.push(`${curve.label} has no loss from step ${count(step)}: not a number`);
  }
  const sentences = [];
  if (above.length) sentences.push(`Above the picture: ${list(above)}.`);
  if (broken.length) sentences.push(`${broken.join("; ")}.`);
  return sentences.join(" ");
}

/**
 * The readout as one sentence, for a screen reader following the arrow keys.
 * @param {Curve[]} curves  those that are visible
 * @param {number} step
 * @param {Unit} unit
 */
export function spoken(curves, step, unit) {
  const parts = curves.map((curve) => {
    const validation = valueAt(curve.validation, step);
    const at = validation ? `validation ${unit.loss(validation.loss)}${range(bandAt(curve, step), unit)} at step ${count(validation.step)}` : "";
    const train = curve.band ? "" : `training ${unit.loss(valueAt(curve.train, step)?.loss)}`;
    return `${curve.label}: ${[train, at].filter(Boolean).join(", ")}`;
  });
  return `Step ${count(step)}. ${parts.join(". ")}.`;
}
