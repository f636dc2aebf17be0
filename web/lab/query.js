/** The address of an experiment: reads the page's query into settings and writes settings as a query. */

import { parseLocks } from "./locks.js";
import { isOwn } from "./own.js";
import { parsePanels, usualPanels } from "./panels.js";
import { choiceSetting, defaults, experimentConfigs, LISTS, parseSeeds, validate } from "./settings.js";
import { parseTask } from "./task.js";

/** @import { Data, Experiment, Values } from "./kinds.js" */
/** @import { Task } from "./task.js" */

/**
 * @typedef {{panels: string[], locks: string[], expect: Task|null, theme: string, autorun: string}} Presentation what the page
 *   shows and lets its reader do rather than what it trains
 */

/**
 * How each name of it in the query is read, to its value or a message of what is wrong.
 * @type {{[N in keyof Presentation]: (data: Data, text: string, isEmbedded: boolean) =>
 *   {value?: Presentation[N], message?: string}}}
 */
const READERS = {
  panels: parsePanels,
  locks: (table, text) => parseLocks(table, text, queryName),
  expect: parseTask,
  theme: (_, text) => parseChoice("theme", text, ["light", "dark", "auto"]),
  autorun: (_, text) => parseChoice("autorun", text, ["0", "1"]),
};

/** @param {string} name @returns {name is keyof Presentation} */
const isPresentation = (name) => Object.hasOwn(READERS, name);

/**
 * Take what an address says of the presentation.
 * @template {keyof Presentation} N
 * @param {Presentation} presentation changed in place where the text has a value
 * @param {N} name
 * @param {Data} data
 * @param {string} text
 * @param {boolean} isEmbedded
 * @returns {{isTaken: boolean, message?: string}}
 */
function take(presentation, name, data, text, isEmbedded) {
  const { value, message } = READERS[name](data, text, isEmbedded);
  if (value !== undefined) presentation[name] = value;
  return { isTaken: value !== undefined, message };
}

/** @param {string} name of a setting @returns {string} what an address calls it */
export const queryName = (name) => name.replaceAll("_", "-");
/** @param {Pick<Data, "settings">} table */
const single = (table) => table.settings.filter(({ name }) => !Object.hasOwn(LISTS, name));

/**
 * The experiment that an address asks for. What it asks for wrongly is reported by name, and the default is used.
 *
 * @param {Data} table
 * @param {URLSearchParams} params
 * @param {boolean} [isEmbedded] whether the lab stands alone in a frame, which shows other panels than the chapter page
 * @returns {Experiment & Omit<Presentation, "autorun"> & {autorun: boolean, problems: {name: string, message: string}[]}}
 */
export function fromQuery(table, params, isEmbedded = false) {
  /** @type {{name: string, message: string}[]} */
  const problems = [];
  /** @type {(name: string, message: string | undefined, used?: string) => void} */
  const report = (name, message, used = "The default is used.") => problems.push({ name, message: `${message} ${used}`.trim() });
  const standard = defaults(table);
  /** @type {Values} */
  const values = Object.fromEntries(single(table).map(({ name }) => [name, standard[name]]));
  let encodings = table.experiment.encodings;
  let seeds = table.experiment.seeds.join(", ");
  /** @type {Presentation} */
  const presentation = { panels: usualPanels(isEmbedded), locks: [], expect: null, theme: "auto", autorun: "0" };

  const names = new Map(single(table).map(({ name }) => [queryName(name), name]));
  for (const [name, text] of new Map(params)) {
    const setting = names.get(name);
    if (name === "encodings") {
      const list = parseEncodings(table, text);
      if (list.message !== undefined) report(name, list.message);
      else encodings = list.encodings;
    } else if (name === "seeds") {
      const list = parseSeeds(table, text);
      if (list.errors.length) report(name, list.errors[0].message);
      else seeds = list.seeds.join(", ");
    } else if (isPresentation(name)) {
      const { isTaken, message } = take(presentation, name, table, text, isEmbedded);
      if (!isTaken) report(name, message);
      else if (message) report(name, message, "");
    } else if (setting !== undefined) {
      // A rule needs the other settings too: the rules are checked below, on all of them together.
      const { config, errors } = validate({ ...table, rules: [] }, { [setting]: text });
      if (errors.length) report(name, errors[0].message);
      values[setting] = config[setting];
    } else {
      const known = ["encodings", "seeds", ...names.keys(), ...Object.keys(READERS)];
      problems.push({ name, message: `${name} is unknown, so it has no effect: the names are ${known.join(", ")}.` });
    }
  }
  for (const { field, message } of experimentConfigs(table, { values, encodings, seeds }).errors) {
    const involved = [field, ...table.rules.filter((rule) => rule.field === field).map((rule) => rule.of)];
    report(queryName(field), message, `The defaults of ${[...new Set(involved)].join(" and ")} are used.`);
    for (const name of involved) values[name] = standard[name];
  }
  const { locks, panels } = presentation;
  if (values.corpus === "own" && (locks.includes("corpus") || !panels.includes("controls"))) {
    report("corpus", "corpus = own leaves the reader no place for a text: unlock corpus and show the panel controls.");
    values.corpus = standard.corpus;
  }
  return { values, encodings, seeds, ...presentation, autorun: presentation.autorun === "1", problems };
}

/** @param {string} name @param {string} text @param {string[]} allowed @returns {{value?: string, message?: string}} */
function parseChoice(name, text, allowed) {
  return allowed.includes(text) ? { value: text } : { message: `${name} = ${text} is unknown: choose ${allowed.join(", ")}.` };
}

/**
 * @param {Data} table
 * @param {string} text
 * @returns {{encodings: string[], message?: undefined} | {message: string, encodings?: undefined}}
 */
function parseEncodings(table, text) {
  const setting = choiceSetting(table, "encoding");
  const chosen = text.split(",").flatMap((name) => (isOwn(name.trim()) ? [name.trim()] : name.split(/\s+/))).filter(Boolean);
  if (chosen.length === 0) return { message: "encodings is empty: choose at least one." };
  const own = chosen.find(isOwn);
  if (own) return { message: `encodings = ${own} is a reader's own encoding, and an address carries no code: write it in the editor.` };
  for (const encoding of chosen) {
    const [error] = validate({ settings: [setting], rules: [] }, { encoding }).errors;
    if (error) return { message: error.message };
  }
  return { encodings: setting.choices.map(({ value }) => value).filter((value) => chosen.includes(value)) };
}

/**
 * @param {Pick<Data, "settings" | "rules" | "experiment">} table
 * @param {Experiment} experiment as the controls hold it
 * @returns {string} the query that opens the page on this experiment, without "?"; what is at its default is left out,
 *   and so are encodings that are code
 */
export function toQuery(table, { values, encodings, seeds }) {
  const params = new URLSearchParams();
  const standard = defaults(table);
  const named = encodings.filter((encoding) => !isOwn(encoding));
  if (named.length && named.join() !== table.experiment.encodings.join()) params.set("encodings", named.join());
  const list = String(seeds).split(/[\s,]+/).filter(Boolean).join();
  if (list !== table.experiment.seeds.join()) params.set("seeds", list);
  for (const { name, kind } of single(table)) {
    const text = String(values[name]).trim();
    if (text === String(standard[name])) continue;
    params.set(queryName(name), kind === "boolean" ? (text === "true" ? "1" : "0") : text);
  }
  return params.toString().replaceAll("%2C", ",");
}
