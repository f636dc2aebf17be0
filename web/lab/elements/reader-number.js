/**
 * <reader-number name="…" unit="…">: a number of the reader's own runs in a sentence; without one, the words written
 * there. `unit="chosen"` gives a loss or a gap with the name of the unit that the page writes losses in.
 */

import { setText } from "../../charts/chart-element.js";
import { probeBehind, readerNumber } from "../reader-numbers.js";
/** @import { Lab } from "../lab.js" */

const NO_BREAK_SPACE = "\u00a0";

/** A number that the reader sees has its probe asked, as the probe's own lab would. */
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (target instanceof ReaderNumber) target.come(isIntersecting);
  },
  { rootMargin: "50% 0px" },
);

/** Whoever brings it to life sets `.lab` first. */
class ReaderNumber extends HTMLElement {
  static watches = ["probes", "runs", "gaps", "selected", "values", "encodings", "seeds", "ownText", "unit"];
  /** @type {string | null} */
  #fallback = null;
  #unsubscribe = () => {};

  connectedCallback() {
    this.#fallback ??= this.textContent;
    this.#unsubscribe = this.#lab.store.subscribe(ReaderNumber.watches, () => this.#show());
    this.#show();
    if (this.#probe) seen.observe(this);
  }

  disconnectedCallback() {
    this.#unsubscribe();
    seen.unobserve(this);
    this.come(false);
  }

  /** @param {boolean} isNear to the screen, or on it */
  come(isNear) {
    if (this.#probe) this.#lab.probes.near(this.#probe, this, isNear);
  }

  /** It is set before there is this class, whose field would take its place. @returns {Lab} */
  get #lab() {
    return Object.getOwnPropertyDescriptor(this, "lab")?.value;
  }

  get #name() {
    return this.getAttribute("name") ?? "";
  }

  get #probe() {
    return probeBehind(this.#name);
  }

  #show() {
    const unit = this.getAttribute("unit");
    const isChosen = unit === "chosen";
    const number = readerNumber(this.#lab, this.#name, isChosen);
    this.toggleAttribute("data-value", number !== null);
    const words = number !== null && unit && !isChosen ? `${number} ${unit}` : number;
    setText(this, words?.replaceAll(" ", NO_BREAK_SPACE) ?? this.#fallback ?? "");
  }
}

customElements.define("reader-number", ReaderNumber);
