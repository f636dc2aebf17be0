/** <lab-announcer>: says the start, each quarter and the end of an experiment, and a change of unit, to those who do not see the page. */

import { html } from "lit";
import { counted, lossWords } from "../format.js";
import { outcome } from "../gaps.js";
import { News } from "../news.js";
import { validationLoss } from "../run.js";
import { LabElement } from "./lab-element.js";

class LabAnnouncer extends LabElement {
  static watches = ["phase", "runs", "status", "unit"];
  #news = new News();
  /** @type {import("../../charts/units.js").Unit | null} */
  #unit = null;
  #words = "";

  render() {
    const { unit } = this.lab;
    if (unit !== this.#unit && this.#unit) this.#words = `Losses are written ${unit.logarithmic ? "as" : "in"} ${unit.per}.`;
    this.#unit = unit;
    this.#words = this.#news.tell(this.state, () => this.#losses()) ?? this.#words;
    return html`<p role="status" aria-live="polite" class="visually-hidden">${this.#words}</p>`;
  }

  /** The loss of each run or, where an encoding has several, the mean of those that have finished. */
  #losses() {
    const { runs, gaps } = this.state;
    const { rows } = outcome(runs, gaps);
    /** @type {[string, number | null | undefined][]} */
    const told = rows.some(({ total }) => total > 1)
      ? rows.map(({ encoding, mean, finished }) => [`${this.lab.encodingLabel(encoding)}, mean of ${counted(finished, "seed")}`, mean])
      : runs.map((run) => [run.label, validationLoss(run)]);
    return told.flatMap(([name, loss]) => (loss == null ? [] : [`${name}: ${lossWords(this.lab.unit, loss, 2)}.`])).join(" ");
  }
}

customElements.define("lab-announcer", LabAnnouncer);
