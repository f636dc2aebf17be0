/** <lab-run-file>: one run as a file that other programs open, the command that trains it again, and a run from a file. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { download } from "../download.js";
import { asError } from "../errors.js";
import { TEXT_FILE, trainCommand } from "../exports.js";
import { megabytes } from "../format.js";
import { isOwn } from "../own.js";
import { codeFiles } from "../own-code.js";
import { lastLine } from "../probe-words.js";
import { isUnderWay } from "../run.js";
import "./copy-field.js";
import { CONSEQUENCES, foreignCode } from "./foreign-code.js";
import { LabElement } from "./lab-element.js";
/** @import { Config, EventOn, Run } from "../kinds.js" */

/**
 * What other programs make of a run, as a part of a sentence.
 * @param {string | null | undefined} by what of Hugging Face's transformers opens it; null where nothing does, undefined of an
 *   encoding of the reader's own: what that supplies decides, and the README of the file tells
 */
function opened(by) {
  if (by === undefined) return html`which Hugging Face’s <code>transformers</code> opens where one of its architectures has such positions`;
  if (by === null) return html`which <code>safetensors</code> reads; no architecture of <code>transformers</code> holds it`;
  return html`which Hugging Face’s <code>transformers</code> opens as ${by}`;
}

/** What cannot be done now stays in reach of the keyboard, which would be lost with a control that is disabled. */
class LabRunFile extends LabElement {
  static watches = ["runs", "selected", "phase"];
  static properties = { works: { state: true }, error: { state: true }, isOver: { state: true }, asks: { state: true } };

  constructor() {
    super();
    /** @type {"download" | "open" | null} What is being done. */
    this.works = null;
    /** @type {{at: "download" | "open", message: string} | null} What went wrong, and with which of the two. */
    this.error = null;
    /** Whether a file is held over the place to drop it. */
    this.isOver = false;
    /** @type {{name: string, code: string, answer: (isAllowed: boolean) => void} | null} Code in a file that the reader is asked about. */
    this.asks = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.asks?.answer(false);
  }

  render() {
    const run = this.#selected;
    return html`${run
        ? html`<section aria-labelledby="one-run">
            <h3 id="one-run">One run</h3>
            ${this.#one(run)}
          </section>`
        : nothing}
      <section aria-labelledby="open-run">
        <h3 id="open-run">Open a run</h3>
        ${this.#open()}
      </section>`;
  }

  get #selected() {
    const { runs, selected } = this.state;
    return runs.find(({ id }) => id === selected);
  }

  /** @param {Run} run */
  #one(run) {
    const { runs } = this.state;
    const obstacle = this.#obstacle(run);
    return html`<p class="field">
        <label for="run-file">Run</label>
        <select id="run-file" @change=${(/** @type {EventOn<HTMLSelectElement>} */ { target }) => this.lab.select(target.value)}>
          ${runs.map(({ id, encoding, seed }) => html`<option dir="auto" value=${id} .selected=${live(id === run.id)}>${this.lab.encodingLabel(encoding)}, seed ${seed}</option>`)}
        </select>
      </p>
      <p class="action">
        <button type="button" class="button" aria-disabled=${obstacle !== null || this.works !== null ? "true" : nothing}
          @click=${() => this.#download(run)}>Download this run</button>
        <span role="status">${this.works === "download" ? "Python packs it …" : (obstacle ?? "")}</span>
      </p>
      ${this.#failure("download")}
      <p class="note">
        A .zip with the model (<code>model.safetensors</code>) and its characters, ${opened(this.lab.data.architectures[run.encoding]?.[run.config.heads - 1])}, and with
        all that this lab needs to go on with it${run.code === null ? "" : ", the code of your encoding among it"}. Its
        README shows how.
      </p>
      <copy-field label="Copy as Python: trains the same run outside the browser" .value=${trainCommand(this.lab.data, run.config, runs)}></copy-field>
      ${run.code === null ? nothing : this.#file(codeFiles(runs).get(run.encoding) ?? "encoding.py", run.code, "text/x-python", "Your encoding, which the command runs.", this.#edit(run.code))}
      ${run.config.corpus === "own" ? this.#file(TEXT_FILE, run.text, "text/plain", "Your text, which the command reads.") : nothing}`;
  }

  /** @param {string} code */
  #edit(code) {
    if (!this.lab.offersEditor) return nothing;
    return html`<button type="button" class="button" @click=${() => this.lab.openEditor(code)}>Edit a copy</button>`;
  }

  /**
   * @param {string} name
   * @param {string | null} content
   * @param {string} type
   * @param {string} what
   * @param {unknown} [more]
   */
  #file(name, content, type, what, more = nothing) {
    return html`<p class="action">
      <button type="button" class="button" ?disabled=${content === null} @click=${() => download(name, content ?? "", `${type};charset=utf-8`)}>
        Download ${name}</button>
      ${more} <span>${what}</span>
    </p>`;
  }

  /** Why a run is no file yet. @param {Run} run */
  #obstacle(run) {
    if (!this.lab.consent.allows(run)) return "Python has to run its code for that: allow it first.";
    if (isUnderWay(run)) return "It can be downloaded when it has ended or was stopped.";
    if (run.saved) return null;
    if (run.lost || run.state === "failed") return "What it learned was lost with its Python.";
    return run.step === 0 ? "It has not taken a step." : "It is being saved …";
  }

  /** @param {Run} run */
  async #download(run) {
    if (this.#obstacle(run) !== null || this.works !== null) return;
    await this.#work("download", async () => {
      const { name, bytes } = await this.lab.fileOf(run.id);
      download(name, bytes, "application/zip");
    });
  }

  get #isBusy() {
    return ["running", "paused"].includes(this.state.phase);
  }

  get #takesFile() {
    return !this.#isBusy && this.works === null;
  }

  #open() {
    return html`<div class="drop ${this.isOver ? "over" : ""}"
        @dragover=${this.#hold} @dragleave=${() => (this.isOver = false)} @drop=${this.#drop}>
        <label for="open-file">A .zip that “Download this run” made; drop it here, or</label>
        <input id="open-file" type="file" accept=".zip,application/zip" aria-describedby="open-file-note"
          aria-disabled=${this.#takesFile ? nothing : "true"} @click=${this.#ask} @change=${this.#choose} />
      </div>
      <p class="note" id="open-file-note" role="status">${this.works === "open"
        ? this.asks ? "Its code waits for your answer." : "Python reads it …"
        : this.#isBusy
          ? "An experiment is running: stop it first, since the run takes its place."
          : "It takes the place of what is on the page. If it was stopped, it can go on where it was."}</p>
      ${this.asks ? this.#question(this.asks) : nothing}
      ${this.#failure("open")}`;
  }

  /** @param {NonNullable<LabRunFile["asks"]>} asks */
  #question({ name, code, answer }) {
    return html`<div class="question" role="group" aria-labelledby="run-code" @keydown=${this.#dismiss}>
      <h4 id="run-code" tabindex="-1">Run this code?</h4>
      <p>The run in this file has an encoding of its own, <bdi>${name}</bdi>: Python that the lab has to run to open it.</p>
      ${foreignCode([name], code)}
      <p class="note">${CONSEQUENCES}</p>
      <p class="action">
        <button type="button" class="button" @click=${() => answer(true)}>Run this code</button>
        <button type="button" class="button" @click=${() => answer(false)}>Cancel</button>
        ${this.#edit(code)}
      </p>
    </div>`;
  }

  /** @param {KeyboardEvent} event */
  #dismiss(event) {
    if (event.key === "Escape") this.asks?.answer(false);
  }

  /**
   * Show the code and wait for the reader; the keyboard is at the question, and then back where the file was chosen.
   * @param {{name: string, code: string}} found
   * @returns {Promise<boolean>}
   */
  async #mayRun({ name, code }) {
    const answered = new Promise((answer) => (this.asks = { name, code, answer }));
    await this.updateComplete;
    this.within("#run-code")?.focus();
    const isAllowed = await answered;
    this.asks = null;
    this.within("#open-file")?.focus();
    return isAllowed === true;
  }

  /** @param {DragEvent} event */
  #hold(event) {
    event.preventDefault(); // so that the browser lets go of the file here, and does not open it
    this.isOver = true;
  }

  /** @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    this.isOver = false;
    const file = event.dataTransfer?.files[0];
    if (file) this.#read(file);
  }

  /** @param {Event} event */
  #ask(event) {
    if (!this.#takesFile) event.preventDefault(); // which file it is to be
  }

  /** @param {EventOn<HTMLInputElement>} event */
  async #choose({ target }) {
    const file = target.files?.[0];
    if (!file) return;
    await this.#read(file);
    target.value = ""; // so that the same file can be chosen again
  }

  /** A file that is too large is refused unread: it would fill the tab's memory. @param {File} file */
  async #read(file) {
    if (!this.#takesFile) return;
    await this.#work("open", async () => {
      const { largestFile } = this.lab.data;
      if (file.size > largestFile) {
        throw new Error(`${file.name} has ${megabytes(file.size)} MB; a saved run has at most ${megabytes(largestFile)} MB, so it is none.`);
      }
      await this.lab.openFile(new Uint8Array(await file.arrayBuffer()), (found) => this.#mayRun(found));
    });
  }

  /** @param {"download" | "open"} what @param {() => Promise<void>} act */
  async #work(what, act) {
    this.works = what;
    this.error = null;
    try {
      await act();
    } catch (error) {
      this.error = { at: what, message: lastLine(asError(error).message) };
    }
    this.works = null;
  }

  /** @param {string} at */
  #failure(at) {
    return this.error?.at === at ? html`<p class="error" role="alert">${this.error.message}</p>` : nothing;
  }
}

customElements.define("lab-run-file", LabRunFile);
