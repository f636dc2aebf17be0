/** Which values the bars of a list span. */

/** @import { Bar } from "./bar-list.js" */

/**
 * From 0, or the least value below it, to the largest that occurs, comparisons included.
 * @param {Pick<Bar, "value" | "chance" | "among" | "dots">[]} bars
 * @returns {[number, number]}
 */
export function barRange(bars) {
  const values = bars.flatMap(({ value, chance, among, dots = [] }) => [value, chance, among?.low, among?.high, ...dots])
    .filter((value) => value != null).filter(Number.isFinite);
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  return [low, high > low ? high : low + 1];
}
