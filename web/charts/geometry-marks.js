/** The characters as marks: one isolated SVG text each, moved straight to where the data say. */

import { select } from "d3-selection";
import { glyph } from "./characters.js";
import { CLASS_COLOR } from "./palette.js";

/** @typedef {(value: number) => number} Scale from a coordinate to CSS px */

/**
 * CSS px of a mark's type for a vocabulary on a plot: smaller when there are many, readable when there are few.
 * @param {number} width
 * @param {number} height
 * @param {number} marks
 * @param {boolean} compact
 */
export const markSize = (width, height, marks, compact) =>
  Math.min(compact ? 11 : 16, Math.max(compact ? 6 : 9, 0.3 * Math.sqrt((width * height) / Math.max(1, marks))));

export class GeometryMarks {
  #places = new Float64Array(0); // (V, 2) CSS px; NaN where a point is not a number
  /** @type {ReturnType<typeof glyph>[]} */
  #glyphs = [];
  /** @type {SVGTextElement[]} */
  #texts = [];
  /** @type {string[]} */
  #classes = [];
  #size = 0;

  /** @param {SVGSVGElement} svg  takes the marks */
  constructor(svg) {
    this.group = select(svg).append("g").attr("class", "gc-marks");
    this.focus = select(svg).append("g").attr("class", "gc-focus").attr("visibility", "hidden");
    this.focus.append("circle");
    this.focus.append("text");
  }

  /** Makes the marks of a vocabulary. @param {string[]} vocabulary @param {string[]} classes */
  setVocabulary(vocabulary, classes) {
    this.#glyphs = vocabulary.map(glyph);
    this.#classes = classes;
    /** @type {import("d3-selection").Selection<SVGTextElement, unknown, SVGGElement, unknown>} */
    const before = this.group.selectAll("text");
    const texts = before.data(this.#glyphs).join("text")
      .text(({ text }) => text)
      .style("fill", (_, i) => CLASS_COLOR[classes[i]] ?? "var(--ink)");
    this.#texts = texts.nodes();
  }

  /** Sets the type size of all marks, CSS px. @param {number} size */
  setSize(size) {
    this.#size = size;
    this.group.attr("font-size", size);
    this.#glyphs.forEach(({ long }, i) => {
      if (long) this.#texts[i].setAttribute("font-size", String(size * 0.6));
    });
  }

  /**
   * Moves every mark.
   * @param {Float32Array} points (V, 2)
   * @param {{x: Scale, y: Scale}} scales
   * @param {Float32Array | null} [nearness]  (V), 0 to 1: what is far away is drawn fainter and below the rest
   */
  move(points, { x, y }, nearness = null) {
    if (this.#places.length !== points.length) this.#places = new Float64Array(points.length);
    this.#texts.forEach((text, i) => {
      const px = (this.#places[2 * i] = x(points[2 * i]));
      const py = (this.#places[2 * i + 1] = y(points[2 * i + 1]));
      if (Number.isFinite(px) && Number.isFinite(py)) {
        text.setAttribute("transform", `translate(${px.toFixed(2)},${py.toFixed(2)})`);
        text.removeAttribute("visibility");
      } else {
        text.setAttribute("visibility", "hidden");
      }
      if (nearness) text.setAttribute("opacity", (0.5 + 0.5 * nearness[i]).toFixed(2));
    });
    if (nearness) {
      const order = this.#texts.map((_, i) => i).sort((a, b) => nearness[a] - nearness[b]);
      this.group.node()?.append(...order.map((i) => this.#texts[i]));
    }
  }

  /**
   * Index of the mark nearest to a place within `reach` CSS px, or null.
   * @param {number} px
   * @param {number} py
   * @param {number} reach
   */
  nearest(px, py, reach) {
    return this.#best((dx, dy) => {
      const distance = Math.hypot(dx, dy);
      return distance <= reach ? distance : Infinity;
    }, px, py);
  }

  /**
   * Index of the next mark from mark `from` towards (ux, uy), a unit vector in pixels; `from` if there is none.
   * @param {number} from
   * @param {number} ux
   * @param {number} uy
   */
  next(from, ux, uy) {
    const [px, py] = this.#places.subarray(2 * from, 2 * from + 2);
    const found = this.#best((dx, dy) => {
      const along = dx * ux + dy * uy;
      const across = Math.abs(dx * uy - dy * ux);
      return along > 0.5 && across <= 2 * along ? along + 2 * across : Infinity;
    }, px, py);
    return found ?? from;
  }

  /** Draws one mark larger, ringed and above the others; null takes the ring away. @param {number | null} index */
  emphasise(index) {
    const shown = index !== null && Number.isFinite(this.#places[2 * index]);
    this.focus.attr("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const { text, long } = this.#glyphs[index];
    const color = CLASS_COLOR[this.#classes[index]] ?? "var(--ink)";
    this.focus.attr("transform", `translate(${this.#places[2 * index]},${this.#places[2 * index + 1]})`);
    this.focus.select("circle").attr("r", this.#size * 0.95).style("stroke", color);
    this.focus.select("text").text(text).attr("font-size", this.#size * (long ? 0.6 : 1.2)).style("fill", color);
  }

  /**
   * Index of the mark with the least finite cost(dx, dy), or null.
   * @param {(dx: number, dy: number) => number} cost
   * @param {number} px
   * @param {number} py
   * @returns {number | null}
   */
  #best(cost, px, py) {
    let best = null;
    let least = Infinity;
    for (let i = 0; i < this.#texts.length; i++) {
      const value = cost(this.#places[2 * i] - px, this.#places[2 * i + 1] - py);
      if (value < least) {
        least = value;
        best = i;
      }
    }
    return best;
  }
}
