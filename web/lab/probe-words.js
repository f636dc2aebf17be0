/** What a lab says of its model, of its waiting and of what came, in words. */

import { count } from "../charts/numbers.js";
import { dependsOnEncoding, isAsGood, isSame, looksAtText, trainsItself } from "./probe-subject.js";

/** Why a lab has nothing to look at. */
export const OBSTACLES = {
  settings: "The settings at the top of the page need a correction first.",
  encoding: "With the settings of these runs there is no model of this encoding.",
  ending: "This run is just ending.",
  consent: "This encoding is code that waits for you to allow it.",
};

/**
 * Which model an answer is of, and at which of its steps.
 * @param {object} probe one of lab-data's
 * @param {import("./probe-plan.js").Answer} answer
 * @param {string} label of its model
 */
export function lookedAt(probe, { which, step, source, untrained }, label) {
  if (looksAtText(probe)) return "Looks at the text, and at no run.";
  if (!dependsOnEncoding(probe)) return `Trained with the other settings of ${label}.`;
  if (!probe.needsModel) return `Trained with the settings of ${label}.`;
  if (which === "untrained") {
    const why = untrained ? ", as it was at step 0" : source.lost ? ": what it had learned was lost with its worker" : "";
    return `Looks at ${label}, untrained${why}.`;
  }
  const of = step < source.steps ? ` of ${count(source.steps)}` : "";
  if (which === "now") return `Looks at ${label},${source.state === "training" ? " now," : ""} at step ${count(step)}${of}.`;
  return `Looks at ${label}, ${source.state === "finished" ? "trained" : source.state}, at step ${count(step)}${of}.`;
}

/** @returns {string|null} what is said beside an answer while another one is to come; null where none is */
export function pending({ probe, task }, question, answer, error) {
  if (trainsItself(probe) || !question || error || isAsGood(probe, answer, question)) return null;
  if (task && isSame(task, question)) return "measuring …";
  return question.place === "own" ? "waits for its run …" : "waits for a free core …";
}

/** The line of a message that says what happened: of Python's tracebacks, the last. */
export const lastLine = (message) => message.trim().split("\n").at(-1);

/**
 * What those who do not see the drawing are told of an answer. The same words twice would not be spoken twice.
 * @param {{result: object}} answer
 * @param {() => {number: object|null, notes?: string[]}} view what is drawn of it
 * @param {string} before what was said last
 */
export function measured({ result }, view, before) {
  const about = result.defined === false ? result.why : inShort(view());
  const words = `Measured. ${about}`;
  return words === before ? `Measured again. ${about}` : words;
}

function inShort({ number, notes = [] }) {
  return number ? `${[number.value, number.unit].filter(Boolean).join(" ")}, ${number.caption}` : (notes[0] ?? "");
}
