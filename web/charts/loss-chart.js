/** <loss-chart>: training and validation loss of every run against the training step, with the baselines. */

import { chartWith, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { LossColumns, valueAt } from "./loss-columns.js";
import { LossCursor } from "./loss-cursor.js";
import { LossEnds } from "./loss-ends.js";
import { LossGroups, lastStepOf } from "./loss-groups.js";
import { LossKey } from "./loss-key.js";
import { LossPlot } from "./loss-plot.js";
import { lossRange } from "./loss-range.js";
import { ROOM, leftOf, plotBox, plotHeight, topOf } from "./loss-scene.js";
import { lossNumbers } from "./loss-numbers.js";
import { LossVector } from "./loss-vector.js";
import { outOfPicture, spoken, summary } from "./loss-words.js";
import { colorOf, colorsOf, encodingColor } from "./palette.js";
import { unitTicks } from "./unit-ticks.js";
import { UNITS } from "./units.js";
/** @import { Curve, Measured, ShownRun } from "./loss-groups.js" */
/** @import { Baselines } from "./loss-range.js" */
/** @import { Scene } from "./loss-scene.js" */
/** @import { Unit } from "./units.js" */

const THEME = { ink: "--ink", inkSoft: "--ink-soft", inkFaint: "--ink-faint", rule: "--rule", paper: "--paper" };
const EMPTY = "Each model’s loss will be drawn here as it trains. The dotted lines are what counting alone reaches.";

/**
 * @typedef {object} Properties losses are in nats per character, whatever the unit
 * @property {number} steps    the x axis runs from 0 to this step
 * @property {Baselines | null} baselines
 * @property {ShownRun[]} runs
 * @property {Unit} unit       an entry of UNITS, in which losses are written
 * @property {Measured[] | null} measured  those of encodings that are visible among the runs are drawn
 */

/** @type {Properties} */
const PROPERTIES = { steps: 500, baselines: null, runs: [], unit: UNITS.nats, measured: null };

/**
 * Light-DOM custom element; setting one of its properties, or `refresh()` after growing the arrays in place, redraws once in
 * the next frame.
 *
 * Fires `toggle-run` {detail: {ids}} (bubbles) when a button of the key is pressed; it changes nothing itself.
 * `--chart-height` sets the height of the plot with its axes.
 */
export class LossChart extends chartWith(PROPERTIES) {
  key = new LossKey((ids) => this.dispatchEvent(new CustomEvent("toggle-run", { bubbles: true, detail: { ids } })));
  surface = make("div", "lc-surface");
  host = make("div", "lc-host");
  quantity = make("span", "");
  meaning = make("span", "");
  axisX = make("p", "lc-axis-x", "training step");
  note = make("p", "lc-note");
  table = new ChartTable();
  live = make("p", "lc-live");
  /** @type {LossPlot | LossVector} */
  plot = new LossPlot(this.host);
  ends = new LossEnds();
  cursor = new LossCursor(this.surface, {
    lastStep: () => this.#lastStep(),
    stepAt: (clientX) => this.#stepAt(clientX),
    onRead: (step, byKeys) => {
      if (byKeys) setText(this.live, step === null ? "" : spoken(this.#visible(), step, this.unit));
      this.#showReading();
    },
  });

  #groups = new LossGroups();
  /** @type {Curve[]} */
  #curves = [];
  /** @type {Measured[]} */
  #measured = []; // the rows that are drawn
  /** @type {LossColumns | null} */
  #columns = null;
  /** @type {Scene | null} */
  #scene = null;
  #theme = { ...THEME, font: "" }; // the tokens alone, until the theme is known
  /** Colours as they are computed, by how CSS has them. @type {Map<string, string>} */
  #colors = new Map();

  build() {
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    const axisY = make("p", "lc-axis-y");
    axisY.append(this.quantity, this.meaning);
    this.surface.append(axisY, this.host, this.axisX);
    this.live.setAttribute("aria-live", "polite");
    this.append(this.key.element, this.surface, this.note, this.table.element, this.live);
    if (this.forFile) this.plot = new LossVector(this.host);
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
    this.#theme = { ...colorsOf(this, THEME), font: `${style.fontSize} ${style.fontFamily}` };
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

    const columns = this.#columnsOf(Math.round(width - fitted.gutter));
    columns.keepOnly(this.#curves.map(({ id }) => id));
    const curves = this.#curves.map((curve) => ({ curve, color: this.#color(curve), ...columns.read(curve) }));
    const bands = [...this.#curves.flatMap(({ band }) => band ?? []), ...this.#measured];
    const range = lossRange(this.baselines, [...curves.flatMap(({ train, validation }) => [train, validation]), ...bands.map(extremes)]);
    /** @type {Scene} */
    const scene = {
      width, height, range, curves, gutter: fitted.gutter, steps: this.steps, theme: this.#theme,
      ticks: unitTicks(this.unit, range, plotHeight(height)),
      baselines: this.#baselines(), measured: this.#measured.map((band) => ({ band, color: this.#color(band) })),
      x: columns.x, stepsPerColumn: columns.width, leaders: [],
    };
    const places = this.ends.place(ends, fitted.style, (loss) => topOf(scene, loss), plotBox(scene));
    scene.leaders = ends.map((end, i) => ({
      ...places[i],
      color: end.encoding === null ? this.#theme.inkFaint : this.#color({ encoding: end.encoding }),
      from: end.step,
    }));
    this.plot.show(scene);
    this.#scene = scene;
    this.#showAxes(scene);
    this.#showReading();
    setText(this.note, outOfPicture(curves.filter(({ curve }) => curve.visible), range[1], this.unit));
    this.#summarise();
  }

  /** What was read of the curves on so many columns. @param {number} columns */
  #columnsOf(columns) {
    const isStill = this.#columns?.steps === this.steps && this.#columns.columns === columns;
    return (this.#columns = isStill && this.#columns ? this.#columns : new LossColumns(this.steps, columns));
  }

  /** Those of the encodings that are visible. */
  #measuredToDraw() {
    const encodings = new Set(this.#visible().map(({ encoding }) => encoding));
    return (this.measured ?? []).filter(({ encoding }) => encodings.has(encoding));
  }

  /** @param {Scene} scene */
  #showAxes(scene) {
    const { left } = plotBox(scene);
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
    if (!this.baselines) return [];
    const { uniform, unigram, bigram } = this.baselines;
    return Object.entries({ uniform, unigram, bigram }).map(([name, value]) => ({ name, value }));
  }

  /** @returns {import("./loss-ends.js").End[]} */
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

  /** @param {{encoding: string}} of */
  #color({ encoding }) {
    const wanted = encodingColor(encoding);
    const color = this.#colors.get(wanted) ?? colorOf(this, wanted);
    this.#colors.set(wanted, color);
    return color;
  }

  #lastStep() {
    return Math.max(0, ...this.#visible().map(lastStepOf));
  }

  /** @param {number} clientX */
  #stepAt(clientX) {
    const over = this.plot.over?.getBoundingClientRect();
    const last = this.#lastStep();
    if (!over || last === 0) return null;
    const step = Math.round(((clientX - over.left) / over.width) * this.steps);
    return Math.min(last, Math.max(0, step));
  }

  #showReading() {
    const { step } = this.cursor;
    const scene = this.#scene;
    this.key.show(this.#curves, this.#measured, step, this.unit, EMPTY);
    if (step === null || !scene) return this.cursor.hide();
    const points = this.#visible().flatMap((curve) => [curve.train, curve.validation].flatMap((record, i) => {
      const value = valueAt(record, step);
      return value && Number.isFinite(value.loss)
        ? [{ left: leftOf(scene, value.step), top: topOf(scene, value.loss), color: encodingColor(curve.encoding), strong: i === 1 }]
        : [];
    }));
    this.cursor.show(plotBox(scene), leftOf(scene, step), points);
  }

  /** The words and the table change when a curve appears, disappears or ends, with the unit, or when all is quiet. */
  #summarise() {
    const state = this.#visible().map((curve) => `${curve.id} ${lastStepOf(curve) >= this.steps}`);
    const bands = this.#measured.map(({ encoding }) => encoding);
    this.saySettled(JSON.stringify([state, this.steps, this.baselines, this.unit.name, bands]), () => {
      const words = summary(this.#visible(), this.baselines, this.steps, this.unit, this.#measured);
      this.surface.setAttribute("aria-label", words);
      this.table.element.hidden = state.length === 0;
      this.table.show(words, () => lossNumbers(this.#visible(), this.unit));
    });
  }
}

/** The least and the greatest of a band, as lossRange wants them. @param {{low: number[], high: number[]}} band */
const extremes = ({ low, high }) => ({
  low: low.reduce((least, loss) => Math.min(least, loss), Infinity),
  high: high.reduce((most, loss) => Math.max(most, loss), -Infinity),
});

LossChart.register("loss-chart");
