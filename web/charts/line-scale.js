/** Axes of a line plot: where a number lies on a linear, logarithmic or evenly spaced axis, and which ticks it has. */

import { scaleLinear, scaleLog } from "d3-scale";

/**
 * @typedef {object} ScaleX
 * @property {(value: number) => number} at
 * @property {(count: number) => number[]} ticks
 * @property {((value: number) => string) | null} format
 */

/** The sorted distinct x of all series. @param {{x: number[]}[]} series */
export const distinct = (series) => [...new Set(series.flatMap(({ x }) => x))].sort((a, b) => a - b);

/**
 * Scale of the x axis. "even" gives each value that occurs the same room, for settings such as 0, 0.02, 0.5.
 * @param {{kind?: "linear" | "log" | "even", ticks?: number[], range?: [number, number]}} axis
 * @param {number[]} values  those that occur, ascending
 * @param {[number, number]} pixels
 * @returns {ScaleX}
 */
export function scaleX({ kind = "linear", ticks, range }, values, pixels) {
  if (kind === "even") {
    const position = scaleLinear([-0.3, values.length - 0.7], pixels);
    const places = new Map(values.map((value, i) => [value, i]));
    return { at: (value) => position(places.get(value) ?? NaN), ticks: () => values, format: null };
  }
  const [low, high] = range ?? [values[0], values[values.length - 1]];
  if (kind === "log") {
    const scale = scaleLog([low / 1.1, high * 1.1], pixels);
    return { at: scale, ticks: (count) => ticks ?? wide(scale.ticks(count)), format: null };
  }
  const scale = scaleLinear([low, high > low ? high : low + 1], pixels);
  return { at: scale, ticks: (count) => ticks ?? scale.ticks(count), format: scale.tickFormat(6) };
}

/** Of the ticks of a logarithmic scale, those that begin with 1, 2 or 5. @param {number[]} ticks */
const wide = (ticks) => ticks.filter((tick) => /^[125]/.test(tick.toExponential()));

/**
 * Range of the y axis: that of the data with some air, and of the levels that are asked for.
 * @param {{y: (number | null)[], low?: (number | null)[], high?: (number | null)[]}[]} series
 * @param {{value: number, far?: boolean}[]} levels  one that is `far` does not widen the range
 * @param {[number, number] | undefined} fixed
 * @returns {[number, number]}
 */
export function rangeY(series, levels, fixed) {
  if (fixed) return fixed;
  const values = [
    ...series.flatMap(({ y, low = [], high = [] }) => [...y, ...low, ...high]),
    ...levels.filter(({ far }) => !far).map(({ value }) => value),
  ].filter((value) => value !== null).filter(Number.isFinite);
  if (values.length === 0) return [0, 1];
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const air = (high - low || Math.abs(high) || 1) * 0.07;
  return [low - air, high + air];
}
