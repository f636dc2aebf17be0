/** Encodings of the reader's own: how they are named in the settings, and which of their code may run. */

/** @import { Own } from "./kinds.js" */

const PREFIX = "own:";

/**
 * @param {string} encoding
 * @returns {boolean} whether an encoding is one of the reader's own, whose code comes beside the settings
 */
export const isOwn = (encoding) => encoding.startsWith(PREFIX);

/** @param {string} encoding @returns {string} what the reader calls an own encoding */
export const ownName = (encoding) => encoding.slice(PREFIX.length);

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._+()-]{0,39}$/u;

/** @param {unknown} name @returns {name is string} whether it can be what an own encoding is called */
export const isOwnName = (name) => typeof name === "string" && NAME.test(name);

/**
 * The key of an own encoding: its name, numbered if another code has that name already.
 *
 * @param {string} name
 * @param {string} code
 * @param {Own[]} others those that there are
 * @returns {string} such as "own:binary counter 2"
 */
export function ownKey(name, code, others) {
  /** @param {string} key */
  const isFree = (key) => others.every((other) => other.encoding !== key || other.code === code);
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? "" : ` ${number}`;
    const key = PREFIX + [...name].slice(0, LONGEST_NAME - end.length).join("").trimEnd() + end;
    if (isFree(key)) return key;
  }
}

/** Characters of a name. */
const LONGEST_NAME = 40;

/** Code that came from a file or from what the browser kept, and that the reader has not allowed to run. */
export class NotAllowedError extends Error {
  code = "not-allowed";

  constructor() {
    super("This encoding is code that you have not allowed to run: look at it, and allow it first.");
  }
}

/** Which code may run: what the reader wrote and trained here, and what they looked at and allowed. */
export class Consent {
  /** @type {Set<string>} */
  #allowed = new Set();
  #onChange;

  /** @param {() => void} onChange called when more is allowed */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** @param {{code: string|null}} run or whatever else has an encoding's code, null for one of the lab's */
  allows({ code }) {
    return code === null || this.#allowed.has(code);
  }

  /** @param {string} code on the reader's click */
  allow(code) {
    this.#allowed.add(code);
    this.#onChange();
  }
}
