/** <lab-announcer>: says the start, each quarter and the end of an experiment, and a change of unit, to those who do not see the page. */

import { html } from "lit";
import { counted, lossWords } from "../format.js";
import { outcome } from "../gaps.js";
import { totals, validationLoss } from "../run.js";
import { LabElement } from "./lab-element.js";

class LabAnnouncer extends LabElement {
  static watches = ["phase", "runs", "status", "unit"];
  #said = null;
  #unit = null;
  #words = "";

  render() {
    const { unit } = this.lab;
    if (unit !== this.#unit && this.#unit) this.#words = `Losses are written ${unit.logarithmic ? "as" : "in"} ${unit.per}.`;
    this.#unit = unit;
    const news = this.#news();
    if (news.key !== this.#said) {
      this.#said = news.key;
      this.#words = news.words;
    }
    return html`<p role="status" aria-live="polite" class="visually-hidden">${this.#words}</p>`;
  }

  /** What there is to say now; it is said when its key is a new one. */
  #news() {
    const { phase, runs, status } = this.state;
    const said = `${phase} ${runs.length}`;
    if (phase === "loading") return { key: said, words: "" };
    if (phase === "ready") return { key: said, words: status ? "Python is ready." : "" };
    if (phase === "paused") return { key: said, words: "Paused." };
    if (phase === "stopped") return { key: said, words: "Stopped." };
    if (phase === "finished") return { key: said, words: `Finished. ${this.#losses()}` };
    const { step, steps } = totals(runs);
    const quarter = Math.min(Math.floor((4 * step) / Math.max(steps, 1)), 3);
    if (quarter === 0) return { key: `${said} 0`, words: `Training ${counted(runs.length, "model")}.` };
    return { key: `${said} ${quarter}`, words: `${quarter * 25} percent done. ${this.#losses()}` };
  }

  /** The loss of each run or, where an encoding has several, the mean of those that have finished. */
  #losses() {
    const { runs, gaps } = this.state;
    const { rows } = outcome(runs, gaps);
    const told = rows.some(({ total }) => total > 1)
      ? rows.map(({ encoding, mean, finished }) => [`${this.lab.encodingLabel(encoding)}, mean of ${counted(finished, "seed")}`, mean])
      : runs.map((run) => [run.label, validationLoss(run)]);
    const known = told.filter(([, loss]) => loss != null);
    return known.map(([name, loss]) => `${name}: ${lossWords(this.lab.unit, loss, 2)}.`).join(" ");
  }
}

customElements.define("lab-announcer", LabAnnouncer);
