/** One setting, or one argument of a probe, as a labelled control with its range, its help and what is wrong with it. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";

/**
 * @param {object} options
 * @param {import("../settings.js").Setting} options.setting
 * @param {any} options.value as the reader left it
 * @param {string} [options.error]
 * @param {(value: any) => void} options.change
 * @param {string} [options.id] of the control
 */
export function settingField({ setting, value, error, change, id = `setting-${setting.name}` }) {
  const about = `${id}-help${error ? ` ${id}-error` : ""}`;
  return html`<div class="field" data-kind=${setting.kind}>
    <label for=${id}>${setting.label}</label>
    ${control({ setting, value, error, change, id, about })}
    <p class="help" id="${id}-help">${help(setting, value)}</p>
    ${error ? html`<p class="error" id="${id}-error">${error}</p>` : nothing}
  </div>`;
}

function control({ setting, value, error, change, id, about }) {
  const { name, kind } = setting;
  const invalid = error ? "true" : nothing;
  if (kind === "choice") {
    return html`<select id=${id} name=${name} aria-describedby=${about} aria-invalid=${invalid}
      .value=${live(String(value))} @change=${(event) => change(event.target.value)}>
      ${setting.choices.map(
        (choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`,
      )}
    </select>`;
  }
  if (kind === "boolean") {
    return html`<input id=${id} name=${name} type="checkbox" aria-describedby=${about}
      .checked=${live(value === true)} @change=${(event) => change(event.target.checked)} />`;
  }
  // Text rather than a number input: what was typed must stay to be corrected, also where it is no number.
  return html`<input id=${id} name=${name} type="text" autocomplete="off" spellcheck="false"
    inputmode=${kind === "integer" ? "numeric" : kind === "number" ? "decimal" : "text"}
    aria-describedby=${about} aria-invalid=${invalid}
    .value=${live(String(value))} @input=${(event) => change(event.target.value)} />`;
}

function help({ kind, low, high, help: text, choices }, value) {
  if (kind === "choice") return `${text} ${sentence(choices.find((choice) => choice.value === value)?.help ?? "")}`;
  if (low === undefined) return text;
  return html`<span class="range">${low.toLocaleString("en", EXACT)} to ${high.toLocaleString("en", EXACT)}.</span> ${text}`;
}

const EXACT = { maximumSignificantDigits: 6 };

const sentence = (words) => words && `${words[0].toUpperCase()}${words.slice(1)}.`;
