/** <lab-encoding-editor>: "Write your own encoding", closed at first; what is in it is fetched when it is opened. */

import { html } from "lit";
import { Part, retryOffer } from "../retry.js";
import { LabElement } from "./lab-element.js";
/** @import { EventOn, State } from "../kinds.js" */

class LabEncodingEditor extends LabElement {
  static watches = ["editing"];
  static properties = { isLoaded: { state: true } };
  /** @type {State["editing"]} */
  #opened = null;
  #part = new Part({
    load: () => import("./encoding-workbench.js"),
    words: "The editor",
    onChange: () => this.requestUpdate(),
  });

  constructor() {
    super();
    this.isLoaded = false;
  }

  render() {
    return html`<details class="own-encoding" @toggle=${this.#toggle}>
      <summary>Write your own encoding</summary>
      <div class="place">${this.isLoaded
        ? html`<lab-encoding-workbench .lab=${this.lab}></lab-encoding-workbench>`
        : this.#part.problem
          ? html`<div role="alert">${retryOffer(this.#part, this.#load)}</div>`
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
    if (!details) return;
    details.open = true;
    details.scrollIntoView({ block: "start" });
    details.querySelector("summary")?.focus({ preventScroll: true });
  }

  /** @param {EventOn<HTMLDetailsElement>} event */
  #toggle({ target }) {
    if (target.open && !this.isLoaded) this.#load();
  }

  #load = async () => {
    this.isLoaded = (await this.#part.get()) !== null;
  };
}

customElements.define("lab-encoding-editor", LabEncodingEditor);
