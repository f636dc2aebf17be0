/** How a heat map turns numbers into colours: which range its colours span, and the colour of a number in it. */

/**
 * @typedef {"diverging" | "sequential"} HeatKind about 0, or from 0 up
 * @typedef {{low: number, high: number, below: boolean, above: boolean}} HeatRange  below, above: some numbers lie outside
 * @typedef {{negative: string, zero: string, positive: string, most: string}} HeatColors  as "rgb(r, g, b)"
 */

const INSIDE = 0.99; // of the numbers lie within the range where a few large ones would leave the rest pale

/** The value below which a share of ascending numbers lies. @param {number[]} ascending @param {number} share */
const quantile = (ascending, share) => ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))];

/**
 * The range of the colours. A diverging one is symmetric about 0, a sequential one starts at 0, or at the least
 * number where that is below 0.
 * @param {(number | null)[]} values
 * @param {HeatKind} kind
 * @returns {HeatRange}
 */
export function heatRange(values, kind) {
  const known = values.filter((value) => value !== null).filter(Number.isFinite);
  const least = known.reduce((low, value) => Math.min(low, value), 0);
  const most = known.reduce((high, value) => Math.max(high, value), 0);
  const sizes = known.map(Math.abs).sort((a, b) => a - b);
  const largest = sizes.at(-1) || 1;
  const usual = quantile(sizes, INSIDE) || largest;
  const limit = largest > 1.3 * usual ? usual : largest;
  const low = kind === "diverging" ? -limit : least < 0 ? Math.max(least, -limit) : 0;
  return { low, high: limit, below: least < low, above: most > limit };
}

/** @param {string} color */
const channels = (color) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
/** @param {number[]} from @param {number[]} to @param {number} share */
const mixed = (from, to, share) => `rgb(${from.map((channel, i) => Math.round(channel + (to[i] - channel) * share)).join(",")})`;

/**
 * The colour of a number.
 * @param {{low: number, high: number}} range
 * @param {HeatKind} kind
 * @param {HeatColors} colors
 * @returns {(value: number) => string}
 */
export function heatColor({ low, high }, kind, colors) {
  const [negative, zero, positive, most] = [colors.negative, colors.zero, colors.positive, colors.most].map(channels);
  if (kind === "sequential") return (value) => mixed(zero, most, Math.min(1, Math.max(0, (value - low) / (high - low))));
  return (value) => mixed(zero, value < 0 ? negative : positive, Math.min(1, Math.abs(value) / high));
}
