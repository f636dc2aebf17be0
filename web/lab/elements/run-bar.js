/** <lab-run-bar>: Run, Pause, Resume, Stop, Reset, and how far the whole experiment is. */

import { html, nothing } from "lit";
import { count } from "../../charts/numbers.js";
import { counted, duration, speed } from "../format.js";
import { totals } from "../run.js";
import { LabElement } from "./lab-element.js";

class LabRunBar extends LabElement {
  static watches = ["phase", "runs", "encodings", "seeds", "errors", "status", "textLoading"];

  render() {
    const { runs } = this.state;
    return html`<div class="run-bar" data-phase=${this.state.phase}>
      <div class="buttons" role="group" aria-label="Experiment">
        ${this.#primary()}
        ${runs.length
          ? html`<button type="button" class="button" ?disabled=${!this.#active} @click=${this.#stop}>Stop</button>
              <button type="button" class="button" @click=${this.#reset}>Reset</button>`
          : nothing}
      </div>
      <div class="run-status">${runs.length ? this.#progress() : html`<p>${this.#invitation()}</p>`}</div>
    </div>`;
  }

  get #active() {
    return this.state.phase === "running" || this.state.phase === "paused";
  }

  #primary() {
    const { phase } = this.state;
    const [label, act] =
      phase === "running"
        ? ["Pause", () => this.lab.pause()]
        : phase === "paused"
          ? ["Resume", () => this.lab.resume()]
          : ["Run", () => this.lab.run()];
    return html`<button type="button" class="button primary" data-testid="primary" @click=${act}>${label}</button>`;
  }

  #invitation() {
    const { encodings, errors, textLoading } = this.state;
    if (textLoading) return "Loading the text …";
    const wrong = Object.keys(errors).length;
    if (wrong) return `${counted(wrong, "setting")} to correct before the experiment can run.`;
    const seeds = this.lab.seedCount();
    const each = seeds > 1 ? "encoding and seed" : "encoding";
    return `Trains ${counted(encodings.length * seeds, "model")}, one for each ${each}, alike in all else.`;
  }

  #progress() {
    const { runs, phase, status } = this.state;
    const { step, steps, stepsPerSecond, secondsLeft, ended } = totals(runs);
    const words = [`${count(step)} of ${counted(steps, "step")}`];
    if (phase === "running" && !status) words.push("starts as soon as Python is ready");
    if (phase === "running" && stepsPerSecond) words.push(`${speed(stepsPerSecond)} steps/s`);
    if (phase === "running" && secondsLeft !== null) words.push(`about ${duration(secondsLeft)} left`);
    if (phase === "paused") words.push("paused");
    if (phase === "stopped") words.push("stopped");
    if (phase === "finished") words.push(`${counted(ended, "run")} ended`);
    return html`<progress max=${Math.max(steps, 1)} .value=${step} aria-label="Steps of the whole experiment"></progress>
      <p>${words.join(" · ")}</p>`;
  }

  #stop() {
    this.lab.stop();
    // Stop is about to be disabled; keep the keyboard where it can go on.
    this.querySelector(".primary").focus();
  }

  #reset() {
    this.lab.reset();
    this.querySelector(".primary").focus();
  }
}

customElements.define("lab-run-bar", LabRunBar);
