/** Where the cells of a heat map lie: one or several pictures of the same rows and columns, as many side by side as fit. */

const GAP = 16; // CSS px between two pictures
const TITLE = 20; // height of a picture's name
const FOOT = 16; // height of the column labels
const TILE = 22; // side of a cell that has its label inside
const WIDEST = { least: 14, most: 40, plot: 600 }; // of a cell; a picture of few columns is made wider, up to a point
const EDGE = 1; // CSS px that the frame of a picture needs beside it
const LARGEST_SQUARE = 448; // of a picture with as many rows as columns
const LEAST = { square: 4, oblong: 5.5 }; // width of a cell below which pictures no longer stand side by side
const LETTER = 10; // CSS px that the label of a row needs from the next

/**
 * @typedef {{panel: number, row: number, column: number}} Cell
 * @typedef {object} HeatLayout
 * @property {number} height
 * @property {{width: number, height: number}} cell
 * @property {boolean} tiles
 * @property {number} perLine     columns that lie side by side
 * @property {number} rowEvery    1: every row has room for its label; 2: every second ...
 * @property {import("./figure-trace.js").Box[]} panels
 * @property {(panel: number, row: number, column: number) => {left: number, top: number}} place
 * @property {(x: number, y: number) => Cell | null} at
 */

/** @param {number} rows */
const rowHeight = (rows) => (rows <= 8 ? 18 : rows <= 28 ? 13 : rows <= 40 ? 11 : 9);

/** The smallest of 1, 2, 4, 8 ... cells that hold a label of `room` px. @param {number} cell @param {number} room */
export const labelEvery = (cell, room) => 2 ** Math.max(0, Math.ceil(Math.log2(room / cell)));

/**
 * @param {object} options
 * @param {number} options.width       CSS px for everything
 * @param {number} options.rows
 * @param {number} options.columns
 * @param {number} options.panels      how many pictures
 * @param {boolean} options.titled     whether pictures have names
 * @param {number} options.gutter      CSS px for the labels of the rows, left of each picture
 * @param {boolean} options.tiles      one row, whose cells are tiles with their labels inside, in lines
 * @returns {HeatLayout}
 */
export function heatLayout({ width, rows, columns, panels, titled, gutter, tiles }) {
  const title = titled ? TITLE : 0;
  const square = rows === columns;
  const left = tiles ? 0 : gutter;
  const least = tiles ? width : left + columns * (square ? LEAST.square : LEAST.oblong);
  const most = Math.min(panels, Math.max(1, Math.floor((width + GAP) / (least + GAP))));
  const across = Math.ceil(panels / Math.ceil(panels / most)); // as many as fit, in lines of about the same length
  const room = (width - (across - 1) * GAP) / across - left - EDGE;

  const perLine = tiles ? Math.max(1, Math.floor(room / TILE)) : columns;
  const widest = square ? Math.min(WIDEST.least, LARGEST_SQUARE / columns) : Math.max(WIDEST.least, Math.min(WIDEST.most, WIDEST.plot / columns));
  const cell = tiles ? { width: TILE, height: TILE } : { width: Math.min(widest, room / columns), height: rowHeight(rows) };
  if (square && !tiles) cell.height = cell.width;
  const lines = tiles ? Math.ceil(columns / perLine) : rows;
  const plot = { width: perLine * cell.width, height: lines * cell.height };
  const pitch = title + plot.height + (tiles ? 4 : FOOT) + GAP / 2;

  const placed = Array.from({ length: panels }, (_, i) => ({
    left: (i % across) * (room + EDGE + left + GAP) + left,
    top: EDGE + Math.floor(i / across) * pitch + title,
    ...plot,
  }));
  /** @type {HeatLayout["place"]} */
  const place = (panel, row, column) => ({
    left: placed[panel].left + (tiles ? column % perLine : column) * cell.width,
    top: placed[panel].top + (tiles ? Math.floor(column / perLine) : row) * cell.height,
  });
  /** @type {HeatLayout["at"]} */
  const at = (x, y) => {
    const panel = placed.findIndex((each) => x >= each.left && x < each.left + each.width && y >= each.top && y < each.top + each.height);
    if (panel < 0) return null;
    const aside = Math.floor((x - placed[panel].left) / cell.width);
    const down = Math.floor((y - placed[panel].top) / cell.height);
    const column = tiles ? down * perLine + aside : aside;
    return column < columns ? { panel, row: tiles ? 0 : down, column } : null;
  };
  const rowEvery = labelEvery(cell.height, cell.height >= LETTER - 1 ? 1 : LETTER);
  return { height: EDGE + Math.ceil(panels / across) * pitch, cell, tiles, perLine, rowEvery, panels: placed, place, at };
}
