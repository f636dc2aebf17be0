/** The labels to the right of the loss plot: each baseline and each curve by name, with its value, none on another. */

import { context2d, make, setText } from "./chart-element.js";
import { stackLabels } from "./label-stack.js";
import { encodingColor, encodingSign } from "./palette.js";
import { signElement } from "./signs.js";
import { UNITS } from "./units.js";

/** @import { Box } from "./figure-trace.js" */
/** @import { Unit } from "./units.js" */

const LEADER = 14; // CSS px between the plot and the labels
const SIGN = 15; // CSS px of a mark and the space after it
const ABOVE = "↑ "; // before a value that lies above the plot, which only one above all baselines can
const SPACE = 5; // CSS px between name and value
const WIDEST_SHARE = 0.37; // of the chart's width, for labels of one line
const WIDEST_SHARE_STACKED = 0.5; // for labels of two lines: a longer name is in the key alone
const TALLEST_SHARE = 0.7; // of the plot's height, for labels of two lines: more would push them far from their values

/**
 * @typedef {{id: string, name: string, value: number, encoding: string|null, step: number|null}} End
 *   encoding: null for a baseline; step: the step at which the value was measured
 * @typedef {"line" | "stack" | "value"} Style name and value in one line, in two, or the value alone
 * @typedef {{element: HTMLElement, name: HTMLElement, value: HTMLElement, sign?: HTMLElement, encoding: string | null}} Label
 */

export class LossEnds {
  /** By the ids of the ends. @type {Map<string, Label>} */
  #nodes = new Map();
  /** CSS px of texts. @type {Map<string, number>} */
  #widths = new Map();
  #context = context2d(make("canvas", ""));
  #unit = UNITS.nats;
  #lineHeight = 0;

  constructor() {
    this.element = make("div", "lc-ends");
  }

  /** Takes the unit that values are written in (units.js). @param {Unit} unit */
  setUnit(unit) {
    this.#unit = unit;
  }

  /**
   * Takes the font that the labels are set in, to measure them without asking for a layout.
   * @param {{font: string, size: number}} type
   */
  setFont({ font, size }) {
    this.#context.font = font;
    this.#lineHeight = Math.round(size * 1.35);
    this.#widths.clear();
  }

  /**
   * Chooses how labels are set (name and value in one line, in two, or the value alone) and what room that takes.
   * @param {End[]} ends
   * @param {number} width   CSS px of the chart
   * @param {number} height  CSS px of the plot
   * @returns {{style: Style, gutter: number, height: number}}  height: what the labels need
   */
  fit(ends, width, height) {
    const lines = Math.max(...ends.filter((end) => end.encoding === null).map((end) => end.value));
    /** @type {(end: End, style: Style) => number} */
    const room = (end, style) => this.#width(end, style) + (end.value > lines ? this.#textWidth(ABOVE) : 0);
    /** @param {Style} style */
    const setting = (style) => ({
      style,
      gutter: LEADER + Math.ceil(Math.max(0, ...ends.map((end) => room(end, style)))),
      height: ends.reduce((sum, end) => sum + this.#height(end, style), 0),
    });
    const line = setting("line");
    if (line.gutter <= width * WIDEST_SHARE) return line;
    const stack = setting("stack");
    return stack.gutter <= width * WIDEST_SHARE_STACKED && stack.height <= height * TALLEST_SHARE ? stack : setting("value");
  }

  /**
   * Sets the labels and returns where each leader goes.
   * @param {End[]} ends
   * @param {Style} style
   * @param {(loss: number) => number} top  CSS px from the top of the plot to a loss
   * @param {Box} box  the plot in the host
   * @returns {{at: number, label: number}[]}
   */
  place(ends, style, top, box) {
    const wanted = ends.map((end) => Math.min(Math.max(top(end.value), 0), box.height));
    const heights = ends.map((end) => this.#height(end, style));
    const centres = stackLabels(wanted.map((at, i) => ({ at, height: heights[i] })), -box.top, box.height + box.top);
    this.#removeOthers(ends);
    ends.forEach((end, i) => {
      const node = this.#node(end);
      setText(node.name, end.name);
      setText(node.value, `${top(end.value) < 0 ? ABOVE : ""}${this.#unit.loss(end.value, 2)}`);
      node.element.dataset.style = end.encoding === null ? "line" : style;
      const x = box.left + box.width + LEADER;
      const y = box.top + centres[i] - heights[i] / 2;
      node.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
    return ends.map((_, i) => ({ at: wanted[i], label: centres[i] }));
  }

  /** @param {End} end @param {Style} style */
  #height(end, style) {
    return this.#lineHeight * (style === "stack" && end.encoding !== null ? 2 : 1) + (style === "stack" ? 3 : 1);
  }

  /** @param {End} end @param {Style} style */
  #width(end, style) {
    const name = this.#textWidth(end.name);
    const value = this.#textWidth(this.#unit.loss(end.value, 2));
    if (end.encoding === null) return name + SPACE + value;
    if (style === "value") return SIGN + value;
    return SIGN + (style === "stack" ? Math.max(name, value) : name + SPACE + value);
  }

  /**
   * Digits count as wide as a zero, since they are set as tabular figures: the width does not tremble.
   * @param {string} text
   */
  #textWidth(text) {
    const key = text.replace(/\d/g, "0");
    const width = this.#widths.get(key) ?? this.#context.measureText(key).width;
    this.#widths.set(key, width);
    return width;
  }

  /** @param {End[]} ends */
  #removeOthers(ends) {
    const ids = new Set(ends.map((end) => end.id));
    for (const [id, node] of this.#nodes) {
      if (ids.has(id)) continue;
      node.element.remove();
      this.#nodes.delete(id);
    }
  }

  /** The label of an end, with its sign. @param {End} end */
  #node({ id, encoding }) {
    const node = this.#nodes.get(id) ?? this.#makeNode(id, encoding);
    if (encoding !== null && node.encoding !== encoding) {
      node.encoding = encoding;
      node.sign?.remove();
      node.sign = make("span", "lc-sign");
      node.sign.style.color = encodingColor(encoding);
      node.sign.append(signElement(encodingSign(encoding)));
      node.element.prepend(node.sign);
    }
    return node;
  }

  /** @param {string} id @param {string | null} encoding @returns {Label} */
  #makeNode(id, encoding) {
    const element = make("div", encoding === null ? "lc-end lc-baseline" : "lc-end");
    const node = { element, name: make("span", "lc-end-name"), value: make("span", "lc-end-value"), encoding: null };
    element.append(node.name, node.value);
    this.element.append(element);
    this.#nodes.set(id, node);
    return node;
  }
}
