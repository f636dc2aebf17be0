/** How the page writes numbers: counts, speeds, times, sizes, gaps, differences, parts of speech that follow a count. */

import { count, significant } from "../charts/numbers.js";

/** "1 run", "3 runs" */
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Steps per second: "84", "3.2" */
export const speed = (value) => (value >= 10 ? count(value) : value.toFixed(1));

/** A time in words: "4 s", "2 min 05 s", "1 h 10 min" */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

/** Bytes as megabytes, one decimal, without the unit. */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** A difference of losses with its sign, "−0.28" or "+0.013": two decimals say all that a gap means, three for small ones. */
export function gap(nats) {
  const size = Math.abs(nats);
  const sign = nats < 0 ? "−" : nats > 0 ? "+" : "";
  return sign + size.toFixed(size < 0.1 ? 3 : 2);
}

/** The largest difference between two computations: "exactly 0", or its size as "3.3 × 10⁻⁶"; none is a dash. */
export const difference = (size) => (size === 0 ? "exactly 0" : significant(size, 2));

const SUFFIXES = { one: "st", two: "nd", few: "rd", other: "th" };
const ORDER = new Intl.PluralRules("en", { type: "ordinal" });

/** A place in an order: "1st", "4th" */
export const ordinal = (place) => `${count(place)}${SUFFIXES[ORDER.select(place)]}`;

/** Parts of a sentence: "a", "a and b", "a, b and c" */
export const listed = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);
