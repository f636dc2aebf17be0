/**
 * The one place of colours and signs: which token and which mark stand for an encoding or a class of character.
 * The colours themselves are CSS custom properties, so that light and dark are decided once, in the stylesheet.
 */

/** CSS colour of each positional encoding. */
export const ENCODING_COLOR = Object.freeze({
  none: "var(--encoding-none)",
  learned: "var(--encoding-learned)",
  sinusoidal: "var(--encoding-sinusoidal)",
  rope: "var(--encoding-rope)",
  alibi: "var(--encoding-alibi)",
});

/** CSS colour of each class of character, in the order in which legends list them. */
export const CLASS_COLOR = Object.freeze({
  vowel: "var(--class-vowel)",
  consonant: "var(--class-consonant)",
  capital: "var(--class-capital)",
  letter: "var(--class-letter)",
  mark: "var(--class-mark)",
  digit: "var(--class-digit)",
  punctuation: "var(--class-punctuation)",
  symbol: "var(--class-symbol)",
  space: "var(--class-space)",
});

/** The mark of each encoding (a name of signs.js): colour is never the only sign. */
export const ENCODING_SIGN = Object.freeze({
  none: "circle",
  learned: "square",
  sinusoidal: "triangle",
  rope: "diamond",
  alibi: "cross",
});

/** The colours and marks of the reader's own encodings, in the order in which they appear; they pair in sixteen ways. */
const OWN_COLORS = ["var(--encoding-own-1)", "var(--encoding-own-2)", "var(--encoding-own-3)", "var(--encoding-own-4)"];
const OWN_SIGNS = ["star", "plus", "down", "hourglass"];
const places = new Map();

/** Which of the reader's own encodings one is, from 0; the same for as long as the page is open. */
function placeOf(encoding) {
  if (!places.has(encoding)) places.set(encoding, places.size);
  return places.get(encoding);
}

/** Each round of the colours begins at another mark. */
const ownColor = (place) => OWN_COLORS[place % OWN_COLORS.length];
const ownSign = (place) => OWN_SIGNS[(place + Math.floor(place / OWN_COLORS.length)) % OWN_SIGNS.length];

/** CSS colour of an encoding. */
export const encodingColor = (encoding) => ENCODING_COLOR[encoding] ?? ownColor(placeOf(encoding));

/** Name of the mark of an encoding. */
export const encodingSign = (encoding) => ENCODING_SIGN[encoding] ?? ownSign(placeOf(encoding));

/**
 * CSS colour of one of several series that have an order, such as heads or lengths; encodings have their own.
 * @param {number} index  from 0
 * @param {number} many   how many series there are
 */
export function ordinalColor(index, many) {
  const share = many > 1 ? Math.round((index / (many - 1)) * 100) : 100;
  return `color-mix(in oklab, var(--ordinal-last) ${share}%, var(--ordinal-first))`;
}

const ORDINAL_SIGNS = ["circle", "square", "triangle", "diamond", "cross", "star"];

/** Name of the mark of one of several series that are no encodings; after six they begin again, in another shade. */
export const ordinalSign = (index) => ORDINAL_SIGNS[index % ORDINAL_SIGNS.length];

/**
 * What a colour computes to where an element stands, for canvas, which knows no custom properties.
 * A probe is asked rather than the property itself, so that light-dark() and color-mix() are resolved too.
 * @param {Element} element  a connected element, whose theme counts
 * @param {string} name      an encoding, a class of character, a token such as "--ink", or any CSS colour
 * @returns {string}         a computed colour, for example "rgb(0, 114, 178)"
 */
export function colorOf(element, name) {
  const probe = document.createElement("span");
  probe.style.color = ENCODING_COLOR[name] ?? CLASS_COLOR[name] ?? (name.startsWith("--") ? `var(${name})` : name);
  probe.hidden = true;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
