/** <lab-more-seeds>: adds seeds to an experiment that has ended, as many as would settle what is open. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { counted, duration } from "../format.js";
import { namesOf, secondsFor, suggestion } from "../more-seeds.js";
import { canContinue } from "../run.js";
import { MOST_SEEDS } from "../settings.js";
import { LabElement } from "./lab-element.js";

class LabMoreSeeds extends LabElement {
  static watches = ["runs", "gaps", "phase", "textLoading"];
  #typed = null; // what the reader wrote in place of the suggestion

  render() {
    if (!this.lab.hasEnded) return nothing;
    const left = this.lab.seedsLeft();
    const suggested = suggestion(this.state.runs, this.state.gaps, left);
    const typed = this.#typed ?? String(suggested.count);
    const count = /^\d+$/.test(typed) && Number(typed) >= 1 && Number(typed) <= left ? Number(typed) : null;
    return html`<form class="more-seeds" @submit=${(event) => this.#run(event, count)}>
      <label for="more-seeds">More seeds</label>
      <input id="more-seeds" type="text" inputmode="numeric" autocomplete="off" aria-describedby="more-seeds-why"
        aria-invalid=${left > 0 && count === null ? "true" : nothing} ?disabled=${left === 0}
        .value=${live(typed)} @input=${(event) => this.#type(event.target.value)} />
      <button class="button" ?disabled=${count === null || this.state.textLoading}>
        Run ${count === null ? "more seeds" : counted(count, "more seed")}</button>
      <p id="more-seeds-why">${this.#why(suggested, left)} ${this.#effort(count, left)}</p>
    </form>`;
  }

  #why({ reason, pair, count }, left) {
    const names = pair && namesOf(pair).map((encoding) => this.lab.encodingLabel(encoding)).join(" against ");
    switch (reason) {
      case "none left":
        return `${MOST_SEEDS} seeds are the most of one experiment.`;
      case "first interval":
        return `One seed tells nothing of the spread: ${count} more give a first interval.`;
      case "alone":
        return "One encoding has no gap; more seeds show how much its loss varies.";
      case "not compared":
        return "More seeds show how much the losses vary.";
      case "no pair":
        return this.#noPair();
      case "settle":
        return `${names}: about ${counted(pair.more, "more seed")} may settle it.`;
      case "out of reach":
        return `${names} would need ${pair.more === null ? "more than 1,000" : `about ${pair.more}`} more seeds, and ${left} are left; a few make the interval narrower.`;
      default:
        return "Every gap is settled; more seeds make the intervals narrower.";
    }
  }

  /** Why several encodings have no gap. */
  #noPair() {
    const { runs } = this.state;
    const words = "A gap needs two encodings that have finished with the same seed, and there are none yet";
    return runs.some(canContinue) ? `${words}: continue the runs that were stopped.` : `${words}.`;
  }

  /** How long it takes, or what has to be written instead. */
  #effort(count, left) {
    if (left === 0) return nothing;
    if (count === null) return html`<span class="error">Choose a whole number from 1 to ${left}.</span>`;
    const seconds = secondsFor(this.state.runs, count, this.lab.workers);
    return seconds === null ? nothing : `It takes about ${duration(Math.max(1, seconds))}; what is there stays.`;
  }

  #type(text) {
    this.#typed = text;
    this.requestUpdate();
  }

  /** The form goes when the runs begin; the keyboard stays at what is said of them. */
  #run(event, count) {
    event.preventDefault();
    if (count === null) return;
    this.#typed = null;
    this.lab.runMoreSeeds(count);
    this.closest(".gaps").querySelector(".note").focus({ preventScroll: true });
  }
}

customElements.define("lab-more-seeds", LabMoreSeeds);
