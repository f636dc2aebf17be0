/** <lab-own-text>: where a reader pastes a text of their own to train on. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { count } from "../../charts/numbers.js";
import { LabElement } from "./lab-element.js";

class LabOwnText extends LabElement {
  static watches = ["ownText", "errors"];

  render() {
    const { ownText, errors } = this.state;
    const error = errors.corpus;
    return html`<div class="field own-text">
      <label for="own-text">Your own text</label>
      <textarea id="own-text" rows="6" spellcheck="false"
        aria-describedby="own-text-help${error ? " own-text-error" : ""}" aria-invalid=${error ? "true" : nothing}
        .value=${live(ownText)} @input=${(event) => this.lab.setOwnText(event.target.value)}></textarea>
      <p class="help" id="own-text-help">
        ${count(ownText.length)} characters. It stays in this tab. Some ten thousand characters or more learn best; the
        first nine tenths train, the last tenth validates.
      </p>
      ${error ? html`<p class="error" id="own-text-error">${error}</p>` : nothing}
    </div>`;
  }
}

customElements.define("lab-own-text", LabOwnText);
