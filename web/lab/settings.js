/**
 * The settings of an experiment as pure functions: what may be chosen, and how it reads as the query of an address.
 *
 * The table comes from Python (`embedding_lab.config`); its rules are carried out here a second time so that the
 * controls can answer while the reader types. A parity test holds the two to the same words.
 */

import { isOwnName } from "./own.js";

/** @import { ChoiceSetting, Config, Experiment, FieldError, NumberSetting, Rule, Setting, Table, Value, Values } from "./kinds.js" */

/**
 * @template {Value} V
 * @typedef {{parsed: V, message?: undefined} | {message: string, parsed?: undefined}} Parsed
 */
/** @typedef {Pick<Table, "settings" | "rules">} Rules of the settings, without an experiment */

/**
 * These settings of a run are lists in an experiment and in a sweep, under these names.
 * @type {Record<string, "encodings" | "seeds">}
 */
export const LISTS = { encoding: "encodings", seed: "seeds" };
/** The most seeds of one experiment. */
export const MOST_SEEDS = 20;

const WHOLE = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const YES = ["true", "1", "yes"];
const NO = ["false", "0", "no"];

/**
 * @param {Rules} table
 * @returns {Config} every setting's name with its default
 */
export function defaults(table) {
  const values = Object.fromEntries(table.settings.map((setting) => [setting.name, setting.default]));
  return /** @type {Config} */ (values); // Python's table has them all, which a parity test holds it to
}

/**
 * @param {Rules} table
 * @param {string} name
 * @returns {NumberSetting}
 * @throws {Error} the table has no such setting
 */
export function numberSetting(table, name) {
  const setting = table.settings.find((each) => each.name === name);
  if (setting?.kind === "integer" || setting?.kind === "number") return setting;
  throw new Error(`The settings have no number ${name}.`);
}

/**
 * @param {Rules} table
 * @param {string} name
 * @returns {ChoiceSetting}
 * @throws {Error} the table has no such setting
 */
export function choiceSetting(table, name) {
  const setting = table.settings.find((each) => each.name === name);
  if (setting?.kind === "choice") return setting;
  throw new Error(`The settings have no choice ${name}.`);
}

/**
 * Check the settings of one run.
 *
 * @param {Rules} table
 * @param {Values} values names to values, as text or already typed; a missing name means its default
 * @returns {{config: Config, errors: FieldError[]}} each valid setting as its proper type, each invalid
 *   one as its default, and what is wrong, in the words that Python uses
 */
export function validate(table, values) {
  const settings = new Map(table.settings.map((setting) => [setting.name, setting]));
  const config = defaults(table);
  const errors = [];
  for (const [name, value] of Object.entries(values)) {
    const setting = settings.get(name);
    const { parsed, message } = setting ? parse(setting, value) : unknownName(name, [...settings.keys()]);
    if (message !== undefined) errors.push({ field: name, message });
    else config[name] = parsed;
  }
  const refused = new Set(errors.map((error) => error.field));
  for (const rule of table.rules) {
    if (!applies(rule, config) || refused.has(rule.field) || refused.has(rule.of)) continue;
    if (holds(rule, Number(config[rule.field]), Number(config[rule.of]))) continue;
    refused.add(rule.field);
    errors.push({ field: rule.field, message: broken(table, rule, config) });
  }
  return { config, errors };
}

/** @param {string} name @param {string[]} names @returns {Parsed<Value>} */
function unknownName(name, names) {
  return { message: `${name} is unknown: choose ${listing(names)}.` };
}

/** @param {Setting} setting @param {Value} value @returns {Parsed<Value>} */
function parse(setting, value) {
  const { name } = setting;
  const text = String(value).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (setting.kind === "choice") {
    if (setting.own && text.startsWith(setting.own)) {
      return isOwnName(text.slice(setting.own.length))
        ? { parsed: text }
        : {
          message: `${name} = ${text} has a name that cannot be used: a name has 1 to 40 letters, digits, spaces and ` +
            ". _ + - ( ), and begins with a letter or a digit.",
        };
    }
    const names = setting.choices.map((choice) => choice.value);
    return names.includes(text)
      ? { parsed: text }
      : { message: `${name} = ${text} is unknown: choose ${listing(names)}.` };
  }
  if (setting.kind === "boolean") {
    const lowered = text.toLowerCase();
    if (YES.includes(lowered)) return { parsed: true };
    if (NO.includes(lowered)) return { parsed: false };
    return { message: `${name} = ${text} is unknown: choose yes or no.` };
  }
  return parseNumber(setting, text);
}

/** @param {NumberSetting} setting @param {string} text @returns {Parsed<number>} */
function parseNumber({ name, kind, low, high }, text) {
  const whole = kind === "integer";
  if (!(whole ? WHOLE : DECIMAL).test(text)) {
    return {
      message: `${name} = ${text} is not a ${whole ? "whole number" : "number"}: choose one from ${low} to ${high}.`,
    };
  }
  const number = Number(text) + 0; // "-0" is 0
  if (number < low || number > high) {
    return {
      message: `${name} = ${text} is out of range: choose a ${whole ? "whole number" : "number"} from ${low} to ${high}.`,
    };
  }
  return { parsed: number };
}

/** @param {Rule} rule @param {Config} config */
function applies(rule, config) {
  return rule.encoding === null || rule.encoding === config.encoding;
}

/** @param {Rule} rule @param {number} value @param {number} other */
function holds(rule, value, other) {
  if (rule.rule === "divides") return other % value === 0;
  return other % value !== 0 || (other / value) % 2 === 0; // even_quotient: left to "divides" where it does not
}

/** @param {Rules} table @param {Rule} rule @param {Config} config */
function broken(table, rule, config) {
  const { low, high } = numberSetting(table, rule.field);
  const rules = table.rules.filter((other) => other.field === rule.field && applies(other, config));
  const allowed = [];
  for (let value = low; value <= high; value += 1) {
    if (rules.every((other) => holds(other, value, Number(config[other.of])))) allowed.push(value);
  }
  const text = rule.text.replace(/\{(\w+)\}/g, (_, name) => String(config[name]));
  return allowed.length ? `${text}: choose ${rule.field} from ${allowed.join(", ")}.` : `${text}: change ${rule.of}.`;
}

/** @param {string[]} names */
function listing(names) {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/**
 * The runs of an experiment: every encoding at every seed, the seeds in turn, so that each seed's comparison is
 * complete as early as it can be.
 *
 * @param {Rules} table
 * @param {Experiment} experiment as the controls hold it; `seeds` as text such as "1, 2, 3"
 * @returns {{configs: Config[], errors: FieldError[]}} one config a run; fields of errors are names of
 *   settings, "encodings" or "seeds"
 */
export function experimentConfigs(table, { values, encodings, seeds }) {
  const list = parseSeeds(table, seeds);
  const errors = [...list.errors];
  if (encodings.length === 0) errors.push({ field: "encodings", message: "No encoding is chosen: choose at least one." });
  const configs = [];
  // With nothing chosen the other settings are still checked, once.
  for (const seed of list.seeds.length ? list.seeds : [undefined]) {
    for (const encoding of encodings.length ? encodings : [undefined]) {
      const chosen = { ...values, ...(encoding !== undefined && { encoding }), ...(seed !== undefined && { seed }) };
      const { config, errors: wrong } = validate(table, chosen);
      configs.push(config);
      for (const error of wrong) {
        if (!errors.some(({ field, message }) => field === error.field && message === error.message)) errors.push(error);
      }
    }
  }
  return { configs: errors.length ? [] : configs, errors };
}

/**
 * @param {Rules} table
 * @param {string} text whole numbers with commas or spaces between them, such as "1, 2, 3"
 * @returns {{seeds: number[], errors: FieldError[]}} each seed once, in the order given
 */
export function parseSeeds(table, text) {
  const parts = String(text).split(/[\s,]+/).filter(Boolean);
  /** @param {string} message */
  const error = (message) => ({ seeds: [], errors: [{ field: "seeds", message }] });
  if (parts.length === 0) return error("No seed is chosen: choose at least one whole number, for example 1.");
  const setting = numberSetting(table, "seed");
  const seeds = new Set();
  for (const part of parts) {
    const { parsed, message } = parseNumber(setting, part);
    if (message !== undefined) return error(message);
    seeds.add(parsed);
  }
  if (seeds.size > MOST_SEEDS) return error(`${seeds.size} seeds are too many: choose at most ${MOST_SEEDS}.`);
  return { seeds: [...seeds], errors: [] };
}
