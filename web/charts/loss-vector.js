/** The picture of the loss chart for a file: what LossPlot shows on canvas, as SVG. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { plotBox, topOf, trainAlpha } from "./loss-scene.js";
import {
  LOOK, drawAhead, drawBand, drawBaselines, drawEdges, drawHatch, drawLeader, drawLine, drawMarks,
} from "./loss-shapes.js";
import { count } from "./numbers.js";
import { PathData } from "./path-data.js";
import { svgNode } from "./svg-node.js";
/** @import { Selection } from "d3-selection" */
/** @import { Box } from "./figure-trace.js" */
/** @import { DrawnCurve, Scene } from "./loss-scene.js" */
/** @import { Pen } from "./loss-shapes.js" */

/** @typedef {Selection<SVGGElement, unknown, null, undefined>} Group */

const CLIP = "loss-plot";
const TICK_ROOM = 80; // CSS px for a tick of the x axis

export class LossVector {
  over = null; // nobody points at it

  /** @param {HTMLElement} host  takes the SVG */
  constructor(host) {
    const picture = svgNode("svg");
    this.svg = select(picture);
    host.append(picture);
  }

  /** @param {Scene} scene */
  show(scene) {
    const { width, height, theme, curves } = scene;
    const box = plotBox(scene);
    this.svg.selectAll("*").remove();
    this.svg.attr("width", width).attr("height", height).style("display", "block");
    this.svg.append("clipPath").attr("id", CLIP).append("rect").attr("width", box.width).attr("height", box.height);
    const plot = this.svg.append("g").attr("transform", `translate(${box.left},${box.top})`);
    this.#drawAxes(plot, scene, box);
    const within = plot.append("g").attr("clip-path", `url(#${CLIP})`);
    for (const { color, band } of scene.measured) {
      this.#stroke(within, "measured-hatch", color, LOOK.hatch, (pen) => drawHatch(pen, scene, band));
      this.#stroke(within, "measured-edge", color, LOOK.edge, (pen) => drawEdges(pen, scene, band));
    }
    const shown = curves.filter(({ curve }) => curve.visible);
    for (const { curve: { band }, color } of shown) {
      if (band) this.#fill(within, "seeds-band", color, LOOK.band.opacity, (pen) => drawBand(pen, scene, band));
    }
    this.#stroke(within, "baseline", theme.inkSoft, LOOK.baseline, (pen) => drawBaselines(pen, scene));
    for (const each of shown.filter(({ curve: { band } }) => !band)) this.#drawTraining(within, scene, each);
    for (const { validation, color, curve } of shown) {
      const width = curve.selected && !curve.band ? LOOK.validation.selected : LOOK.validation.width;
      const [x, y] = [validation.marks.map((k) => scene.x[k]), validation.marks.map((k) => validation.highs[k])];
      this.#stroke(within, "validation", color, { width }, (pen) => drawLine(pen, scene, x, y));
    }
    for (const each of shown) {
      const marks = this.#fill(plot, "marks", each.color, 1, (pen) => drawMarks(pen, scene, each));
      marks.attr("stroke", theme.paper).attr("stroke-width", LOOK.mark.edge).attr("paint-order", "stroke");
    }
    for (const { curve: { chosen }, color } of shown) {
      if (chosen) this.#stroke(within, "chosen", color, LOOK.chosen, (pen) => drawLine(pen, scene, chosen.steps, chosen.loss));
    }
    for (const leader of scene.leaders) {
      this.#stroke(plot, "ahead", leader.color, LOOK.ahead, (pen) => drawAhead(pen, scene, leader));
      this.#stroke(plot, "leader", leader.color, LOOK.leader, (pen) => drawLeader(pen, scene, leader));
    }
  }

  destroy() {
    this.svg.selectAll("*").remove();
  }

  /** @param {Group} plot @param {Scene} scene @param {Box} box */
  #drawAxes(plot, scene, box) {
    const { steps, ticks, theme } = scene;
    plot.append("g").selectAll("line").data(ticks).join("line").attr("stroke", theme.rule)
      .attr("x2", box.width).attr("y1", ({ at }) => topOf(scene, at)).attr("y2", ({ at }) => topOf(scene, at));
    const x = scaleLinear([0, steps], [0, box.width]);
    const heights = ticks.map(({ at }) => topOf(scene, at));
    plot.append("g").attr("transform", `translate(0,${box.height})`)
      .call(axisBottom(x).ticks(Math.max(2, box.width / TICK_ROOM)).tickFormat((step) => count(Number(step))).tickSizeOuter(0).tickSizeInner(4).tickPadding(4));
    plot.append("g").call(axisLeft(scaleLinear([0, box.height], [0, box.height])).tickValues(heights)
      .tickFormat((_, i) => ticks[i].text).tickSize(0).tickPadding(6)).select(".domain").remove();
    plot.selectAll(".domain, .tick line").attr("stroke", theme.inkFaint);
    plot.selectAll(".tick text").attr("fill", theme.inkSoft).style("font", theme.font);
  }

  /** @param {Group} group @param {Scene} scene @param {DrawnCurve} drawn */
  #drawTraining(group, scene, { train, color }) {
    const opacity = trainAlpha(scene);
    if (scene.stepsPerColumn === 1) {
      this.#stroke(group, "training", color, { ...LOOK.train, opacity }, (pen) => drawLine(pen, scene, scene.x, train.highs));
    } else {
      this.#fill(group, "training", color, opacity, (pen) => drawBand(pen, scene, { steps: scene.x, low: train.lows, high: train.highs }));
    }
  }

  /**
   * @param {Group} group
   * @param {string} name
   * @param {string} color
   * @param {{width: number, dash?: number[], opacity?: number}} look
   * @param {(pen: Pen) => void} draw
   */
  #stroke(group, name, color, { width, dash, opacity = 1 }, draw) {
    const path = this.#path(group, name, draw);
    path.attr("fill", "none").attr("stroke", color).attr("stroke-width", width).attr("opacity", opacity).attr("stroke-linejoin", "round");
    if (dash) path.attr("stroke-dasharray", dash.join(" "));
  }

  /**
   * @param {Group} group
   * @param {string} name
   * @param {string} color
   * @param {number} opacity
   * @param {(pen: Pen) => void} draw
   */
  #fill(group, name, color, opacity, draw) {
    return this.#path(group, name, draw).attr("fill", color).attr("opacity", opacity);
  }

  /** @param {Group} group @param {string} name @param {(pen: Pen) => void} draw */
  #path(group, name, draw) {
    const data = new PathData();
    draw(data);
    return group.append("path").attr("data-part", name).attr("d", String(data));
  }
}
