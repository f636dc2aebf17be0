/** <loss-chart>: training and validation loss of every run against the training step, with the baselines. */

import { ChartElement, make, setText } from "./chart-element.js";
import { LossColumns, valueAt } from "./loss-columns.js";
import { LossCursor } from "./loss-cursor.js";
import { LossEnds } from "./loss-ends.js";
import { LossKey } from "./loss-key.js";
import { LossPlot, TOP_ROOM, plotBox, topOf } from "./loss-plot.js";
import { lossRange } from "./loss-range.js";
import { outOfPicture, spoken, summary } from "./loss-words.js";
import { colorOf, encodingColor } from "./palette.js";

const BASELINES = ["uniform", "unigram", "bigram"];
const EMPTY = "Each model’s loss will be drawn here as it trains. The dotted lines are what counting alone reaches.";

/**
 * Light-DOM custom element. Properties (setting one, or `refresh()` after growing the arrays in place, redraws once
 * in the next frame):
 * - `steps` {number} the x axis runs from 0 to this step; default 500
 * - `baselines` {{uniform, unigram, bigram} | null} nats per character
 * - `runs` {Array<{id: string, label: string, encoding: string, seed: number, visible: boolean, selected: boolean,
 *   train: {steps: ArrayLike<number>, loss: ArrayLike<number>}, validation: {steps, loss}}>} steps ascend;
 *   the record of an id only grows, or starts again
 *
 * Fires `toggle-run` {detail: {id}} (bubbles) when a button of the key is pressed; it changes nothing itself.
 * `--chart-height` sets the height of the plot with its axes.
 */
export class LossChart extends ChartElement {
  static properties = { steps: 500, baselines: null, runs: [] };

  #columns = null;
  #scene = null;
  #theme = null;
  #colors = new Map(); // CSS colour -> computed colour

  build() {
    this.key = new LossKey((id) => this.dispatchEvent(new CustomEvent("toggle-run", { bubbles: true, detail: { id } })));
    this.surface = make("div", "lc-surface");
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.host = make("div", "lc-host");
    const axisY = make("p", "lc-axis-y");
    axisY.append(make("span", "", "Loss, nats per character "), make("span", "", "(pale: training batches, strong: validation)"));
    this.surface.append(axisY, this.host,
      make("p", "lc-axis-x", "training step"));
    this.note = make("p", "lc-note");
    this.live = make("p", "lc-live");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.key.element, this.surface, this.note, this.live);

    this.plot = new LossPlot(this.host);
    this.ends = new LossEnds();
    this.cursor = new LossCursor(this.surface, {
      lastStep: () => this.#lastStep(),
      stepAt: (clientX) => this.#stepAt(clientX),
      onRead: (step, byKeys) => {
        if (byKeys) setText(this.live, step === null ? "" : spoken(this.#visible(), step));
        this.#showReading();
      },
    });
    this.host.append(this.ends.element, this.cursor.element);
  }

  themeChanged() {
    const style = getComputedStyle(this.host);
    const color = (token) => colorOf(this, token);
    this.#theme = {
      ink: color("--ink"), inkSoft: color("--ink-soft"), inkFaint: color("--ink-faint"), rule: color("--rule"),
      paper: color("--paper"), font: `${style.fontSize} ${style.fontFamily}`,
    };
    this.#colors.clear();
    this.ends.setFont({ font: this.#theme.font, size: parseFloat(style.fontSize) });
    this.plot.destroy();
  }

  leave() {
    this.plot.destroy();
  }

  draw() {
    const width = this.host.clientWidth;
    if (width === 0) return; // not laid out: the resize observer calls again
    const ends = this.#ends();
    const fitted = this.ends.fit(ends, width, this.host.clientHeight);
    this.host.style.minHeight = `${fitted.height + 2 * TOP_ROOM}px`;
    const height = this.host.clientHeight;

    const columns = Math.round(width - fitted.gutter);
    if (this.#columns?.steps !== this.steps || this.#columns.columns !== columns) {
      this.#columns = new LossColumns(this.steps, columns);
    }
    this.#columns.keepOnly(this.runs.map((run) => run.id));
    const curves = this.runs.map((run) => ({ run, color: this.#color(run), ...this.#columns.read(run) }));
    const range = lossRange(this.baselines, curves.flatMap(({ train, validation }) => [train, validation]));
    const scene = {
      width, height, range, curves, gutter: fitted.gutter, steps: this.steps, theme: this.#theme,
      baselines: this.#baselines(), x: this.#columns.x,
      stepsPerColumn: this.#columns.width, leaders: [],
    };
    const places = this.ends.place(ends, fitted.style, (loss) => topOf(scene, loss), plotBox(scene));
    scene.leaders = ends.map((end, i) => ({
      ...places[i],
      color: end.encoding === null ? this.#theme.inkFaint : this.#color(end),
      from: end.step,
    }));
    this.plot.show(scene);
    this.#scene = scene;
    this.#showReading();
    setText(this.note, outOfPicture(curves.filter(({ run }) => run.visible !== false), range[1]));
    this.#summarise();
  }

  #baselines() {
    return this.baselines ? BASELINES.map((name) => ({ name, value: this.baselines[name] })) : [];
  }

  #ends() {
    const lines = this.#baselines().map(({ name, value }) => ({ id: `baseline ${name}`, name, value, encoding: null, step: null }));
    const runs = this.#visible().flatMap((run) => {
      const latest = valueAt(run.validation, this.steps) ?? valueAt(run.train, this.steps);
      return latest && Number.isFinite(latest.loss)
        ? [{ id: `run ${run.id}`, name: run.label, value: latest.loss, encoding: run.encoding, step: latest.step }]
        : [];
    });
    return [...lines, ...runs];
  }

  #visible() {
    return this.runs.filter((run) => run.visible !== false);
  }

  #color({ encoding }) {
    const wanted = encodingColor(encoding);
    if (!this.#colors.has(wanted)) this.#colors.set(wanted, colorOf(this, wanted));
    return this.#colors.get(wanted);
  }

  #lastStep() {
    return Math.max(0, ...this.#visible().map((run) => run.train.steps[run.train.steps.length - 1] ?? 0));
  }

  #stepAt(clientX) {
    const over = this.plot.over?.getBoundingClientRect();
    const last = this.#lastStep();
    if (!over || last === 0) return null;
    const step = Math.round(((clientX - over.left) / over.width) * this.steps);
    return Math.min(last, Math.max(0, step));
  }

  #showReading() {
    const { step } = this.cursor;
    this.key.show(this.runs, step, EMPTY);
    if (step === null || !this.#scene) return this.cursor.hide();
    const box = plotBox(this.#scene);
    const left = (at) => (at / this.#scene.steps) * box.width;
    const points = this.#visible().flatMap((run) => [run.train, run.validation].flatMap((record, i) => {
      const value = valueAt(record, step);
      return Number.isFinite(value?.loss)
        ? [{ left: left(value.step), top: topOf(this.#scene, value.loss), color: encodingColor(run.encoding), strong: i === 1 }]
        : [];
    }));
    this.cursor.show(box, left(step), points);
  }

  /** The text alternative changes when a run appears, disappears or ends, or when all is quiet. */
  #summarise() {
    const state = this.#visible().map((run) => `${run.id} ${(run.train.steps[run.train.steps.length - 1] ?? 0) >= this.steps}`);
    this.saySettled(JSON.stringify([state, this.steps, this.baselines]), () =>
      this.surface.setAttribute("aria-label", summary(this.#visible(), this.baselines, this.steps)));
  }
}

LossChart.register("loss-chart");
