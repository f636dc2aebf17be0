/** What a check of the reader's encoding found, in words, a table and the pictures that the chapter has of the lab's own. */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { count } from "../charts/numbers.js";
import { counted, listed } from "./format.js";
import { viewOf } from "./probe-views/index.js";
/** @import { Answer, Failure } from "./check-on-pause.js" */
/** @import { Examined, Method, Result, Run } from "./kinds.js" */
/** @import { Unit } from "../charts/units.js" */

/** What each method supplies, and the probe that shows it. */
const METHODS = [
  { method: "table", probe: "position-table", title: "Added to the characters" },
  { method: "rotation", probe: "rotation", title: "Turns queries and keys" },
  { method: "bias", probe: "distance-bias", title: "Added to the attention scores" },
];

/** @typedef {Pick<Failure, "message" | "line" | "traceback"> & {printed?: string}} Fault */

/**
 * @param {object} shown
 * @param {import("./check-on-pause.js").CheckOnPause} shown.check
 * @param {Fault|null} shown.fault of this code, in training
 * @param {string} shown.code in the editor
 * @param {string|null} shown.waitsAs what the code is, if it waits for the reader before it may run
 * @param {boolean} shown.hasRuns whether there are runs on the page, whose settings it is checked and trained with
 * @param {Unit} shown.unit an entry of UNITS
 * @param {(line: number) => void} shown.goTo leads to a line of the editor
 */
export function report({ check, fault, code, waitsAs, hasRuns, unit, goTo }) {
  const { answer } = check;
  return html`<p class="state">${stateOf(check, code, waitsAs, hasRuns)}</p>
    ${check.failure ? failure(check.failure, "", goTo) : nothing} ${fault ? failure(fault, "In training: ", goTo) : nothing}
    ${answer
      ? html`<div class="found" ?data-stale=${check.isStale(code) || check.failure !== null}>
          ${guard([answer, unit], () => found(answer, unit))}
        </div>`
      : nothing}`;
}

/**
 * What stands above the rest: whether what is below is of the code in the editor.
 * @param {import("./check-on-pause.js").CheckOnPause} check
 * @param {string} code
 * @param {string|null} waitsAs
 * @param {boolean} hasRuns
 */
function stateOf(check, code, waitsAs, hasRuns) {
  const { answer, failure: wrong, phase } = check;
  const below = answer && (wrong || check.isStale(code)) ? " What is below is of the code before." : "";
  if (waitsAs) return `This is ${waitsAs}. It runs when you edit it or press “Check it”.${below}`;
  if (phase === "checking") return `Checking: Python runs the code once …${below}`;
  if (phase === "pausing") return `Checked when you pause.${below}`;
  if (wrong) return `It cannot be trained like this.${below}`;
  if (!answer) return "Not checked yet.";
  const { d, heads, context } = answer.settings;
  const whose = hasRuns ? "as the runs on the page have" : "as the controls say";
  return `Checked with d = ${d}, ${counted(Number(heads), "head")} and a context of ${context}, ${whose}: it works.`;
}

/** @param {Fault} fault @param {string} when @param {(line: number) => void} goTo */
function failure({ message, line, traceback, printed = "" }, when, goTo) {
  return html`<div class="failure">
    <p class="error">${when}${message}</p>
    ${line ? html`<p><button type="button" class="button small" @click=${() => goTo(line)}>Go to line ${count(line)}</button></p>` : nothing}
    ${traceback
      ? html`<details open><summary>Traceback</summary><pre tabindex="0" role="group" aria-label="Traceback">${traceback}</pre></details>`
      : nothing}
    ${output(printed)}
  </div>`;
}

/** @param {string} printed */
const output = (printed) => printed
  ? html`<details open><summary>What it printed</summary><pre tabindex="0" role="group" aria-label="What it printed">${printed}</pre></details>`
  : nothing;

/** @param {Answer} answer @param {Unit} unit */
function found({ result, settings }, unit) {
  const { name, maxLength, parameters, methods, notes, printed, probes } = result;
  const limit = maxLength === null ? "at every position" : `for at most ${counted(maxLength, "position")}`;
  return html`<p><strong>${name}</strong>, defined ${limit}. Parameters it adds: ${count(parameters)}.</p>
    <scroll-box label="What each method supplies">${supplied(methods)}</scroll-box>
    ${notes.length ? html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>` : nothing}
    ${output(printed)}
    ${METHODS.filter(({ probe }) => probes[probe].defined !== false).map(({ probe, title }) => pictures(probe, title, probes[probe], settings, unit))}`;
}

/** @param {Method[]} methods */
function supplied(methods) {
  const rows = METHODS.map(({ method, title }) => ({ method, title, has: methods.find((each) => each.method === method) }));
  return html`<table class="probe-table">
    <caption>What each method supplies</caption>
    <thead><tr><th scope="col">Method</th><th scope="col">Shape</th><th scope="col">Type</th><th scope="col">Parameters</th></tr></thead>
    <tbody>${rows.map(({ method, title, has }) => html`<tr>
      <th scope="row"><code>${method}</code><span class="note">${title}</span></th>
      ${has
        ? html`<td>${method === "rotation" ? "2 of " : ""}${has.shape.join(" × ")}</td><td>${has.dtype}</td><td>${has.trainable ? `${count(has.parameters)}, trained` : "none: it is fixed"}</td>`
        : html`<td colspan="3">nothing</td>`}
    </tr>`)}</tbody>
  </table>`;
}

/**
 * @param {string} probe
 * @param {string} title
 * @param {Result} result
 * @param {Record<string, string>} settings
 * @param {Unit} unit
 */
function pictures(probe, title, result, settings, unit) {
  const { number, figure, notes = [] } = viewOf(probe, result, { unit, best: null, label: "" });
  return html`<section class="probe">
    <h2>${title}</h2>
    ${number
      ? html`<p class="measured"><strong>${number.value}</strong> <span class="of">${number.unit}</span> <span class="caption">${number.caption}</span></p>`
      : nothing}
    <div class="drawing">${figure}</div>
    <p class="looks-at">Of a model that has not been trained, with d = ${settings.d}.</p>
    ${notes.length ? html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>` : nothing}
  </section>`;
}

/**
 * @param {{check: import("./check-on-pause.js").CheckOnPause, code: string, waitsAs: string|null}} shown as of `report`
 * @returns {string|null} why the code cannot be trained now
 */
export function obstacle({ check, code, waitsAs }) {
  if (waitsAs) return `Check it first: it is ${waitsAs}.`;
  if (check.phase !== "idle") return "It can be trained when it has been checked.";
  if (check.isGood(code)) return null;
  return check.failure ? "What is wrong with it has to be mended first." : "Check it first.";
}

/**
 * What is said of the latest check to those who do not see it.
 * @param {import("./check-on-pause.js").CheckOnPause} check
 */
export function told({ phase, failure: wrong, answer }) {
  if (phase !== "idle") return "";
  if (wrong) return `Checked.${wrong.line ? ` Line ${wrong.line}:` : ""} ${wrong.message}`;
  if (!answer) return "";
  const supplies = answer.result.supplies.map((method) => `a ${method}`);
  return `Checked. It supplies ${supplies.length ? listed(supplies) : "no position"}.`;
}
