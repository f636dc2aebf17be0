/** <lab-geometry>: the embedding table of the selected run, large, and of each encoding with its seed, small; a click selects. */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import "../../charts/geometry-chart.js";
import "./encoding-mark.js";
import "./figure-save.js";
import { LabElement } from "./lab-element.js";
/** @import { Run } from "../kinds.js" */

class LabGeometry extends LabElement {
  static watches = ["runs", "selected"];

  /** One frame later than the curves, so that no frame of the screen has to draw both. */
  async scheduleUpdate() {
    if (this.hasUpdated) await new Promise(requestAnimationFrame);
    super.scheduleUpdate();
  }

  render() {
    const { runs } = this.state;
    const selected = this.#selected;
    const alike = runs.filter(({ seed }) => seed === selected?.seed);
    return html`<figure class="figure">
      <figcaption>
        <h2>The embedding table</h2>
        <p>Each character’s row of d numbers as one point: the rows, projected onto two axes.</p>
      </figcaption>
      ${this.#chart(selected, false)}
      <figure-save .lab=${this.lab} .heading=${`Embedding table: ${selected?.label}`} .name=${"table"} .runs=${selected ? [selected] : []}></figure-save>
      ${alike.length > 1 ? html`<div class="multiples" role="group" aria-label="Table of each run with the same seed">${repeat(alike, (run) => run.id, (run) => this.#multiple(run))}</div>` : nothing}
    </figure>`;
  }

  get #selected() {
    const { runs, selected } = this.state;
    return runs.find(({ id }) => id === selected);
  }

  /**
   * A chart is set anew only when its run has a new picture. A small one leaves its title to the button around it.
   * @param {Run | undefined} run
   * @param {boolean} compact
   */
  #chart(run, compact) {
    const { label = "", facts = null } = run ?? {};
    const geometry = (compact ? run?.thumbnail : run?.geometry) ?? null;
    return guard(
      [label, facts, geometry],
      () => html`<geometry-chart .compact=${compact} .label=${compact ? "" : label}
        .step=${compact ? null : (geometry?.step ?? null)}
        .vocabulary=${facts?.vocabulary ?? []} .classes=${facts?.classes ?? []}
        .points=${geometry?.points ?? null} .explained=${geometry?.explained ?? null}></geometry-chart>`,
    );
  }

  /** @param {Run} run */
  #multiple(run) {
    const selected = run.id === this.state.selected;
    return html`<button type="button" class="multiple" data-run=${run.id} aria-pressed=${selected}
      aria-label="Show the table of ${run.label} large" @click=${() => this.lab.select(run.id)}>
      <span class="name"><encoding-mark encoding=${run.encoding}></encoding-mark> ${this.lab.encodingLabel(run.encoding)}</span>
      ${this.#chart(run, true)}
    </button>`;
  }
}

customElements.define("lab-geometry", LabGeometry);
