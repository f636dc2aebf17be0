/** <lab-consent>: the code of encodings on the page that the reader has not allowed to run, to be read and allowed. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { counted } from "../format.js";
import { isOwn } from "../own.js";
import { CONSEQUENCES, foreignCode } from "./foreign-code.js";
import { LabElement } from "./lab-element.js";

class LabConsent extends LabElement {
  static watches = ["runs", "own", "panels", "locks"];
  static properties = { said: { state: true } };

  constructor() {
    super();
    this.said = "";
  }

  render() {
    const waiting = this.#waiting();
    return html`${waiting.size
        ? html`<section class="consent" aria-labelledby="consent-title">
            <h2 id="consent-title" tabindex="-1">${waiting.size > 1 ? `${counted(waiting.size, "encoding")} wait` : "An encoding waits"} for your leave</h2>
            <p>
              This browser kept the code, or it came in a file, so it does not run by itself. The curves and the
              table are what was kept; to train on, to try more seeds or to ask the labs below, Python has to run it.
              ${CONSEQUENCES}
            </p>
            ${repeat(waiting, ([code]) => code, ([code, names]) => this.#one(code, names))}
          </section>`
        : nothing}
      <p role="status" class="visually-hidden">${this.said}</p>`;
  }

  /** Code to the names that it has. @returns {Map<string, string[]>} */
  #waiting() {
    const { runs, own } = this.state;
    const waiting = new Map();
    for (const { encoding, code } of [...runs, ...own]) {
      if (code === null || !isOwn(encoding) || this.lab.consent.allows({ code })) continue;
      const name = this.lab.encodingLabel(encoding);
      const names = waiting.get(code) ?? [];
      waiting.set(code, names.includes(name) ? names : [...names, name]);
    }
    return waiting;
  }

  /** @param {string} code @param {string[]} names */
  #one(code, names) {
    return html`<details open>
      <summary>${names.map((name, index) => html`${index ? ", " : ""}<bdi>${name}</bdi>`)}</summary>
      ${foreignCode(names, code)}
      <p class="action">
        <button type="button" class="button" aria-label="Allow this code to run: ${names.join(", ")}"
          @click=${() => this.#allow(code, names)}>Allow this code to run</button>
        ${this.lab.offersEditor
          ? html`<button type="button" class="button" aria-label="Edit a copy: ${names.join(", ")}"
              @click=${() => this.lab.openEditor(code)}>Edit a copy</button>`
          : nothing}
      </p>
    </details>`;
  }

  /**
   * The button goes with the question; the keyboard goes on at the next one, or where the runs go on.
   * @param {string} code
   * @param {string[]} names
   */
  async #allow(code, names) {
    this.lab.consent.allow(code);
    this.said = `The code of ${names.join(", ")} may run now.`;
    this.requestUpdate();
    await this.updateComplete;
    /** @type {HTMLElement | null | undefined} */
    const next = this.querySelector("h2") ?? this.closest("lab-app")?.querySelector("lab-run-bar .primary");
    next?.focus({ preventScroll: true });
  }
}

customElements.define("lab-consent", LabConsent);
