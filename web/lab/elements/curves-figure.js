/** <lab-curves>: the loss of every run over its steps, with what counting alone achieves on the same text. */

import { html } from "lit";
import "../../charts/loss-chart.js";
import { LabElement } from "./lab-element.js";

class LabCurves extends LabElement {
  static watches = ["runs", "selected", "values"];

  render() {
    return html`<figure class="figure">
      <figcaption>
        <h2>Loss</h2>
        <p>Surprise at the next character, in nats: lower is better. Compare the strong lines.</p>
      </figcaption>
      <loss-chart .steps=${this.#steps} .baselines=${this.#baselines} .runs=${this.#runs()}
        @toggle-run=${(event) => this.lab.toggleVisible(event.detail.ids)}></loss-chart>
    </figure>`;
  }

  get #steps() {
    const { runs, values } = this.state;
    return runs[0]?.steps ?? (Number(values.steps) || 1);
  }

  /** Those of the text in use; before a run, those of the text that is chosen (its own text is not counted yet). */
  get #baselines() {
    const { runs, values } = this.state;
    const measured = runs.find(({ facts }) => facts)?.facts;
    const chosen = runs[0]?.config.corpus ?? values.corpus;
    return (measured ?? this.lab.data.corpora.find(({ name }) => name === chosen))?.baselines ?? null;
  }

  #runs() {
    const { runs, selected } = this.state;
    return runs.map(({ id, label, encoding, seed, state, train, validation, visible }) => ({
      id, label, encoding, seed, state, train, validation, visible, selected: id === selected,
    }));
  }
}

customElements.define("lab-curves", LabCurves);
