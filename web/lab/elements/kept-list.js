/** <lab-kept>: the experiments that this browser keeps, with date and settings, to be opened again or deleted. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { count } from "../../charts/numbers.js";
import { changedSettings, settingValue } from "../exports.js";
import { counted, duration, megabytes } from "../format.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";
/** @import { Kept, KeptExperiment, RunSummary } from "../kinds.js" */

const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

class LabKept extends LabElement {
  static watches = ["kept", "runs", "phase", "unit"];
  static properties = { asks: { state: true } };

  constructor() {
    super();
    /** Whether the reader is asked if all is to be deleted. */
    this.asks = false;
  }

  render() {
    const { state, message, experiments, unreadable } = this.state.kept;
    return html`<p class="note">${this.#about()}</p>
      ${message ? this.#trouble(state, message) : nothing}
      ${experiments.length ? html`<ol class="kept">${repeat(experiments, ({ id }) => id, (experiment, index) => this.#experiment(experiment, placed(index, experiments)))}</ol>` : nothing}
      ${unreadable.length ? html`<ol class="kept">${repeat(unreadable, ({ key }) => key, (record, index) => this.#unreadable(record, placed(index, unreadable)))}</ol>` : nothing}
      ${experiments.length + unreadable.length > 0 ? this.#deleteAll() : nothing}`;
  }

  #about() {
    const { state, experiments, quota } = this.state.kept;
    if (state === "loading") return "Looks for the runs that this browser keeps …";
    if (state === "unavailable") return "Runs stay on this page until it is closed or loaded anew.";
    const stay = "Runs that have ended, or were stopped, are kept in this browser by themselves and are sent nowhere. The browser may drop them when its disk is full, and clearing the data of this site deletes them.";
    if (!experiments.length) return `${stay} Nothing is kept yet.`;
    const bytes = experiments.reduce((sum, experiment) => sum + experiment.bytes, 0);
    const allowed = quota ? `, of ${size(quota)} that the browser allows this site` : "";
    return `${stay} They take about ${size(bytes)}${allowed}.`;
  }

  /** @param {Kept["state"]} state @param {string} message */
  #trouble(state, message) {
    return html`<div class="failure" role="alert">
      <p class="error">${message}</p>
      ${state === "ready" ? html`<button type="button" class="button" @click=${() => this.lab.keeper?.tryAgain()}>Try to keep them again</button>` : nothing}
    </div>`;
  }

  /**
   * Two experiments may be of the same minute: their place in the list tells their buttons apart.
   * @param {KeptExperiment} experiment
   * @param {string} place
   */
  #experiment(experiment, place) {
    const { id, keptAt, runs } = experiment;
    const isShown = this.state.runs.some((run) => run.experiment === id && run.key !== null);
    const date = DATE.format(keptAt);
    const name = `the experiment of ${date}${place}`;
    return html`<li data-experiment=${id}>
      <div class="row">
        <div>
          <p class="what">${this.#encodings(runs)}${isShown ? html` <span class="shown">on the page</span>` : nothing}</p>
          <p>${this.#best(runs)}</p>
          <p class="when"><time datetime=${new Date(keptAt).toISOString()}>${date}</time> · ${this.#settings(experiment)}</p>
        </div>
        <p class="action">
          <button type="button" class="button" ?disabled=${this.#isBusy} aria-label="Open ${name}"
            title=${this.#isBusy ? "An experiment is running: stop it first." : nothing}
            @click=${() => this.lab.openKept(id)}>Open</button>
          <button type="button" class="button" aria-label="Delete ${name}"
            @click=${(/** @type {Event} */ event) => this.#delete(event, runs.map(({ key }) => key))}>Delete</button>
        </p>
      </div>
      ${runs.length > 1 ? this.#runs(runs, name) : nothing}
    </li>`;
  }

  get #isBusy() {
    return ["running", "paused"].includes(this.state.phase);
  }

  /** @param {RunSummary[]} runs */
  #encodings(runs) {
    const encodings = [...new Set(runs.map(({ config }) => config.encoding))];
    const seeds = [...new Set(runs.map(({ config }) => config.seed))];
    return html`${encodings.map(
      (encoding) => html`<span class="encoding"><encoding-mark encoding=${encoding}></encoding-mark> <bdi>${this.lab.encodingLabel(encoding)}</bdi></span> `,
    )}<span class="seeds">${seeds.length > 1 ? "seeds" : "seed"} ${seeds.join(", ")}</span>`;
  }

  /** @param {RunSummary[]} runs */
  #best(runs) {
    const finished = runs.flatMap(({ state, loss, config }) => (state === "finished" && loss !== null ? [{ loss, config }] : []));
    const best = finished.sort((a, b) => a.loss - b.loss)[0];
    const words = best
      ? [`Best: ${this.#loss(best.loss)}, ${this.lab.encodingLabel(best.config.encoding)}, seed ${best.config.seed}`]
      : [];
    for (const state of ["stopped", "diverged"]) {
      const some = runs.filter((run) => run.state === state);
      if (some.length) words.push(`${counted(some.length, "run")} ${state === "stopped" ? "unfinished" : state}`);
    }
    return `${words.join(" · ")}.`;
  }

  /** In the unit that the whole page writes losses in. @param {number} nats */
  #loss(nats) {
    const { loss, per } = this.lab.unit;
    return `${loss(nats)} ${per}`;
  }

  /** @param {KeptExperiment} experiment */
  #settings({ config }) {
    const changed = changedSettings(this.lab.data, config);
    if (!changed.length) return "the default settings";
    return changed.map((setting) => `${setting.label} ${settingValue(setting, config[setting.name])}`).join(", ");
  }

  /** @param {RunSummary[]} runs @param {string} experiment */
  #runs(runs, experiment) {
    return html`<details>
      <summary>${counted(runs.length, "run")}</summary>
      <ul>
        ${repeat(runs, ({ key }) => key, (run, index) => {
          const { key, config, state, step, seconds, loss } = run;
          const name = `${this.lab.encodingLabel(config.encoding)}, seed ${config.seed}`;
          const end = state === "finished" ? counted(step, "step") : `${state} at step ${count(step)} of ${count(config.steps)}`;
          return html`<li class="row">
            <p><encoding-mark encoding=${config.encoding}></encoding-mark> ${name}${loss === null ? "" : ` · ${this.#loss(loss)}`} · ${end}, ${duration(seconds)}</p>
            <p class="action"><button type="button" class="button" aria-label="Delete ${name}${placed(index, runs)}, of ${experiment}"
              @click=${(/** @type {Event} */ event) => this.#delete(event, [key])}>Delete</button></p>
          </li>`;
        })}
      </ul>
    </details>`;
  }

  /** @param {{key: IDBValidKey, why: string}} record @param {string} place */
  #unreadable({ key, why }, place) {
    return html`<li data-unreadable>
      <div class="row">
        <div>
          <p class="what">Unreadable</p>
          <p>This version of the lab cannot read what is kept here: ${why.replace(/\.$/, "")}.</p>
        </div>
        <p class="action"><button type="button" class="button" aria-label="Delete what cannot be read${place}"
          @click=${(/** @type {Event} */ event) => this.#delete(event, [key])}>Delete</button></p>
      </div>
    </li>`;
  }

  /**
   * Deleted is deleted at once: one run can be trained again. The keyboard goes on beside what is gone, if it is.
   * @param {Event} event
   * @param {IDBValidKey[]} keys
   */
  async #delete({ target: pressed }, keys) {
    const item = pressed instanceof Element ? pressed.closest("li") : null;
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    if (!(await this.lab.keeper?.remove(keys))) return;
    await new Promise(requestAnimationFrame);
    await this.updateComplete;
    /** @type {HTMLElement | null | undefined} */
    const target = next?.isConnected ? next.querySelector("button:not(:disabled)") : null;
    (target ?? this.closest("section")?.querySelector("h3"))?.focus();
  }

  #deleteAll() {
    const { experiments, unreadable } = this.state.kept;
    if (!this.asks) {
      return html`<p class="action"><button type="button" class="button" @click=${() => this.#ask(true)}>Delete all …</button></p>`;
    }
    const runs = experiments.reduce((sum, experiment) => sum + experiment.runs.length, unreadable.length);
    return html`<div class="action" role="group" aria-label="Delete all">
      <p>Delete ${counted(runs, "kept run")} for good? What is on the page stays there.</p>
      <button type="button" class="button" @click=${this.#deleteAllNow}>Delete all ${count(runs)}</button>
      <button type="button" class="button" data-keep @click=${() => this.#ask(false)}>Keep them</button>
    </div>`;
  }

  /** The question takes the keyboard to the answer that costs nothing. @param {boolean} asks */
  async #ask(asks) {
    this.asks = asks;
    await this.updateComplete;
    this.within(asks ? "[data-keep]" : ":scope > .action:last-child button:last-child")?.focus();
  }

  async #deleteAllNow() {
    if (!(await this.lab.keeper?.removeAll())) return;
    this.asks = false;
    this.closest("section")?.querySelector("h3")?.focus();
  }
}

/**
 * Which of several something is, at the end of its name: " (2 of 3)"; nothing is said of one alone.
 * @param {number} index
 * @param {unknown[]} all
 */
const placed = (index, all) => (all.length > 1 ? ` (${index + 1} of ${all.length})` : "");

/** A size in MB, or GB where those are many. @param {number} bytes */
const size = (bytes) => (bytes < 1e9 ? `${megabytes(bytes)} MB` : `${count(Math.round(bytes / 1e9))} GB`);

customElements.define("lab-kept", LabKept);
