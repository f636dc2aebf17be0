/** How a character is drawn and named when it may be invisible, combining or a control. */

// Signs that common fonts have; ␍ or ⍽ would be empty boxes on many machines.
const DRAWN = { " ": "␣", "\n": "⏎", "\r": "↵", "\t": "⇥" };
const NAMED = { " ": "space", "\n": "line break", "\r": "carriage return", "\t": "tab", "\u00a0": "no-break space" };

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
const isCombining = (character) => /^\p{M}/u.test(character);
// Controls, format characters, surrogates, private use, unassigned, and separators that leave no ink.
const isInvisible = (character) => /^[\p{C}\p{Z}]/u.test(character);

/**
 * The character as a mark: itself, a stand-in for a blank, a dotted circle under a combining mark, or its code point.
 * @param {string} character  one character of the vocabulary
 * @returns {{text: string, long: boolean}}  long: a code point, to be set smaller
 */
export function glyph(character) {
  if (character in DRAWN) return { text: DRAWN[character], long: false };
  if (isCombining(character)) return { text: `◌${character}`, long: false };
  if (isInvisible(character)) return { text: codePoint(character), long: true };
  return { text: character, long: false };
}

/** The character in running text: “a”, "space", "U+200B". */
export function characterName(character) {
  if (character in NAMED) return NAMED[character];
  const { text, long } = glyph(character);
  // First strong isolate and its end: a right-to-left character must not turn the sentence around.
  return long ? text : `“\u2068${text}\u2069”`;
}
