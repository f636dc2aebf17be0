/** <heat-map>: numbers in rows and columns as colours, in one picture or several that share rows, columns and reading. */

import { chartWith, context2d, make, setText } from "./chart-element.js";
import { ChartTable } from "./chart-table.js";
import { HeatBar } from "./heat-bar.js";
import { labelEvery, heatLayout } from "./heat-layout.js";
import { heatColor, heatRange } from "./heat-scale.js";
import { significant } from "./numbers.js";
import { colorsOf } from "./palette.js";
import { SvgContext } from "./svg-context.js";
import { svgNode } from "./svg-node.js";
/** @import { Cell, HeatLayout } from "./heat-layout.js" */
/** @import { HeatKind, HeatRange } from "./heat-scale.js" */
/** @import { Box } from "./figure-trace.js" */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
/** @type {Record<string, number>} */
const PAGES = { PageUp: -1, PageDown: 1 };
const COLORS = {
  negative: "--heat-negative", zero: "--heat-zero", positive: "--heat-positive", most: "--heat-most",
  ink: "--ink", soft: "--ink-soft", faint: "--ink-faint", rule: "--rule", paper: "--paper",
};
const DIMMED = 0.4; // of a row that is not lit, where some are

/**
 * @typedef {{name?: string, values: (number | null)[][]}} Panel one picture, (rows, columns); null is drawn empty
 *
 * @typedef {object} Properties
 * @property {Panel[]} panels
 * @property {string[]} rowLabels     a short label for each, as it is drawn
 * @property {string[]} columnLabels
 * @property {string[] | null} rowNames     as it is read out, where that differs
 * @property {string[] | null} columnNames
 * @property {string} rowTitle        what the rows are
 * @property {string} columnTitle
 * @property {string} quantity        what a number is, with its unit
 * @property {HeatKind} kind
 * @property {boolean} ownScale       a range for each picture
 * @property {number[]} lit           rows to light up (of tiles: columns), the others are dimmed
 * @property {string} litMeaning      what those are
 * @property {boolean} tiles          for one row: its cells as tiles with their labels inside, in as many lines as it takes
 * @property {string} summary         what is to be seen, in a sentence
 */

/** @type {Properties} */
const PROPERTIES = {
  panels: [], rowLabels: [], columnLabels: [], rowNames: null, columnNames: null, rowTitle: "", columnTitle: "",
  quantity: "", kind: "diverging", ownScale: false, lit: [], litMeaning: "", tiles: false, summary: "",
};

/** Light-DOM custom element; setting one of its properties redraws in the next frame. */
export class HeatMap extends chartWith(PROPERTIES) {
  axes = make("p", "hm-axes");
  reading = make("p", "hm-reading for-screen");
  surface = make("div", "hm-surface");
  screen = make("canvas", "");
  /** The picture: the canvas or, in a file, what takes its place. @type {HTMLCanvasElement | SVGSVGElement} */
  canvas = this.screen;
  focusMark = make("div", "hm-focus");
  bar = new HeatBar();
  live = make("p", "hm-live");
  table = new ChartTable();
  /** @type {CanvasRenderingContext2D | SvgContext} */
  context = context2d(this.screen);
  colors = COLORS; // the tokens alone, until the theme is known
  font = "";
  mono = "";

  /** @type {Cell | null} */
  #read = null; // the cell that is read
  /** @type {HeatLayout | null} */
  #layout = null;
  /** @type {HeatRange[]} */
  #ranges = [];

  build() {
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "img");
    if (this.forFile) this.canvas = svgNode("svg");
    this.surface.append(this.canvas, this.focusMark);
    this.live.setAttribute("aria-live", "polite");
    this.append(this.axes, this.surface, this.reading, this.bar.element, this.table.element, this.live);
    this.#listen();
  }

  themeChanged() {
    this.colors = colorsOf(this, COLORS);
    this.font = getComputedStyle(this).fontFamily;
    this.mono = getComputedStyle(this).getPropertyValue("--font-mono");
  }

  draw() {
    const { panels, kind, tiles } = this;
    const width = this.clientWidth;
    const rows = panels[0]?.values.length ?? 0;
    const columns = panels[0]?.values[0]?.length ?? 0;
    if (width === 0 || rows === 0 || columns === 0) return;
    const longest = Math.max(...this.rowLabels.map((label) => [...label].length), 1);
    const layout = heatLayout({
      width, rows, columns, tiles, panels: panels.length, titled: panels.some(({ name }) => name),
      gutter: Math.min(0.3 * width, 12 + 6.2 * longest),
    });
    const all = heatRange(panels.flatMap(({ values }) => values.flat()), kind);
    this.#ranges = panels.map(({ values }) => (this.ownScale ? heatRange(values.flat(), kind) : all));
    this.#layout = layout;
    this.#size(width, layout.height);
    panels.forEach((panel, i) => this.#drawPanel(layout, panel, i));
    this.#showBar(all);
    setText(this.axes, tiles ? this.columnTitle : `↓ ${this.rowTitle}  → ${this.columnTitle}`);
    this.surface.setAttribute("aria-label", `${this.summary} Arrow keys read single numbers.`);
    this.table.show(this.summary, () => this.#numbers());
    this.#showReading();
  }

  /** @param {number} width @param {number} height */
  #size(width, height) {
    if (this.canvas instanceof SVGSVGElement) {
      this.context = new SvgContext(this.canvas, width, height);
      return;
    }
    const ratio = devicePixelRatio || 1;
    const { screen } = this;
    screen.width = Math.round(width * ratio);
    screen.height = Math.round(height * ratio);
    screen.style.width = `${width}px`;
    screen.style.height = `${height}px`;
    const context = context2d(screen);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.context = context;
  }

  /** @param {HeatLayout} layout @param {Panel} panel @param {number} index */
  #drawPanel(layout, { name, values }, index) {
    const { context, colors } = this;
    const { cell, panels } = layout;
    const box = panels[index];
    const color = heatColor(this.#ranges[index], this.kind, colors);
    const lit = new Set(this.lit);
    if (name) this.#text(name, box.left, box.top - 7, { color: colors.ink, size: 12, weight: 600, widest: box.width });
    for (let row = 0; row < values.length; row++) {
      for (let column = 0; column < values[row].length; column++) {
        const value = values[row][column];
        const { left, top } = layout.place(index, row, column);
        const isLit = lit.has(this.tiles ? column : row);
        context.globalAlpha = this.tiles || lit.size === 0 || isLit ? 1 : DIMMED;
        const inset = this.tiles ? 1 : 0;
        if (value === null || (this.tiles && value === 0)) {
          if (this.tiles) this.#frame(left + 1.5, top + 1.5, cell.width - 3, cell.height - 3, colors.rule, 1);
        } else {
          context.fillStyle = color(value);
          // A hair wider than the cell, so that neighbours leave no seam.
          context.fillRect(left + inset, top + inset, cell.width - 2 * inset + (inset ? 0 : 0.4), cell.height - 2 * inset + (inset ? 0 : 0.4));
        }
        context.globalAlpha = 1;
        if (this.tiles) this.#tileLabel(this.columnLabels[column], { ...cell, left, top }, isLit, value ? color(value) : null);
      }
    }
    if (this.tiles) return;
    this.#frame(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1, colors.faint, 1);
    for (const row of this.lit) {
      const { top } = layout.place(index, row, 0);
      this.#frame(box.left - 0.5, top, box.width + 1, cell.height, colors.ink, 1.25);
    }
    this.#labels(layout, box, lit);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} width
   * @param {number} height
   * @param {string} color
   * @param {number} line
   */
  #frame(left, top, width, height, color, line) {
    this.context.strokeStyle = color;
    this.context.lineWidth = line;
    this.context.strokeRect(left, top, width, height);
  }

  /**
   * What stands in a tile, on its colour; null where it has none.
   * @param {string} label
   * @param {Box} box
   * @param {boolean} isLit
   * @param {string | null} color
   */
  #tileLabel(label, { left, top, width, height }, isLit, color) {
    const { colors } = this;
    if (isLit) this.#frame(left + 1.5, top + 1.5, width - 3, height - 3, colors.ink, 1.75);
    const ink = color === null ? colors.faint : luminance(color) < 0.3 ? "#ffffff" : "#111214";
    this.#text(label, left + width / 2, top + height / 2 + 0.5, {
      color: ink, size: 12, weight: isLit ? 700 : 400, align: "center", mono: true, widest: width - 5,
    });
  }

  /** @param {HeatLayout} layout @param {Box} box @param {Set<number>} lit */
  #labels({ cell, rowEvery }, box, lit) {
    const { colors } = this;
    const size = Math.min(11, Math.max(9, cell.height));
    this.rowLabels.forEach((label, row) => {
      const isLit = lit.has(row);
      if (row % rowEvery && !isLit) return;
      const middle = box.top + (row + 0.5) * cell.height;
      this.#text(isLit ? `▸${label}` : label, box.left - 5, middle + 0.5, {
        color: isLit ? colors.ink : colors.soft, size, weight: isLit ? 700 : 400, align: "right", mono: true,
      });
    });
    const longest = Math.max(...this.columnLabels.map((label) => [...label].length));
    const every = labelEvery(cell.width, longest * 6.4 + (longest > 1 ? 6 : 1.5));
    this.columnLabels.forEach((label, column) => {
      if (column % every) return;
      this.#text(label, box.left + (column + 0.5) * cell.width, box.top + box.height + 9, { color: colors.soft, size: 10, align: "center", mono: true });
    });
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {{color: string, size: number, weight?: number, align?: CanvasTextAlign, mono?: boolean, widest?: number}} look
   */
  #text(text, x, y, { color, size, weight = 400, align = "left", mono = false, widest }) {
    const { context } = this;
    context.font = `${weight} ${size}px ${mono ? this.mono : this.font}`;
    context.fillStyle = color;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(text, x, y, widest);
  }

  /** @param {HeatRange} range */
  #showBar(range) {
    const own = this.ownScale && this.panels.length > 1;
    const words = [this.quantity, own && "each picture has its own scale", this.lit.length && this.litMeaning];
    this.bar.show(range, this.kind, this.colors, own, words.filter(Boolean).join("; "));
  }

  #listen() {
    /** @param {PointerEvent} event */
    const point = (event) => {
      const { left, top } = this.canvas.getBoundingClientRect();
      this.#readCell(this.#layout?.at(event.clientX - left, event.clientY - top) ?? null);
    };
    this.surface.addEventListener("pointermove", point);
    this.surface.addEventListener("pointerdown", point);
    this.surface.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#readCell(null));
    this.surface.addEventListener("blur", () => this.#readCell(null));
    this.surface.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Arrows move by a cell, with Shift by eight, Page Up and Page Down to another picture, Escape leaves.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#layout) return;
    const { key } = event;
    const last = { panel: this.panels.length - 1, row: this.panels[0].values.length - 1, column: this.panels[0].values[0].length - 1 };
    /** @type {(value: number, most: number) => number} */
    const within = (value, most) => Math.min(most, Math.max(0, value));
    if (key === "Escape" && this.#read) this.#readCell(null);
    else if (key in ARROWS || key in PAGES) {
      const from = this.#read ?? { panel: 0, row: this.tiles ? 0 : (this.lit[0] ?? 0), column: 0 };
      const stride = event.shiftKey ? 8 : 1;
      const [down, aside] = this.#read && key in ARROWS ? ARROWS[key] : [0, 0];
      const panel = this.#read ? PAGES[key] ?? 0 : 0;
      this.#readCell({
        panel: within(from.panel + panel, last.panel),
        row: within(from.row + (this.tiles ? 0 : down * stride), last.row),
        column: within(from.column + stride * (this.tiles ? aside + down * this.#layout.perLine : aside), last.column),
      });
    } else return;
    event.preventDefault();
    setText(this.live, this.#read ? this.#sentence(this.#read) : "");
  }

  /** @param {Cell | null} cell */
  #readCell(cell) {
    this.#read = cell;
    this.#showReading();
  }

  #showReading() {
    const cell = this.#read;
    const layout = this.#layout;
    const shown = layout !== null && cell !== null && this.panels[cell.panel]?.values[cell.row]?.[cell.column] !== undefined;
    this.focusMark.hidden = !shown;
    this.reading.classList.toggle("hm-idle", !shown);
    setText(this.reading, shown ? this.#sentence(cell) : "Point at a cell, or use the arrow keys, to read its number.");
    if (!shown) return;
    const { left, top } = layout.place(cell.panel, cell.row, cell.column);
    const { width, height } = layout.cell;
    this.focusMark.style.transform = `translate(${left - 2}px, ${top - 2}px)`;
    this.focusMark.style.width = `${width + 4}px`;
    this.focusMark.style.height = `${height + 4}px`;
  }

  /** @param {Cell} cell */
  #sentence({ panel, row, column }) {
    const { name, values } = this.panels[panel];
    const names = [name, this.tiles ? "" : this.#rowName(row), this.#columnName(column)].filter(Boolean);
    const value = values[row][column];
    return `${names.join(", ")}: ${value === null ? "nothing here" : significant(value)}`;
  }

  /** @param {number} row */
  #rowName = (row) => (this.rowNames ?? this.rowLabels)[row];
  /** @param {number} column */
  #columnName = (column) => (this.columnNames ?? this.columnLabels)[column];

  #numbers() {
    const named = this.panels.length > 1;
    const columns = this.panels[0].values[0].map((_, column) => this.#columnName(column));
    if (this.tiles) {
      const rows = columns.map((name, column) => [name, ...this.panels.map(({ values }) => significant(values[0][column]))]);
      return { head: [this.columnTitle, ...this.panels.map(({ name }) => name || this.quantity)], rows };
    }
    const rows = this.panels.flatMap(({ name, values }) => values.map((line, row) =>
      [[named && name, this.#rowName(row)].filter(Boolean).join(", "), ...line.map((value) => significant(value))]));
    return { head: [this.rowTitle, ...columns], rows };
  }
}

/** Relative luminance of "rgb(r,g,b)", 0 to 1, near enough to choose black or white text. @param {string} color */
function luminance(color) {
  const [r, g, b] = (color.match(/\d+/g) ?? []).map((channel) => (Number(channel) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

HeatMap.register("heat-map");
