/** Which runs the loss chart draws as one: the finished seeds of an encoding, as their mean with a band around it. */

import { lastAtMost } from "./numbers.js";
/** @import { Points } from "./loss-columns.js" */

const SEED = /, seed \d+$/; // at the end of a run's label
const NOTHING = Object.freeze({ steps: [], loss: [] });

/**
 * @typedef {object} ShownRun as <loss-chart> is given one
 * @property {string} id        the record of an id only grows, or starts again
 * @property {string} label     "Learned", or "Learned, seed 2" where there are several
 * @property {string} encoding
 * @property {number} seed
 * @property {string} state     of an encoding's runs with the state "finished", two or more that are visible are drawn as
 *   their mean with a band from the least to the greatest
 * @property {boolean} visible
 * @property {boolean} selected
 * @property {Points} train
 * @property {Points} validation
 *
 * @typedef {{steps: number[], low: number[], high: number[]}} Band from the least to the greatest loss at each step
 *
 * @typedef {Band & {encoding: string, label?: string, seeds: number, mean: number[]}} Measured an encoding's losses over so
 *   many seeds, measured elsewhere
 */

/**
 * What the chart shows as one curve with one row of the key.
 * @typedef {object} Curve
 * @property {string} id
 * @property {string[]} ids        of its runs
 * @property {string} label        as the key names it
 * @property {string} end          as the end of the curve is named
 * @property {string} encoding
 * @property {boolean} visible
 * @property {boolean} selected    whether its run, or one of its runs, is
 * @property {Points} train        empty for several runs
 * @property {Points} validation   the mean of several runs
 * @property {Band | null} band    from the least of several runs to the greatest
 * @property {Points | null} chosen  validation of the selected one of several
 */

export class LossGroups {
  /** @type {Map<string, {points: number, validation: Points, band: Band}>} */
  #means = new Map(); // id of a group -> what was made of its runs

  /**
   * Two or more finished runs of an encoding that are visible are one curve, and so are they if none is visible; every
   * other run is a curve of its own. A finished run does not change, so its part in a mean is computed once.
   * @param {ShownRun[]} runs
   * @returns {Curve[]}      in the order of the first run of each
   */
  of(runs) {
    const groups = new Map(); // encoding -> runs
    for (const encoding of new Set(runs.map((run) => run.encoding))) {
      const finished = runs.filter((run) => run.encoding === encoding && run.state === "finished");
      const visible = finished.filter((run) => run.visible !== false);
      const together = visible.length ? visible : finished;
      if (together.length > 1) groups.set(encoding, together);
    }
    const curves = runs.flatMap((run) => {
      const together = groups.get(run.encoding);
      if (!together?.includes(run)) return [single(run)];
      return together[0] === run ? [this.#group(together)] : [];
    });
    const ids = new Set(curves.map(({ id }) => id));
    for (const id of this.#means.keys()) if (!ids.has(id)) this.#means.delete(id);
    return curves;
  }

  /** @param {ShownRun[]} runs @returns {Curve} */
  #group(runs) {
    const ids = runs.map(({ id }) => id);
    const id = JSON.stringify(ids);
    const points = runs.reduce((sum, { validation }) => sum + validation.steps.length, 0);
    const before = this.#means.get(id);
    const made = before?.points === points ? before : { points, ...meanAndBand(runs.map((run) => run.validation)) };
    this.#means.set(id, made);
    const { validation, band } = made;
    const name = runs[0].label.replace(SEED, "");
    const chosen = runs.find(({ selected }) => selected);
    return {
      id, ids, label: `${name}, mean of ${runs.length} seeds`, end: `${name}, mean`, encoding: runs[0].encoding,
      visible: runs[0].visible !== false, selected: chosen !== undefined, train: NOTHING, validation, band,
      chosen: chosen?.validation ?? null,
    };
  }
}

/** @param {ShownRun} run @returns {Curve} */
const single = ({ id, label, encoding, visible, selected, train, validation }) => ({
  id, ids: [id], label, end: label, encoding, visible: visible !== false, selected: Boolean(selected), train, validation,
  band: null, chosen: null,
});

/**
 * Mean, least and greatest of several records at the steps that all of them have.
 * @param {Points[]} records
 * @returns {{validation: {steps: number[], loss: number[]}, band: Band}}
 */
export function meanAndBand(records) {
  const byStep = records.map(({ steps, loss }) => new Map(Array.from(steps, (step, i) => [step, loss[i]])));
  const steps = [...byStep[0].keys()].filter((step) => byStep.every((record) => record.has(step)));
  const losses = steps.map((step) => byStep.flatMap((record) => record.get(step) ?? []));
  /** @param {number[]} values */
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    validation: { steps, loss: losses.map(mean) },
    band: { steps, low: losses.map((values) => Math.min(...values)), high: losses.map((values) => Math.max(...values)) },
  };
}

/**
 * The band of a curve at the last measurement at or before a step, {low, high} in nats; null for a single run.
 * @param {Pick<Curve, "band">} curve
 * @param {number} step
 */
export function bandAt({ band }, step) {
  if (!band) return null;
  const index = lastAtMost(band.steps, step);
  return index < 0 ? null : { low: band.low[index], high: band.high[index] };
}

/** The last step of a curve, 0 before its first. @param {Pick<Curve, "train" | "validation">} curve */
export const lastStepOf = ({ train, validation }) =>
  Math.max(0, train.steps[train.steps.length - 1] ?? 0, validation.steps[validation.steps.length - 1] ?? 0);
