/** <interval-plot>: gaps between encodings with their 95 % intervals on one axis, with what is noise and what matters. */

import { axisBottom } from "d3-axis";
import { create } from "d3-selection";
import { ChartElement, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { MATTERS, NOISE, intervalLayout, intervalRange } from "./interval-layout.js";
import { encodingColor, encodingSign } from "./palette.js";
import { signPath } from "./signs.js";
import { unitTicks } from "./unit-ticks.js";
import { UNITS } from "./units.js";

const MARK = 5; // CSS px of a mark's radius
const END = 5; // CSS px of half the stroke at the end of an interval
const TYPE = { gap: 14, ends: 12 }; // CSS px
const SPACE = 8; // CSS px between a gap and its interval
const TICK_ROOM = 56; // CSS px between two ticks
const HINT = "Point at a row, or use the arrow keys, to read it.";

/**
 * Light-DOM custom element. Properties (setting one redraws in the next frame); gaps are in nats, whatever the unit:
 * - `rows` {{name: string, encoding: string | null, nats: number, low: number | null, high: number | null,
 *   verdict: string}[]} low, high: ends of the 95 % interval, null without one; encoding: whose colour and mark it has
 * - `measured` {{name: string, nats: number, low: number | null, high: number | null}[]} measured elsewhere, drawn
 *   faintly below the row of the same name
 * - `unit` {Unit} an entry of UNITS
 *
 * It is as high as its rows, and hidden while there is none.
 */
export class IntervalPlot extends ChartElement {
  static properties = { rows: [], measured: [], unit: UNITS.nats };

  #read = null; // place of the row that is read
  #layout = null;
  #ruler = document.createElement("canvas").getContext("2d");

  build() {
    this.at = make("p", "ip-at for-screen");
    this.surface = make("div", "ip-surface");
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    this.svg = create("svg:svg").attr("aria-hidden", "true");
    this.read = this.svg.append("rect").attr("class", "ip-read");
    this.noise = this.svg.append("path").attr("class", "ip-noise");
    this.matters = this.svg.append("path").attr("class", "ip-matters");
    this.zero = this.svg.append("path").attr("class", "ip-zero");
    this.bottom = this.svg.append("g").attr("class", "ip-axis");
    this.body = this.svg.append("g");
    this.axis = make("p", "ip-label");
    this.surface.append(this.svg.node(), this.axis);
    this.key = make("ul", "ip-key");
    this.table = new ChartTable();
    this.live = make("p", "ip-live");
    this.live.setAttribute("aria-live", "polite");
    this.append(this.at, this.surface, this.key, this.table.element, this.live);
    this.#listen();
  }

  draw() {
    this.hidden = this.rows.length === 0;
    const width = this.surface.clientWidth;
    if (this.hidden || width === 0) return;
    const range = intervalRange([...this.rows, ...this.rows.map((row) => this.#beside(row)).filter(Boolean)]);
    this.#layout = intervalLayout({
      width, range, compared: this.rows.map((row) => this.#beside(row) !== undefined), ...this.#measureTexts(),
    });
    this.svg.attr("width", width).attr("height", this.#layout.height);
    this.#drawAxis(range);
    this.body.selectAll("g").data(this.rows).join("g").each((row, i, groups) => this.#drawRow(groups[i], row, i));
    this.#drawKey();
    const summary = this.#summary();
    this.surface.setAttribute("aria-label", `${summary} Arrow keys read single rows.`);
    this.table.show(summary, () => this.#numbers());
    this.#showReading();
  }

  #beside = ({ name }) => this.measured.find((other) => other.name === name);
  #ends = ({ low, high }) => (low === null || high === null ? null : `${this.unit.gap(low)} to ${this.unit.gap(high)}`);

  /** CSS px of the longest name, of the longest gap with the space after it, and of both numbers. */
  #measureTexts() {
    const { fontFamily } = getComputedStyle(this);
    const widest = (texts, font) => {
      this.#ruler.font = `${font} ${fontFamily}`;
      return Math.ceil(Math.max(0, ...texts.map((text) => this.#ruler.measureText(text).width)));
    };
    this.gapWidth = widest(this.rows.map(({ nats }) => this.unit.gap(nats)), `600 ${TYPE.gap}px`);
    const ends = widest(this.rows.map((row) => this.#ends(row) ?? ""), `400 ${TYPE.ends}px`);
    const names = widest(this.rows.map(({ name }) => name), `400 ${TYPE.gap}px`);
    return { nameWidth: names, valueWidth: this.gapWidth + (ends && SPACE + ends) };
  }

  #drawAxis(range) {
    const { x, box, rows } = this.#layout;
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

  #drawRow(group, row, i) {
    const { x, rows, box, valueX } = this.#layout;
    const { lane, beside, name, value } = rows[i];
    const other = this.#beside(row);
    const parts = [
      this.#name(row.name, name),
      part("text", { class: "ip-value", x: valueX, y: value, "font-size": TYPE.gap }, this.unit.gap(row.nats)),
      part("text", { class: "ip-ends", x: valueX + this.gapWidth + SPACE, y: value, "font-size": TYPE.ends }, this.#ends(row) ?? ""),
    ];
    if (other) {
      parts.push(part("path", { class: "ip-beside", d: whisker(other, x, beside, box, END * 0.6) }));
      const mean = Number.isFinite(other.nats) ? `M${x(other.nats)} ${beside - 4}V${beside + 4}` : "";
      parts.push(part("path", { class: "ip-beside-mean", d: mean }));
    }
    parts.push(part("path", { class: "ip-whisker", d: whisker(row, x, lane, box, END) }));
    if (Number.isFinite(row.nats)) {
      const open = this.#ends(row) === null;
      parts.push(part("path", { class: open ? "ip-mark ip-open" : "ip-mark", d: signPath(signOf(row), x(row.nats), lane, MARK) }));
    }
    group.style.color = colorOfRow(row);
    group.replaceChildren(...parts);
  }

  /** The name of a row; one that is too long for a line of its own is cut there, and whole in the reading and the table. */
  #name(name, y) {
    const room = this.surface.clientWidth;
    const fits = (text) => this.#ruler.measureText(text).width <= room;
    let shown = [...name];
    while (shown.length > 1 && !fits(`${shown.join("")}…`)) shown = shown.slice(0, -1);
    return part("text", { class: "ip-name", x: 0, y, "font-size": TYPE.gap }, fits(name) ? name : `${shown.join("")}…`);
  }

  #drawKey() {
    const { unit } = this;
    const size = (gap) => `${Number(unit.of(gap).toPrecision(2))} ${unit.gapUnit}`;
    const within = unit.logarithmic ? `${unit.gap(-NOISE)} to ${unit.gap(NOISE)}` : `up to ${size(NOISE)}`;
    const from = unit.logarithmic ? `${unit.gap(-MATTERS)} and ${unit.gap(MATTERS)}` : size(MATTERS);
    const compared = this.rows.some((row) => this.#beside(row));
    const has = (interval) => this.rows.some((row) => (this.#ends(row) !== null) === interval);
    const circle = signPath("circle", 13, 6, 4);
    const items = [
      has(true) && item({ "ip-whisker": "M1 6H25M1 2V10M25 2V10", "ip-mark": circle }, "gap with its 95 % interval"),
      has(false) && item({ "ip-mark ip-open": circle }, "one seed: no interval"),
      compared && item({ "ip-beside": "M1 6H25M1 3V9M25 3V9", "ip-beside-mean": "M13 2V10" }, "measured elsewhere"),
      item({ "ip-noise": "M0 0H26V12H0Z" }, `noise: ${within}`),
      item({ "ip-matters": "M13 0V12" }, `matters: from ${from}`),
    ];
    this.key.replaceChildren(...items.filter(Boolean));
  }

  #listen() {
    const point = (event) => {
      const at = event.clientY - this.svg.node().getBoundingClientRect().top;
      const place = this.#layout?.rows.findIndex(({ top, height }) => at >= top && at < top + height) ?? -1;
      this.#readRow(place < 0 ? null : place);
    };
    this.surface.addEventListener("pointermove", point);
    this.surface.addEventListener("pointerdown", point);
    this.surface.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#readRow(null));
    this.surface.addEventListener("blur", () => this.#readRow(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Arrows move to the next row, Home and End to the first and the last, Escape leaves. */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.rows.length === 0) return;
    const last = this.rows.length - 1;
    const to = { Home: 0, End: last, ArrowUp: (this.#read ?? last + 1) - 1, ArrowDown: (this.#read ?? -1) + 1 }[event.key];
    if (event.key === "Escape" && this.#read !== null) this.#readRow(null);
    else if (to !== undefined) this.#readRow(Math.min(last, Math.max(0, to)));
    else return;
    event.preventDefault();
    setText(this.live, this.#read === null ? "" : this.#sentence(this.rows[this.#read]));
  }

  #readRow(place) {
    this.#read = place;
    this.#showReading();
  }

  #showReading() {
    const row = this.rows[this.#read];
    this.read.attr("visibility", row ? "visible" : "hidden");
    setText(this.at, row ? this.#sentence(row) : HINT);
    this.at.classList.toggle("ip-idle", !row);
    if (!row) return;
    const { top, height } = this.#layout.rows[this.#read];
    this.read.attr("x", 0).attr("y", top).attr("width", this.svg.attr("width")).attr("height", height);
  }

  #sentence(row) {
    const other = this.#beside(row);
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
    const three = ({ nats, low, high }) => [nats, low, high].map((gap) => this.unit.gap(gap));
    const rows = this.rows.map((row) => {
      const other = this.#beside(row);
      return [row.name, ...three(row), row.verdict, ...(compared ? three(other ?? { nats: null, low: null, high: null }) : [])];
    });
    const elsewhere = ["elsewhere", "elsewhere, low", "elsewhere, high"];
    return { head: ["", `gap, ${this.unit.gapUnit}`, "low", "high", "verdict", ...(compared ? elsewhere : [])], rows };
  }
}

const colorOfRow = ({ encoding }) => (encoding === null ? "var(--ink)" : encodingColor(encoding));
const signOf = ({ encoding }) => (encoding === null ? "circle" : encodingSign(encoding));

/** The line of an interval with a stroke at each end, or with an arrowhead where it goes on beyond the axis. */
function whisker({ low, high }, x, y, box, size) {
  if (low === null || high === null) return "";
  const end = (gap, outward) => {
    const at = x(gap);
    if (at >= box.left && at <= box.right) return { at, stroke: `M${at} ${y - size}V${y + size}` };
    const edge = outward < 0 ? box.left + 1 : box.right - 1;
    return { at: edge, stroke: `M${edge - outward * size} ${y - size}L${edge} ${y}L${edge - outward * size} ${y + size}` };
  };
  const [from, to] = [end(low, -1), end(high, 1)];
  return `M${from.at} ${y}H${to.at}${from.stroke}${to.stroke}`;
}

function part(tag, attributes, text) {
  const node = create(`svg:${tag}`);
  for (const [name, value] of Object.entries(attributes)) node.attr(name, value);
  return (text === undefined ? node : node.text(text)).node();
}

/** An entry of the key: paths by their class, and what they are. */
function item(paths, text) {
  const entry = make("li", "ip-item");
  const sign = part("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" });
  sign.append(...Object.entries(paths).map(([name, d]) => part("path", { class: name, d })));
  entry.append(sign, make("span", "", text));
  return entry;
}

IntervalPlot.register("interval-plot");
