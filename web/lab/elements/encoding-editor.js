/** <lab-encoding-editor>: "Write your own encoding", closed at first; what is in it is fetched when it is opened. */

import { html } from "lit";
import { offerReload } from "../reload.js";
import { LabElement } from "./lab-element.js";

class LabEncodingEditor extends LabElement {
  static watches = ["editing"];
  static properties = { isLoaded: { state: true } };
  #opened = null;

  constructor() {
    super();
    this.isLoaded = false;
  }

  render() {
    return html`<details class="own-encoding" @toggle=${this.#toggle}>
      <summary>Write your own encoding</summary>
      <div class="place">${this.isLoaded
        ? html`<lab-encoding-workbench .lab=${this.lab}></lab-encoding-workbench>`
        : html`<p class="note">Loading the editor …</p>`}</div>
    </details>`;
  }

  updated() {
    const { editing } = this.state;
    if (editing === this.#opened) return;
    this.#opened = editing;
    if (editing) this.#open();
  }

  /** Bring the reader and the keyboard there. */
  #open() {
    const details = this.querySelector("details");
    details.open = true;
    details.scrollIntoView({ block: "start" });
    details.querySelector("summary").focus({ preventScroll: true });
  }

  async #toggle(event) {
    if (!event.target.open || this.isLoaded) return;
    try {
      await import("./encoding-workbench.js");
      this.isLoaded = true;
    } catch (error) {
      offerReload(this.querySelector(".place"), `The editor could not be loaded (${error.message}).`);
    }
  }
}

customElements.define("lab-encoding-editor", LabEncodingEditor);
