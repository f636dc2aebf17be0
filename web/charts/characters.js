/** How a character is drawn and named when it may be invisible, combining, a control, or the sign of all rare ones. */

/** What stands for every character that is too rare for a row of its own: `RARE` of the Python. */
export const RARE = "\ufffd";

// Signs that common fonts have; ␍ or ⍽ would be empty boxes on many machines. U+FFFD itself would look like a fault.
/** @type {Record<string, string>} */
const DRAWN = { " ": "␣", "\n": "⏎", "\r": "↵", "\t": "⇥", [RARE]: "◈" };
/**
 * The Unicode Standard's abbreviations of what shapes its neighbours and leaves no ink of its own.
 * @type {Record<string, string>}
 */
const SHORT = { "\u200c": "ZWNJ", "\u200d": "ZWJ" };
/** @type {Record<string, string>} */
const NAMED = {
  " ": "space", "\n": "line break", "\r": "carriage return", "\t": "tab", "\u00a0": "no-break space",
  "\u3000": "ideographic space", "\u200c": "zero-width non-joiner", "\u200d": "zero-width joiner",
  [RARE]: "rare or unknown character",
};

/** The number of a character; NaN where there is none. @param {string} character */
const pointOf = (character) => character.codePointAt(0) ?? NaN;
/** @param {string} character */
const codePoint = (character) => `U+${pointOf(character).toString(16).toUpperCase().padStart(4, "0")}`;
/** @param {string} character */
const isCombining = (character) => /^\p{M}/u.test(character);
// Controls, format characters, surrogates, private use, unassigned, separators, and fillers: they leave no ink.
/** @param {string} character */
const isInvisible = (character) => /^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character);

/**
 * 1 to 256 for a variation selector, which chooses between two looks of the character before it; 0 for all others.
 * @param {string} character
 */
function variation(character) {
  const point = pointOf(character);
  if (point >= 0xfe00 && point <= 0xfe0f) return point - 0xfe00 + 1;
  return point >= 0xe0100 && point <= 0xe01ef ? point - 0xe0100 + 17 : 0;
}

/** What a character is called, where its mark alone does not say it; otherwise null. @param {string} character */
function nameOf(character) {
  if (Object.hasOwn(NAMED, character)) return NAMED[character];
  return variation(character) ? `variation selector ${variation(character)}` : null;
}

/**
 * Whether a character changes the look of the one before it and belongs with it: a mark, a joiner, a selector.
 * @param {string} character
 */
export const joinsOn = (character) => isCombining(character) || Object.hasOwn(SHORT, character);

/**
 * The character as a mark: itself, a stand-in for a blank, a dotted circle under a combining mark, or letters and digits
 * for what is invisible.
 * @param {string} character  one character of the vocabulary
 * @returns {{text: string, long: boolean}}  long: several letters, to be set smaller
 */
export function glyph(character) {
  if (Object.hasOwn(DRAWN, character)) return { text: DRAWN[character], long: false };
  if (Object.hasOwn(SHORT, character)) return { text: SHORT[character], long: true };
  if (variation(character)) return { text: `VS${variation(character)}`, long: true };
  if (isInvisible(character)) return { text: codePoint(character), long: true };
  return { text: isCombining(character) ? `◌${character}` : character, long: false };
}

/**
 * Text within a sentence that it must not turn around, whichever way it is written: between U+2068 FIRST STRONG
 * ISOLATE and its end.
 * @param {string} text
 */
export const isolated = (text) => `\u2068${text}\u2069`;

/** The character in running text: “a”, "space", "U+200B". @param {string} character */
export function characterName(character) {
  const { text, long } = glyph(character);
  return nameOf(character) ?? (long ? text : `“${isolated(text)}”`);
}

/**
 * The character as the name of a row: its mark, and what it is called where the mark does not say it.
 * @param {string} character
 */
export function characterLabel(character) {
  const name = nameOf(character);
  return name === null ? glyph(character).text : `${glyph(character).text} ${name}`;
}

/**
 * A text with its blanks and what is invisible drawn: “the␣bank”. What belongs with the character before it stays
 * there, so that words in every script keep their look.
 * @param {string} text
 */
export function spelled(text) {
  let joinable = false; // whether the last one is a character that another may join
  return [...text].map((character) => {
    const joins = joinable && joinsOn(character);
    joinable = joins || glyph(character).text === character;
    return joins ? character : glyph(character).text;
  }).join("");
}
