/** Where in a file of Python a statement stands. */

/**
 * The lines, counted from 1, of the statement in which a text stands first.
 * @param {string} code
 * @param {string} find
 */
export function linesOf(code, find) {
  const lines = code.split("\n");
  const from = code.slice(0, code.indexOf(find)).split("\n").length;
  /** @param {string} line */
  const indent = (line) => line.search(/\S/);
  let to = from;
  if (/^\s*(class|def) /.test(lines[from - 1])) {
    /** @param {string} line */
    const goesOn = (line) => indent(line) > indent(lines[from - 1]) || /^\s*\)/.test(line); // a signature may end on its own line
    for (let at = from; at < lines.length && (lines[at].trim() === "" || goesOn(lines[at])); at++) if (lines[at].trim()) to = at + 1;
  }
  return { from, to };
}
