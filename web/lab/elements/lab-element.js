/** Base of the page's elements: light DOM, and a new rendering when the watched part of the state changes. */

import { LitElement } from "lit";
import { keepFocus } from "../keep-focus.js";

/** @import { PropertyDeclarations, PropertyValues } from "lit" */
/** @import { Lab } from "../lab.js" */

/** A subclass names the entries of the state it shows in `static watches`; whoever creates it sets `.lab`. */
export class LabElement extends LitElement {
  /** @type {PropertyDeclarations} */
  static properties = { lab: { attribute: false } };

  /** @type {string[]} */
  static watches = [];

  /** @type {Lab | null} */
  #lab = null;
  /** @type {(() => void) | null} */
  #unsubscribe = null;

  /** What it shows. Nothing asks for it before it is set. */
  get lab() {
    return /** @type {Lab} */ (this.#lab);
  }

  set lab(lab) {
    this.#lab = lab;
  }

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

  /** What the reader has pressed may go with what it did. @param {PropertyValues} changed */
  update(changed) {
    const restore = keepFocus(this);
    super.update(changed);
    restore();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #follow() {
    const { watches } = /** @type {typeof LabElement} */ (this.constructor);
    this.#unsubscribe ??= this.lab.store.subscribe(watches, () => this.requestUpdate());
  }

  get state() {
    return this.lab.state;
  }

  /** A part of what it has rendered. @param {string} selector @returns {HTMLElement | null} */
  within(selector) {
    return this.querySelector(selector);
  }
}
