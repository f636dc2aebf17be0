/** <lab-gaps>: what each encoding reached and how far it is from the control, with a verdict in words. */

import { html, nothing } from "lit";
import { count, nats } from "../../charts/numbers.js";
import { counted, gap as signed } from "../format.js";
import { outcome } from "../gaps.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";

class LabGaps extends LabElement {
  static watches = ["runs", "gaps"];

  render() {
    const { runs, gaps } = this.state;
    const { rows, pairs } = outcome(runs, gaps);
    return html`<section class="gaps" aria-labelledby="gaps-title">
      <div>
        <h2 id="gaps-title">What does position buy?</h2>
        <p class="note">${runs.length ? this.#completeness(runs) : EMPTY}</p>
        ${runs.length ? this.#table(rows, pairs) : nothing}
      </div>
      ${this.#reading()}
    </section>`;
  }

  #completeness(runs) {
    const finished = runs.filter(({ state }) => state === "finished").length;
    if (finished === runs.length) return `All ${counted(runs.length, "run")} finished.`;
    return `Partial: ${count(finished)} of ${counted(runs.length, "run")} finished. A loss stands here when its run has taken its last step.`;
  }

  #table(rows, pairs) {
    return html`<table class="outcome">
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col" class="number">Parameters</th>
          <th scope="col" class="number">Final validation loss<span class="unit">nats per character</span></th>
          <th scope="col" class="number">Against None<span class="unit">nats; negative is better</span></th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr data-encoding=${row.encoding}>
            <th scope="row">${this.#name(row.encoding)}</th>
            <td class="number" data-label="Parameters">${row.parameters === null ? "–" : count(row.parameters)}</td>
            <td class="number" data-label="Final validation loss">${nats(row.mean)}${spread(row)}</td>
            ${gapCells(row.gap, "Against None")}
          </tr>`,
        )}
      </tbody>
      ${pairs.length ? this.#pairs(pairs) : nothing}
    </table>`;
  }

  #pairs(pairs) {
    return html`<tbody class="pairs">
      <tr>
        <th scope="rowgroup" colspan="5">Between the others</th>
      </tr>
      ${pairs.map(
        (pair) => html`<tr data-pair="${pair.a}-${pair.b}">
          <th scope="row" colspan="3">${this.#name(pair.a)} <span class="minus">minus</span> ${this.#name(pair.b)}</th>
          ${gapCells(pair, "Gap")}
        </tr>`,
      )}
    </tbody>`;
  }

  #name(encoding) {
    return html`<span class="encoding"><encoding-mark encoding=${encoding}></encoding-mark> ${this.lab.encodingLabel(encoding)}</span>`;
  }

  #reading() {
    return html`<aside class="reading" aria-label="How to read the gaps">
      <p>
        <strong>A nat</strong> is the unit of −ln p. A loss of L nats means that the model gives the character that comes
        next a probability of e<sup>−L</sup>, as a geometric mean; 0.1 nats less makes that probability 10.5 % larger.
      </p>
      <p>
        <strong>0.1 nats matters, 0.01 is noise</strong> at this size: another seed alone moves a final
        loss by hundredths, now and then by a tenth.
      </p>
      <p>
        <strong>One seed is one seed.</strong> Runs of one seed share their first table, their layers and their batches,
        so a gap is paired; whether it holds for other seeds only more seeds can say. Set them under “Change the experiment”.
      </p>
    </aside>`;
  }
}

const EMPTY = "The answer of your own runs will stand here: the final loss of each encoding, and how far apart they are.";

function spread({ losses, finished, total }) {
  if (total === 1) return nothing;
  if (finished < 2) return html`<span class="unit">${finished} of ${total} seeds</span>`;
  const of = finished < total ? `${finished} of ${total} seeds` : counted(finished, "seed");
  return html`<span class="unit">mean of ${of}, ${nats(Math.min(...losses), 2)} to ${nats(Math.max(...losses), 2)}</span>`;
}

function gapCells(gap, label) {
  if (!gap) return html`<td class="number" data-label=${label}>–</td><td class="verdict" data-label="Verdict"></td>`;
  const interval = gap.low === null ? nothing : html`<span class="unit">95 %: ${signed(gap.low)} to ${signed(gap.high)}</span>`;
  return html`<td class="number" data-label=${label}>${signed(gap.nats)}${interval}</td>
    <td class="verdict" data-label="Verdict">${gap.verdict}</td>`;
}

customElements.define("lab-gaps", LabGaps);
