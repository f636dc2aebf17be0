/**
 * The lab's encodings as Python lists them (embedding_lab.positions), for whatever draws or names one. Those of the
 * reader's own are not among them.
 */

/** @typedef {{value: string, label: string, supplies?: string[], limited?: boolean}} Encoding a choice of the setting "encoding" */

/** @type {Encoding[]} */
let listed = [];

/**
 * Takes the list, before anything is drawn.
 * @param {{settings: {name: string, choices?: Encoding[]}[]}} data lab-data
 */
export function listEncodings({ settings }) {
  listed = settings.find(({ name }) => name === "encoding")?.choices ?? [];
}

/**
 * @param {string} [place] "table", "rotation" or "bias"
 * @returns {string[]} the names of all, or of those that supply position there
 */
export const encodingNames = (place) =>
  listed.filter(({ supplies }) => !place || supplies?.includes(place)).map(({ value }) => value);

/**
 * @param {string} encoding
 * @returns {boolean} whether it is not defined past the length it was trained on
 */
export const isLimited = (encoding) => listed.some(({ value, limited }) => value === encoding && limited);

/**
 * @param {string} encoding
 * @returns {string|undefined} how the page writes it, for example "RoPE"
 */
export const encodingLabel = (encoding) => listed.find(({ value }) => value === encoding)?.label;
