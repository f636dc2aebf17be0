/** Base of the page's elements: light DOM, and a new rendering when the watched part of the state changes. */

import { LitElement } from "lit";

/** A subclass names the entries of the state it shows in `static watches`; whoever creates it sets `.lab`. */
export class LabElement extends LitElement {
  static properties = { lab: { attribute: false } };

  /** @type {string[]} */
  static watches = [];

  #unsubscribe = null;

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    if (!this.hasUpdated) return;
    this.#follow();
    this.requestUpdate();
  }

  /** An element that the page had before its class has `.lab` no sooner than at its first rendering. */
  willUpdate() {
    if (this.isConnected) this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #follow() {
    this.#unsubscribe ??= this.lab.store.subscribe(this.constructor.watches, () => this.requestUpdate());
  }

  get state() {
    return this.lab.state;
  }
}
