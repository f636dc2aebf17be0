/** <interval-plot>: gaps between encodings with their 95 % intervals on one axis, with what is noise and what matters. */

import { axisBottom } from "d3-axis";
import { select } from "d3-selection";
import { chartWith, context2d, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { MATTERS, NOISE, intervalLayout, intervalRange } from "./interval-layout.js";
import { encodingColor, encodingSign } from "./palette.js";
import { signPath } from "./signs.js";
import { svgNode } from "./svg-node.js";
import { unitTicks } from "./unit-ticks.js";
import { UNITS } from "./units.js";
/** @import { Interval, IntervalLayout } from "./interval-layout.js" */
/** @import { Unit } from "./units.js" */

const MARK = 5; // CSS px of a mark's radius
const END = 5; // CSS px of half the stroke at the end of an interval
const TYPE = { gap: 14, ends: 12 }; // CSS px
const SPACE = 8; // CSS px between a gap and its interval
const TICK_ROOM = 56; // CSS px between two ticks
const HINT = "Point at a row, or use the arrow keys, to read it.";

/**
 * @typedef {Interval & {name: string}} Named a gap in nats with the ends of its 95 % interval, null without one
 * @typedef {Named & {encoding: string | null, verdict: string}} Row encoding: whose colour and mark it has
 *
 * @typedef {object} Properties gaps are in nats, whatever the unit
 * @property {Row[]} rows
 * @property {Named[]} measured  elsewhere, drawn faintly below the row of the same name
 * @property {Unit} unit         an entry of UNITS
 */

/** @type {Properties} */
const PROPERTIES = { rows: [], measured: [], unit: UNITS.nats };

/**
 * Light-DOM custom element; setting one of its properties redraws in the next frame. It is as high as its rows, and hidden
 * while there is none.
 */
export class IntervalPlot extends chartWith(PROPERTIES) {
  at = make("p", "ip-at for-screen");
  surface = make("div", "ip-surface");
  picture = svgNode("svg", { "aria-hidden": "true" });
  svg = select(this.picture);
  read = this.svg.append("rect").attr("class", "ip-read");
  noise = this.svg.append("path").attr("class", "ip-noise");
  matters = this.svg.append("path").attr("class", "ip-matters");
  zero = this.svg.append("path").attr("class", "ip-zero");
  bottom = this.svg.append("g").attr("class", "ip-axis");
  body = svgNode("g");
  axis = make("p", "ip-label");
  key = make("ul", "ip-key");
  table = new ChartTable();
  live = make("p", "ip-live");
  gapWidth = 0; // CSS px

  /** @type {number | null} */
  #read = null; // place of the row that is read
  /** @type {IntervalLayout | null} */
  #layout = null;
  #ruler = context2d(make("canvas", ""));

  build() {
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.picture.append(this.body);
    this.surface.append(this.picture, this.axis);
    this.live.setAttribute("aria-live", "polite");
    this.append(this.at, this.surface, this.key, this.table.element, this.live);
    this.#listen();
  }

  draw() {
    this.hidden = this.rows.length === 0;
    const width = this.surface.clientWidth;
    if (this.hidden || width === 0) return;
    const range = intervalRange([...this.rows, ...this.rows.flatMap((row) => this.#beside(row) ?? [])]);
    const layout = intervalLayout({
      width, range, compared: this.rows.map((row) => this.#beside(row) !== undefined), ...this.#measureTexts(),
    });
    this.#layout = layout;
    this.svg.attr("width", width).attr("height", layout.height);
    this.#drawAxis(layout, range);
    this.body.replaceChildren(...this.rows.map((row, i) => this.#drawRow(layout, row, i)));
    this.#drawKey();
    const summary = this.#summary();
    this.surface.setAttribute("aria-label", `${summary} Arrow keys read single rows.`);
    this.table.show(summary, () => this.#numbers());
    this.#showReading();
  }

  /** @param {{name: string}} row */
  #beside = ({ name }) => this.measured.find((other) => other.name === name);
  /** @param {Interval} interval */
  #ends = ({ low, high }) => (low === null || high === null ? null : `${this.unit.gap(low)} to ${this.unit.gap(high)}`);

  /** CSS px of the longest name, of the longest gap with the space after it, and of both numbers. */
  #measureTexts() {
    const { fontFamily } = getComputedStyle(this);
    /** @type {(texts: string[], font: string) => number} */
    const widest = (texts, font) => {
      this.#ruler.font = `${font} ${fontFamily}`;
      return Math.ceil(Math.max(0, ...texts.map((text) => this.#ruler.measureText(text).width)));
    };
    this.gapWidth = widest(this.rows.map(({ nats }) => this.unit.gap(nats)), `600 ${TYPE.gap}px`);
    const ends = widest(this.rows.map((row) => this.#ends(row) ?? ""), `400 ${TYPE.ends}px`);
    const names = widest(this.rows.map(({ name }) => name), `400 ${TYPE.gap}px`);
    return { nameWidth: names, valueWidth: this.gapWidth + (ends && SPACE + ends) };
  }

  /** @param {IntervalLayout} layout @param {[number, number]} range */
  #drawAxis({ x, box, rows }, range) {
    /** @param {number} gap */
    const upright = (gap) => rows.map(({ from, top, height }) => `M${x(gap)} ${from}V${top + height}`).join("");
    const [left, right] = [x(-NOISE), x(NOISE)];
    this.noise.attr("d", rows.map(({ from, top, height }) => `M${left} ${from}H${right}V${top + height}H${left}Z`).join(""));
    this.matters.attr("d", upright(-MATTERS) + upright(MATTERS));
    this.zero.attr("d", upright(0));
    const factor = this.unit.logarithmic;
    const ticks = unitTicks(this.unit, range, x.range()[1] - x.range()[0], TICK_ROOM);
    this.bottom.attr("transform", `translate(0,${box.bottom})`).call(axisBottom(x).tickValues(ticks.map(({ at }) => at))
      .tickFormat((_, i) => (factor ? `× ${ticks[i].text}` : ticks[i].text)).tickSizeOuter(0).tickSizeInner(4).tickPadding(5));
    this.axis.style.paddingInlineStart = `${x.range()[0]}px`;
    setText(this.axis, factor ? "gap as a factor of perplexity, logarithmic; left of × 1 is better"
      : `gap in loss, ${this.unit.gapUnit}; left of 0 is better`);
  }

  /** @param {IntervalLayout} layout @param {Row} row @param {number} i */
  #drawRow({ x, rows, box, valueX }, row, i) {
    const { lane, beside, name, value } = rows[i];
    const other = this.#beside(row);
    /** @type {SVGElement[]} */
    const parts = [
      this.#name(row.name, name),
      svgNode("text", { class: "ip-value", x: valueX, y: value, "font-size": TYPE.gap }, this.unit.gap(row.nats)),
      svgNode("text", { class: "ip-ends", x: valueX + this.gapWidth + SPACE, y: value, "font-size": TYPE.ends }, this.#ends(row) ?? ""),
    ];
    if (other) {
      parts.push(svgNode("path", { class: "ip-beside", d: whisker(other, x, beside, box, END * 0.6) }));
      const mean = Number.isFinite(other.nats) ? `M${x(other.nats)} ${beside - 4}V${beside + 4}` : "";
      parts.push(svgNode("path", { class: "ip-beside-mean", d: mean }));
    }
    parts.push(svgNode("path", { class: "ip-whisker", d: whisker(row, x, lane, box, END) }));
    if (Number.isFinite(row.nats)) {
      const open = this.#ends(row) === null;
      parts.push(svgNode("path", { class: open ? "ip-mark ip-open" : "ip-mark", d: signPath(signOf(row), x(row.nats), lane, MARK) }));
    }
    const group = svgNode("g", {}, ...parts);
    group.style.color = colorOfRow(row);
    return group;
  }

  /**
   * The name of a row; one that is too long for a line of its own is cut there, and whole in the reading and the table.
   * @param {string} name
   * @param {number} y
   */
  #name(name, y) {
    const room = this.surface.clientWidth;
    /** @param {string} text */
    const fits = (text) => this.#ruler.measureText(text).width <= room;
    let shown = [...name];
    while (shown.length > 1 && !fits(`${shown.join("")}…`)) shown = shown.slice(0, -1);
    return svgNode("text", { class: "ip-name", x: 0, y, "font-size": TYPE.gap }, fits(name) ? name : `${shown.join("")}…`);
  }

  #drawKey() {
    const { unit } = this;
    /** @param {number} gap */
    const size = (gap) => `${Number(unit.of(gap).toPrecision(2))} ${unit.gapUnit}`;
    const within = unit.logarithmic ? `${unit.gap(-NOISE)} to ${unit.gap(NOISE)}` : `up to ${size(NOISE)}`;
    const from = unit.logarithmic ? `${unit.gap(-MATTERS)} and ${unit.gap(MATTERS)}` : size(MATTERS);
    const compared = this.rows.some((row) => this.#beside(row));
    /** @param {boolean} interval */
    const has = (interval) => this.rows.some((row) => (this.#ends(row) !== null) === interval);
    const circle = signPath("circle", 13, 6, 4);
    const items = [
      has(true) && item({ "ip-whisker": "M1 6H25M1 2V10M25 2V10", "ip-mark": circle }, "gap with its 95 % interval"),
      has(false) && item({ "ip-mark ip-open": circle }, "one seed: no interval"),
      compared && item({ "ip-beside": "M1 6H25M1 3V9M25 3V9", "ip-beside-mean": "M13 2V10" }, "measured elsewhere"),
      item({ "ip-noise": "M0 0H26V12H0Z" }, `noise: ${within}`),
      item({ "ip-matters": "M13 0V12" }, `matters: from ${from}`),
    ];
    this.key.replaceChildren(...items.filter((each) => each !== false));
  }

  #listen() {
    /** @param {PointerEvent} event */
    const point = (event) => {
      const at = event.clientY - this.picture.getBoundingClientRect().top;
      const place = this.#layout?.rows.findIndex(({ top, height }) => at >= top && at < top + height) ?? -1;
      this.#readRow(place < 0 ? null : place);
    };
    this.surface.addEventListener("pointermove", point);
    this.surface.addEventListener("pointerdown", point);
    this.surface.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#readRow(null));
    this.surface.addEventListener("blur", () => this.#readRow(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Arrows move to the next row, Home and End to the first and the last, Escape leaves.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.rows.length === 0) return;
    const last = this.rows.length - 1;
    /** @type {Record<string, number | undefined>} */
    const places = { Home: 0, End: last, ArrowUp: (this.#read ?? last + 1) - 1, ArrowDown: (this.#read ?? -1) + 1 };
    const to = places[event.key];
    if (event.key === "Escape" && this.#read !== null) this.#readRow(null);
    else if (to !== undefined) this.#readRow(Math.min(last, Math.max(0, to)));
    else return;
    event.preventDefault();
    setText(this.live, this.#read === null ? "" : this.#sentence(this.rows[this.#read]));
  }

  /** @param {number | null} place */
  #readRow(place) {
    this.#read = place;
    this.#showReading();
  }

  #showReading() {
    const place = this.#read;
    const row = place === null ? undefined : this.rows[place];
    this.read.attr("visibility", row ? "visible" : "hidden");
    setText(this.at, row ? this.#sentence(row) : HINT);
    this.at.classList.toggle("ip-idle", !row);
    if (!row || place === null || !this.#layout) return;
    const { top, height } = this.#layout.rows[place];
    this.read.attr("x", 0).attr("y", top).attr("width", this.svg.attr("width")).attr("height", height);
  }

  /** @param {Row} row */
  #sentence(row) {
    const other = this.#beside(row);
    /** @param {Interval} each */
    const interval = (each) => (this.#ends(each) ? `, 95 % interval ${this.#ends(each)}` : ", without an interval");
    const elsewhere = other ? ` Measured elsewhere: ${this.unit.gap(other.nats)}${interval(other)}.` : "";
    return `${row.name}: ${this.unit.gap(row.nats)}${interval(row)}; ${row.verdict}.${elsewhere}`;
  }

  #summary() {
    const gaps = this.rows.map((row) => `${row.name} ${this.unit.gap(row.nats)}${this.#ends(row) ? `, ${this.#ends(row)}` : ""}`);
    return `Gaps in loss with their 95 % intervals, ${this.unit.gapUnit}: ${gaps.join("; ")}.`;
  }

  #numbers() {
    const compared = this.rows.some((row) => this.#beside(row));
    /** @param {{[K in keyof Interval]: number | null}} interval */
    const three = ({ nats, low, high }) => [nats, low, high].map((gap) => this.unit.gap(gap));
    const rows = this.rows.map((row) => {
      const other = this.#beside(row);
      return [row.name, ...three(row), row.verdict, ...(compared ? three(other ?? { nats: null, low: null, high: null }) : [])];
    });
    const elsewhere = ["elsewhere", "elsewhere, low", "elsewhere, high"];
    return { head: ["encodings", `gap, ${this.unit.gapUnit}`, "low", "high", "verdict", ...(compared ? elsewhere : [])], rows };
  }
}

/** @param {Row} row */
const colorOfRow = ({ encoding }) => (encoding === null ? "var(--ink)" : encodingColor(encoding));
/** @param {Row} row */
const signOf = ({ encoding }) => (encoding === null ? "circle" : encodingSign(encoding));

/**
 * The line of an interval with a stroke at each end, or with an arrowhead where it goes on beyond the axis.
 * @param {Interval} interval
 * @param {IntervalLayout["x"]} x
 * @param {number} y
 * @param {IntervalLayout["box"]} box
 * @param {number} size
 */
function whisker({ low, high }, x, y, box, size) {
  if (low === null || high === null) return "";
  /** @type {(gap: number, outward: 1 | -1) => {at: number, stroke: string}} */
  const end = (gap, outward) => {
    const at = x(gap);
    if (at >= box.left && at <= box.right) return { at, stroke: `M${at} ${y - size}V${y + size}` };
    const edge = outward < 0 ? box.left + 1 : box.right - 1;
    return { at: edge, stroke: `M${edge - outward * size} ${y - size}L${edge} ${y}L${edge - outward * size} ${y + size}` };
  };
  const [from, to] = [end(low, -1), end(high, 1)];
  return `M${from.at} ${y}H${to.at}${from.stroke}${to.stroke}`;
}

/**
 * An entry of the key: paths by their class, and what they are.
 * @param {Record<string, string>} paths
 * @param {string} text
 */
function item(paths, text) {
  const entry = make("li", "ip-item");
  const sign = svgNode("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" });
  sign.append(...Object.entries(paths).map(([name, d]) => svgNode("path", { class: name, d })));
  entry.append(sign, make("span", "", text));
  return entry;
}

IntervalPlot.register("interval-plot");
