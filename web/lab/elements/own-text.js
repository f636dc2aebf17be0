/** <lab-own-text>: where a reader pastes a text of their own to train on. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { count } from "../../charts/numbers.js";
import { asFile, characters } from "../corpus.js";
import { LabElement } from "./lab-element.js";

class LabOwnText extends LabElement {
  static watches = ["ownText", "errors", "runs"];

  render() {
    const { ownText, errors } = this.state;
    const error = errors.corpus;
    return html`<div class="field own-text">
      <label for="own-text">Your own text</label>
      <textarea id="own-text" rows="6" spellcheck="false"
        aria-describedby="own-text-help${error ? " own-text-error" : ""}" aria-invalid=${error ? "true" : nothing}
        .value=${live(ownText)} @input=${(event) => this.lab.setOwnText(asFile(event.target.value))}></textarea>
      <p class="help" id="own-text-help">
        ${count(characters(ownText))} characters. It stays in this tab. Some ten thousand characters or more learn best; the
        first nine tenths train, the last tenth validates.
      </p>
      ${error ? html`<p class="error" id="own-text-error">${error}</p>` : nothing}
      ${this.#other()}
    </div>`;
  }

  /** What the reader typed stays when runs on another text are opened. */
  #other() {
    const { runs, ownText } = this.state;
    const text = runs[0]?.config.corpus === "own" ? runs[0].text : null;
    if (text === null || text === ownText) return nothing;
    return html`<p class="note">The runs on the page have another text, of ${count(characters(text))} characters; Run would train on the one in the field.</p>
      <p><button type="button" class="button small" @click=${() => this.#take(text)}>Put the text of the runs here</button></p>`;
  }

  /** The button goes; the keyboard stays at the text. */
  #take(text) {
    this.lab.setOwnText(text);
    this.querySelector("textarea").focus();
  }
}

customElements.define("lab-own-text", LabOwnText);
