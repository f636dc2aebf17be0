/** Base of the page's elements: light DOM, and a new rendering when the watched part of the state changes. */

import { LitElement } from "lit";

/** A subclass names the entries of the state it shows in `static watches`; whoever creates it sets `.lab`. */
export class LabElement extends LitElement {
  static properties = { lab: { attribute: false } };

  /** @type {string[]} */
  static watches = [];

  #unsubscribe = () => {};

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#unsubscribe = this.lab.store.subscribe(this.constructor.watches, () => this.requestUpdate());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unsubscribe();
  }

  get state() {
    return this.lab.state;
  }
}
