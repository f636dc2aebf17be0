/** <lab-loading>: what the page is fetching and how far it is, then how long it took; a part that failed, and Retry. */

import { html, nothing } from "lit";
import { isReplaced, REPLACED, reloadButton } from "../retry.js";
import { LabElement } from "./lab-element.js";
/** @import { State, Status } from "../kinds.js" */

/** @type {Record<string, string>} */
const STAGES = {
  runtime: "Loading Python for the browser",
  packages: "Loading NumPy and the lab",
  start: "Starting Python",
  ready: "Python is starting to answer",
};

/** A module that is valid where WebAssembly has SIMD: its one function makes a vector of sixteen equal bytes. */
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]);

class LabLoading extends LabElement {
  static watches = ["loading", "status"];
  static properties = { isReplaced: { state: true } };
  /** @type {State["loading"]["failure"]} */
  #failure = null;
  #failures = 0;

  constructor() {
    super();
    /** Whether the server has another version of the page, and so perhaps no longer the files of this one. */
    this.isReplaced = false;
  }

  willUpdate() {
    super.willUpdate();
    const { failure } = this.state.loading;
    if (failure && failure !== this.#failure) {
      this.#failures += 1;
      isReplaced().then((is) => (this.isReplaced = is));
    }
    this.#failure = failure;
  }

  render() {
    const { loading, status } = this.state;
    return html`<div class="loading" data-stage=${status ? "ready" : loading.stage}>
      ${loading.failure ? this.#failed(loading.failure) : status ? this.#ready(status) : this.#progress(loading)}
    </div>`;
  }

  /** @param {State["loading"]} loading */
  #progress({ stage, file, loadedBytes, totalBytes }) {
    const size = totalBytes ? html`<span>${fine(loadedBytes)} of ${fine(totalBytes)} MB</span>` : "";
    return html`<p>${STAGES[stage]}${file && stage !== "start" ? html` <span class="file">${file}</span>` : ""} ${size}</p>
      <progress max=${totalBytes || 1} .value=${Math.min(loadedBytes, totalBytes)} aria-label="Loading Python"></progress>`;
  }

  /** @param {Status} status */
  #ready(status) {
    const { secondsToReady } = this.state.loading;
    const why = WebAssembly.validate(SIMD) ? "could not be loaded here" : "need WebAssembly with SIMD, and this browser does not run them";
    const slow = status.backend === "numpy" ? html` The compiled kernels, which are several times as fast, ${why}.` : nothing;
    return html`<p>Python ready in ${secondsToReady?.toFixed(1)} s. Computing with ${backend(status)}.${slow}</p>`;
  }

  /** @param {{message: string}} failure */
  #failed({ message }) {
    return html`<p class="error" role="alert">${message}${this.isReplaced ? ` ${REPLACED}` : nothing}</p>
      <p class="action">
        <button type="button" class="button" @click=${() => this.lab.retryLoading()}>Retry</button>
        ${this.#failures > 1 || this.isReplaced ? reloadButton() : nothing}
      </p>`;
  }
}

/** Megabytes in steps of 10 kB, so that a slow network is seen to move. @param {number} bytes */
const fine = (bytes) => (bytes / 1e6).toFixed(2);

/** @param {Status} status */
function backend({ backend: name, numpy, python }) {
  /** @type {Record<string, string>} */
  const names = { numpy: "NumPy", simd: "compiled SIMD kernels", "relaxed-simd": "compiled SIMD kernels with fused multiply-add" };
  return `${names[name] ?? name} (Python ${python}, NumPy ${numpy})`;
}

customElements.define("lab-loading", LabLoading);
