/** Which values the bars of a list span. */

/**
 * From 0, or the least value below it, to the largest that occurs, comparisons included.
 * @param {{value: number | null, chance?: number, among?: {low: number, high: number}, dots?: (number | null)[]}[]} bars
 * @returns {[number, number]}
 */
export function barRange(bars) {
  const values = bars.flatMap(({ value, chance, among, dots = [] }) => [value, chance, among?.low, among?.high, ...dots])
    .filter((value) => value != null && Number.isFinite(value));
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  return [low, high > low ? high : low + 1];
}
