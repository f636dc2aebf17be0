/** What a reader must know about a text that is not trained on as it was given, each where it applies. */

import { characterName, glyph, RARE } from "../charts/characters.js";
import { count, percent } from "../charts/numbers.js";
import { counted } from "./format.js";
/** @import { Rare, TextFacts } from "./kinds.js" */

/**
 * @param {TextFacts} facts what `read_text` of the worker says of a text
 * @returns {string[]} sentences
 */
export function textNotices({ changed: { encoding, undefined: unknown, bom, cut, lineEnds, nfc } }) {
  const lost = unknown > 0 ? `, in which ${counted(unknown, "byte")} of it ${unknown === 1 ? "stands" : "stand"} for nothing` : "";
  return [
    encoding === "Windows-1252" && `It is no UTF-8, so it was read as Windows-1252${lost}: check its accented letters.`,
    encoding === "UTF-16" && "It was read as UTF-16.",
    bom && "A byte order mark at its beginning was left out.",
    cut > 0 && `It ends within a character, as a file that was cut off does: its last ${cut === 1 ? "byte was" : `${count(cut)} bytes were`} left out.`,
    lineEnds > 0 && `${counted(lineEnds, "line end")} of another system became plain line feeds.`,
    nfc && "What was written in parts, such as a letter and its accent, became one character where Unicode has one (NFC).",
  ].filter((sentence) => sentence !== false);
}

/**
 * @param {Rare} rare of the facts of a text
 * @returns {string} which of its characters share a row, and how much of the text they are
 */
export function rareNotice({ threshold, characters, share }) {
  const one = characters.length === 1;
  const times = threshold === 1 ? "once" : `at most ${counted(threshold, "time")}`;
  const which = one ? `The rarest character, which occurs ${times}, has` : `The ${count(characters.length)} rarest characters, which occur ${times} each, have`;
  return `${which} no row of ${one ? "its" : "their"} own, since the lab learns at most 256: one sign, ${glyph(RARE).text}, stands for ${
    one ? "it" : "them all"}, ${percent(share, share < 0.1 ? 2 : 0)} of the text.`;
}

/** @param {Rare["characters"]} characters @returns {string} characters with how often each occurs: "“字” 3, “語” 2" */
export const rareList = (characters) => characters.map(([character, times]) => `${characterName(character)} ${count(times)}`).join(", ");
