/** <geometry-scrubber>: the embedding table at any moment of its training, from step 0 on, on the plane or in space. */

import { chartWith, make, setText } from "./chart-element.js";
import { GeometryChart } from "./geometry-chart.js";
import { GeometrySpace } from "./geometry-space.js";
import { count } from "./numbers.js";

/**
 * @typedef {object} Moment
 * @property {number | null} step
 * @property {Float32Array} points2
 * @property {ArrayLike<number> | null} explained2
 * @property {Float32Array} [points3]  without them a moment has no picture in space
 * @property {ArrayLike<number>} [explained3]
 *
 * @typedef {object} Properties `vocabulary`, `classes` and `label` as of <geometry-chart>
 * @property {string[]} vocabulary
 * @property {string[]} classes
 * @property {Moment[]} moments  ascending steps; the last is shown until the reader goes back to an earlier one
 * @property {string} label
 */

/** @type {Properties} */
const PROPERTIES = { vocabulary: [], classes: [], moments: [], label: "" };

/** Light-DOM custom element; setting one of its properties redraws in the next frame. */
export class GeometryScrubber extends chartWith(PROPERTIES) {
  time = make("label", "gs-time");
  said = make("span", "gs-step");
  slider = make("input", "gs-slider");
  plane = new GeometryChart();
  space = new GeometrySpace();
  buttons = [{ name: "2-D", solid: false }, { name: "3-D", solid: true }].map(({ name, solid }) => {
    const button = make("button", "gs-view", name);
    button.type = "button";
    button.addEventListener("click", () => {
      this.#solid = solid;
      this.refresh();
    });
    return { button, solid };
  });

  /** @type {number | null} */
  #place = null; // of the moment that is shown; null for the last
  #solid = false;

  build() {
    const views = make("div", "gs-views");
    views.setAttribute("role", "group");
    views.setAttribute("aria-label", "Dimensions of the picture");
    views.append(...this.buttons.map(({ button }) => button));
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.addEventListener("input", () => {
      const place = Number(this.slider.value);
      this.#place = place === this.moments.length - 1 ? null : place;
      this.refresh();
    });
    this.time.append(this.said, this.slider);
    const controls = make("div", "gs-controls");
    controls.append(views, this.time);
    this.append(controls, this.plane, this.space);
  }

  draw() {
    const { moments, vocabulary, classes, label } = this;
    const last = moments.length - 1;
    if (last < 0) return;
    if (this.#place !== null && this.#place > last) this.#place = null;
    const place = this.#place ?? last;
    const moment = moments[place];
    const solid = this.#solid && Boolean(moment.points3);
    for (const { button, solid: wanted } of this.buttons) {
      button.setAttribute("aria-pressed", String(wanted === solid));
      button.disabled = wanted && !moment.points3;
    }
    this.time.hidden = last === 0;
    this.slider.max = String(last);
    this.slider.value = String(place);
    if (last > 0) {
      const step = `step ${count(moment.step ?? 0)}`;
      setText(this.said, `${step} of ${count(moments[last].step ?? 0)}`);
      this.slider.setAttribute("aria-valuetext", step);
    }
    this.plane.hidden = solid;
    this.space.hidden = !solid;
    const shared = { vocabulary, classes, label, step: moment.step };
    if (solid) Object.assign(this.space, shared, { points: moment.points3, explained: moment.explained3 ?? null });
    else Object.assign(this.plane, shared, { points: moment.points2, explained: moment.explained2 });
  }
}

GeometryScrubber.register("geometry-scrubber");
