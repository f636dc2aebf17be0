/** The scale under a heat map: its colours, the numbers at their ends, and what the numbers are. */

import { make, setText } from "./chart-element.js";
import { heatColor } from "./heat-scale.js";
import { significant } from "./numbers.js";
/** @import { HeatColors, HeatKind, HeatRange } from "./heat-scale.js" */

const COLORS = 41; // in the strip

export class HeatBar {
  constructor() {
    this.element = make("div", "hm-bar");
    this.element.setAttribute("aria-hidden", "true");
    this.low = make("span", "");
    this.middle = make("span", "hm-middle", "0");
    this.high = make("span", "");
    this.unit = make("p", "hm-unit");
    const strip = make("div", "hm-colors");
    this.parts = Array.from({ length: COLORS }, () => make("i", ""));
    strip.append(...this.parts);
    const ends = make("div", "hm-ends");
    ends.append(this.low, this.middle, this.high);
    const scale = make("div", "hm-scale");
    scale.append(strip, ends);
    this.element.append(scale, this.unit);
  }

  /**
   * @param {HeatRange} range
   * @param {HeatKind} kind
   * @param {HeatColors} colors
   * @param {boolean} own    whether each picture has a range of its own
   * @param {string} words   what the numbers are
   */
  show(range, kind, colors, own, words) {
    const { low, high, below, above } = range;
    const color = heatColor(range, kind, colors);
    this.parts.forEach((part, i) => {
      const shade = color(low + ((high - low) * i) / (COLORS - 1));
      if (part.dataset.shade === shade) return;
      part.dataset.shade = shade;
      part.style.background = shade;
    });
    /** @type {(value: number, beyond: boolean, sign: string) => string} */
    const end = (value, beyond, sign) => (beyond ? `${sign} ${significant(value, 2)}` : significant(value, 2));
    setText(this.low, own ? (kind === "diverging" ? "−" : "0") : end(low, below, "≤"));
    setText(this.high, own ? "+" : end(high, above, "≥"));
    this.middle.hidden = kind === "sequential";
    setText(this.unit, words);
  }
}
