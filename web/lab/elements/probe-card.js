/** <probe-card probe="NAME">: a lab of the chapter, the same build for all: its model, its inputs, its number, its figure. */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { live } from "lit/directives/live.js";
import { percent } from "../../charts/numbers.js";
import { embedTag } from "../embed-tag.js";
import { dependsOnEncoding, isRun, isSameText, trainsItself, usualModel } from "../probe-subject.js";
import "../probe-views/elements.js";
import { viewOf } from "../probe-views/index.js";
import { lastLine, lookedAt, measured, OBSTACLES, pending } from "../probe-words.js";
import { bestRun, validationLoss } from "../run.js";
import { LabElement } from "./lab-element.js";
import "./copy-field.js";
import "./encoding-mark.js";
import "./figure-save.js";
import { settingField } from "./setting-field.js";
/** @import { EventOn, Picture, Probe } from "../kinds.js" */
/** @import { Answer, Entry, Task, Wrong } from "../probe-plan.js" */
/** @import { Source } from "../probe-subject.js" */
/** @import { Moment } from "../../charts/geometry-scrubber.js" */

/** How far from the screen a lab begins to ask, as a share of the screen's height. */
const NEAR = "50%";

class ProbeCard extends LabElement {
  static watches = ["probes", "runs", "selected", "phase", "status", "values", "encodings", "own", "seeds", "ownText", "unit"];
  static properties = { probe: {} };
  /** @type {IntersectionObserver | null} */
  #observer = null;
  #isNear = false;
  #fallback = "";
  #told = 0;
  #words = "";

  constructor() {
    super();
    this.probe = "";
  }

  connectedCallback() {
    this.#fallback ||= this.textContent.trim();
    if (!this.hasUpdated) this.replaceChildren();
    super.connectedCallback();
    this.#observer?.observe(this);
  }

  firstUpdated() {
    this.#observer = new IntersectionObserver(
      (entries) => this.#come(entries[entries.length - 1].isIntersecting),
      { rootMargin: `${NEAR} 0px` },
    );
    this.#observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#come(false);
  }

  /** @param {boolean} isNear */
  #come(isNear) {
    this.#isNear = isNear;
    this.lab.probes.near(this.probe, this, isNear);
  }

  /** What cannot be seen is not drawn again. */
  shouldUpdate() {
    return !this.hasUpdated || this.#isNear;
  }

  /** One frame later than the page's other figures, so that no frame of the screen has to draw both. */
  async scheduleUpdate() {
    if (this.hasUpdated) await new Promise(requestAnimationFrame);
    super.scheduleUpdate();
  }

  get #entry() {
    return this.state.probes[this.probe];
  }

  render() {
    const entry = this.#entry;
    const { title, name } = entry.probe;
    const id = `lab-${name}`;
    const answer = this.lab.probes.shown(name);
    const error = this.lab.probes.failed(name);
    return html`<article class="probe" aria-labelledby=${id}>
      <header>
        <h4 id=${id} aria-level=${this.lab.isEmbedded ? 2 : nothing}>${title}</h4>
        <p>${this.#link(title)}</p>
      </header>
      ${this.#model(entry)} ${this.#inputs(entry, error)} ${this.#trigger(entry)} ${this.#failure(entry, error)}
      ${answer ? this.#outcome(entry, answer, error) : html`<p class="waiting">${this.#waiting(entry, error)}</p>`}
      ${this.#code(entry)} ${this.lab.isEmbedded ? nothing : this.#embedding(name)}
      <p role="status" class="visually-hidden">${this.#news(entry, answer, error)}</p>
    </article>`;
  }

  /** To itself or, from a frame, to its place in the chapter. @param {string} title */
  #link(title) {
    const anchor = `#${this.id}`;
    return this.lab.isEmbedded
      ? html`<a href="index.html${anchor}" target="_blank" rel="noopener" aria-label="${anchor}, this lab in the chapter: ${title}">${anchor}</a>`
      : html`<a href=${anchor} aria-label="${anchor}, a link to this lab: ${title}">${anchor}</a>`;
  }

  /**
   * Which model: that of the selected run or of another encoding, as it is or before its training.
   * @param {Entry} entry
   */
  #model({ probe, choice }) {
    const { name } = probe;
    if (!dependsOnEncoding(probe)) return nothing;
    const { encoding, untrained } = choice;
    const id = `model-${name}`;
    return html`<div class="models">
      <label for=${id}>Model</label>
      <select id=${id} @change=${(/** @type {EventOn<HTMLSelectElement>} */ { target }) => this.lab.probes.chooseModel(name, { encoding: target.value || null })}>
        <option value="" .selected=${live(encoding === null)}>${usualModel(probe, this.state.runs)}</option>
        ${this.lab.encodings().map(
          ({ value, label }) => html`<option value=${value} .selected=${live(encoding === value)}>${label}</option>`,
        )}
      </select>
      ${probe.needsModel && this.state.runs.length
        ? html`<label class="check"><input type="checkbox" .checked=${untrained}
            @change=${(/** @type {EventOn<HTMLInputElement>} */ { target }) => this.lab.probes.chooseModel(name, { untrained: target.checked })} />
            before its training</label>`
        : nothing}
    </div>`;
  }

  /** @param {Entry} entry @param {Wrong | undefined} error */
  #inputs({ probe, args, task }, error) {
    if (!probe.arguments.length) return nothing;
    const { name } = probe;
    return html`<fieldset class="inputs" ?disabled=${trainsItself(probe) && task !== null}>
      <legend class="visually-hidden">What is asked</legend>
      ${probe.arguments.map((argument) =>
        settingField({
          setting: argument,
          value: args[argument.name],
          error: error?.field === argument.name ? error.message : undefined,
          change: (value) => this.lab.probes.setArgument(name, argument.name, value),
          id: `${name}-${argument.name}`,
        }),
      )}
    </fieldset>`;
  }

  /** Probes that train models of their own wait for the reader. @param {Entry} entry */
  #trigger({ probe, task }) {
    if (!trainsItself(probe)) return nothing;
    const { name, title } = probe;
    const { probes } = this.lab;
    const obstacle = probes.obstacle(name);
    // One button for both, on which the keyboard stays when the models are trained.
    return html`<p class="trigger">
      <button type="button" class="button" ?disabled=${!task && !probes.question(name)}
        @click=${() => (task ? probes.stop(name) : probes.start(name))}>${task ? "Stop" : "Train these models"}</button>
      ${task ? html`<progress max="1" .value=${task.progress} aria-label="Progress of ${title}"></progress>` : nothing}
      <span>${task ? this.#stage(task) : obstacle ? OBSTACLES[obstacle] : "It takes a while, in a core of its own."}</span>
    </p>`;
  }

  /** What was wrong, where it belongs to no field. @param {Entry} entry @param {Wrong | undefined} error */
  #failure({ probe }, error) {
    if (!error || probe.arguments.some(({ name }) => name === error.field)) return nothing;
    return html`<div class="failure">
      <p class="error">${lastLine(error.message)}</p>
      ${trainsItself(probe)
        ? nothing
        : html`<button type="button" class="button" @click=${() => this.lab.probes.askAgain(probe.name)}>Try again</button>`}
    </div>`;
  }

  /** @param {Entry} entry @param {Answer} answer @param {Wrong | undefined} error */
  #outcome(entry, answer, error) {
    const { probe } = entry;
    const { probes } = this.lab;
    const coming = pending(entry, probes.question(probe.name), probes.obstacleBeside(probe.name, answer), answer, error);
    const statement = html`<p class="looks-at">
      ${dependsOnEncoding(probe) ? html`<encoding-mark encoding=${answer.source.encoding}></encoding-mark>` : nothing}
      <span>${lookedAt(probe, answer, this.#label(answer.source))}</span>
      ${coming ? html`<span class="pending">${coming}</span>` : nothing}
    </p>`;
    return html`${statement}${guard([answer, this.state.unit, this.#best(answer)?.id], () => this.#drawn(answer))}
      <figure-save .lab=${this.lab} .heading=${probe.title} .name=${probe.name} .runs=${[answer.source]} .notes=${this.#about(probe, answer)}></figure-save>`;
  }

  /**
   * What was asked of which model, for the small print of a saved figure.
   * @param {Probe} probe
   * @param {Answer} answer
   */
  #about(probe, answer) {
    const asked = probe.arguments.map(({ name, label }) => `${label}: ${answer.args[name]}.`);
    return [[lookedAt(probe, answer, this.#label(answer.source)), ...asked].join(" ")];
  }

  /**
   * What a view draws from: the arguments, the run's label, the unit, the best run and, as they are kept, its pictures.
   * @param {Answer} answer
   */
  #view({ result, args, source, step }) {
    const pictures = args.frequency === "removed" || !isRun(source) ? [] : source.history;
    const moments = pictures.filter((picture) => picture.step <= step).map(momentOf);
    const label = this.#label(source);
    const run = this.#best({ source });
    const best = run && { label: this.#label(run), encoding: run.encoding, nats: validationLoss(run) ?? NaN };
    return viewOf(this.probe, result, { label, unit: this.lab.unit, best, step, ...(moments.length > 0 && { moments }) });
  }

  /** The best run on the text of an answer. @param {{source: Source}} of */
  #best({ source }) {
    return bestRun(this.state.runs.filter((run) => isSameText(run, source)));
  }

  /** @param {{encoding: string, seed: number}} of */
  #label({ encoding, seed }) {
    return `${this.lab.encodingLabel(encoding)}, seed ${seed}`;
  }

  /** @param {Entry} entry @param {Wrong | undefined} error */
  #waiting({ probe, task }, error) {
    if (!this.state.status) return this.#fallback;
    if (error) return "Nothing has been measured yet.";
    const obstacle = this.lab.probes.obstacle(probe.name);
    if (obstacle) return OBSTACLES[obstacle];
    if (trainsItself(probe)) return "What your models reach will stand here.";
    return task ? this.#stage(task) : "Waits for a free core.";
  }

  /** @param {Task} task */
  #stage({ progress, took }) {
    if (!took) return this.state.status ? "Waits for a free core." : "Waits for Python.";
    return `${percent(progress)} done`;
  }

  /** @param {Entry} entry */
  #code({ probe, code }) {
    const { name } = probe;
    return html`<details class="code" @toggle=${(/** @type {EventOn<HTMLDetailsElement>} */ { target }) => target.open && this.lab.probes.showCode(name)}>
      <summary>Show the code</summary>
      ${code?.code
        ? html`<p class="file">${code.file}, as it runs here</p><pre tabindex="0" role="group" aria-label="Python of ${probe.title}">${code.code}</pre>`
        : html`<p>${code?.message ?? "Asks Python for it …"}</p>`}
    </details>`;
  }

  /** For whoever teaches: this lab alone, with the experiment on the page. @param {string} name */
  #embedding(name) {
    const tag = embedTag(this.lab.sharedQuery(), { panels: `probe:${name}`, anchor: this.id });
    return html`<details class="code">
      <summary>Embed this lab</summary>
      <copy-field label="HTML for the page of a course" .value=${tag}></copy-field>
    </details>`;
  }

  /**
   * Said when the reader has asked for something and it is there; what is measured again by itself stays unsaid.
   * @param {Entry} entry
   * @param {Answer | undefined} answer
   * @param {Wrong | undefined} error
   */
  #news({ told }, answer, error) {
    if (told !== this.#told) {
      this.#told = told;
      this.#words = error ? lastLine(error.message) : answer ? measured(answer, () => this.#view(answer), this.#words) : "";
    }
    return this.#words;
  }

  /** @param {Answer} answer */
  #drawn(answer) {
    if (answer.result.defined === false) return html`<p class="undefined">${answer.result.why}</p>`;
    const { number, figure, notes = [] } = this.#view(answer);
    return html`${number
        ? html`<p class="measured"><strong>${number.value}</strong> <span class="of">${number.unit}</span>
            <span class="caption">${number.caption}</span></p>`
        : nothing}
      <div class="drawing">${figure}</div>
      ${notes.length ? html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>` : nothing}`;
  }
}

/** A picture of a run's table as <geometry-scrubber> takes it. @param {Picture} picture @returns {Moment} */
const momentOf = ({ step, points, explained, points3, explained3 }) => ({
  step, points2: points, explained2: explained, ...(points3 && { points3, explained3 }),
});

customElements.define("probe-card", ProbeCard);
