/** One setting, or one argument of a probe, as a labelled control with its range, its help and what is wrong with it. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
/** @import { EventOn, ProbeArgument, Value } from "../kinds.js" */

/**
 * @typedef {object} Field
 * @property {ProbeArgument} setting
 * @property {Value} value
 * @property {string} [error]
 * @property {(value: Value) => void} change
 * @property {string} id
 * @property {string} about  ids of what describes it
 * @property {boolean} isLocked
 */

/**
 * @param {object} options
 * @param {ProbeArgument} options.setting
 * @param {Value} options.value as the reader left it
 * @param {string} [options.error]
 * @param {(value: Value) => void} options.change
 * @param {string} [options.id] of the control
 * @param {boolean} [options.isLocked] whether the page has fixed it
 */
export function settingField({ setting, value, error, change, id = `setting-${setting.name}`, isLocked = false }) {
  const about = [...(isLocked ? [`${id}-fixed`] : []), `${id}-help`, ...(error ? [`${id}-error`] : [])].join(" ");
  return html`<div class="field" data-kind=${setting.kind}>
    <label for=${id}>${setting.label}</label>
    ${control({ setting, value, error, change, id, about, isLocked })}
    ${isLocked ? html`<p class="fixed" id="${id}-fixed">This page has fixed it.</p>` : nothing}
    <p class="help" id="${id}-help">${help(setting, value)}</p>
    ${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}
  </div>`;
}

/** @param {Field} field */
function control({ setting, value, error, change, id, about, isLocked }) {
  const { name, kind } = setting;
  const invalid = error ? "true" : nothing;
  if (setting.kind === "choice") {
    return html`<select id=${id} name=${name} aria-describedby=${about} aria-invalid=${invalid} ?disabled=${isLocked}
      .value=${live(String(value))} @change=${(/** @type {EventOn<HTMLSelectElement>} */ { target }) => change(target.value)}>
      ${setting.choices.map(
        (choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`,
      )}
    </select>`;
  }
  if (kind === "boolean") {
    return html`<input id=${id} name=${name} type="checkbox" aria-describedby=${about} ?disabled=${isLocked}
      .checked=${live(value === true)} @change=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => change(target.checked)} />`;
  }
  // Text rather than a number input: what was typed must stay to be corrected, also where it is no number.
  return html`<input id=${id} name=${name} type="text" autocomplete="off" spellcheck="false"
    inputmode=${kind === "integer" ? "numeric" : kind === "number" ? "decimal" : "text"}
    aria-describedby=${about} aria-invalid=${invalid} ?disabled=${isLocked}
    .value=${live(String(value))} @input=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => change(target.value)} />`;
}

/** @param {ProbeArgument} setting @param {Value} value */
function help(setting, value) {
  const text = setting.help;
  if (setting.kind === "choice") return `${text} ${sentence(setting.choices.find((choice) => choice.value === value)?.help ?? "")}`;
  if (!("low" in setting)) return text;
  const { low, high } = setting;
  return html`<span class="range">${low.toLocaleString("en", EXACT)} to ${high.toLocaleString("en", EXACT)}.</span> ${text}`;
}

const EXACT = { maximumSignificantDigits: 6 };

/** @param {string} words */
const sentence = (words) => words && `${words[0].toUpperCase()}${words.slice(1)}.`;
