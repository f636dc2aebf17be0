/** <loss-chart>: training and validation loss of every run against the training step, with the baselines. */

import { ChartElement, make, setText } from "./chart-element.js";
import { LossColumns, valueAt } from "./loss-columns.js";
import { LossCursor } from "./loss-cursor.js";
import { LossEnds } from "./loss-ends.js";
import { LossGroups, lastStepOf } from "./loss-groups.js";
import { LossKey } from "./loss-key.js";
import { LossPlot } from "./loss-plot.js";
import { lossRange } from "./loss-range.js";
import { ROOM, leftOf, plotBox, plotHeight, topOf } from "./loss-scene.js";
import { LossVector } from "./loss-vector.js";
import { outOfPicture, spoken, summary } from "./loss-words.js";
import { colorOf, encodingColor } from "./palette.js";
import { unitTicks } from "./unit-ticks.js";
import { UNITS } from "./units.js";

const BASELINES = ["uniform", "unigram", "bigram"];
const EMPTY = "Each model’s loss will be drawn here as it trains. The dotted lines are what counting alone reaches.";

/**
 * Light-DOM custom element. Properties (setting one, or `refresh()` after growing the arrays in place, redraws once
 * in the next frame); losses are in nats per character, whatever the unit:
 * - `steps` {number} the x axis runs from 0 to this step; default 500
 * - `baselines` {{uniform, unigram, bigram} | null}
 * - `runs` {Array<{id: string, label: string, encoding: string, seed: number, state: string, visible: boolean,
 *   selected: boolean, train: {steps: ArrayLike<number>, loss: ArrayLike<number>}, validation: {steps, loss}}>}
 *   label: "Learned", or "Learned, seed 2" where there are several; steps ascend; the record of an id only grows, or
 *   starts again. Of an encoding's runs with the state "finished", two or more that are visible are drawn as their mean
 *   with a band from the least to the greatest.
 * - `unit` {Unit} an entry of UNITS, in which losses are written
 * - `measured` {Array<{encoding: string, label?: string, seeds: number, steps: number[], mean: number[], low: number[],
 *   high: number[]}> | null} bands from the least to the greatest of so many seeds, measured elsewhere; those of
 *   encodings that are visible among the runs are drawn
 *
 * Fires `toggle-run` {detail: {ids}} (bubbles) when a button of the key is pressed; it changes nothing itself.
 * `--chart-height` sets the height of the plot with its axes.
 */
export class LossChart extends ChartElement {
  static properties = { steps: 500, baselines: null, runs: [], unit: UNITS.nats, measured: null };

  #groups = new LossGroups();
  #curves = [];
  #measured = []; // the rows that are drawn
  #columns = null;
  #scene = null;
  #theme = null;
  #colors = new Map(); // CSS colour -> computed colour

  build() {
    this.key = new LossKey((ids) => this.dispatchEvent(new CustomEvent("toggle-run", { bubbles: true, detail: { ids } })));
    this.surface = make("div", "lc-surface");
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.host = make("div", "lc-host");
    this.quantity = make("span", "");
    this.meaning = make("span", "");
    const axisY = make("p", "lc-axis-y");
    axisY.append(this.quantity, this.meaning);
    this.axisX = make("p", "lc-axis-x", "training step");
    this.surface.append(axisY, this.host, this.axisX);
    this.note = make("p", "lc-note");
    this.live = make("p", "lc-live");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.key.element, this.surface, this.note, this.live);

    this.plot = this.forFile ? new LossVector(this.host) : new LossPlot(this.host);
    this.ends = new LossEnds();
    this.cursor = new LossCursor(this.surface, {
      lastStep: () => this.#lastStep(),
      stepAt: (clientX) => this.#stepAt(clientX),
      onRead: (step, byKeys) => {
        if (byKeys) setText(this.live, step === null ? "" : spoken(this.#visible(), step, this.unit));
        this.#showReading();
      },
    });
    this.host.append(this.ends.element, this.cursor.element);
  }

  /** A figure shows what is seen: a hidden run is not in it. Which run is selected matters to the page alone. */
  twin() {
    const twin = super.twin();
    twin.runs = this.runs.filter(({ visible }) => visible !== false).map((run) => ({ ...run, selected: false }));
    return twin;
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
    this.#curves = this.#groups.of(this.runs);
    this.#measured = this.#measuredToDraw();
    this.ends.setUnit(this.unit);
    const ends = this.#ends();
    const fitted = this.ends.fit(ends, width, this.host.clientHeight);
    this.host.style.minHeight = `${fitted.height + 2 * ROOM.top}px`;
    const height = this.host.clientHeight;

    const columns = Math.round(width - fitted.gutter);
    if (this.#columns?.steps !== this.steps || this.#columns.columns !== columns) {
      this.#columns = new LossColumns(this.steps, columns);
    }
    this.#columns.keepOnly(this.#curves.map(({ id }) => id));
    const curves = this.#curves.map((curve) => ({ curve, color: this.#color(curve), ...this.#columns.read(curve) }));
    const bands = [...this.#curves.map(({ band }) => band), ...this.#measured].filter(Boolean);
    const range = lossRange(this.baselines, [...curves.flatMap(({ train, validation }) => [train, validation]), ...bands.map(extremes)]);
    const scene = {
      width, height, range, curves, gutter: fitted.gutter, steps: this.steps, theme: this.#theme,
      ticks: unitTicks(this.unit, range, plotHeight(height)),
      baselines: this.#baselines(), measured: this.#measured.map((band) => ({ band, color: this.#color(band) })),
      x: this.#columns.x, stepsPerColumn: this.#columns.width, leaders: [],
    };
    const places = this.ends.place(ends, fitted.style, (loss) => topOf(scene, loss), plotBox(scene));
    scene.leaders = ends.map((end, i) => ({
      ...places[i],
      color: end.encoding === null ? this.#theme.inkFaint : this.#color(end),
      from: end.step,
    }));
    this.plot.show(scene);
    this.#scene = scene;
    this.#showAxes();
    this.#showReading();
    setText(this.note, outOfPicture(curves.filter(({ curve }) => curve.visible), range[1], this.unit));
    this.#summarise();
  }

  /** Those of the encodings that are visible. */
  #measuredToDraw() {
    const encodings = new Set(this.#visible().map(({ encoding }) => encoding));
    return (this.measured ?? []).filter(({ encoding }) => encodings.has(encoding));
  }

  #showAxes() {
    const { left } = plotBox(this.#scene);
    const curves = this.#visible();
    const meaning = [
      curves.some(({ band }) => !band) && "pale: training batches, strong: validation",
      curves.some(({ band }) => band) && "shaded: least to greatest of the seeds",
      this.unit.logarithmic && "logarithmic",
    ];
    setText(this.quantity, this.unit.quantity);
    setText(this.meaning, meaning.some(Boolean) ? `(${meaning.filter(Boolean).join("; ")})` : "");
    this.axisX.style.paddingInlineStart = `${left}px`;
  }

  #baselines() {
    return this.baselines ? BASELINES.map((name) => ({ name, value: this.baselines[name] })) : [];
  }

  #ends() {
    const lines = this.#baselines().map(({ name, value }) => ({ id: `baseline ${name}`, name, value, encoding: null, step: null }));
    const curves = this.#visible().flatMap((curve) => {
      const latest = valueAt(curve.validation, this.steps) ?? valueAt(curve.train, this.steps);
      return latest && Number.isFinite(latest.loss)
        ? [{ id: `curve ${curve.id}`, name: curve.end, value: latest.loss, encoding: curve.encoding, step: latest.step }]
        : [];
    });
    return [...lines, ...curves];
  }

  #visible() {
    return this.#curves.filter(({ visible }) => visible);
  }

  #color({ encoding }) {
    const wanted = encodingColor(encoding);
    if (!this.#colors.has(wanted)) this.#colors.set(wanted, colorOf(this, wanted));
    return this.#colors.get(wanted);
  }

  #lastStep() {
    return Math.max(0, ...this.#visible().map(lastStepOf));
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
    this.key.show(this.#curves, this.#measured, step, this.unit, EMPTY);
    if (step === null || !this.#scene) return this.cursor.hide();
    const points = this.#visible().flatMap((curve) => [curve.train, curve.validation].flatMap((record, i) => {
      const value = valueAt(record, step);
      return Number.isFinite(value?.loss)
        ? [{
            left: leftOf(this.#scene, value.step), top: topOf(this.#scene, value.loss), color: encodingColor(curve.encoding),
            strong: i === 1,
          }]
        : [];
    }));
    this.cursor.show(plotBox(this.#scene), leftOf(this.#scene, step), points);
  }

  /** The text alternative changes when a curve appears, disappears or ends, with the unit, or when all is quiet. */
  #summarise() {
    const state = this.#visible().map((curve) => `${curve.id} ${lastStepOf(curve) >= this.steps}`);
    const bands = this.#measured.map(({ encoding }) => encoding);
    this.saySettled(JSON.stringify([state, this.steps, this.baselines, this.unit.name, bands]), () =>
      this.surface.setAttribute("aria-label", summary(this.#visible(), this.baselines, this.steps, this.unit, this.#measured)));
  }
}

/** The least and the greatest of a band, as lossRange wants them. */
const extremes = ({ low, high }) => ({
  low: low.reduce((least, loss) => Math.min(least, loss), Infinity),
  high: high.reduce((most, loss) => Math.max(most, loss), -Infinity),
});

LossChart.register("loss-chart");
