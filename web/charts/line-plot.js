/** <line-plot>: one quantity against another for several series, each with its mark, some with a band or a spread. */

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { chartWith, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { stackLabels } from "./label-stack.js";
import { distinct, rangeY, scaleX } from "./line-scale.js";
import { significant } from "./numbers.js";
import { ordinalColor, ordinalSign } from "./palette.js";
import { signElement, signPath } from "./signs.js";
import { svgNode } from "./svg-node.js";
/** @import { ScaleX } from "./line-scale.js" */
/** @import { ScaleLinear } from "d3-scale" */

const MARGIN = { left: 46, right: 22, top: 12, bottom: 26 };
const MARK_SPACING = 26; // CSS px between two marks on a line
const DENSE = 60; // marks of a scatter from which they are small and without an edge
const LEVEL_LABEL = 14; // height of a level's label

/**
 * @typedef {object} Axis
 * @property {string} label  with the unit
 * @property {[number, number]} [range]
 * @property {(value: number) => string} [format]
 *
 * @typedef {Axis & {kind?: "linear" | "log" | "even", ticks?: number[]}} AxisX
 *
 * @typedef {object} Series
 * @property {string} name
 * @property {number[]} x              ascending
 * @property {(number | null)[]} y
 * @property {(number | null)[]} [low]
 * @property {(number | null)[]} [high]
 * @property {"band" | "bars"} [spread]  how low and high are drawn
 * @property {string} [color]
 * @property {string} [sign]
 * @property {string} [dash]           of the line
 * @property {number} [thickness]      of the line, CSS px
 * @property {boolean} [line]          false: marks alone
 * @property {boolean} [marks]         false: none
 * @property {(number | null)[][]} [dots]  single values at each x
 *
 * @typedef {{name: string, value: number, far?: boolean}} Level one that is `far` does not widen the range
 *
 * @typedef {object} Properties
 * @property {AxisX} x
 * @property {Axis} y
 * @property {Series[]} series
 * @property {Level[]} levels  horizontal lines
 * @property {{name: string, value: number}[]} uprights  vertical ones
 * @property {string} summary  what is to be seen, in a sentence
 *
 * @typedef {{left: number, right: number, top: number, bottom: number}} Edges of the plot, CSS px
 */

/** @type {Properties} */
const PROPERTIES = { x: { label: "" }, y: { label: "" }, series: [], levels: [], uprights: [], summary: "" };

/**
 * Light-DOM custom element; setting one of its properties redraws in the next frame. `--chart-height` sets the height of
 * the plot with its axes.
 */
export class LinePlot extends chartWith(PROPERTIES) {
  key = make("ul", "lp-key");
  at = make("p", "lp-at for-screen");
  surface = make("div", "lp-surface");
  axisY = make("p", "lp-axis");
  host = make("div", "lp-host");
  axisX = make("p", "lp-axis lp-axis-x");
  picture = svgNode("svg", { "aria-hidden": "true" });
  svg = select(this.picture);
  grid = this.svg.append("g").attr("class", "lp-grid");
  bottom = this.svg.append("g").attr("class", "lp-tick");
  left = this.svg.append("g").attr("class", "lp-tick");
  labels = this.svg.append("g").attr("class", "lp-labels");
  lines = svgNode("g");
  cross = svgNode("line", { class: "lp-cross" });
  table = new ChartTable();
  live = make("p", "lp-live");

  /** @type {number | null} */
  #read = null; // place in the list of distinct x
  /** @type {number[]} */
  #values = [];
  /** @type {ScaleX | null} */
  #scale = null;

  build() {
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.picture.append(this.lines, this.cross);
    this.host.append(this.picture);
    this.surface.append(this.axisY, this.host, this.axisX);
    this.live.setAttribute("aria-live", "polite");
    this.append(this.key, this.at, this.surface, this.table.element, this.live);
    this.#listen();
  }

  draw() {
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    this.#values = distinct(this.series);
    if (width === 0 || this.#values.length === 0) return;
    const box = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    const x = (this.#scale = scaleX(this.x, this.#values, [box.left, box.right]));
    const y = scaleLinear(rangeY(this.series, this.levels, this.y.range), [box.bottom, box.top]);
    this.cross.setAttribute("y1", String(box.top));
    this.cross.setAttribute("y2", String(box.bottom));
    this.svg.attr("width", width).attr("height", height);
    this.#drawAxes(x, y, box);
    this.#drawLevels(x, y, box);
    this.lines.replaceChildren(...this.series.map((series, i) => this.#drawSeries(series, i, x.at, y)));
    this.#drawKey();
    this.surface.setAttribute("aria-label", `${this.summary} Arrow keys read single values.`);
    this.table.show(this.summary, () => this.#numbers());
    this.#showReading();
  }

  /** @param {Series} series @param {number} i */
  #color = (series, i) => series.color ?? ordinalColor(i, this.series.length);
  /** @param {Series} series @param {number} i */
  #sign = (series, i) => series.sign ?? ordinalSign(i);
  /** @param {number} value */
  #formatX = (value) => (this.x.format ?? this.#scale?.format ?? ((number) => significant(number)))(value);
  /** @param {number | null | undefined} value */
  #formatY = (value) => (value == null ? "–" : (this.y.format ?? ((number) => significant(number)))(value));

  /** @param {ScaleX} x @param {ScaleLinear<number, number>} y @param {Edges} box */
  #drawAxes(x, y, box) {
    const ticks = apart(x.ticks(Math.max(2, (box.right - box.left) / 80)), x.at, 34);
    const bottom = scaleLinear([box.left, box.right], [box.left, box.right]);
    this.bottom.attr("transform", `translate(0,${box.bottom})`)
      .call(axisBottom(bottom).tickValues(ticks.map(x.at)).tickFormat((_, i) => this.#formatX(ticks[i])).tickSizeOuter(0).tickSizeInner(4).tickPadding(5));
    const rows = y.ticks(Math.max(2, (box.bottom - box.top) / 46));
    const axis = axisLeft(y).tickValues(rows).tickSize(0).tickPadding(6);
    if (Math.abs(rows[rows.length - 1]) < 1e-3 || Math.abs(rows[0]) >= 1e5) axis.tickFormat((value) => significant(Number(value), 2));
    this.left.attr("transform", `translate(${box.left},0)`).call(axis).select(".domain").remove();
    this.grid.selectAll("line").data(rows).join("line").attr("x1", box.left).attr("x2", box.right).attr("y1", y).attr("y2", y);
    setText(this.axisX, `${this.x.label} →`);
    setText(this.axisY, `↑ ${this.y.label}`);
  }

  /** @param {ScaleX} x @param {ScaleLinear<number, number>} y @param {Edges} box */
  #drawLevels(x, y, box) {
    const inside = this.levels.filter(({ value }) => y(value) <= box.bottom && y(value) >= box.top);
    const heights = stackLabels(inside.map(({ value }) => ({ at: y(value) - LEVEL_LABEL / 2, height: LEVEL_LABEL })), 0, box.bottom);
    const lines = [
      ...inside.map(({ value }) => ({ x1: box.left, x2: box.right, y1: y(value), y2: y(value) })),
      ...this.uprights.map(({ value }) => ({ x1: x.at(value), x2: x.at(value), y1: box.top, y2: box.bottom })),
    ];
    const names = [
      ...inside.map(({ name, value }, i) => {
        const end = this.#freer(heights[i], x.at, y, box);
        return { text: `${name} ${this.#formatY(value)}`, x: end === "start" ? box.left + 3 : box.right, y: heights[i] + 4, anchor: end };
      }),
      ...this.uprights.map(({ name, value }) => {
        const late = x.at(value) > (box.left + box.right) / 2;
        return { text: name, x: x.at(value) + (late ? -5 : 5), y: box.top + 8, anchor: late ? "end" : "start" };
      }),
    ];
    this.labels.selectAll("line").data(lines).join("line")
      .attr("x1", (d) => d.x1).attr("x2", (d) => d.x2).attr("y1", (d) => d.y1).attr("y2", (d) => d.y2);
    this.labels.selectAll("text").data(names).join("text").text((d) => d.text)
      .attr("x", (d) => d.x).attr("y", (d) => d.y).attr("text-anchor", (d) => d.anchor);
  }

  /**
   * At which end of the plot a label at this height is farther from the data: "start" or "end".
   * @param {number} height
   * @param {ScaleX["at"]} x
   * @param {ScaleLinear<number, number>} y
   * @param {Edges} box
   * @returns {"start" | "end"}
   */
  #freer(height, x, y, box) {
    /** @type {(from: number, to: number) => number} */
    const nearest = (from, to) => Math.min(...this.series.flatMap((series) => series.x.flatMap((value, k) => {
      const measured = series.y[k];
      return x(value) >= from && x(value) <= to && measured !== null ? [Math.abs(y(measured) - height)] : [];
    })));
    const third = (box.right - box.left) / 3;
    return nearest(box.left, box.left + third) > nearest(box.right - third, box.right) ? "start" : "end";
  }

  /** @param {Series} series @param {number} i @param {ScaleX["at"]} x @param {ScaleLinear<number, number>} y */
  #drawSeries(series, i, x, y) {
    const { low, high, spread = "band" } = series;
    /** @param {number | null | undefined} value */
    const height = (value) => (value == null ? NaN : y(value));
    const points = series.x.map((value, k) => ({ x: x(value), y: height(series.y[k]), low: height(low?.[k]), high: height(high?.[k]) }));
    const known = points.filter((point) => Number.isFinite(point.y));
    const spreads = known.filter((point) => Number.isFinite(point.low) && Number.isFinite(point.high));
    const paths = [];
    if (spread === "band" && spreads.length > 1) {
      const upper = spreads.map((point) => `${point.x.toFixed(1)} ${point.high.toFixed(1)}`);
      const lower = spreads.map((point) => `${point.x.toFixed(1)} ${point.low.toFixed(1)}`).reverse();
      paths.push({ kind: "lp-band", d: `M${[...upper, ...lower].join("L")}Z` });
    } else if (spread === "bars" && spreads.length) {
      paths.push({ kind: "lp-spread", d: spreads.map((point) => `M${point.x} ${point.low}V${point.high}`).join("") });
    }
    if (series.line !== false) paths.push({ kind: "lp-line", d: linePath(points) });
    const dots = (series.dots ?? []).flatMap((values, k) =>
      values.filter((value) => value !== null).map((value) => signPath("circle", points[k].x, y(value), 2)));
    if (dots.length) paths.push({ kind: "lp-dots", d: dots.join("") });
    if (series.marks !== false) {
      const shown = series.line === false ? known : everyFar(known);
      const dense = series.line === false && known.length > DENSE;
      const radius = dense ? 2 : 3.6;
      const marks = shown.map((point) => signPath(this.#sign(series, i), point.x, point.y, radius));
      paths.push({ kind: dense ? "lp-marks lp-dense" : "lp-marks", d: marks.join("") });
    }
    const nodes = paths.map(({ kind, d }) => {
      const path = svgNode("path", { class: kind, d });
      if (kind === "lp-line" && series.dash) path.setAttribute("stroke-dasharray", series.dash);
      if (kind === "lp-line" && series.thickness) path.style.strokeWidth = `${series.thickness}px`;
      return path;
    });
    const group = svgNode("g", {}, ...nodes);
    group.style.color = this.#color(series, i);
    return group;
  }

  #drawKey() {
    this.key.replaceChildren(...this.series.map((series, i) => {
      const item = make("li", "lp-item");
      const sign = make("span", "lp-sign");
      sign.style.color = this.#color(series, i);
      const { line = true, marks = true, dash, thickness } = series;
      sign.append(signElement(marks ? this.#sign(series, i) : null, { line, dash, thickness }));
      item.append(sign, make("span", "", series.name), make("span", "lp-value"));
      return item;
    }));
  }

  #listen() {
    /** @param {PointerEvent} event */
    const point = (event) => {
      const scale = this.#scale;
      if (!scale) return;
      const at = event.clientX - this.host.getBoundingClientRect().left;
      const distances = this.#values.map((value) => Math.abs(scale.at(value) - at));
      this.#readPlace(distances.indexOf(Math.min(...distances)));
    };
    this.host.addEventListener("pointermove", point);
    this.host.addEventListener("pointerdown", point);
    this.host.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#readPlace(null));
    this.surface.addEventListener("blur", () => this.#readPlace(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Arrows move to the next value of x, with Shift by ten, Home and End to the ends, Escape leaves.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.#values.length === 0) return;
    const last = this.#values.length - 1;
    const stride = event.shiftKey ? 10 : 1;
    /** @type {Record<string, number | undefined>} */
    const places = { Home: 0, End: last, ArrowLeft: (this.#read ?? last + stride) - stride, ArrowRight: (this.#read ?? -stride) + stride };
    const to = places[event.key];
    if (event.key === "Escape" && this.#read !== null) this.#readPlace(null);
    else if (to !== undefined) this.#readPlace(Math.min(last, Math.max(0, to)));
    else return;
    event.preventDefault();
    setText(this.live, this.#read === null ? "" : this.#sentence(this.#values[this.#read]));
  }

  /** @param {number | null} place */
  #readPlace(place) {
    this.#read = place;
    this.#showReading();
  }

  /** @param {Series} series @param {number} x */
  #valueOf(series, x) {
    const k = series.x.indexOf(x);
    return k < 0 ? null : series.y[k];
  }

  #showReading() {
    const reads = this.#read !== null && this.#read < this.#values.length;
    const x = this.#values[this.#read ?? 0];
    this.cross.setAttribute("visibility", reads ? "visible" : "hidden");
    const place = reads && this.#scale ? String(this.#scale.at(x)) : "0";
    this.cross.setAttribute("x1", place);
    this.cross.setAttribute("x2", place);
    setText(this.at, reads ? `${this.x.label}: ${this.#formatX(x)}` : "Point at the plot, or use the arrow keys, to read values.");
    this.at.classList.toggle("lp-idle", !reads);
    this.series.forEach((series, i) => {
      const value = this.key.children[i]?.querySelector(".lp-value");
      if (value) setText(value, reads ? this.#formatY(this.#valueOf(series, x)) : "");
    });
  }

  /** @param {number} x */
  #sentence(x) {
    const parts = this.series.map((series) => `${series.name} ${this.#formatY(this.#valueOf(series, x))}`);
    return `${this.x.label} ${this.#formatX(x)}: ${parts.join(", ")}.`;
  }

  #numbers() {
    const head = [this.x.label, ...this.series.flatMap(({ name, low }) => [name, ...(low ? [`${name}, low`, `${name}, high`] : [])])];
    const rows = this.#values.map((x) => [this.#formatX(x), ...this.series.flatMap((series) => {
      const k = series.x.indexOf(x);
      const ends = series.low ? [series.low[k], series.high?.[k]] : [];
      return [this.#valueOf(series, x), ...ends].map(this.#formatY);
    })]);
    return { head, rows };
  }
}

/** A path through points; one whose y is not a number breaks it. @param {{x: number, y: number}[]} points */
function linePath(points) {
  let pen = "M";
  return points.map(({ x, y }) => {
    const part = Number.isFinite(y) ? `${pen}${x.toFixed(1)} ${y.toFixed(1)}` : "";
    pen = part ? "L" : "M";
    return part;
  }).join("");
}

/**
 * Those of the points that stand far enough apart for their marks.
 * @template {{x: number}} P
 * @param {P[]} points
 */
function everyFar(points) {
  if (points.length < 2) return points;
  const spacing = (points[points.length - 1].x - points[0].x) / (points.length - 1);
  const every = Math.max(1, Math.ceil((MARK_SPACING * 0.5) / spacing));
  return points.filter((_, k) => k % every === 0);
}

/**
 * Those of the ticks that stand at least `room` px apart.
 * @param {number[]} ticks
 * @param {ScaleX["at"]} at
 * @param {number} room
 */
function apart(ticks, at, room) {
  let last = -Infinity;
  return ticks.filter((tick) => at(tick) - last >= room && (last = at(tick)) !== null);
}

LinePlot.register("line-plot");
