/** <geometry-chart>: the embedding table seen on the plane of its first two principal components, the characters themselves as marks. */

import { axisBottom, axisLeft } from "d3-axis";
import { create } from "d3-selection";
import { ChartElement, make, setText } from "./chart-element.js";
import { characterName } from "./characters.js";
import { legendItems } from "./class-legend.js";
import { GeometryMarks, markSize } from "./geometry-marks.js";
import { GeometryView } from "./geometry-view.js";
import { coordinate, count, percent } from "./numbers.js";

const MARGIN = { left: 38, right: 6, top: 6, bottom: 24 };
const COMPACT_MARGIN = { left: 2, right: 2, top: 2, bottom: 2 };
const REACH = { mouse: 32, touch: 60 }; // CSS px from the pointer within which a mark is picked
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const EMPTY = "Each character will appear here as a point: its row of the embedding table, seen on the plane in which the rows differ most.";

/**
 * Light-DOM custom element. Properties (setting one redraws in the next frame):
 * - `vocabulary` {string[]} V characters; `classes` {string[]} the class of each, a key of CLASS_COLOR
 * - `points` {Float32Array | null} (V, 2) row major, aligned to earlier points, a new array for
 *   each frame; null shows the empty state
 * - `explained` {[number, number] | null} share of variance of each axis, 0..1
 * - `label` {string} the run's name; another label is another table, and the window starts afresh
 * - `step` {number | null}; `compact` {boolean} small multiple: marks and title only, from 120 px on
 *
 * Points are shown where they were measured: nothing is eased between two of them.
 * `--chart-height` sets the height of the plot with its axes.
 */
export class GeometryChart extends ChartElement {
  static properties = {
    vocabulary: [], classes: [], points: null, explained: null, label: "", step: null, compact: false,
  };

  #view = new GeometryView();
  #read = null; // index of the character that is read
  #shown = {}; // what the DOM was last made from

  build() {
    this.heading = make("p", "gc-heading");
    this.titleText = make("span", "gc-title");
    this.reading = make("span", "gc-reading for-screen");
    this.heading.append(this.titleText, this.reading);
    this.surface = make("div", "gc-surface");
    this.surface.setAttribute("role", "img");
    this.axisY = make("p", "gc-axis-title");
    this.host = make("div", "gc-host");
    this.axisX = make("p", "gc-axis-title gc-axis-x");
    this.empty = make("p", "gc-empty", EMPTY);
    this.svg = create("svg:svg").attr("aria-hidden", "true");
    this.zero = this.svg.append("g").attr("class", "gc-zero");
    this.bottom = this.svg.append("g").attr("class", "gc-axis");
    this.left = this.svg.append("g").attr("class", "gc-axis");
    this.marks = new GeometryMarks(this.svg.append("g").node());
    this.legend = make("ul", "gc-legend");
    this.host.append(this.svg.node(), this.empty);
    this.surface.append(this.axisY, this.host, this.axisX);
    this.live = make("p", "gc-live");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.heading, this.surface, this.legend, this.live);
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

    const filled = points?.length === 2 * this.vocabulary.length && points.length > 0;
    this.classList.toggle("gc-waiting", !filled);
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    const title = [this.label, this.step === null || !filled ? "" : `step ${count(this.step)}`].filter(Boolean);
    setText(this.titleText, title.join(", "));
    if (filled && width > 0) this.#drawMarks(width, height);
    this.saySettled(`${this.label} ${points !== null} ${this.vocabulary.length}`, () =>
      this.surface.setAttribute("aria-label", this.#summary()));
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

  #drawMarks(width, height) {
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
    this.marks.move(this.points, scales);
    this.#drawAxes(scales, box);
  }

  #drawAxes({ x, y }, { left, top, width, height }) {
    const line = (group, at, from, to, across) => group.selectAll(`.${across}`).data(from < at && at < to ? [at] : [])
      .join("line").attr("class", across);
    line(this.zero, x(0), left, left + width, "gc-upright").attr("x1", (v) => v).attr("x2", (v) => v).attr("y1", top).attr("y2", top + height);
    line(this.zero, y(0), top, top + height, "gc-level").attr("y1", (v) => v).attr("y2", (v) => v).attr("x1", left).attr("x2", left + width);
    if (this.compact) return;
    this.bottom.attr("transform", `translate(0,${top + height})`)
      .call(axisBottom(x).ticks(Math.max(2, width / 90)).tickSizeOuter(0).tickSizeInner(4).tickPadding(5));
    this.left.attr("transform", `translate(${left},0)`)
      .call(axisLeft(y).ticks(Math.max(2, height / 70)).tickSizeOuter(0).tickSizeInner(4).tickPadding(4));
    const share = (axis) => (this.explained ? ` (${percent(this.explained[axis])} of variance)` : "");
    setText(this.axisX, `principal plane, axis 1${share(0)} →`);
    setText(this.axisY, `↑ principal plane, axis 2${share(1)}`);
  }

  #listen() {
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

  /** Arrows walk to the neighbour in that direction, typing a character finds it, Escape leaves. */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.points) return;
    const { key } = event;
    const typed = this.vocabulary.indexOf(key === "Enter" ? "\n" : key);
    if (key === "Escape" && this.#read !== null) this.#readMark(null);
    else if (key in ARROWS) this.#readMark(this.#read === null ? 0 : this.marks.next(this.#read, ...ARROWS[key]));
    else if (typed >= 0) this.#readMark(typed);
    else return;
    event.preventDefault();
    setText(this.live, this.#read === null ? "" : this.#sentence());
  }

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

  #sentence() {
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
