/** <geometry-scrubber>: the embedding table at any moment of its training, from step 0 on, on the plane or in space. */

import { ChartElement, make, setText } from "./chart-element.js";
import "./geometry-chart.js";
import "./geometry-space.js";
import { count } from "./numbers.js";

/**
 * Light-DOM custom element. Properties (setting one redraws in the next frame):
 * - `vocabulary`, `classes`, `label` as of <geometry-chart>
 * - `moments` {{step: number | null, points2: Float32Array, explained2: number[] | null, points3?: Float32Array,
 *   explained3?: number[]}[]} ascending steps; without points3 a moment has no picture in space. The last is shown until
 *   the reader goes back to an earlier one.
 */
export class GeometryScrubber extends ChartElement {
  static properties = { vocabulary: [], classes: [], moments: [], label: "" };

  #place = null; // of the moment that is shown; null for the last
  #solid = false;

  build() {
    const views = make("div", "gs-views");
    views.setAttribute("role", "group");
    views.setAttribute("aria-label", "Dimensions of the picture");
    this.buttons = [["2-D", false], ["3-D", true]].map(([name, solid]) => {
      const button = make("button", "gs-view", name);
      button.type = "button";
      button.addEventListener("click", () => {
        this.#solid = solid;
        this.refresh();
      });
      views.append(button);
      return { button, solid };
    });
    this.time = make("label", "gs-time");
    this.said = make("span", "gs-step");
    this.slider = make("input", "gs-slider");
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.addEventListener("input", () => {
      const place = Number(this.slider.value);
      this.#place = place === this.moments.length - 1 ? null : place;
      this.refresh();
    });
    this.time.append(this.said, this.slider);
    const controls = make("div", "gs-controls");
    controls.append(views, this.time);
    this.plane = document.createElement("geometry-chart");
    this.space = document.createElement("geometry-space");
    this.append(controls, this.plane, this.space);
  }

  draw() {
    const { moments, vocabulary, classes, label } = this;
    const last = moments.length - 1;
    if (last < 0) return;
    if (this.#place > last) this.#place = null;
    const place = this.#place ?? last;
    const moment = moments[place];
    const solid = this.#solid && Boolean(moment.points3);
    for (const { button, solid: wanted } of this.buttons) {
      button.setAttribute("aria-pressed", String(wanted === solid));
      button.disabled = wanted && !moment.points3;
    }
    this.time.hidden = last === 0;
    this.slider.max = last;
    this.slider.value = place;
    if (last > 0) {
      setText(this.said, `step ${count(moment.step)} of ${count(moments[last].step)}`);
      this.slider.setAttribute("aria-valuetext", `step ${count(moment.step)}`);
    }
    this.plane.hidden = solid;
    this.space.hidden = !solid;
    const shared = { vocabulary, classes, label, step: moment.step };
    if (solid) Object.assign(this.space, shared, { points: moment.points3, explained: moment.explained3 ?? null });
    else Object.assign(this.plane, shared, { points: moment.points2, explained: moment.explained2 });
  }
}

GeometryScrubber.register("geometry-scrubber");
