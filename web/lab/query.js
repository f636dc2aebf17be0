/** The address of an experiment: reads the page's query into settings and writes settings as a query. */

import { isOwn } from "./own.js";
import { defaults, experimentConfigs, parseSeeds, validate } from "./settings.js";

/** Names in the query that say how the page opens rather than what it trains. */
const PRESENTATION = {
  theme: { allowed: ["light", "dark", "auto"], fallback: "auto" },
  autorun: { allowed: ["0", "1"], fallback: "0" },
};
/** A run's encoding and seed are lists in an experiment, under these names. */
const LISTS = { encoding: "encodings", seed: "seeds" };

const queryName = (name) => name.replaceAll("_", "-");
const single = (table) => table.settings.filter(({ name }) => !Object.hasOwn(LISTS, name));

/**
 * The experiment that an address asks for. What it asks for wrongly is reported by name, and the default is used.
 *
 * @param {import("./settings.js").Table} table
 * @param {URLSearchParams} params
 * @returns {{values: Record<string, any>, encodings: string[], seeds: string, theme: string, autorun: boolean,
 *   problems: {name: string, message: string}[]}}
 */
export function fromQuery(table, params) {
  const problems = [];
  const report = (name, message, used = "The default is used.") => problems.push({ name, message: `${message} ${used}` });
  const standard = defaults(table);
  const values = Object.fromEntries(single(table).map(({ name }) => [name, standard[name]]));
  let encodings = table.experiment.encodings;
  let seeds = table.experiment.seeds.join(", ");
  const presentation = Object.fromEntries(Object.entries(PRESENTATION).map(([name, { fallback }]) => [name, fallback]));

  const names = new Map(single(table).map(({ name }) => [queryName(name), name]));
  for (const [name, text] of new Map(params)) {
    if (name === "encodings") {
      const list = parseEncodings(table, text);
      if (list.message) report(name, list.message);
      else encodings = list.encodings;
    } else if (name === "seeds") {
      const list = parseSeeds(table, text);
      if (list.errors.length) report(name, list.errors[0].message);
      else seeds = list.seeds.join(", ");
    } else if (Object.hasOwn(PRESENTATION, name)) {
      const { allowed } = PRESENTATION[name];
      if (allowed.includes(text)) presentation[name] = text;
      else report(name, `${name} = ${text} is unknown: choose ${allowed.join(", ")}.`);
    } else if (names.has(name)) {
      // A rule needs the other settings too: the rules are checked below, on all of them together.
      const { config, errors } = validate({ ...table, rules: [] }, { [names.get(name)]: text });
      if (errors.length) report(name, errors[0].message);
      values[names.get(name)] = config[names.get(name)];
    } else {
      const known = ["encodings", "seeds", ...names.keys(), ...Object.keys(PRESENTATION)];
      problems.push({ name, message: `${name} is unknown, so it has no effect: the names are ${known.join(", ")}.` });
    }
  }
  for (const { field, message } of experimentConfigs(table, { values, encodings, seeds }).errors) {
    const involved = [field, ...table.rules.filter((rule) => rule.field === field).map((rule) => rule.of)];
    report(queryName(field), message, `The defaults of ${[...new Set(involved)].join(" and ")} are used.`);
    for (const name of involved) values[name] = standard[name];
  }
  return { values, encodings, seeds, ...presentation, autorun: presentation.autorun === "1", problems };
}

function parseEncodings(table, text) {
  const setting = table.settings.find(({ name }) => name === "encoding");
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
 * @param {import("./settings.js").Table} table
 * @param {{values: Record<string, any>, encodings: string[], seeds: string}} experiment as the controls hold it
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
