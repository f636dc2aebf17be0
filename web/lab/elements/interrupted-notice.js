/** <lab-interrupted>: which runs were under way when the page was loaded anew or left, until the next ones begin. */

import { html, nothing } from "lit";
import { count } from "../../charts/numbers.js";
import { listed } from "../format.js";
import { LabElement } from "./lab-element.js";
/** @import { Interrupted } from "../kinds.js" */

class LabInterrupted extends LabElement {
  static watches = ["interrupted", "kept"];

  render() {
    const { interrupted, kept: { state } } = this.state;
    if (!interrupted) return nothing;
    const kept = this.lab.keeper && state === "ready" ? ` Runs that had ended or were stopped are listed under “Kept in this browser”.` : "";
    return html`<p class="note">
      This page was loaded anew or left while an experiment was under way, and what had not ended is lost:
      ${listed(interrupted.map(moment))}.${kept}
    </p>`;
  }
}

/** @param {Interrupted} run */
function moment({ label, step, steps }) {
  if (step === null) return label;
  return step === 0 ? `${label} before its first step` : `${label} at step ${count(step)} of ${count(steps)}`;
}

customElements.define("lab-interrupted", LabInterrupted);
