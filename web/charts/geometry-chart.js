/** <geometry-chart>: the embedding table seen on the plane of its first two principal components, the characters themselves as marks. */

import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { chartWith, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { characterName } from "./characters.js";
import { legendItems } from "./class-legend.js";
import { GeometryMarks, markSize } from "./geometry-marks.js";
import { pointRows } from "./geometry-rows.js";
import { GeometryView } from "./geometry-view.js";
import { coordinate, count, percent } from "./numbers.js";
import { svgNode } from "./svg-node.js";
/** @import { ScaleLinear } from "d3-scale" */
/** @import { Box } from "./figure-trace.js" */

const MARGIN = { left: 38, right: 6, top: 6, bottom: 24 };
const COMPACT_MARGIN = { left: 2, right: 2, top: 2, bottom: 2 };
const REACH = { mouse: 32, touch: 60 }; // CSS px from the pointer within which a mark is picked
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const EMPTY = "Each character will appear here as a point: its row of the embedding table, seen on the plane in which the rows differ most.";

/**
 * @typedef {object} Properties
 * @property {string[]} vocabulary  V characters
 * @property {string[]} classes     the class of each, a key of CLASS_COLOR
 * @property {Float32Array | null} points  (V, 2) row major, aligned to earlier points, a new array for each frame; null
 *   shows the empty state
 * @property {ArrayLike<number> | null} explained  share of variance of each axis, 0..1
 * @property {string} label     the run's name; another label is another table, and the window starts afresh
 * @property {number | null} step
 * @property {boolean} compact  small multiple: marks and title only, from 120 px on
 */

/** @type {Properties} */
const PROPERTIES = { vocabulary: [], classes: [], points: null, explained: null, label: "", step: null, compact: false };

/**
 * Light-DOM custom element; setting one of its properties redraws in the next frame.
 *
 * Points are shown where they were measured: nothing is eased between two of them.
 * `--chart-height` sets the height of the plot with its axes.
 */
export class GeometryChart extends chartWith(PROPERTIES) {
  heading = make("p", "gc-heading");
  titleText = make("span", "gc-title");
  reading = make("span", "gc-reading for-screen");
  surface = make("div", "gc-surface");
  axisY = make("p", "gc-axis-title");
  host = make("div", "gc-host");
  axisX = make("p", "gc-axis-title gc-axis-x");
  empty = make("p", "gc-empty", EMPTY);
  picture = svgNode("svg", { "aria-hidden": "true" });
  svg = select(this.picture);
  zero = this.svg.append("g").attr("class", "gc-zero");
  bottom = this.svg.append("g").attr("class", "gc-axis");
  left = this.svg.append("g").attr("class", "gc-axis");
  marks = new GeometryMarks(this.picture);
  legend = make("ul", "gc-legend");
  table = new ChartTable();
  live = make("p", "gc-live");

  #view = new GeometryView();
  /** @type {number | null} */
  #read = null; // index of the character that is read
  /** @type {Partial<Properties>} */
  #shown = {}; // what the DOM was last made from

  build() {
    this.heading.append(this.titleText, this.reading);
    this.surface.setAttribute("role", "img");
    this.host.append(this.picture, this.empty);
    this.surface.append(this.axisY, this.host, this.axisX);
    this.live.setAttribute("aria-live", "polite");
    this.append(this.heading, this.surface, this.legend, this.table.element, this.live);
    this.#listen();
  }

  /** A figure is as large as a small multiple's large chart. */
  twin() {
    const twin = super.twin();
    twin.compact = false;
    return twin;
  }

  draw() {
    const { points, compact } = this;
    this.classList.toggle("gc-compact", compact);
    if (compact) this.surface.removeAttribute("tabindex"); // it may lie within a button
    else this.surface.tabIndex = 0;
    this.#takeVocabulary();
    if (this.#shown.label !== this.label) this.#view.reset();
    if (points && (points !== this.#shown.points || this.#shown.label !== this.label)) this.#view.follow(points);
    Object.assign(this.#shown, { label: this.label, points });

    const filled = points !== null && points.length === 2 * this.vocabulary.length && points.length > 0;
    this.classList.toggle("gc-waiting", !filled);
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    const title = [this.label, this.step === null || !filled ? "" : `step ${count(this.step)}`].filter(Boolean);
    setText(this.titleText, title.join(", "));
    if (filled && width > 0) this.#drawMarks(points, width, height);
    this.saySettled(`${this.label} ${points !== null} ${this.vocabulary.length}`, () => {
      const summary = this.#summary();
      this.surface.setAttribute("aria-label", summary);
      this.table.element.hidden = compact || !filled;
      this.table.show(summary, () => pointRows(this.vocabulary, this.classes, this.points, 2));
    });
    this.#showReading();
  }

  #takeVocabulary() {
    const { vocabulary, classes } = this;
    if (this.#shown.vocabulary === vocabulary && this.#shown.classes === classes) return;
    Object.assign(this.#shown, { vocabulary, classes });
    this.#read = null;
    this.marks.setVocabulary(vocabulary, classes);
    this.legend.replaceChildren(...legendItems(classes));
  }

  /** @param {Float32Array} points @param {number} width @param {number} height */
  #drawMarks(points, width, height) {
    const margin = this.compact ? COMPACT_MARGIN : MARGIN;
    const box = {
      left: margin.left,
      top: margin.top,
      width: width - margin.left - margin.right,
      height: height - margin.top - margin.bottom,
    };
    this.svg.attr("width", width).attr("height", height);
    const scales = this.#view.scales(box);
    this.marks.setSize(markSize(box.width, box.height, this.vocabulary.length, this.compact));
    this.marks.move(points, scales);
    this.#drawAxes(scales, box);
  }

  /** @param {{x: ScaleLinear<number, number>, y: ScaleLinear<number, number>}} scales @param {Box} box */
  #drawAxes({ x, y }, { left, top, width, height }) {
    const [right, bottom] = [left + width, top + height];
    const upright = left < x(0) && x(0) < right ? [x(0)] : [];
    const level = top < y(0) && y(0) < bottom ? [y(0)] : [];
    this.zero.selectAll(".gc-upright").data(upright).join("line").attr("class", "gc-upright")
      .attr("x1", (at) => at).attr("x2", (at) => at).attr("y1", top).attr("y2", bottom);
    this.zero.selectAll(".gc-level").data(level).join("line").attr("class", "gc-level")
      .attr("y1", (at) => at).attr("y2", (at) => at).attr("x1", left).attr("x2", right);
    if (this.compact) return;
    this.bottom.attr("transform", `translate(0,${bottom})`)
      .call(axisBottom(x).ticks(Math.max(2, width / 90)).tickSizeOuter(0).tickSizeInner(4).tickPadding(5));
    this.left.attr("transform", `translate(${left},0)`)
      .call(axisLeft(y).ticks(Math.max(2, height / 70)).tickSizeOuter(0).tickSizeInner(4).tickPadding(4));
    /** @param {number} axis */
    const share = (axis) => (this.explained ? ` (${percent(this.explained[axis])} of variance)` : "");
    setText(this.axisX, `principal plane, axis 1${share(0)} →`);
    setText(this.axisY, `↑ principal plane, axis 2${share(1)}`);
  }

  #listen() {
    /** @param {PointerEvent} event */
    const point = (event) => {
      if (this.compact || !this.points) return;
      const { left, top } = this.host.getBoundingClientRect();
      const reach = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
      this.#readMark(this.marks.nearest(event.clientX - left, event.clientY - top, reach));
    };
    this.host.addEventListener("pointermove", point);
    this.host.addEventListener("pointerdown", point);
    this.host.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#readMark(null));
    this.surface.addEventListener("blur", () => this.#readMark(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Arrows walk to the neighbour in that direction, typing a character finds it, Escape leaves.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.points) return;
    const { key } = event;
    const typed = this.vocabulary.indexOf(key === "Enter" ? "\n" : key);
    if (key === "Escape" && this.#read !== null) this.#readMark(null);
    else if (key in ARROWS) this.#readMark(this.#read === null ? 0 : this.marks.next(this.#read, ...ARROWS[key]));
    else if (typed >= 0) this.#readMark(typed);
    else return;
    event.preventDefault();
    setText(this.live, this.#sentence());
  }

  /** @param {number | null} index */
  #readMark(index) {
    if (this.#read === index) return;
    this.#read = index;
    this.#showReading();
  }

  #showReading() {
    const reads = this.#read !== null && this.points !== null && !this.compact;
    this.marks.emphasise(reads ? this.#read : null);
    setText(this.reading, reads ? this.#sentence() : "");
  }

  /** What is read of the character that the reader points at; "" where there is none. */
  #sentence() {
    if (this.#read === null || !this.points) return "";
    const [x, y] = this.points.subarray(2 * this.#read, 2 * this.#read + 2);
    return `${characterName(this.vocabulary[this.#read])}, ${this.classes[this.#read]}, at (${coordinate(x)}, ${coordinate(y)})`;
  }

  #summary() {
    if (!this.points) return EMPTY;
    const table = ["Embedding table", this.label && `of ${this.label}`, this.step !== null && `at step ${count(this.step)}`];
    const shares = this.explained
      ? `, which hold ${percent(this.explained[0])} and ${percent(this.explained[1])} of the variance` : "";
    return `${table.filter(Boolean).join(" ")}: ${this.vocabulary.length} characters on the principal plane${shares}.`;
  }
}

GeometryChart.register("geometry-chart");
