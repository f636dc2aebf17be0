/** What is said of an experiment to those who do not see it: its start, each quarter of a training, its end. */

import { counted } from "./format.js";
import { isUnderWay, totals } from "./run.js";
/** @import { Run, State } from "./kinds.js" */

export class News {
  /**
   * The list of runs that was told of last: a new experiment, one that is opened and one that goes on have a new one.
   * @type {Run[] | null}
   */
  #runs = null;
  /** @type {string | null} */
  #key = null;
  /** The runs that train from here on, and the steps that they had before. @type {{runs: Run[], from: number}} */
  #stretch = { runs: [], from: 0 };

  /**
   * @param {Pick<State, "phase" | "runs" | "status">} state of the store
   * @param {() => string} losses what the runs have reached, as sentences
   * @returns {string|null} what there is to say now; null where that was said
   */
  tell({ phase, runs, status }, losses) {
    const isNew = runs !== this.#runs;
    if (isNew) this.#begin(runs);
    const quarter = phase === "running" ? this.#quarter() : 0;
    const key = `${phase} ${quarter}`;
    if (!isNew && key === this.#key) return null;
    this.#key = key;
    switch (phase) {
      case "loading":
        return "";
      case "ready":
        return status ? "Python is ready." : "";
      case "paused":
        return "Paused.";
      case "stopped":
        return ["Stopped.", losses()].filter(Boolean).join(" ");
      case "finished":
        return `Finished. ${losses()}`;
      default:
        return quarter ? `${quarter * 25} percent done. ${losses()}` : `Training ${counted(this.#stretch.runs.length, "model")}.`;
    }
  }

  /** @param {Run[]} runs */
  #begin(runs) {
    const training = runs.filter(isUnderWay);
    this.#runs = runs;
    this.#stretch = { runs: training, from: totals(training).step };
  }

  /** How many quarters of what was to be trained are done; the fourth is the end. */
  #quarter() {
    const { runs, from } = this.#stretch;
    const { step, steps } = totals(runs);
    return Math.min(Math.floor((4 * (step - from)) / Math.max(steps - from, 1)), 3);
  }
}
