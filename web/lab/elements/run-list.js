/** <lab-runs>: every run with its latest loss, its state and its progress; hides curves and selects the run shown large. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { count, nats } from "../../charts/numbers.js";
import { counted, duration, speed } from "../format.js";
import { validationLoss } from "../run.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";

class LabRuns extends LabElement {
  static watches = ["runs", "selected", "phase", "status"];

  render() {
    const { runs } = this.state;
    if (runs.length === 0) return nothing;
    return html`<table class="runs">
      <caption>Runs</caption>
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col" class="number">Seed</th>
          <th scope="col" class="number">Validation loss<span class="unit">nats per character</span></th>
          <th scope="col">Progress</th>
          <th scope="col">Curve</th>
          <th scope="col">Table</th>
        </tr>
      </thead>
      <tbody>
        ${repeat(runs, (run) => run.id, (run) => this.#row(run))}
      </tbody>
    </table>`;
  }

  #row(run) {
    const selected = run.id === this.state.selected;
    const name = `${this.lab.encodingLabel(run.encoding)}, seed ${run.seed}`;
    return html`<tr data-run=${run.id} data-state=${this.#shownState(run)} class=${selected ? "selected" : ""}>
      <th scope="row"><encoding-mark encoding=${run.encoding}></encoding-mark> ${this.lab.encodingLabel(run.encoding)}</th>
      <td class="number" data-label="Seed">${run.seed}</td>
      <td class="number loss" data-label="Validation loss">${nats(validationLoss(run))}</td>
      <td class="progress">
        <progress max=${run.steps} .value=${run.step} data-encoding=${run.encoding} aria-label="Steps of ${name}"></progress>
        <span title=${run.message ?? nothing}>${this.#words(run)}</span>
      </td>
      <td class="choice" data-label="Curve">
        <input type="checkbox" aria-label="Show the curve of ${name}" .checked=${run.visible}
          @change=${() => this.lab.toggleVisible([run.id])} />
      </td>
      <td class="choice" data-label="Table">
        <input type="radio" name="selected-run" aria-label="Show the table of ${name}" .checked=${selected}
          @change=${() => this.lab.select(run.id)} />
      </td>
    </tr>`;
  }

  #shownState({ state }) {
    return state === "training" && this.state.phase === "paused" ? "paused" : state;
  }

  #words(run) {
    const at = `${count(run.step)} of ${count(run.steps)}`;
    switch (this.#shownState(run)) {
      case "queued":
        return this.state.status ? "waiting for a free core" : "waiting for Python";
      case "opening":
        return "starting";
      case "training":
        return `${at} · ${speed(run.stepsPerSecond)} steps/s`;
      case "paused":
        return `${at} · paused`;
      case "stopped":
        return `${at} · stopped`;
      case "finished":
        return `${counted(run.steps, "step")} in ${duration(run.seconds)}`;
      case "diverged":
        return run.message ?? `diverged at step ${count(run.step)}`;
      default:
        return run.message.trim().split("\n").at(-1);
    }
  }
}

customElements.define("lab-runs", LabRuns);
