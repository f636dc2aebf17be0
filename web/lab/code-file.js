/** The code of an encoding in a file that the reader dropped or chose. */

import { count } from "../charts/numbers.js";
import { megabytes } from "./format.js";
import { HIDDEN } from "./hidden-characters.js";
import { isCode, LONGEST_CODE } from "./own-code.js";

/** The most bytes that a character takes in UTF-8. */
const WIDEST = 4;

/**
 * @param {File} file
 * @returns {Promise<{name: string, code: string}>} what the file is called, without what would not be seen, and its text
 * @throws {Error} it is no code of an encoding, and `message` says why; one that is too large is refused unread
 */
export async function readCodeFile(file) {
  const name = file.name.replace(HIDDEN, "") || "encoding.py";
  const most = `the code of an encoding has 1 to ${count(LONGEST_CODE)} characters`;
  if (file.size > WIDEST * LONGEST_CODE) throw new Error(`${name} has ${megabytes(file.size)} MB; ${most}.`);
  const code = text(await file.arrayBuffer());
  if (code === null) throw new Error(`${name} is no Python: Python code is text in UTF-8, and this is not.`);
  if (!isCode(code)) throw new Error(`${name} has ${count([...code].length)} characters; ${most}.`);
  return { name, code };
}

/**
 * The text of bytes in UTF-8, without a byte order mark; null if they are something else.
 * @param {ArrayBuffer} bytes
 */
function text(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
