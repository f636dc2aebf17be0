/** <geometry-space>: the embedding table in the space of its first three principal components, turned by hand. */

import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { chartWith, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { characterName } from "./characters.js";
import { legendItems } from "./class-legend.js";
import { GeometryMarks, markSize } from "./geometry-marks.js";
import { pointRows } from "./geometry-rows.js";
import { coordinate, count, percent } from "./numbers.js";
import { svgNode } from "./svg-node.js";
import { reach, turned } from "./turning.js";
/** @import { Scale } from "./geometry-marks.js" */

/** @type {Record<string, [number, number]>} */
const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = Math.PI / 24; // per press of a key
const PER_PIXEL = Math.PI / 400; // of a drag
const STRAIGHT = Math.PI / 2;
const FIRST_LOOK = { yaw: -0.5, pitch: 0.35 };
const NEAR = 26; // CSS px from the pointer within which a mark is read

/**
 * @typedef {object} Properties as of <geometry-chart>, but in three dimensions
 * @property {string[]} vocabulary
 * @property {string[]} classes
 * @property {Float32Array | null} points  (V, 3) row major
 * @property {ArrayLike<number> | null} explained
 * @property {string} label
 * @property {number | null} step
 */

/** @type {Properties} */
const PROPERTIES = { vocabulary: [], classes: [], points: null, explained: null, label: "", step: null };

/**
 * Light-DOM custom element; setting one of its properties redraws in the next frame.
 *
 * Dragging, or the arrow keys, turn the space; typing a character reads it. Nothing turns by itself.
 * `--chart-height` sets the height.
 */
export class GeometrySpace extends chartWith(PROPERTIES) {
  heading = make("p", "gc-heading");
  titleText = make("span", "gc-title");
  reading = make("span", "gc-reading for-screen");
  surface = make("div", "gc-surface");
  host = make("div", "gc-host gc-space");
  picture = svgNode("svg", { "aria-hidden": "true" });
  svg = select(this.picture);
  axes = this.svg.append("g").attr("class", "gc-axes");
  marks = new GeometryMarks(this.picture);
  hint = make("p", "gc-axis-title");
  legend = make("ul", "gc-legend");
  table = new ChartTable();
  live = make("p", "gc-live");

  #look = { ...FIRST_LOOK };
  /** @type {number | null} */
  #read = null;
  /** @type {Partial<Properties>} */
  #shown = {};
  /** The points that the words and the table are of. @type {Float32Array | null} */
  #told = null;

  build() {
    this.heading.append(this.titleText, this.reading);
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.host.append(this.picture);
    this.surface.append(this.host);
    this.hint.append(make("span", "for-screen", "Drag, or use the arrow keys, to turn. "), "What is farther away is paler.");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.heading, this.surface, this.hint, this.legend, this.table.element, this.live);
    this.#listen();
  }

  /** Turned as this one is. */
  twin() {
    const twin = super.twin();
    twin.#look = { ...this.#look };
    return twin;
  }

  draw() {
    const { points, vocabulary, classes } = this;
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    if (!points || points.length !== 3 * vocabulary.length || width === 0) return;
    if (this.#shown.vocabulary !== vocabulary || this.#shown.classes !== classes) {
      this.marks.setVocabulary(vocabulary, classes);
      this.legend.replaceChildren(...legendItems(classes));
      this.#shown = { vocabulary, classes };
      this.#read = null;
    }
    setText(this.titleText, [this.label, this.step === null ? "" : `step ${count(this.step)}`].filter(Boolean).join(", "));
    this.svg.attr("width", width).attr("height", height);
    const far = reach(points);
    const unit = (Math.min(width, height) / 2 - 14) / far; // px
    const x = scaleLinear([-1, 1], [width / 2 - unit, width / 2 + unit]);
    const y = scaleLinear([-1, 1], [height / 2 + unit, height / 2 - unit]);
    const { flat, depth } = turned(points, this.#look.yaw, this.#look.pitch);
    this.marks.setSize(markSize(width, height, vocabulary.length, false));
    this.marks.move(flat, { x, y }, depth.map((each) => (each / far + 1) / 2));
    this.#drawAxes(x, y, far);
    if (this.#told !== points) {
      this.#told = points; // turning it changes no number
      this.saySettled(`${this.label} ${vocabulary.length}`, () => {
        const summary = this.#summary();
        this.surface.setAttribute("aria-label", summary);
        this.table.show(summary, () => pointRows(this.vocabulary, this.classes, this.points, 3));
      });
    }
    this.#showReading();
  }

  /** @param {Scale} x @param {Scale} y @param {number} far */
  #drawAxes(x, y, far) {
    const ends = turned([far, 0, 0, 0, far, 0, 0, 0, far], this.#look.yaw, this.#look.pitch).flat;
    const axes = [0, 1, 2].map((axis) => {
      const share = this.explained ? `, ${percent(this.explained[axis])}` : "";
      return { x: ends[2 * axis], y: ends[2 * axis + 1], text: `axis ${axis + 1}${share}` };
    });
    this.axes.selectAll("line").data(axes).join("line")
      .attr("x1", (end) => x(-end.x)).attr("y1", (end) => y(-end.y)).attr("x2", (end) => x(end.x)).attr("y2", (end) => y(end.y));
    const width = x(0) * 2;
    this.axes.selectAll("text").data(axes).join("text").text((end) => end.text)
      .attr("x", (end) => Math.min(width - 4, Math.max(4, x(end.x)))).attr("y", (end) => y(end.y) - 5)
      .attr("text-anchor", (end) => (x(end.x) > width - 60 ? "end" : x(end.x) < 60 ? "start" : "middle"));
  }

  #listen() {
    /** @type {{x: number, y: number, yaw: number, pitch: number} | null} */
    let from = null;
    this.host.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, ...this.#look };
      this.host.setPointerCapture(event.pointerId);
    });
    this.host.addEventListener("pointermove", (event) => {
      const { left, top } = this.host.getBoundingClientRect();
      if (from) this.#turnTo(from.yaw + (event.clientX - from.x) * PER_PIXEL, from.pitch + (event.clientY - from.y) * PER_PIXEL);
      else this.#readMark(this.marks.nearest(event.clientX - left, event.clientY - top, NEAR));
    });
    for (const end of ["pointerup", "pointercancel"]) this.host.addEventListener(end, () => (from = null));
    this.host.addEventListener("pointerleave", () => this.#readMark(null));
    this.surface.addEventListener("blur", () => this.#readMark(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.points) return;
    const { key } = event;
    const typed = this.vocabulary.indexOf(key === "Enter" ? "\n" : key);
    if (key === "Escape" && this.#read !== null) this.#readMark(null);
    else if (key in TURNS) this.#turnTo(this.#look.yaw + TURNS[key][0] * STEP, this.#look.pitch + TURNS[key][1] * STEP);
    else if (typed >= 0) this.#readMark(typed);
    else return;
    event.preventDefault();
    setText(this.live, this.#sentence());
  }

  /** @param {number} yaw @param {number} pitch */
  #turnTo(yaw, pitch) {
    this.#look = { yaw, pitch: Math.min(STRAIGHT, Math.max(-STRAIGHT, pitch)) };
    this.refresh();
  }

  /** @param {number | null} index */
  #readMark(index) {
    if (this.#read === index) return;
    this.#read = index;
    this.#showReading();
  }

  #showReading() {
    this.marks.emphasise(this.#read);
    setText(this.reading, this.#sentence());
  }

  /** What is read of the character that the reader points at; "" where there is none. */
  #sentence() {
    if (this.#read === null || !this.points) return "";
    const at = [...this.points.subarray(3 * this.#read, 3 * this.#read + 3)].map(coordinate);
    return `${characterName(this.vocabulary[this.#read])}, ${this.classes[this.#read]}, at (${at.join(", ")})`;
  }

  #summary() {
    const each = this.explained && Array.from(this.explained, (share) => percent(share));
    const shares = each ? `, which hold ${each.join(", ")} of the variance` : "";
    return `Embedding table: ${this.vocabulary.length} characters in the space of three principal components${shares}. Arrow keys turn it.`;
  }
}

GeometrySpace.register("geometry-space");
