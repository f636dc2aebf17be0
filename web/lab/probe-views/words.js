/** What the views of several labs share: names of depths and encodings, what became of a reader's text, when a difference is rounding, losses on an axis. */

import { encodingLabel } from "../../charts/encodings.js";
import { characterName, glyph, isolated, spelled } from "../../charts/characters.js";
import { count } from "../../charts/numbers.js";
import { counted, listed } from "../format.js";
import { isOwn, ownName } from "../own.js";
/** @import { Reading, Sweep } from "../results.js" */
/** @import { Unit } from "../../charts/units.js" */

/** Whether there is something to say. @param {unknown} note @returns {note is string} */
export const isSaid = (note) => typeof note === "string" && note !== "";

/** A text in a sentence, with its blanks drawn: “the␣bank”. @param {string} text */
export const quoted = (text) => `“${isolated(spelled(text))}”`;

/** @type {Record<string, string>} */
const DEPTHS = { table: "rows of E", embedding: "after the lookup", position: "position added", final_norm: "after the last norm" };

/** Characters as a heat map draws them, and as it reads them out. @param {string[]} characters */
export const drawn = (characters) => characters.map((character) => glyph(character).text);
/** @param {string[]} characters */
export const named = (characters) => characters.map(characterName);

/**
 * An encoding as the page writes it: "None", "RoPE"; one of the reader's own as they call it.
 * @param {string} encoding
 */
export const encodingName = (encoding) => (isOwn(encoding) ? ownName(encoding) : encodingLabel(encoding) ?? encoding);

/**
 * A depth of the residual stream in words; the argument is a name of `Transformer.residual_stream`.
 * @param {string} name
 * @returns {string} "after attention, block 1"
 */
export function depthName(name) {
  const block = /^block(\d+)\.(\w+)$/.exec(name);
  if (block) return `after ${block[2] === "mlp" ? "the MLP" : "attention"}, block ${Number(block[1]) + 1}`;
  return DEPTHS[name] ?? name;
}

/**
 * What the reader must know about a text that was not read as it was given.
 * @param {Pick<Reading, "used" | "leftOut" | "cut" | "instead">} reading
 * @param {string} what  "the text", "the prompt"
 * @returns {string[]}
 */
export function readingNotes({ used, leftOut, cut, instead }, what) {
  const notes = [];
  if (instead) notes.push(`This model does not know the characters of ${what}; it read ${quoted(used)} instead.`);
  if (leftOut.length) notes.push(`Left out of ${what}, since the vocabulary does not have ${leftOut.length === 1 ? "it" : "them"}: ${listed(named(leftOut))}.`);
  if (cut) notes.push(`${counted(cut, "character")} of ${what} did not fit and ${cut === 1 ? "was" : "were"} cut off.`);
  return notes;
}

/** float32 keeps seven digits, and a few hundred sums lose some: differences up to this share of the values are rounding. */
const ROUNDING = 1e-5;

/**
 * Whether a difference between values of some scale is no more than rounding.
 * @param {number} size
 * @param {number} [scale]
 */
export const isRounding = (size, scale = 1) => size <= ROUNDING * Math.max(1, scale);

/** The seeds and updates of a sweep: "3 seeds, 200 updates each". @param {Pick<Sweep, "seeds" | "updates">} sweep */
export const recipe = ({ seeds, updates }) => `${counted(seeds.length, "seed")}, ${count(updates)} updates each`;

/** Losses, in nats, as an axis in the chosen unit takes them. @param {Unit} unit @param {(number | null)[]} losses */
export const inUnit = (unit, losses) => losses.map((loss) => (loss === null ? null : unit.of(loss)));

/** An axis of what `inUnit` gives: "validation loss, bits per character". @param {Unit} unit @param {string} what */
export const lossAxis = (unit, what) => ({ label: `${what}, ${unit.per}`, format: (/** @type {number} */ value) => unit.loss(unit.toNats(value)) });
