/** <lab-link>: the way from a frame to the page with the chapter, opened on the same experiment. */

import { html } from "lit";
import { LabElement } from "./lab-element.js";

class LabLink extends LabElement {
  static watches = ["values", "encodings", "seeds", "runs"];

  render() {
    return html`<p class="lab-link">
      <a href="index.html?${this.lab.sharedQuery()}" target="_blank" rel="noopener">Open this experiment in Embedding Lab</a>
    </p>`;
  }
}

customElements.define("lab-link", LabLink);
