/** Where the rows of an interval plot lie, and which gaps its axis spans. */

import { scaleLinear } from "d3-scale";

/** Nats: up to here a gap is noise, and from here on it matters. */
export const NOISE = 0.01;
export const MATTERS = 0.1;

const AIR = 0.06; // of the span, on both sides
const FARTHEST = 3; // times the largest gap, or MATTERS: where the axis ends at the latest
const TEXT = 16; // CSS px of a line of text
const LANE = { alone: 30, measured: 40, beside: 11 }; // height of a row's lane, and what is measured elsewhere below its middle
const FOOT = 24; // of the axis
const TOP = 4;
const GAP = 12; // CSS px between the columns
const WIDEST_TEXT = 0.55; // of the width, beside the plot; else the texts stand above each row, in one line or two
const EDGE = 8; // CSS px at the ends of the axis

/**
 * @typedef {{nats: number, low: number | null, high: number | null}} Interval a gap with the ends of its interval, if any
 *
 * @typedef {object} IntervalLayout
 * @property {number} height
 * @property {import("d3-scale").ScaleLinear<number, number>} x
 * @property {{left: number, right: number, top: number, bottom: number}} box
 * @property {number} valueX     where the numbers begin
 * @property {{top: number, height: number, from: number, lane: number, beside: number, name: number, value: number}[]} rows
 *   from: where the row's part of the plot begins, below its texts if they stand above it; lane, beside: centre of the
 *   row's interval and of the other; name, value: baselines
 */

/**
 * The axis holds 0, the two gaps from which a difference matters, and every gap with its interval; an interval that is
 * many times as wide as the largest gap, as two seeds may give, is cut off so that the others can be read.
 * @param {Interval[]} all  of the rows and of what was measured elsewhere
 * @returns {[number, number]}  nats
 */
export function intervalRange(all) {
  const gaps = all.map(({ nats }) => nats).filter(Number.isFinite);
  const largest = gaps.reduce((most, gap) => Math.max(most, Math.abs(gap)), MATTERS);
  const ends = all.flatMap(({ low, high }) => [low, high]).filter((end) => end !== null).filter(Number.isFinite);
  const within = ends.map((end) => Math.max(-FARTHEST * largest, Math.min(FARTHEST * largest, end)));
  const low = Math.min(-MATTERS, ...gaps, ...within);
  const high = Math.max(MATTERS, ...gaps, ...within);
  const air = (high - low) * AIR;
  return [low - air, high + air];
}

/**
 * @param {object} options
 * @param {number} options.width   CSS px
 * @param {[number, number]} options.range  nats
 * @param {boolean[]} options.compared  for each row, whether something measured elsewhere stands beside it
 * @param {number} options.nameWidth   CSS px of the longest name
 * @param {number} options.valueWidth  CSS px of the longest numbers
 * @returns {IntervalLayout}
 */
export function intervalLayout({ width, range, compared, nameWidth, valueWidth }) {
  const stacked = nameWidth + valueWidth + 2 * GAP > WIDEST_TEXT * width;
  const lines = !stacked ? 0 : nameWidth + GAP + valueWidth > width ? 2 : 1; // of text above a row
  const left = stacked ? 0 : Math.ceil(nameWidth + GAP);
  const right = stacked ? width : Math.floor(width - valueWidth - GAP);
  let top = TOP;
  const rows = compared.map((both) => {
    const height = (both ? LANE.measured : LANE.alone) + lines * TEXT;
    const lane = top + lines * TEXT + LANE.alone / 2;
    const name = stacked ? top + TEXT - 3 : lane + 5;
    const row = { top, height, from: lane - LANE.alone / 2, lane, beside: lane + LANE.beside, name, value: lines === 2 ? name + TEXT : name };
    top += height;
    return row;
  });
  return {
    height: top + FOOT, rows, valueX: lines === 2 ? 0 : stacked ? width - valueWidth : right + GAP,
    box: { left, right, top: TOP, bottom: top }, x: scaleLinear(range, [left + EDGE, right - EDGE]),
  };
}
