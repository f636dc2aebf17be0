/** <lab-task>: what the page that holds the lab expects of its reader, in words, and whether the result meets it. */

import { html, nothing } from "lit";
import { gapWords, lossWords } from "../format.js";
import { UNITS } from "../../charts/units.js";
import { taskWords } from "../task.js";
import { LabElement } from "./lab-element.js";
/** @import { Check, Condition, judge } from "../task.js" */

class LabTask extends LabElement {
  static watches = ["expect", "runs", "gaps", "summaries", "phase", "own"];

  render() {
    const { expect } = this.state;
    if (!expect) return nothing;
    const judgement = this.lab.judgement();
    /** @param {string} encoding */
    const label = (encoding) => this.lab.encodingLabel(encoding);
    return html`<section class="task" aria-labelledby="task-title" data-passed=${judgement ? judgement.passed : nothing}>
      <h2 id="task-title">Task</h2>
      <ul>
        ${expect.conditions.map((condition, index) => html`<li>
          ${sentence(`${taskWords(condition, label)}.`)}
          ${judgement ? html`<span class="found">${this.#found(condition, judgement.checks[index])}</span>` : nothing}
        </li>`)}
      </ul>
      <p role="status">${judgement ? this.#verdict(judgement) : "It is judged when the experiment has ended."}</p>
    </section>`;
  }

  /** @param {ReturnType<typeof judge>} judgement */
  #verdict({ passed, checks }) {
    if (passed) return html`<strong>✓ Passed.</strong>`;
    const holding = checks.filter((check) => check.passed).length;
    return html`<strong>✗ Not yet.</strong> ${checks.length > 1 ? `${holding} of ${checks.length} conditions hold.` : nothing}`;
  }

  /** @param {Condition} condition @param {Check} check */
  #found({ b }, { nats, low, high, passed, reason }) {
    if (nats === null) return `Not yet: ${reason}.`;
    /** @param {number | null} value */
    const written = (value) => (b === null ? UNITS.nats.loss(value) : UNITS.nats.gap(value));
    const words = b === null ? lossWords(UNITS.nats, nats) : gapWords(UNITS.nats, nats);
    const interval = low === null ? "" : ` (95 %: ${written(low)} to ${written(high)})`;
    return `${passed ? "Holds" : "Not yet"}: ${words}${interval}.`;
  }
}

/** @param {string} words */
const sentence = (words) => words[0].toUpperCase() + words.slice(1);

customElements.define("lab-task", LabTask);
