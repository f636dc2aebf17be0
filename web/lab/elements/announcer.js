/** <lab-announcer>: says the start, each quarter and the end of an experiment to those who do not see the bars. */

import { html } from "lit";
import { nats } from "../../charts/numbers.js";
import { counted } from "../format.js";
import { totals, validationLoss } from "../run.js";
import { LabElement } from "./lab-element.js";

class LabAnnouncer extends LabElement {
  static watches = ["phase", "runs", "status"];
  #said = null;
  #words = "";

  render() {
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

  #losses() {
    const measured = this.state.runs.filter((run) => validationLoss(run) !== undefined);
    return measured.map((run) => `${run.label}: ${nats(validationLoss(run), 2)} nats.`).join(" ");
  }
}

customElements.define("lab-announcer", LabAnnouncer);
