/** What a lab says of its model, of its waiting and of what came, in words. */

import { count } from "../charts/numbers.js";
import { dependsOnEncoding, isAsGood, isRun, isSame, looksAtText, trainsItself } from "./probe-subject.js";
/** @import { Probe } from "./kinds.js" */
/** @import { Answer, Entry, Question, Wrong } from "./probe-plan.js" */
/** @import { Obstacle } from "./probe-subject.js" */

/** Why a lab has nothing to look at. @type {Record<Obstacle, string>} */
export const OBSTACLES = {
  settings: "The settings at the top of the page need a correction first.",
  encoding: "With the settings of these runs there is no model of this encoding.",
  ending: "This run is just ending.",
  consent: "This encoding is code that waits for you to allow it.",
};

/**
 * Which model an answer is of, and at which of its steps.
 * @param {Probe} probe one of lab-data's
 * @param {Answer} answer
 * @param {string} label of its model
 */
export function lookedAt(probe, { which, step, source, untrained }, label) {
  if (looksAtText(probe)) return "Looks at the text, and at no run.";
  if (!dependsOnEncoding(probe)) return `Trained with the other settings of ${label}.`;
  if (!probe.needsModel) return `Trained with the settings of ${label}.`;
  if (which === "untrained") {
    const isLost = isRun(source) && source.lost;
    const why = untrained ? ", as it was at step 0" : isLost ? ": what it had learned was lost with its worker" : "";
    return `Looks at ${label}, untrained${why}.`;
  }
  if (!isRun(source)) return `Looks at ${label}, at step ${count(step)}.`;
  const of = step < source.steps ? ` of ${count(source.steps)}` : "";
  if (which === "now") return `Looks at ${label},${source.state === "training" ? " now," : ""} at step ${count(step)}${of}.`;
  return `Looks at ${label}, ${source.state === "finished" ? "trained" : source.state}, at step ${count(step)}${of}.`;
}

/**
 * What is said beside an answer that is not one to what a lab would be asked now: what the other one waits for.
 * @param {Entry} entry
 * @param {Question|null} question
 * @param {Obstacle|null} obstacle why the model that is chosen has no answer of its own
 * @param {Answer} answer
 * @param {Wrong|undefined} error
 * @returns {string|null} null where none is to come, or in a moment
 */
export function pending({ probe, task }, question, obstacle, answer, error) {
  if (trainsItself(probe) || error) return null;
  if (!question) return obstacle && obstacle !== "ending" ? OBSTACLES[obstacle] : null;
  if (isAsGood(probe, answer, question)) return null;
  if (task && isSame(task, question)) return "measuring …";
  return question.place === "own" ? "waits for its run …" : "waits for a free core …";
}

/** The line of a message that says what happened: of Python's tracebacks, the last. @param {string} message */
export const lastLine = (message) => message.slice(message.trimEnd().lastIndexOf("\n") + 1).trim();

/** @typedef {import("./probe-views/index.js").View} View */

/**
 * What those who do not see the drawing are told of an answer. The same words twice would not be spoken twice.
 * @param {Pick<Answer, "result">} answer
 * @param {() => Pick<View, "number" | "notes">} view what is drawn of it
 * @param {string} before what was said last
 */
export function measured({ result }, view, before) {
  const about = result.defined === false ? result.why : inShort(view());
  const words = `Measured. ${about}`;
  return words === before ? `Measured again. ${about}` : words;
}

/** @param {Pick<View, "number" | "notes">} view */
function inShort({ number, notes = [] }) {
  return number ? `${[number.value, number.unit].filter(Boolean).join(" ")}, ${number.caption}` : (notes[0] ?? "");
}
