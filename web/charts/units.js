/**
 * The units in which a loss may be written. Inside the page every loss is in nats, the unit of −ln p; only what is
 * written, and the ticks of an axis, follow the unit that the reader chose.
 */

import { nats, significant } from "./numbers.js";

const SMALL = 0.1; // a gap smaller than this, in nats or bits, is written with a third decimal

/** A difference with its sign: "−0.28", "+0.013". @param {number} difference */
function signed(difference) {
  const size = Math.abs(difference);
  const written = size.toFixed(size < SMALL ? 3 : 2);
  return `${Number(written) === 0 ? "" : difference < 0 ? "−" : "+"}${written}`;
}

/**
 * A factor: "× 0.77"; two decimals show the hundredth that is noise, and a very small or large one has two digits.
 * @param {number} nats
 */
function factor(nats) {
  const ratio = Math.exp(nats);
  if (ratio >= 0.1 && ratio < 10) return `× ${ratio.toFixed(2)}`;
  return `× ${large(ratio, 2)}`;
}

/**
 * A positive number at a few significant digits, also where it is beyond what a computer's number can hold.
 * @param {number} value
 * @param {number} [digits]
 */
const large = (value, digits) =>
  (value === Infinity ? `over ${significant(Number.MAX_VALUE, 2)}` : significant(value, digits));

/**
 * Writes only what is a number: none is a dash, and what is not finite is "NaN".
 * @param {(value: number, digits?: number) => string} write
 * @returns {(value: number | null | undefined, digits?: number) => string}
 */
const known = (write) => (value, digits) => (value == null ? "–" : Number.isFinite(value) ? write(value, digits) : "NaN");

/**
 * Each unit: `name` its key here; `title` in a choice of units; `per` after a number or in brackets; `quantity` what an
 * axis shows, and `logarithmic` whether even steps in nats are even factors of it; `of(nats)` the loss in this unit and
 * `toNats(value)` the way back; `loss(nats, digits)` a loss as it is written, with so many digits after the point (a
 * perplexity always has three significant ones); `gap(nats)` a difference of losses as it is written, as a perplexity
 * the factor; `gapUnit` what follows a gap.
 *
 * @typedef {{name: UnitName, title: string, per: string, quantity: string, logarithmic: boolean,
 *   of: (nats: number) => number, toNats: (value: number) => number,
 *   loss: (nats: number | null | undefined, digits?: number) => string, gap: (nats: number | null | undefined) => string,
 *   gapUnit: string}} Unit
 */

/** @typedef {"nats" | "bits" | "perplexity"} UnitName */

/** @type {Readonly<Record<UnitName, Unit>>} */
export const UNITS = Object.freeze({
  nats: Object.freeze({
    name: "nats",
    title: "nats",
    per: "nats per character",
    quantity: "Loss, nats per character",
    logarithmic: false,
    of: (/** @type {number} */ loss) => loss,
    toNats: (/** @type {number} */ value) => value,
    loss: nats,
    gap: known(signed),
    gapUnit: "nats",
  }),
  bits: Object.freeze({
    name: "bits",
    title: "bits",
    per: "bits per character",
    quantity: "Loss, bits per character",
    logarithmic: false,
    of: (/** @type {number} */ loss) => loss / Math.LN2,
    toNats: (/** @type {number} */ value) => value * Math.LN2,
    loss: (/** @type {number | null | undefined} */ loss, /** @type {number | undefined} */ digits) => nats(loss == null ? loss : loss / Math.LN2, digits),
    gap: known((gap) => signed(gap / Math.LN2)),
    gapUnit: "bits",
  }),
  perplexity: Object.freeze({
    name: "perplexity",
    title: "perplexity",
    per: "perplexity",
    quantity: "Perplexity per character",
    logarithmic: true,
    of: Math.exp,
    toNats: Math.log,
    loss: known((loss) => large(Math.exp(loss), 3)),
    gap: known(factor),
    gapUnit: "in perplexity",
  }),
});
