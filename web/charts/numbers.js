/** How the charts write numbers: losses in nats, steps, shares, coordinates, numbers of any size. */

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const STEPS = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * A loss in nats per character, "2.083"; none is a dash, and one that is not finite is "NaN".
 * @param {number | null | undefined} loss
 * @param {number} [digits]
 */
export function nats(loss, digits = 3) {
  if (loss == null) return "–";
  if (!Number.isFinite(loss)) return "NaN";
  return loss >= 100 ? STEPS.format(loss) : loss.toFixed(digits);
}

/** A count of steps, "12,500". @param {number | bigint} value */
export const count = (value) => STEPS.format(value);

/**
 * A share of a whole, "24 %"; with digits after the point where it is small, "1.4 %".
 * @param {number} share
 * @param {number} [digits]
 */
export const percent = (share, digits = 0) => `${(share * 100).toFixed(digits)}\u00a0%`;

/** A power of ten, "10⁻⁷". @param {number} exponent */
const power = (exponent) => `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[Number(digit)]).join("")}`;

/**
 * A number of any size at a few significant digits, "−0.0123", "1,250"; small ones as "3.7 × 10⁻⁷"; none is a dash.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function significant(value, digits = 3) {
  if (value == null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const [mantissa, exponent] = Math.abs(value).toExponential(digits - 1).split("e");
  const size = Number(exponent);
  const sign = value < 0 ? "−" : "";
  if (size < -3 || size > 6) return `${sign}${mantissa} × ${power(size)}`;
  if (size >= digits - 1) return sign + STEPS.format(Math.abs(value));
  return sign + Number(`${mantissa}e${size}`).toFixed(digits - 1 - size);
}

/**
 * A probability as a test gives it, "0.001", "0.34", "6 × 10⁻⁵"; none is a dash.
 * @param {number | null | undefined} p
 */
export function probability(p) {
  if (p == null) return "–";
  return p < 0.001 ? significant(p, 1) : String(Number(p.toPrecision(2)));
}

/**
 * A coordinate with its sign, "−0.125", at three digits after the point, fewer when it is large; what rounds to 0 has none.
 * @param {number} value
 */
export function coordinate(value) {
  const size = Math.abs(value);
  const digits = size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const written = size.toFixed(digits);
  return `${value < 0 && Number(written) > 0 ? "−" : ""}${written}`;
}

/**
 * Index of the last entry of an ascending list that is at most a value, or -1.
 * @param {ArrayLike<number>} ascending
 * @param {number} value
 */
export function lastAtMost(ascending, value) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
