/** Fetches the texts that come with the page, each once. */

/** @import { Data, Subject } from "./kinds.js" */

/** Name of a text to the promise of it. @type {Map<string, Promise<string>>} */
const texts = new Map();

/**
 * @param {Pick<Data, "corpora">} data
 * @param {string} name
 * @returns {Promise<string>}
 * @throws {Error} the text is not there; `code` is "missing-file", `file` its name
 */
export function loadCorpus(data, name) {
  const known = texts.get(name);
  if (known) return known;
  const corpus = data.corpora.find((each) => each.name === name);
  if (!corpus) throw new Error(`The page has no text ${name}: choose ${data.corpora.map((each) => each.name).join(", ")}.`);
  const text = fetchText(corpus);
  texts.set(name, text);
  text.catch(() => texts.delete(name)); // so that a later Run tries again
  return text;
}

/**
 * @param {Pick<Data, "corpora">} data
 * @param {Pick<Subject, "text" | "config">} subject
 * @returns {Promise<string>} what a run trains on: its own text, or the one of that name that comes with the page
 */
export async function textOf(data, { text, config }) {
  return text ?? loadCorpus(data, config.corpus);
}

/**
 * @param {string} text as a reader pasted it
 * @returns {string} as a file of it in UTF-8 would give it back: without a byte order mark at its beginning, and with
 *   U+FFFD for half of a surrogate pair. So the page trains on what the command line reads.
 */
export const asFile = (text) => new TextDecoder().decode(new TextEncoder().encode(text));

/** @param {Data["corpora"][0]} corpus */
async function fetchText({ file, integrity }) {
  /** @param {string} why */
  const missing = (why) =>
    Object.assign(new Error(`${file} could not be loaded (${why}).`), { code: "missing-file", file, field: "corpus" });
  const url = new URL(`../${file}`, import.meta.url);
  // Where it fails, a copy that the browser keeps may be to blame, or a connection that is there again.
  const attempt = fetch(url, { integrity }).catch(() => fetch(url, { integrity, cache: "reload" }));
  const response = await attempt.catch(async (error) => {
    const answer = await fetch(url).catch(() => null); // whether it was the hash, the browser does not say
    if (!answer) throw missing(error.message);
    if (!answer.ok) throw missing(`HTTP ${answer.status}`);
    throw missing("it was changed on its way, since its hash is not that of the text this page was built with");
  });
  if (!response.ok) throw missing(`HTTP ${response.status}`);
  return response.text().catch((error) => {
    throw missing(error.message); // the connection broke on its way
  });
}
