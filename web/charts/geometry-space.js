/** <geometry-space>: the embedding table in the space of its first three principal components, turned by hand. */

import { scaleLinear } from "d3-scale";
import { create } from "d3-selection";
import { ChartElement, make, setText } from "./chart-element.js";
import { characterName } from "./characters.js";
import { legendItems } from "./class-legend.js";
import { GeometryMarks, markSize } from "./geometry-marks.js";
import { coordinate, count, percent } from "./numbers.js";
import { reach, turned } from "./turning.js";

const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = Math.PI / 24; // per press of a key
const PER_PIXEL = Math.PI / 400; // of a drag
const STRAIGHT = Math.PI / 2;
const FIRST_LOOK = { yaw: -0.5, pitch: 0.35 };
const NEAR = 26; // CSS px from the pointer within which a mark is read

/**
 * Light-DOM custom element. Properties as of <geometry-chart>, but for:
 * - `points` {Float32Array | null} (V, 3) row major; `explained` {[number, number, number] | null}
 *
 * Dragging, or the arrow keys, turn the space; typing a character reads it. Nothing turns by itself.
 * `--chart-height` sets the height.
 */
export class GeometrySpace extends ChartElement {
  static properties = { vocabulary: [], classes: [], points: null, explained: null, label: "", step: null };

  #look = { ...FIRST_LOOK };
  #read = null;
  #shown = {};

  build() {
    this.heading = make("p", "gc-heading");
    this.titleText = make("span", "gc-title");
    this.reading = make("span", "gc-reading for-screen");
    this.heading.append(this.titleText, this.reading);
    this.surface = make("div", "gc-surface");
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.host = make("div", "gc-host gc-space");
    this.svg = create("svg:svg").attr("aria-hidden", "true");
    this.axes = this.svg.append("g").attr("class", "gc-axes");
    this.marks = new GeometryMarks(this.svg.append("g").node());
    this.host.append(this.svg.node());
    this.surface.append(this.host);
    this.hint = make("p", "gc-axis-title");
    this.hint.append(make("span", "for-screen", "Drag, or use the arrow keys, to turn. "), "What is farther away is paler.");
    this.legend = make("ul", "gc-legend");
    this.live = make("p", "gc-live");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.heading, this.surface, this.hint, this.legend, this.live);
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
    this.surface.setAttribute("aria-label", this.#summary());
    this.#showReading();
  }

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

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.points) return;
    const { key } = event;
    const typed = this.vocabulary.indexOf(key === "Enter" ? "\n" : key);
    if (key === "Escape" && this.#read !== null) this.#readMark(null);
    else if (key in TURNS) this.#turnTo(this.#look.yaw + TURNS[key][0] * STEP, this.#look.pitch + TURNS[key][1] * STEP);
    else if (typed >= 0) this.#readMark(typed);
    else return;
    event.preventDefault();
    setText(this.live, this.#read === null ? "" : this.#sentence());
  }

  #turnTo(yaw, pitch) {
    this.#look = { yaw, pitch: Math.min(STRAIGHT, Math.max(-STRAIGHT, pitch)) };
    this.refresh();
  }

  #readMark(index) {
    if (this.#read === index) return;
    this.#read = index;
    this.#showReading();
  }

  #showReading() {
    this.marks.emphasise(this.#read);
    setText(this.reading, this.#read === null ? "" : this.#sentence());
  }

  #sentence() {
    const at = [...this.points.subarray(3 * this.#read, 3 * this.#read + 3)].map(coordinate);
    return `${characterName(this.vocabulary[this.#read])}, ${this.classes[this.#read]}, at (${at.join(", ")})`;
  }

  #summary() {
    const shares = this.explained ? `, which hold ${this.explained.map((share) => percent(share)).join(", ")} of the variance` : "";
    return `Embedding table: ${this.vocabulary.length} characters in the space of three principal components${shares}. Arrow keys turn it.`;
  }
}

GeometrySpace.register("geometry-space");
