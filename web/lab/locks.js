/** Which settings the page that holds the lab has fixed, so that its reader cannot change them. */

import { parseNames } from "./name-list.js";
import { LISTS } from "./settings.js";
/** @import { State, Table, Values } from "./kinds.js" */

const ALL = "all";
/** What of the state is of the text that a reader gives. @type {("ownText" | "textName" | "textFacts" | "textReading")[]} */
const OF_TEXT = ["ownText", "textName", "textFacts", "textReading"];

/**
 * @param {Pick<Table, "settings">} table
 * @param {string} text such as "d,steps"; "all" for every name
 * @param {(name: string) => string} queryName what an address calls a setting
 * @returns {{value?: string[], message?: string}} names of settings, "encodings" and "seeds" among them
 */
export function parseLocks(table, text, queryName) {
  const settings = new Map(table.settings.map(({ name }) => [queryName(LISTS[name] ?? name), LISTS[name] ?? name]));
  const { names, message } = parseNames("locks", text, [...settings.keys(), ALL]);
  if (message !== null) return { message };
  return { value: names.includes(ALL) ? [...settings.values()] : names.flatMap((name) => settings.get(name) ?? []) };
}

/**
 * @param {Partial<State>} changes of the store's state, as a reader makes them
 * @param {string[]} locks
 * @param {Values} values the settings as they are
 * @returns {Partial<State>} the changes without those of settings that are fixed
 */
export function unlocked(changes, locks, values) {
  const kept = { ...changes };
  for (const list of Object.values(LISTS)) if (locks.includes(list)) delete kept[list];
  if (locks.includes("corpus")) for (const name of OF_TEXT) delete kept[name];
  if (kept.values) {
    const fixed = Object.entries(values).filter(([name]) => locks.includes(name));
    kept.values = { ...kept.values, ...Object.fromEntries(fixed) };
  }
  return kept;
}
