/** The record of each curve as it is drawn: two values per column of about a pixel, extended rather than recomputed. */

import { lastAtMost } from "./numbers.js";

const COLUMN = 1.5; // CSS px of a column that holds several steps: finer is not seen, and costs in proportion
const LARGEST_DRAWN = 1000; // nats; beyond this a canvas coordinate loses its precision, and the value is clipped anyway

/**
 * @typedef {{steps: ArrayLike<number>, loss: ArrayLike<number>}} Points of a curve; steps ascend
 *
 * @typedef {object} Reading what is drawn of a curve: `null` breaks a line (only losses that are not numbers), `undefined` is
 *   no value there
 * @property {(number | null | undefined)[]} highs  greatest and
 * @property {(number | null | undefined)[]} lows   least loss of each column
 * @property {number[]} marks  columns that hold a value
 * @property {number} low      extremes of the finite values
 * @property {number} high
 * @property {number} highStep
 * @property {number | null} brokenStep  first step whose loss is not a number
 */

/**
 * The steps 0..steps cut into columns. With no more steps than pixels, every step has a column of its own and a
 * training curve is a line; otherwise a column holds the least and the greatest loss of its steps, so that no spike
 * is lost, and a training curve is the band between them (which also costs a fraction of a zigzag to fill in).
 */
export class LossColumns {
  /**
   * @param {number} steps    last step of the x axis
   * @param {number} columns  CSS px of the plot's width
   */
  constructor(steps, columns) {
    this.steps = steps;
    this.columns = columns;
    this.width = steps < columns ? 1 : Math.ceil(((steps + 1) * COLUMN) / Math.max(1, columns)); // steps in a column
    /** The step in the middle of each column, ascending: where the curves have values. */
    this.x = Array.from({ length: Math.ceil((steps + 1) / this.width) }, (_, i) =>
      Math.min(steps, i * this.width + (this.width - 1) / 2));
    /** What was read of each curve, by its id. @type {Map<string, {train: Column, validation: Column}>} */
    this.cache = new Map();
  }

  /** Forgets the curves that are no longer shown. @param {string[]} ids */
  keepOnly(ids) {
    const kept = new Set(ids);
    for (const id of this.cache.keys()) if (!kept.has(id)) this.cache.delete(id);
  }

  /**
   * What to draw for a curve.
   * @param {{id: string, train: Points, validation: Points}} curve  only ever grows, or starts again
   * @returns {{train: Reading, validation: Reading}}
   */
  read({ id, train, validation }) {
    const before = this.cache.get(id);
    const entry = { train: this.#extended(before?.train, train), validation: this.#extended(before?.validation, validation) };
    this.cache.set(id, entry);
    return entry;
  }

  /**
   * What was read of a record, with what has come since, or anew where it has started again.
   * @param {Column | undefined} column
   * @param {Points} points
   */
  #extended(column, points) {
    const extended = column?.isOf(points) ? column : new Column(this);
    extended.extend(points);
    return extended;
  }
}

/** One record on the columns. */
class Column {
  /** @type {number[]} */
  marks = [];
  taken = 0; // how many points of the record are in
  last = [NaN, NaN]; // the last of them, to notice that a run has started again
  low = Infinity;
  high = -Infinity;
  highStep = 0;
  /** @type {number | null} */
  brokenStep = null;

  /** @param {LossColumns} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {Reading["highs"]} */
    this.highs = new Array(grid.x.length).fill(undefined);
    /** @type {Reading["lows"]} */
    this.lows = new Array(grid.x.length).fill(undefined);
  }

  /** Whether a record begins with what was taken. @param {Points} points */
  isOf({ steps, loss }) {
    if (this.taken === 0) return true;
    return steps.length >= this.taken && steps[this.taken - 1] === this.last[0] && Object.is(loss[this.taken - 1], this.last[1]);
  }

  /** Take what has come since. @param {Points} points */
  extend({ steps, loss }) {
    for (let i = this.taken; i < steps.length; i++) {
      if (steps[i] >= 0 && steps[i] <= this.grid.steps) this.#take(steps[i], loss[i]);
    }
    this.taken = steps.length;
    if (this.taken) this.last = [steps[this.taken - 1], loss[this.taken - 1]];
  }

  /** @param {number} step @param {number} loss */
  #take(step, loss) {
    const column = Math.floor(step / this.grid.width);
    if (!Number.isFinite(loss)) {
      this.brokenStep ??= step;
      if (this.highs[column] === undefined) this.highs[column] = this.lows[column] = null;
      return;
    }
    if (loss < this.low) this.low = loss;
    if (loss > this.high) {
      this.high = loss;
      this.highStep = step;
    }
    const drawn = Math.min(loss, LARGEST_DRAWN);
    const [high, low] = [this.highs[column], this.lows[column]];
    if (high == null || low == null) {
      this.highs[column] = this.lows[column] = drawn;
      this.marks.push(column);
    } else if (drawn > high) {
      this.highs[column] = drawn;
    } else if (drawn < low) {
      this.lows[column] = drawn;
    }
  }
}

/**
 * The last measured value at or before a step.
 * @param {Points} record
 * @param {number} step
 * @returns {{step: number, loss: number} | null}
 */
export function valueAt(record, step) {
  const index = lastAtMost(record.steps, step);
  return index < 0 ? null : { step: record.steps[index], loss: record.loss[index] };
}
