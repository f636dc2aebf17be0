/** Ticks of a loss axis: their places are in nats, the numbers beside them are round ones of the unit. */

import { scaleLinear } from "d3-scale";
import { count } from "./numbers.js";
/** @import { Unit } from "./units.js" */

const ROOM = 28; // CSS px between two ticks of an upright axis, at least

/** Leading digits of round numbers on a logarithmic axis, sparse to dense. */
const LEADING = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5], [1, 2, 3, 5, 7], [1, 1.5, 2, 3, 5, 7], [1, 1.5, 2, 3, 4, 6, 8]];

/**
 * As many ticks as have room.
 * @param {Unit} unit
 * @param {[number, number]} range  nats, ascending
 * @param {number} length           CSS px of the axis
 * @param {number} [room]           CSS px between two ticks, at least
 * @returns {{at: number, text: string}[]}  at: nats, ascending
 */
export function unitTicks(unit, [low, high], length, room = ROOM) {
  const perNat = length / (high - low);
  /** @param {{at: number}[]} ticks */
  const apart = (ticks) => ticks.every((tick, i) => i === 0 || (tick.at - ticks[i - 1].at) * perNat >= room);
  const sets = evenSets(unit, low, high, Math.floor(length / room));
  if (unit.logarithmic) sets.push(...LEADING.map((digits) => decades(unit, digits, low, high)));
  return sets.filter(apart).reduce((best, ticks) => (ticks.length > best.length ? ticks : best), []);
}

/**
 * Evenly spaced round numbers, from about two ticks to about `most`.
 * @param {Unit} unit
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
function evenSets(unit, low, high, most) {
  const scale = scaleLinear([unit.of(low), unit.of(high)], [0, 1]);
  return Array.from({ length: Math.max(1, most - 1) }, (_, i) => {
    const write = scale.tickFormat(i + 2);
    return scale.ticks(i + 2).map((value) => ({ at: unit.toNats(value), text: write(value) }));
  });
}

/** @param {Unit} unit @param {number[]} digits @param {number} low @param {number} high */
function decades(unit, digits, low, high) {
  const ticks = [];
  for (let power = Math.floor(low / Math.LN10); power <= high / Math.LN10; power++) {
    for (const digit of digits) {
      const value = Number(`${digit}e${power}`);
      const at = unit.toNats(value);
      if (at >= low && at <= high) ticks.push({ at, text: value < 10 ? String(value) : count(value) });
    }
  }
  return ticks;
}
