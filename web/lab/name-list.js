/** A list of names in an address, such as "loss,gaps": reads it, or says what is wrong with it. */

/**
 * @param {string} name what the address calls the list
 * @param {string} text names with commas or spaces between
 * @param {string[]} known names that may be in it
 * @param {string} [choices] those names in a sentence, if they are too many to be listed
 * @returns {{names: string[], message: null}|{names: null, message: string}}
 */
export function parseNames(name, text, known, choices = known.join(", ")) {
  const names = text.split(/[\s,]+/).filter(Boolean);
  /** @type {(what: string) => {names: null, message: string}} */
  const wrong = (what) => ({ names: null, message: `${name} ${what}: choose from ${choices}.` });
  if (names.length === 0) return wrong("is empty");
  const unknown = names.find((each) => !known.includes(each));
  if (unknown !== undefined) return wrong(`= ${unknown} is unknown`);
  const repeated = names.find((each, index) => names.indexOf(each) !== index);
  if (repeated !== undefined) return wrong(`names ${repeated} twice`);
  return { names, message: null };
}
