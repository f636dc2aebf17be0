/** Which panels a page shows: the names that an address may give, and how panels stand together. */

import { parseNames } from "./name-list.js";
/** @import { Data } from "./kinds.js" */

/** The panels that the chapter page has above its text, in their order. */
const OF_CHAPTER_PAGE = ["controls", "loss", "geometry", "gaps"];
/** What a frame shows by itself. */
const OF_FRAME = ["loss", "geometry", "gaps", "controls"];

const GENERATE = "generate";
const PROBE = "probe:";

/** @param {string} panel @returns {string|null} the probe that a panel shows, if it is one of the chapter's labs */
export const probeOf = (panel) => (panel.startsWith(PROBE) ? panel.slice(PROBE.length) : null);

/** @param {boolean} isEmbedded @returns {string[]} the panels of a page whose address names none */
export const usualPanels = (isEmbedded) => [...(isEmbedded ? OF_FRAME : OF_CHAPTER_PAGE)];

/**
 * @param {Pick<Data, "probes">} data lab-data
 * @param {string} text such as "loss,probe:order"
 * @param {boolean} isEmbedded whether the lab stands alone in a frame; the chapter page has all but its own panels anyway
 * @returns {{value?: string[], message?: string}} the panels in the order in which they are shown, if they can be shown,
 *   and what cannot be had; "generate" is told as the probe that it is
 */
export function parsePanels(data, text, isEmbedded) {
  const probes = data.probes.map(({ name }) => PROBE + name);
  const general = [...OF_FRAME, GENERATE, "code"];
  const choices = `${[...general, `${PROBE}NAME`].join(", ")}, where NAME is one of ${data.probes.map(({ name }) => name).join(", ")}`;
  const { names: given, message } = parseNames("panels", text, [...general, ...probes], choices);
  if (message !== null) return { message };
  const names = given.map((name) => (name === GENERATE ? PROBE + GENERATE : name));
  if (new Set(names).size < names.length) return { message: `panels names ${PROBE}${GENERATE} twice, since ${GENERATE} is the same: leave one out.` };
  if (isEmbedded) return { value: names };
  const elsewhere = given.filter((name) => !OF_CHAPTER_PAGE.includes(name));
  const here = OF_CHAPTER_PAGE.filter((name) => given.includes(name));
  const told = elsewhere.length ? { message: `panels = ${elsewhere.join(",")} is in the chapter of this page anyway.` } : {};
  return here.length ? { value: here, ...told } : told;
}

/** Whether a panel is one of the two that may stand side by side. @param {string} name */
export const isFigure = (name) => name === "loss" || name === "geometry";

/**
 * @param {string[]} panels
 * @returns {string[][]} what stands side by side where there is room: loss and geometry that follow each other
 */
export function sideBySide(panels) {
  /** @type {string[][]} */
  const rows = [];
  for (const name of panels) {
    const last = rows.at(-1);
    if (isFigure(name) && last?.length === 1 && isFigure(last[0])) last.push(name);
    else rows.push([name]);
  }
  return rows;
}
