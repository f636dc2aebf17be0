/** Fetches the texts that come with the page, each once. */

/** Name of a text to the promise of it. */
const texts = new Map();

/**
 * @param {{corpora: {name: string, file: string}[]}} data
 * @param {string} name
 * @returns {Promise<string>}
 * @throws {Error} the text is not there; `code` is "missing-file", `file` its name
 */
export function loadCorpus(data, name) {
  if (!texts.has(name)) {
    const { file } = data.corpora.find((corpus) => corpus.name === name);
    const text = fetchText(file);
    texts.set(name, text);
    text.catch(() => texts.delete(name)); // so that a later Run tries again
  }
  return texts.get(name);
}

/** @returns {Promise<string>} what a run trains on: its own text, or the one of that name that comes with the page */
export async function textOf(data, { text, config }) {
  return text ?? loadCorpus(data, config.corpus);
}

/**
 * @param {string} text as a reader pasted it
 * @returns {string} as a file of it in UTF-8 would give it back: without a byte order mark at its beginning, and with
 *   U+FFFD for half of a surrogate pair. So the page trains on what the command line reads.
 */
export const asFile = (text) => new TextDecoder().decode(new TextEncoder().encode(text));

async function fetchText(file) {
  const missing = (why) =>
    Object.assign(new Error(`${file} could not be loaded (${why}).`), { code: "missing-file", file, field: "corpus" });
  const response = await fetch(new URL(`../${file}`, import.meta.url)).catch((error) => {
    throw missing(error.message);
  });
  if (!response.ok) throw missing(`HTTP ${response.status}`);
  return response.text();
}
