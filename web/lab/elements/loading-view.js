/** <lab-loading>: what the page is fetching and how far it is, then how long it took; a part that failed, and Retry. */

import { html } from "lit";
import { megabytes } from "../format.js";
import { LabElement } from "./lab-element.js";

const STAGES = {
  runtime: "Loading Python for the browser",
  packages: "Loading NumPy and the lab",
  start: "Starting Python",
  ready: "Python is starting to answer",
};

class LabLoading extends LabElement {
  static watches = ["loading", "status"];

  render() {
    const { loading, status } = this.state;
    return html`<div class="loading" data-stage=${status ? "ready" : loading.stage}>
      ${loading.failure ? this.#failed(loading.failure) : status ? this.#ready() : this.#progress(loading)}
    </div>`;
  }

  #progress({ stage, file, loadedBytes, totalBytes }) {
    const size = totalBytes ? html`<span>${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB</span>` : "";
    return html`<p>${STAGES[stage]}${file && stage !== "start" ? html` <span class="file">${file}</span>` : ""} ${size}</p>
      <progress max=${totalBytes || 1} .value=${Math.min(loadedBytes, totalBytes)} aria-label="Loading Python"></progress>`;
  }

  #ready() {
    const { loading, status } = this.state;
    return html`<p>Python ready in ${loading.secondsToReady.toFixed(1)} s. Computing with ${backend(status)}.</p>`;
  }

  #failed({ message }) {
    return html`<p class="error" role="alert">${message}</p>
      <button type="button" class="button" @click=${() => this.lab.retryLoading()}>Retry</button>`;
  }
}

function backend({ backend: name, numpy, python }) {
  const names = { numpy: "NumPy", simd: "compiled SIMD kernels", "relaxed-simd": "compiled SIMD kernels with fused multiply-add" };
  return `${names[name] ?? name} (Python ${python}, NumPy ${numpy})`;
}

customElements.define("lab-loading", LabLoading);
