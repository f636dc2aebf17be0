/** <lab-geometry>: the embedding table of the selected run, large, and of every run, small; a click selects. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import "../../charts/geometry-chart.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";

class LabGeometry extends LabElement {
  static watches = ["runs", "selected"];

  render() {
    const { runs } = this.state;
    return html`<figure class="figure">
      <figcaption>
        <h2>The embedding table</h2>
        <p>Each character’s row of d numbers as one point: the rows, projected onto two axes.</p>
      </figcaption>
      ${this.#chart(this.#selected, false)}
      ${runs.length > 1 ? html`<div class="multiples" role="group" aria-label="Table of each run">${repeat(runs, (run) => run.id, (run) => this.#multiple(run))}</div>` : nothing}
    </figure>`;
  }

  get #selected() {
    const { runs, selected } = this.state;
    return runs.find(({ id }) => id === selected);
  }

  /** A small chart leaves its title to the button around it. */
  #chart(run, compact) {
    return html`<geometry-chart .compact=${compact} .label=${(!compact && run?.label) || ""}
      .step=${compact ? null : (run?.geometry?.step ?? null)}
      .vocabulary=${run?.facts?.vocabulary ?? NONE} .classes=${run?.facts?.classes ?? NONE}
      .points=${run?.geometry?.points ?? null} .explained=${run?.geometry?.explained ?? null}></geometry-chart>`;
  }

  #multiple(run) {
    const selected = run.id === this.state.selected;
    return html`<button type="button" class="multiple" data-run=${run.id} aria-pressed=${selected}
      aria-label="Show the table of ${run.label} large" @click=${() => this.lab.select(run.id)}>
      <span class="name"><encoding-mark encoding=${run.encoding}></encoding-mark> ${run.label}</span>
      ${this.#chart(run, true)}
    </button>`;
  }
}

const NONE = [];

customElements.define("lab-geometry", LabGeometry);
