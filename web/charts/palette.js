/**
 * The one place of colours and signs: which token and which mark stand for an encoding or a class of character.
 * The colours themselves are CSS custom properties, so that light and dark are decided once, in the stylesheet.
 */

import { encodingNames } from "./encodings.js";

/**
 * CSS colour of each class of character, in the order in which legends list them.
 * @type {Readonly<Record<string, string>>}
 */
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

/**
 * @param {string} name of custom properties, without the hyphen and the number that end it
 * @param {number} count
 */
const tokens = (name, count) => Array.from({ length: count }, (_, index) => `var(${name}-${index + 1})`);

/** The colours of the lab's encodings in the order of their list, and their marks: colour is never the only sign. */
const LAB = {
  colors: tokens("--encoding", 8),
  signs: ["circle", "square", "triangle", "diamond", "cross", "bar", "bow", "right"],
};

/** Those of the reader's own, in the order in which they appear. */
const OWN = { colors: tokens("--encoding-own", 4), signs: ["star", "plus", "down", "hourglass"] };
/** @type {Map<string, number>} */
const places = new Map();

/**
 * Which of the reader's own encodings one is, from 0; the same for as long as the page is open.
 * @param {string} encoding
 */
function placeOf(encoding) {
  const place = places.get(encoding) ?? places.size;
  places.set(encoding, place);
  return place;
}

/** The colours and marks that an encoding has one of, and its place among them. @param {string} encoding */
function among(encoding) {
  const place = encodingNames().indexOf(encoding);
  return place < 0 ? { ...OWN, place: placeOf(encoding) } : { ...LAB, place };
}

/** CSS colour of an encoding. @param {string} encoding */
export function encodingColor(encoding) {
  const { colors, place } = among(encoding);
  return colors[place % colors.length];
}

/**
 * Name of the mark of an encoding. Each round of the colours begins at another mark, so that none returns with its own.
 * @param {string} encoding
 */
export function encodingSign(encoding) {
  const { colors, signs, place } = among(encoding);
  return signs[(place + Math.floor(place / colors.length)) % signs.length];
}

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

/**
 * Name of the mark of one of several series that are no encodings; after six they begin again, in another shade.
 * @param {number} index
 */
export const ordinalSign = (index) => ORDINAL_SIGNS[index % ORDINAL_SIGNS.length];

/**
 * What a colour computes to where an element stands, for canvas, which knows no custom properties.
 * A probe is asked rather than the property itself, so that light-dark() and color-mix() are resolved too.
 * @param {Element} element  a connected element, whose theme counts
 * @param {string} name      a class of character, a token such as "--ink", or any CSS colour
 * @returns {string}         a computed colour, for example "rgb(0, 114, 178)"
 */
export function colorOf(element, name) {
  const probe = document.createElement("span");
  probe.style.forcedColorAdjust = "none"; // the reader’s own colours would make one of all
  probe.style.color = CLASS_COLOR[name] ?? (name.startsWith("--") ? `var(${name})` : name);
  probe.hidden = true;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * What several colours compute to, by the names that they are given.
 * @template {string} N
 * @param {Element} element  as of `colorOf`
 * @param {Readonly<Record<N, string>>} names
 * @returns {Record<N, string>}
 */
export function colorsOf(element, names) {
  /** @type {Record<N, string>} */
  const colors = { ...names };
  for (const name in names) colors[name] = colorOf(element, names[name]);
  return colors;
}
