/** The record of each curve as it is drawn: two values per column of about a pixel, extended rather than recomputed. */

import { lastAtMost } from "./numbers.js";

const COLUMN = 1.5; // CSS px of a column that holds several steps: finer is not seen, and costs in proportion
const LARGEST_DRAWN = 1000; // nats; beyond this a canvas coordinate loses its precision, and the value is clipped anyway

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
    this.cache = new Map(); // curve id -> {train, validation}
  }

  /** Forgets the curves that are no longer shown. */
  keepOnly(ids) {
    const kept = new Set(ids);
    for (const id of this.cache.keys()) if (!kept.has(id)) this.cache.delete(id);
  }

  /**
   * What to draw for a curve: `null` breaks a line (only losses that are not numbers), `undefined` is no value there.
   * @param {{id, train: {steps, loss}, validation: {steps, loss}}} curve  only ever grows, or starts again
   * @returns {{train: Reading, validation: Reading}}
   * @typedef {{highs: (number|null|undefined)[], lows: (number|null|undefined)[], marks: number[], low: number,
   *   high: number, highStep: number, brokenStep: number|null}} Reading  highs, lows: greatest and least loss of each
   *   column; marks: columns that hold a value; low, high: extremes of the finite values; brokenStep: first step
   *   whose loss is not a number
   */
  read({ id, train, validation }) {
    let entry = this.cache.get(id);
    if (!entry) {
      entry = { train: new Column(this), validation: new Column(this) };
      this.cache.set(id, entry);
    }
    entry.train.extend(train);
    entry.validation.extend(validation);
    return entry;
  }
}

/** One record on the columns. */
class Column {
  constructor(grid) {
    this.grid = grid;
    this.clear();
  }

  clear() {
    this.highs = new Array(this.grid.x.length).fill(undefined);
    this.lows = new Array(this.grid.x.length).fill(undefined);
    this.marks = [];
    this.taken = 0; // how many points of the record are in
    this.last = [NaN, NaN]; // the last of them, to notice that a run has started again
    this.low = Infinity;
    this.high = -Infinity;
    this.highStep = 0;
    this.brokenStep = null;
  }

  extend({ steps, loss }) {
    const again = steps.length < this.taken ||
      (this.taken > 0 && !(steps[this.taken - 1] === this.last[0] && Object.is(loss[this.taken - 1], this.last[1])));
    if (again) this.clear();
    for (let i = this.taken; i < steps.length; i++) {
      if (steps[i] >= 0 && steps[i] <= this.grid.steps) this.#take(steps[i], loss[i]);
    }
    this.taken = steps.length;
    if (this.taken) this.last = [steps[this.taken - 1], loss[this.taken - 1]];
  }

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
    if (this.highs[column] == null) {
      this.highs[column] = this.lows[column] = drawn;
      this.marks.push(column);
    } else if (drawn > this.highs[column]) {
      this.highs[column] = drawn;
    } else if (drawn < this.lows[column]) {
      this.lows[column] = drawn;
    }
  }
}

/**
 * The last measured value at or before a step.
 * @param {{steps: ArrayLike<number>, loss: ArrayLike<number>}} record
 * @param {number} step
 * @returns {{step: number, loss: number} | null}
 */
export function valueAt(record, step) {
  const index = lastAtMost(record.steps, step);
  return index < 0 ? null : { step: record.steps[index], loss: record.loss[index] };
}
