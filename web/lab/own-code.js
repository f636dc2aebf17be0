/** The code of own encodings as the page keeps and shares it: what it may be, and the files that commands read it from. */

import { isOwn, ownName } from "./own.js";
/** @import { Run } from "./kinds.js" */

/** The most characters that the code of an encoding may have; `own_encoding/loading.py` has the same number. */
export const LONGEST_CODE = 100_000;

/** @param {unknown} code as it is stored @returns {code is string} whether it can be the code of an encoding */
export const isCode = (code) => typeof code === "string" && code !== "" && [...code].length <= LONGEST_CODE && code.isWellFormed();

/**
 * @param {string} encoding one for which `isOwn` holds
 * @returns {string} its name in letters, digits, - and _ that every file system and shell takes as they are; accents are
 *   left out, and of a name without such letters nothing remains but "own"
 */
export function fileStem(encoding) {
  const plain = ownName(encoding).normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^A-Za-z0-9_]+/g, "-");
  return plain.replace(/^-+|-+$/g, "").toLowerCase() || "own";
}

/**
 * @param {{encoding: string}[]} runs (run.js)
 * @returns {Map<string, string>} each own encoding among them to the name of a file for its code. The names differ in
 *   more than capitals, and none can be imported: a `random.py` where Python starts would take the place of its own.
 */
export function codeFiles(runs) {
  const files = new Map();
  const taken = new Set();
  for (const encoding of new Set(runs.map((run) => run.encoding).filter(isOwn))) {
    const stem = `encoding-${fileStem(encoding)}`;
    let file = `${stem}.py`;
    for (let number = 2; taken.has(file); number += 1) file = `${stem}-${number}.py`;
    taken.add(file);
    files.set(encoding, file);
  }
  return files;
}

/** @param {Run[]} runs @returns {Map<string, string|null>} each own encoding among them to its code */
export function codes(runs) {
  return new Map(runs.filter(({ encoding }) => isOwn(encoding)).map(({ encoding, code }) => [encoding, code]));
}
