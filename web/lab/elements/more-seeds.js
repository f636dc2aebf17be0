/** <lab-more-seeds>: adds seeds to an experiment that has ended, as many as would settle what is open. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { counted, duration } from "../format.js";
import { namesOf, secondsFor, suggestion } from "../more-seeds.js";
import { canContinue } from "../run.js";
import { MOST_SEEDS } from "../settings.js";
import { LabElement } from "./lab-element.js";
/** @import { EventOn } from "../kinds.js" */
/** @import { Suggestion } from "../more-seeds.js" */

class LabMoreSeeds extends LabElement {
  static watches = ["runs", "gaps", "phase", "textLoading", "locks"];
  /** @type {string | null} */
  #typed = null; // what the reader wrote in place of the suggestion

  render() {
    if (!this.lab.hasEnded || this.lab.isLocked("seeds")) return nothing;
    const left = this.lab.seedsLeft();
    const suggested = suggestion(this.state.runs, this.state.gaps, left);
    const typed = this.#typed ?? String(suggested.count);
    const count = /^\d+$/.test(typed) && Number(typed) >= 1 && Number(typed) <= left ? Number(typed) : null;
    return html`<form class="more-seeds" @submit=${(/** @type {Event} */ event) => this.#run(event, count)}>
      <label for="more-seeds">More seeds</label>
      <input id="more-seeds" type="text" inputmode="numeric" autocomplete="off" aria-describedby="more-seeds-why"
        aria-invalid=${left > 0 && count === null ? "true" : nothing} ?disabled=${left === 0}
        .value=${live(typed)} @input=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => this.#type(target.value)} />
      <button class="button" ?disabled=${count === null || this.state.textLoading}>
        Run ${count === null ? "more seeds" : counted(count, "more seed")}</button>
      <p id="more-seeds-why">${this.#why(suggested, left)} ${this.#effort(count, left)}</p>
    </form>`;
  }

  /** @param {Suggestion} suggested @param {number} left */
  #why(suggested, left) {
    switch (suggested.reason) {
      case "none left":
        return `${MOST_SEEDS} seeds are the most of one experiment.`;
      case "first interval":
        return `One seed tells nothing of the spread: ${suggested.count} more give a first interval.`;
      case "alone":
        return "One encoding has no gap; more seeds show how much its loss varies.";
      case "not compared":
        return "More seeds show how much the losses vary.";
      case "no pair":
        return this.#noPair();
      case "settle":
        return `${this.#names(suggested.pair)}: about ${counted(suggested.pair.more, "more seed")} may settle it.`;
      case "out of reach":
        return `${this.#names(suggested.pair)} would need ${suggested.pair.more === null ? "more than 1,000" : `about ${suggested.pair.more}`} more seeds, and ${left} are left; a few make the interval narrower.`;
      default:
        return "Every gap is settled; more seeds make the intervals narrower.";
    }
  }

  /** @param {import("../kinds.js").Gap} gap */
  #names(gap) {
    return namesOf(gap).map((encoding) => this.lab.encodingLabel(encoding)).join(" against ");
  }

  /** Why several encodings have no gap. */
  #noPair() {
    const { runs } = this.state;
    const words = "A gap needs two encodings that have finished with the same seed, and there are none yet";
    return runs.some(canContinue) ? `${words}: continue the runs that were stopped.` : `${words}.`;
  }

  /** How long it takes, or what has to be written instead. @param {number | null} count @param {number} left */
  #effort(count, left) {
    if (left === 0) return nothing;
    if (count === null) return html`<span class="error">Choose a whole number from 1 to ${left}.</span>`;
    const seconds = secondsFor(this.state.runs, count, this.lab.workers);
    return seconds === null ? nothing : `It takes about ${duration(Math.max(1, seconds))}; what is there stays.`;
  }

  /** @param {string} text */
  #type(text) {
    this.#typed = text;
    this.requestUpdate();
  }

  /**
   * The form goes when the runs begin; the keyboard stays at what is said of them.
   * @param {Event} event
   * @param {number | null} count
   */
  #run(event, count) {
    event.preventDefault();
    if (count === null) return;
    this.#typed = null;
    this.lab.runMoreSeeds(count);
    /** @type {HTMLElement | null | undefined} */
    const note = this.closest(".gaps")?.querySelector(".note");
    note?.focus({ preventScroll: true });
  }
}

customElements.define("lab-more-seeds", LabMoreSeeds);
