/** <copy-field>: a text to take along, with a button that copies it; where the browser does not let it, it is selected. */

import { html, LitElement } from "lit";
/** @import { EventOn } from "../kinds.js" */

class CopyField extends LitElement {
  static properties = { label: {}, value: {}, said: { state: true } };

  constructor() {
    super();
    this.label = "";
    this.value = "";
    this.said = "";
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("value")) this.said = "";
  }

  render() {
    return html`<label>${this.label}
        <input type="text" class="copied" readonly spellcheck="false" .value=${this.value}
          @focus=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => target.select()} /></label>
      <button type="button" class="button" aria-label="Copy: ${this.label}" @click=${this.#copy}>Copy</button>
      <p role="status">${this.said}</p>`;
  }

  /** The clipboard is there on secure pages alone, and may refuse. */
  async #copy() {
    try {
      await navigator.clipboard.writeText(this.value);
      this.said = "Copied.";
    } catch {
      this.querySelector("input")?.focus();
      this.said = "The browser does not let the page copy: the text is selected, press Ctrl+C or ⌘C.";
    }
  }
}

customElements.define("copy-field", CopyField);
