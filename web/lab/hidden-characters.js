/**
 * What code can hide from who reads it: characters that leave no ink and those that turn other text around. Each is
 * drawn as a sign, such as U+202E. Line ends, tabs and plain spaces are shown as what they are; a carriage return alone is
 * not, since Python begins a line there and a browser does not.
 */

import { glyph } from "../charts/characters.js";
import { counted, listed } from "./format.js";

/** Matches one such character at a time. */
export const HIDDEN = /(?!\r\n|[\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** So many kinds are named; code that has more has something else to answer for. */
const NAMED = 8;

/**
 * @param {string} code
 * @returns {{text: string, isSign: boolean}[]} the code in order, what is hidden in it as signs
 */
export function revealed(code) {
  /** @type {{text: string, isSign: boolean}[]} */
  const parts = [];
  let end = 0;
  for (const { 0: character, index } of code.matchAll(HIDDEN)) {
    if (index > end) parts.push({ text: code.slice(end, index), isSign: false });
    const last = parts.at(-1);
    if (last?.isSign) last.text += ` ${glyph(character).text}`;
    else parts.push({ text: glyph(character).text, isSign: true });
    end = index + character.length;
  }
  if (end < code.length || parts.length === 0) parts.push({ text: code.slice(end), isSign: false });
  return parts;
}

/** @param {string} code @returns {string|null} how many characters of it are hidden, and which; null if none is */
export function hiddenIn(code) {
  const found = code.match(HIDDEN);
  if (found === null) return null;
  const kinds = [...new Set(found)].map((character) => glyph(character).text);
  const named = kinds.length > NAMED ? [...kinds.slice(0, NAMED), counted(kinds.length - NAMED, "other")] : kinds;
  const verb = found.length === 1 ? "is" : "are";
  return `${counted(found.length, "character")} of it would not be seen, or would turn text around, and ${verb} drawn as ${found.length === 1 ? "a sign" : "signs"}: ${listed(named)}.`;
}
