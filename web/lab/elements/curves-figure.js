/** <lab-curves>: the loss of every run over its steps, with what counting alone achieves on the same text. */

import { html, nothing } from "lit";
import "../../charts/loss-chart.js";
import { counted } from "../format.js";
import "./figure-save.js";
import { LabElement } from "./lab-element.js";
import { measuredNote } from "./measured-note.js";
import "./unit-switch.js";
/** @import { EventOn, Measured } from "../kinds.js" */

/** What a loss says, in each unit. @type {Record<string, string>} */
const MEANING = {
  nats: "Surprise at the next character, in nats: lower is better.",
  bits: "Bits that the next character costs: lower is better.",
  perplexity: "As unsure as an even choice among so many characters: lower is better.",
};

class LabCurves extends LabElement {
  static watches = ["runs", "selected", "values", "unit", "showMeasured", "phase"];

  render() {
    const { unit } = this.lab;
    const measured = this.lab.measured();
    const shown = measured && this.state.showMeasured ? measured : null;
    return html`<figure class="figure">
      <figcaption>
        <div class="heading">
          <h2>Loss</h2>
          <lab-units .lab=${this.lab}></lab-units>
        </div>
        <p>${MEANING[unit.name]} Compare the strong lines.</p>
      </figcaption>
      <loss-chart .steps=${this.#steps} .baselines=${this.#baselines} .runs=${this.#runs()} .unit=${unit}
        .measured=${shown ? shown.encodings.map((row) => ({ ...row, label: this.lab.encodingLabel(row.encoding) })) : null}
        @toggle-run=${(/** @type {CustomEvent<{ids: string[]}>} */ { detail }) => this.lab.toggleVisible(detail.ids)}></loss-chart>
      <figure-save .lab=${this.lab} .heading=${`Loss, ${unit.per}`} .name=${"loss"} .runs=${this.state.runs}></figure-save>
      ${measured ? this.#choice(measured) : nothing} ${shown ? measuredNote(shown, `The bands go from the least to the greatest loss of ${counted(shown.seeds.length, "seed")} at each step.`) : nothing}
    </figure>`;
  }

  /** @param {Measured} measured */
  #choice({ seeds }) {
    return html`<label class="check">
      <input type="checkbox" .checked=${this.state.showMeasured}
        @change=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => this.lab.showMeasured(target.checked)} />
      Show what was measured elsewhere over ${counted(seeds.length, "seed")}
    </label>`;
  }

  get #steps() {
    const { runs, values } = this.state;
    return runs[0]?.steps ?? (Number(values.steps) || 1);
  }

  /** Those of the text in use; before a run, those of the text that is chosen (its own text is not counted yet). */
  get #baselines() {
    const { runs, values } = this.state;
    const measured = runs.find(({ facts }) => facts)?.facts?.baselines;
    const chosen = runs[0]?.config.corpus ?? values.corpus;
    return measured ?? this.lab.data.corpora.find(({ name }) => name === chosen)?.baselines ?? null;
  }

  /** @returns {import("../../charts/loss-groups.js").ShownRun[]} */
  #runs() {
    const { runs, selected } = this.state;
    return runs.map(({ id, label, encoding, seed, state, train, validation, visible }) => ({
      id, label, encoding, seed, state, train, validation, visible, selected: id === selected,
    }));
  }
}

customElements.define("lab-curves", LabCurves);
