/** How the charts write numbers: losses in nats, steps, shares, coordinates. */

const STEPS = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A loss in nats per character, "2.083"; none is a dash, and one that is not finite is "NaN". */
export function nats(loss, digits = 3) {
  if (loss == null) return "–";
  if (!Number.isFinite(loss)) return "NaN";
  return loss >= 100 ? STEPS.format(loss) : loss.toFixed(digits);
}

/** A count of steps, "12,500". */
export const count = (value) => STEPS.format(value);

/** A share of variance, "24 %". */
export const percent = (share) => `${Math.round(share * 100)} %`;

/** A coordinate with its sign, "−0.12", at three significant digits. */
export function coordinate(value) {
  const size = Math.abs(value);
  const digits = size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return `${value < 0 ? "−" : ""}${size.toFixed(digits)}`;
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
