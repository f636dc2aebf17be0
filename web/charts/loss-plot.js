/** The picture of the loss chart on the screen: axes, baselines, bands and curves on canvas, by uPlot. */

import uPlot from "uplot";
import { ROOM, axisWidth, trainAlpha } from "./loss-scene.js";
import {
  LOOK, drawAhead, drawBand, drawBaselines, drawEdges, drawHatch, drawLeader, drawLine, drawMarks,
} from "./loss-shapes.js";
import { count } from "./numbers.js";
/** @import { Scene } from "./loss-scene.js" */
/** @import { Band, Curve } from "./loss-groups.js" */

/**
 * @typedef {(pen: Path2D, scene: Scene, band: Band) => void} DrawBand
 * @typedef {CanvasRenderingContext2D} Context
 */

/** What is shown before there is a scene. @type {Scene} */
const NOTHING = {
  width: 0, height: 0, gutter: 0, steps: 1, range: [0, 1], ticks: [], baselines: [], measured: [], x: [], stepsPerColumn: 1,
  curves: [], leaders: [], theme: { ink: "", inkSoft: "", inkFaint: "", rule: "", paper: "", font: "" },
};

/** The ticks of the loss axis as one text. @param {Pick<Scene, "ticks">} scene */
const written = ({ ticks }) => ticks.map(({ at, text }) => `${at} ${text}`).join();
/** @param {Curve} curve */
const validationWidth = ({ selected, band }) => (selected && !band ? LOOK.validation.selected : LOOK.validation.width);

export class LossPlot {
  /** @type {uPlot | null} */
  #plot = null;
  #scene = NOTHING;
  /** Of a band, one path for each way of drawing it: most bands never change. @type {WeakMap<object, {key: string, drawn: Map<DrawBand, Path2D>}>} */
  #paths = new WeakMap();

  /** @param {HTMLElement} host  takes uPlot's element */
  constructor(host) {
    this.host = host;
  }

  /**
   * Shows a scene; uPlot itself is made anew only when the number of curves changes.
   * @param {Scene} scene
   */
  show(scene) {
    const before = this.#scene;
    this.#scene = scene;
    /** @type {uPlot.AlignedData} */
    const data = [scene.x, ...scene.curves.map(({ train }) => train.highs),
      ...scene.curves.map(({ validation }) => validation.highs)];
    if (!this.#plot || before.curves.length !== scene.curves.length) {
      this.#plot?.destroy();
      this.#plot = new uPlot(this.#options(), data, this.host);
      return;
    }
    const plot = this.#plot;
    plot.batch(() => {
      // Between two of these uPlot keeps the ticks that it has.
      const isResized = before.width !== scene.width || before.height !== scene.height || before.gutter !== scene.gutter;
      if (isResized || written(before) !== written(scene)) {
        plot.setSize({ width: scene.width, height: scene.height });
      }
      scene.curves.forEach(({ curve }, i) => {
        for (const series of [1 + i, 1 + i + scene.curves.length]) {
          if (plot.series[series].show !== curve.visible) plot.setSeries(series, { show: curve.visible });
        }
        plot.series[1 + i].alpha = trainAlpha(scene);
        plot.series[1 + i + scene.curves.length].width = validationWidth(curve);
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

  /** @returns {uPlot.Options} */
  #options() {
    /** @param {keyof Scene["theme"]} name */
    const theme = (name) => () => this.#scene.theme[name];
    const { width, height } = this.#scene;
    return {
      width,
      height,
      padding: [ROOM.top, () => this.#scene.gutter, 0, 0],
      legend: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [0, this.#scene.steps] },
        y: { range: () => this.#scene.range },
      },
      axes: [
        {
          stroke: theme("inkSoft"), font: this.#scene.theme.font, size: ROOM.bottom, gap: 4, space: 64,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
          values: (_, splits) => splits.map(count),
          grid: { show: false },
          ticks: { stroke: theme("inkFaint"), width: 1, size: 4 },
          border: { show: true, stroke: theme("inkFaint"), width: 1 },
        },
        {
          stroke: theme("inkSoft"), font: this.#scene.theme.font, size: () => axisWidth(this.#scene.ticks), gap: ROOM.tick,
          splits: () => this.#scene.ticks.map(({ at }) => at),
          values: () => this.#scene.ticks.map(({ text }) => text),
          grid: { stroke: theme("rule"), width: LOOK.grid.width },
          ticks: { show: false },
        },
      ],
      series: [{}, ...this.#scene.curves.map((_, i) => this.#train(i)), ...this.#scene.curves.map((_, i) => this.#validation(i))],
      hooks: { drawAxes: [(u) => this.#drawBehind(u)], draw: [(u) => this.#drawBefore(u)] },
    };
  }

  /** @param {number} i @returns {uPlot.Series} */
  #train(i) {
    const color = () => this.#scene.curves[i].color;
    const line = uPlot.paths.linear?.();
    return {
      stroke: color,
      fill: color,
      paths: (u, series, first, last) => {
        if (this.#scene.stepsPerColumn === 1) {
          const drawn = line?.(u, series, first, last);
          return drawn ? { ...drawn, fill: null } : null;
        }
        const { highs, lows } = this.#scene.curves[i].train;
        const band = new Path2D();
        drawBand(band, this.#scene, { steps: this.#scene.x, low: lows, high: highs });
        return { stroke: null, fill: onCanvas(u, band), clip: null, flags: 0 };
      },
      width: LOOK.train.width,
      show: this.#scene.curves[i].curve.visible,
      alpha: trainAlpha(this.#scene),
      pxAlign: 0,
      points: { show: false },
    };
  }

  /** @param {number} i @returns {uPlot.Series} */
  #validation(i) {
    const color = () => this.#scene.curves[i].color;
    const { curve } = this.#scene.curves[i];
    return {
      stroke: color,
      width: validationWidth(curve),
      show: curve.visible,
      pxAlign: 0,
      spanGaps: true,
      cap: "round",
      points: {
        show: true,
        filter: (u, series, show) => (show ? this.#scene.curves[i].validation.marks : null),
        paths: (u) => {
          const marks = new Path2D();
          drawMarks(marks, this.#scene, this.#scene.curves[i]);
          const path = onCanvas(u, marks);
          return { stroke: path, fill: path, clip: null, flags: 0 };
        },
        stroke: () => this.#scene.theme.paper,
        fill: color,
        width: LOOK.mark.edge,
      },
    };
  }

  /**
   * What lies behind the curves: the bands measured elsewhere first, then those of the reader's own runs.
   * @param {uPlot} u
   */
  #drawBehind(u) {
    const { measured, curves, theme } = this.#scene;
    onPlot(u, true, (context) => {
      for (const { band, color } of measured) {
        this.#stroke(context, color, LOOK.hatch, this.#path(band, drawHatch));
        this.#stroke(context, color, LOOK.edge, this.#path(band, drawEdges));
      }
      context.globalAlpha = LOOK.band.opacity;
      for (const { curve, color } of curves) {
        if (!curve.band || !curve.visible) continue;
        context.fillStyle = color;
        context.fill(this.#path(curve.band, drawBand));
      }
      const lines = new Path2D();
      drawBaselines(lines, this.#scene);
      this.#stroke(context, theme.inkSoft, LOOK.baseline, lines);
    });
  }

  /**
   * What lies over the curves: the selected run among the seeds of a mean, and the way from each end to its label.
   * @param {uPlot} u
   */
  #drawBefore(u) {
    onPlot(u, true, (context) => {
      for (const { curve, color } of this.#scene.curves) {
        if (!curve.chosen || !curve.visible) continue;
        const line = new Path2D();
        drawLine(line, this.#scene, curve.chosen.steps, curve.chosen.loss);
        this.#stroke(context, color, LOOK.chosen, line);
      }
    });
    onPlot(u, false, (context) => {
      for (const leader of this.#scene.leaders) {
        const [ahead, line] = [new Path2D(), new Path2D()];
        drawAhead(ahead, this.#scene, leader);
        drawLeader(line, this.#scene, leader);
        this.#stroke(context, leader.color, LOOK.ahead, ahead);
        this.#stroke(context, leader.color, LOOK.leader, line);
      }
    });
  }

  /**
   * @param {Context} context
   * @param {string} color
   * @param {{width: number, dash?: number[], opacity?: number}} look
   * @param {Path2D} path
   */
  #stroke(context, color, { width, dash = [], opacity = 1 }, path) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.globalAlpha = opacity;
    context.stroke(path);
  }

  /** The path of a band, kept while neither the band nor the plot changes. @param {Band} band @param {DrawBand} draw */
  #path(band, draw) {
    const { width, height, gutter, range, steps, ticks } = this.#scene;
    const key = [width, height, gutter, ...range, steps, axisWidth(ticks)].join(" ");
    let kept = this.#paths.get(band);
    if (kept?.key !== key) this.#paths.set(band, (kept = { key, drawn: new Map() }));
    let path = kept.drawn.get(draw);
    if (!path) {
      path = new Path2D();
      draw(path, this.#scene, band);
      kept.drawn.set(draw, path);
    }
    return path;
  }
}

/** A path in CSS px of the plot as uPlot wants it, in pixels of the canvas. @param {uPlot} u @param {Path2D} path */
function onCanvas({ bbox }, path) {
  const moved = new Path2D();
  moved.addPath(path, new DOMMatrix([uPlot.pxRatio, 0, 0, uPlot.pxRatio, bbox.left, bbox.top]));
  return moved;
}

/**
 * Draws in CSS px of the plot, within it or also beside it.
 * @param {uPlot} u
 * @param {boolean} within
 * @param {(context: Context) => void} draw
 */
function onPlot({ ctx, bbox }, within, draw) {
  ctx.save();
  if (within) {
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
  }
  ctx.transform(uPlot.pxRatio, 0, 0, uPlot.pxRatio, bbox.left, bbox.top);
  draw(ctx);
  ctx.restore();
}
