/** <lab-encodings>: the encodings as chips, a pressed one takes part in the next run; and the way to one of the reader's own. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";
/** @import { EventOn, State } from "../kinds.js" */

class LabEncodings extends LabElement {
  static watches = ["encodings", "own", "errors", "blocked", "panels", "locks"];
  /** @type {State["blocked"]} */
  #shown = null;

  render() {
    const { encodings, errors } = this.state;
    const error = errors.encodings;
    const isLocked = this.lab.isLocked("encodings");
    const about = [...(isLocked ? ["encodings-fixed"] : []), ...(error ? ["encodings-error"] : [])].join(" ");
    return html`<fieldset class="chips" aria-describedby=${about || nothing}>
      <legend>Positional encodings to compare</legend>
      ${this.lab.encodings().map(
        ({ value, label, help }) => html`<label class="chip" title=${help}>
          <input
            type="checkbox"
            name="encodings"
            value=${value}
            ?disabled=${isLocked}
            aria-describedby=${isLocked ? "encodings-fixed" : nothing}
            .checked=${live(encodings.includes(value))}
            @change=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => this.lab.setEncoding(value, target.checked)}
          />
          <encoding-mark encoding=${value}></encoding-mark>
          <span>${label}</span>
        </label>`,
      )}
      ${this.lab.offersEditor
        ? html`<button type="button" class="chip" @click=${() => this.lab.openEditor()}>+ Your own</button>`
        : nothing}
      ${isLocked ? html`<p class="fixed" id="encodings-fixed">This page has fixed the encodings.</p>` : nothing}
      ${error ? html`<p class="error" id="encodings-error">${error}</p>` : nothing}
    </fieldset>`;
  }

  updated() {
    const { blocked } = this.state;
    if (!blocked || blocked === this.#shown) return;
    this.#shown = blocked;
    if (blocked.field === "encodings") this.querySelector("input")?.focus();
  }
}

customElements.define("lab-encodings", LabEncodings);
