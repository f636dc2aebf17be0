/** The picture of the loss chart: axes, baselines and curves on canvas, by uPlot. */

import uPlot from "uplot";
import { count } from "./numbers.js";
import { encodingSign } from "./palette.js";
import { addSign } from "./signs.js";

const TRAIN_WIDTH = 1;
const VALIDATION_WIDTH = 2;
const SELECTED_WIDTH = 2.75;
const MARK_RADIUS = 3.2;
const MARK_SPACING = 34; // CSS px between marks on a curve
const AXIS_WIDTH = 30;
const AXIS_HEIGHT = 24;
export const TOP_ROOM = 8;

/**
 * Where the plot lies within the canvas, CSS px. It follows from the scene alone, so labels can be placed first.
 * @param {{width: number, height: number, gutter: number}} scene
 */
export const plotBox = ({ width, height, gutter }) => ({
  left: AXIS_WIDTH,
  top: TOP_ROOM,
  width: width - AXIS_WIDTH - gutter,
  height: height - AXIS_HEIGHT - TOP_ROOM,
});

/** CSS px from the top of the plot to a loss; outside the plot for a loss out of range. */
export function topOf(scene, loss) {
  const [low, high] = scene.range;
  return ((high - loss) / (high - low)) * plotBox(scene).height;
}

/**
 * What the picture shows; the chart element fills it in and calls `show`.
 * @typedef {object} Scene
 * @property {number} width       CSS px of the whole canvas
 * @property {number} height
 * @property {number} gutter      CSS px kept free to the right of the plot, for the labels
 * @property {number} steps
 * @property {[number, number]} range
 * @property {{name: string, value: number}[]} baselines
 * @property {number[]} x         steps at which the curves have values
 * @property {number} stepsPerColumn  1: training curves are lines; more: bands from the least to the greatest loss
 * @property {{run: object, color: string, train: object, validation: object}[]} curves  of all runs
 * @property {{at: number, label: number, color: string, from: number|null}[]} leaders
 *   from the right edge at height `at` to the label at height `label`, CSS px from the top of the plot;
 *   `from`: step at which the curve ends before the edge
 * @property {{ink: string, inkSoft: string, inkFaint: string, rule: string, paper: string, font: string}} theme
 */

const isShown = (run) => run.visible !== false;
/** Fainter with every run that is shown, and as a band, so that batch noise never hides the validation curves. */
const trainAlpha = ({ curves, stepsPerColumn }) =>
  Math.min(stepsPerColumn > 1 ? 0.28 : 0.36, Math.max(0.1, 1.1 / curves.filter(({ run }) => isShown(run)).length));
const validationWidth = (run) => (run.selected ? SELECTED_WIDTH : VALIDATION_WIDTH);

export class LossPlot {
  #plot = null;
  #scene = null;

  /** @param {HTMLElement} host  takes uPlot's element */
  constructor(host) {
    this.host = host;
  }

  /** Shows a scene; uPlot itself is made anew only when the number of runs changes. @param {Scene} scene */
  show(scene) {
    const before = this.#scene;
    this.#scene = scene;
    const data = [scene.x, ...scene.curves.map(({ train }) => train.highs),
      ...scene.curves.map(({ validation }) => validation.highs)];
    if (!this.#plot || before.curves.length !== scene.curves.length) {
      this.#plot?.destroy();
      this.#plot = new uPlot(this.#options(), data, this.host);
      return;
    }
    const plot = this.#plot;
    plot.batch(() => {
      if (before.width !== scene.width || before.height !== scene.height || before.gutter !== scene.gutter) {
        plot.setSize({ width: scene.width, height: scene.height });
      }
      scene.curves.forEach(({ run }, i) => {
        for (const series of [1 + i, 1 + i + scene.curves.length]) {
          if (plot.series[series].show !== isShown(run)) plot.setSeries(series, { show: isShown(run) });
        }
        plot.series[1 + i].alpha = trainAlpha(scene);
        plot.series[1 + i + scene.curves.length].width = validationWidth(run);
      });
      plot.setData(data);
    });
  }

  /** The part of the page that lies over the plot without its axes, or null before the first scene. */
  get over() {
    return this.#plot?.over ?? null;
  }

  destroy() {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #options() {
    const theme = (name) => () => this.#scene.theme[name];
    const { width, height } = this.#scene;
    return {
      width,
      height,
      padding: [TOP_ROOM, () => this.#scene.gutter, 0, 0],
      legend: { show: false },
      select: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [0, this.#scene.steps] },
        y: { range: () => this.#scene.range },
      },
      axes: [
        {
          stroke: theme("inkSoft"), font: this.#scene.theme.font, size: AXIS_HEIGHT, gap: 4, space: 64,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
          values: (_, splits) => splits.map(count),
          grid: { show: false },
          ticks: { stroke: theme("inkFaint"), width: 1, size: 4 },
          border: { show: true, stroke: theme("inkFaint"), width: 1 },
        },
        {
          stroke: theme("inkSoft"), font: this.#scene.theme.font, size: AXIS_WIDTH, gap: 6, space: 34,
          incrs: [0.25, 0.5, 1, 2, 5],
          values: (_, splits, __, ___, step) => splits.map((value) => value.toFixed(step < 0.5 ? 2 : 1)),
          grid: { stroke: theme("rule"), width: 1 },
          ticks: { show: false },
        },
      ],
      series: [{}, ...this.#scene.curves.map((_, i) => this.#train(i)), ...this.#scene.curves.map((_, i) => this.#validation(i))],
      hooks: { drawAxes: [(u) => this.#drawBaselines(u)], draw: [(u) => this.#drawLeaders(u)] },
    };
  }

  #train(i) {
    const color = () => this.#scene.curves[i].color;
    const line = uPlot.paths.linear();
    return {
      stroke: color,
      fill: color,
      paths: (u, series, first, last) =>
        (this.#scene.stepsPerColumn === 1 ? { ...line(u, series, first, last), fill: null } : this.#bandPath(u, i, first, last)),
      width: TRAIN_WIDTH,
      show: isShown(this.#scene.curves[i].run),
      alpha: trainAlpha(this.#scene),
      pxAlign: 0,
      points: { show: false },
    };
  }

  #validation(i) {
    const color = () => this.#scene.curves[i].color;
    return {
      stroke: color,
      width: validationWidth(this.#scene.curves[i].run),
      show: isShown(this.#scene.curves[i].run),
      pxAlign: 0,
      spanGaps: true,
      cap: "round",
      points: {
        show: true,
        filter: (u, series, show) => (show ? this.#marksToDraw(this.#scene.curves[i].validation.marks) : null),
        paths: (u, series, first, last, indices) => this.#markPath(u, i, series, indices),
        stroke: () => this.#scene.theme.paper,
        fill: color,
        width: 1.5,
      },
    };
  }

  /** The band between the least and the greatest training loss of each column, at least a pixel thick. */
  #bandPath(u, i, first, last) {
    const { highs, lows } = this.#scene.curves[i].train;
    const path = new Path2D();
    let band = []; // columns since the last gap
    const close = () => {
      const x = band.map((k) => u.valToPos(u.data[0][k], "x", true));
      const upper = band.map((k) => u.valToPos(highs[k], "y", true));
      const lower = band.map((k, j) => Math.max(u.valToPos(lows[k], "y", true), upper[j] + uPlot.pxRatio));
      for (let j = 0; j < band.length; j++) path[j ? "lineTo" : "moveTo"](x[j], upper[j]);
      for (let j = band.length - 1; j >= 0; j--) path.lineTo(x[j], lower[j]);
      band = [];
    };
    for (let k = first; k <= last; k++) {
      if (highs[k] === null) close();
      else if (highs[k] !== undefined) band.push(k);
    }
    close();
    return { stroke: null, fill: path, clip: null, flags: 0 };
  }

  /** Places of the marks that stand far enough apart, counted from the first, and always the last one. */
  #marksToDraw(marks) {
    if (marks.length < 2) return marks;
    const { x, steps } = this.#scene;
    const spacing = ((x[marks.at(-1)] - x[marks[0]]) / (marks.length - 1) / steps) * plotBox(this.#scene).width;
    const every = Math.max(1, Math.round(MARK_SPACING / spacing));
    const drawn = marks.filter((_, k) => k % every === 0);
    if (drawn.at(-1) !== marks.at(-1)) drawn.push(marks.at(-1));
    return drawn;
  }

  #markPath(u, i, series, indices) {
    const path = new Path2D();
    const { run } = this.#scene.curves[i];
    const radius = MARK_RADIUS * uPlot.pxRatio * (run.selected ? 1.2 : 1);
    for (const k of indices) {
      const x = u.valToPos(u.data[0][k], "x", true);
      const y = u.valToPos(u.data[series][k], "y", true);
      if (y >= u.bbox.top) addSign(path, encodingSign(run.encoding), x, y, radius);
    }
    return { stroke: path, fill: path, clip: null, flags: 0 };
  }

  #drawBaselines(u) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = this.#scene.theme.inkSoft;
    ctx.lineWidth = uPlot.pxRatio;
    ctx.setLineDash([uPlot.pxRatio * 1.5, uPlot.pxRatio * 3]);
    for (const { value } of this.#scene.baselines) {
      const y = Math.round(u.valToPos(value, "y", true)) + 0.5;
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** Hairlines that lead from a curve's end, or a baseline's, to its label in the gutter. */
  #drawLeaders(u) {
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const right = bbox.left + bbox.width;
    ctx.save();
    ctx.lineWidth = ratio;
    for (const { at, label, color, from } of this.#scene.leaders) {
      const y = bbox.top + at * ratio;
      ctx.strokeStyle = color;
      if (from !== null && from < this.#scene.steps) {
        ctx.globalAlpha = 0.4;
        ctx.setLineDash([2 * ratio, 5 * ratio]);
        ctx.beginPath();
        ctx.moveTo(u.valToPos(from, "x", true) + 7 * ratio, y);
        ctx.lineTo(right, y);
        ctx.stroke();
        ctx.setLineDash([]);
      }
      ctx.globalAlpha = 0.55;
      ctx.beginPath();
      ctx.moveTo(right + (from === null ? 0 : 3 * ratio), y);
      ctx.lineTo(right + 5 * ratio, y);
      ctx.lineTo(right + 11 * ratio, bbox.top + label * ratio);
      ctx.stroke();
    }
    ctx.restore();
  }
}
