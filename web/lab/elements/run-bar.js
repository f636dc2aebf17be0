/**
 * <lab-run-bar>: Run, Pause, Resume, Stop, Reset, and how far the whole experiment is.
 *
 * Stop is not disabled when the runs end, or a keyboard that was on it would find itself on Reset.
 */

import { html, nothing } from "lit";
import { count } from "../../charts/numbers.js";
import { counted, duration, speed } from "../format.js";
import { lastLine } from "../probe-words.js";
import { isUnderWay, totals } from "../run.js";
import { LabElement } from "./lab-element.js";
/** @import { Run } from "../kinds.js" */

class LabRunBar extends LabElement {
  static watches = ["phase", "runs", "encodings", "seeds", "errors", "status", "textLoading", "panels"];

  render() {
    const { runs } = this.state;
    return html`<div class="run-bar" data-phase=${this.state.phase}>
      <div class="buttons" role="group" aria-label="Experiment">
        ${this.#primary()}
        ${runs.length
          ? html`<button type="button" class="button" aria-disabled=${this.#active ? nothing : "true"} @click=${this.#stop}>Stop</button>
              <button type="button" class="button" @click=${this.#reset}>Reset</button>`
          : nothing}
      </div>
      <div class="run-status">${runs.length ? this.#progress() : html`<p>${this.#invitation()}</p>`}</div>
      ${this.#troubles().map((words) => html`<p class="error">${words}</p>`)}
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
    if (phase === "running" && waitsForOthers(runs)) words.push("waits until another lab has a core to spare");
    if (phase === "running" && stepsPerSecond) words.push(`${speed(stepsPerSecond)} steps/s`);
    if (phase === "running" && secondsLeft !== null) words.push(`about ${duration(secondsLeft)} left`);
    if (phase === "paused") words.push("paused");
    if (phase === "stopped") words.push("stopped");
    if (phase === "finished") words.push(`${counted(ended, "run")} ended`);
    return html`<progress max=${Math.max(steps, 1)} .value=${step} aria-label="Steps of the whole experiment"></progress>
      <p>${words.join(" · ")}</p>`;
  }

  /** What is told elsewhere, where the page has that: what is wrong with a setting at its control, why a run failed in the list. */
  #troubles() {
    const { panels, errors, runs } = this.state;
    const settings = panels.includes("controls") ? [] : Object.entries(errors).filter(([field]) => field !== "encodings");
    const failed = panels.includes("loss") ? [] : runs.filter(({ state }) => state === "failed" || state === "diverged");
    return [
      ...settings.map(([, message]) => message),
      ...failed.map(({ label, step, message }) => `${label}: ${message ? lastLine(message) : `diverged at step ${count(step)}`}`),
    ];
  }

  #stop() {
    if (!this.#active) return;
    this.lab.stop();
    // Stop does nothing more; keep the keyboard where it can go on.
    this.within(".primary")?.focus();
  }

  #reset() {
    this.lab.reset();
    this.within(".primary")?.focus();
  }
}

/** Whether other labs have all cores: runs wait for one, and none of them trains. @param {Run[]} runs */
const waitsForOthers = (runs) =>
  runs.some(({ waitsForCore }) => waitsForCore) && runs.filter(isUnderWay).every(({ state, waitsForCore }) => waitsForCore || state === "queued");

customElements.define("lab-run-bar", LabRunBar);
