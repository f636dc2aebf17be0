/** <lab-update-notice>: in a corner, that a new version of the site waits, or that this page is of one that is gone. */

import { html, LitElement, nothing } from "lit";
import { isStop } from "../keep-focus.js";
/** @import { Updates } from "../updates.js" */

const WORDS = {
  ready: ["A new version of this page is ready.", "Use it now"],
  gone: ["The site has changed to a new version, and this page is of the old: what it has not loaded yet is gone.", "Reload the page"],
};

export class LabUpdateNotice extends LitElement {
  static properties = { updates: { attribute: false }, dismissed: { state: true } };

  constructor() {
    super();
    /** @type {Updates | null} */
    this.updates = null;
    /** @type {string | null} The news that the reader has put away. */
    this.dismissed = null;
  }

  /** Where the keyboard was before it came into the notice. @type {HTMLElement | null} */
  #cameFrom = null;

  createRenderRoot() {
    return this;
  }

  /** The region stays, so that what comes into it is announced. */
  render() {
    return html`<div role="status" class="update-notice" @focusin=${this.#come}>${this.#notice()}</div>`;
  }

  #notice() {
    const { updates } = this;
    if (!updates) return nothing;
    const { news, held } = updates;
    if (news === null || news === this.dismissed) return nothing;
    const [words, action] = WORDS[news];
    return html`<div class="card">
      <p>${words}</p>
      ${held ? html`<p class="held">${held}</p>` : nothing}
      <p class="action">
        <button type="button" class="button primary" @click=${() => updates.use()}>${action}</button>
        <button type="button" class="button" @click=${(/** @type {MouseEvent} */ event) => this.#putAway(news, event)}>Later</button>
      </p>
    </div>`;
  }

  /** @param {FocusEvent} event */
  #come({ relatedTarget }) {
    if (relatedTarget instanceof Node && this.contains(relatedTarget)) return;
    this.#cameFrom = relatedTarget instanceof HTMLElement ? relatedTarget : null;
  }

  /**
   * The button goes with the notice; a keyboard that pressed it goes back to where it was.
   * @param {string} news
   * @param {MouseEvent} event
   */
  #putAway(news, { detail }) {
    this.dismissed = news;
    if (detail > 0) return; // it was clicked
    /** @type {HTMLElement | null} */
    const run = document.querySelector("lab-run-bar .primary");
    const back = this.#cameFrom && isStop(this.#cameFrom) ? this.#cameFrom : run;
    back?.focus({ preventScroll: true });
  }
}

customElements.define("lab-update-notice", LabUpdateNotice);
