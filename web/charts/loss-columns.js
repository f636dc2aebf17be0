/** The record of each run as it is drawn: at most two values per pixel column, extended rather than recomputed. */

import { lastAtMost } from "./numbers.js";

const LARGEST_DRAWN = 1000; // nats; beyond this a canvas coordinate loses its precision, and the value is clipped anyway

/**
 * The steps 0..steps cut into columns. With no more steps than there is room for, every step has a place of its own;
 * otherwise a column holds the least and the greatest loss of its steps, so that no spike is lost.
 */
export class LossColumns {
  /**
   * @param {number} steps    last step of the x axis
   * @param {number} columns  pixel columns of the plot
   */
  constructor(steps, columns) {
    this.steps = steps;
    this.columns = columns;
    const places = Math.max(2, columns * 2);
    this.width = steps + 1 <= places ? 1 : Math.ceil((steps + 1) / columns); // steps in a column
    /** Steps at which values are drawn, ascending. */
    this.x = this.width === 1
      ? Array.from({ length: steps + 1 }, (_, step) => step)
      : Array.from({ length: 2 * Math.ceil((steps + 1) / this.width) }, (_, i) =>
        Math.min(steps, ((i >> 1) + (i % 2 ? 0.75 : 0.25)) * this.width));
    this.cache = new Map(); // run id -> {train, validation}
  }

  /** Forgets the runs that are no longer shown. */
  keepOnly(ids) {
    const kept = new Set(ids);
    for (const id of this.cache.keys()) if (!kept.has(id)) this.cache.delete(id);
  }

  /**
   * What to draw for a run: `null` breaks a line (a loss that is not a number), `undefined` is no value there.
   * @param {{id, train: {steps, loss}, validation: {steps, loss}}} run  only ever grows, or starts again
   * @returns {{train: Reading, validation: Reading}}
   * @typedef {{values: (number|null|undefined)[], marks: number[], low: number, high: number,
   *   highStep: number, brokenStep: number|null}} Reading  marks: places in `x` that hold a measured value;
   *   low, high: extremes of the finite values; brokenStep: first step whose loss is not a number
   */
  read(run) {
    let entry = this.cache.get(run.id);
    if (!entry) {
      entry = { train: new Column(this), validation: new Column(this) };
      this.cache.set(run.id, entry);
    }
    entry.train.extend(run.train);
    entry.validation.extend(run.validation);
    return entry;
  }
}

/** One curve of one run on the columns. */
class Column {
  constructor(grid) {
    this.grid = grid;
    this.clear();
  }

  clear() {
    this.values = new Array(this.grid.x.length).fill(undefined);
    this.marks = [];
    this.taken = 0; // how many points of the record are in
    this.last = [NaN, NaN]; // the last of them, to notice that a run has started again
    this.low = Infinity;
    this.high = -Infinity;
    this.highStep = 0;
    this.brokenStep = null;
    this.open = null; // the column still being filled: {column, low, high, lowStep, highStep}
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
    const finite = Number.isFinite(loss);
    if (finite) {
      if (loss < this.low) this.low = loss;
      if (loss > this.high) {
        this.high = loss;
        this.highStep = step;
      }
    } else {
      this.brokenStep ??= step;
    }
    const drawn = finite ? Math.min(loss, LARGEST_DRAWN) : null;
    if (this.grid.width === 1) {
      this.values[step] = drawn;
      if (finite) this.marks.push(step);
    } else {
      this.#takeInColumn(step, drawn);
    }
  }

  #takeInColumn(step, loss) {
    const column = Math.floor(step / this.grid.width);
    const first = 2 * column;
    if (loss === null) {
      if (this.open?.column !== column) this.values[first] = this.values[first + 1] = null;
      return;
    }
    let { open } = this;
    if (open?.column !== column) {
      open = this.open = { column, low: loss, high: loss, lowStep: step, highStep: step };
      this.marks.push(first + 1);
    } else if (loss < open.low) {
      open.low = loss;
      open.lowStep = step;
    } else if (loss > open.high) {
      open.high = loss;
      open.highStep = step;
    }
    const lowFirst = open.lowStep <= open.highStep;
    this.values[first] = lowFirst ? open.low : open.high;
    this.values[first + 1] = lowFirst ? open.high : open.low;
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
