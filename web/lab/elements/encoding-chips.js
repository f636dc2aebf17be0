/** <lab-encodings>: the encodings as chips, a pressed one takes part in the next run; and the way to one of the reader's own. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";

class LabEncodings extends LabElement {
  static watches = ["encodings", "own", "errors", "blocked"];
  #shown = null;

  render() {
    const { encodings, errors } = this.state;
    const error = errors.encodings;
    return html`<fieldset class="chips" aria-describedby=${error ? "encodings-error" : nothing}>
      <legend>Positional encodings to compare</legend>
      ${this.lab.encodings().map(
        ({ value, label, help }) => html`<label class="chip" title=${help}>
          <input
            type="checkbox"
            name="encodings"
            value=${value}
            .checked=${live(encodings.includes(value))}
            @change=${(event) => this.lab.setEncoding(value, event.target.checked)}
          />
          <encoding-mark encoding=${value}></encoding-mark>
          <span>${label}</span>
        </label>`,
      )}
      <button type="button" class="chip" @click=${() => this.lab.openEditor()}>+ Your own</button>
      ${error ? html`<p class="error" id="encodings-error">${error}</p>` : nothing}
    </fieldset>`;
  }

  updated() {
    const { blocked } = this.state;
    if (blocked === this.#shown) return;
    this.#shown = blocked;
    if (blocked.field === "encodings") this.querySelector("input").focus();
  }
}

customElements.define("lab-encodings", LabEncodings);
