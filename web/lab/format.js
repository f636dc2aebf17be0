/** How the page writes numbers in its sentences: counts, speeds, times, sizes, losses and gaps in the unit that was chosen. */

import { count, significant } from "../charts/numbers.js";
/** @import { Unit } from "../charts/units.js" */

/** "1 run", "3 runs" @param {number | bigint} number @param {string} noun */
export const counted = (number, noun) => `${count(number)} ${noun}${Number(number) === 1 ? "" : "s"}`;

/** Steps per second: "84", "3.2" @param {number} value */
export const speed = (value) => (value >= 10 ? count(value) : value.toFixed(1));

/** A time in words: "4 s", "2 min 05 s", "1 h 10 min" @param {number} seconds */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

/** Bytes as megabytes, one decimal, without the unit. @param {number} bytes */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/**
 * A loss in a sentence: "2.083 nats", "3.005 bits", "perplexity 8.03".
 * @param {Unit} unit
 * @param {number} nats
 * @param {number} [digits]
 */
export function lossWords(unit, nats, digits) {
  const written = unit.loss(nats, digits);
  return unit.logarithmic ? `${unit.title} ${written}` : `${written} ${unit.title}`;
}

/**
 * A difference of losses in a sentence, with its sign: "−0.28 nats", "−0.40 bits", "× 0.76 in perplexity".
 * @param {Unit} unit
 * @param {number} nats
 */
export const gapWords = (unit, nats) => `${unit.gap(nats)} ${unit.gapUnit}`;

/**
 * How far two losses are apart, without saying which is the larger: "0.28 nats", "a factor of 1.32 in perplexity".
 * @param {Unit} unit
 * @param {number} nats
 */
export function distanceWords(unit, nats) {
  const written = gapWords(unit, Math.abs(nats)).replace(/^\+/, "");
  return unit.logarithmic ? written.replace("×", "a factor of") : written;
}

/**
 * The largest difference between two computations: "exactly 0", or its size as "3.3 × 10⁻⁶"; none is a dash.
 * @param {number} size
 */
export const difference = (size) => (size === 0 ? "exactly 0" : significant(size, 2));

/** @type {Record<string, string>} */
const SUFFIXES = { one: "st", two: "nd", few: "rd", other: "th" };
const ORDER = new Intl.PluralRules("en", { type: "ordinal" });

/** A place in an order: "1st", "4th" @param {number} place */
export const ordinal = (place) => `${count(place)}${SUFFIXES[ORDER.select(place)]}`;

/** Parts of a sentence: "a", "a and b", "a, b and c" @param {string[]} parts */
export const listed = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);
