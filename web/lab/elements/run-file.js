/** <lab-run-file>: one run as a file that other programs open, the command that trains it again, and a run from a file. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { download } from "../download.js";
import { TEXT_FILE, trainCommand } from "../exports.js";
import { megabytes } from "../format.js";
import { lastLine } from "../probe-words.js";
import { isUnderWay } from "../run.js";
import "./copy-field.js";
import { LabElement } from "./lab-element.js";

/** What of Hugging Face's transformers opens a run, or null where nothing does; Bloom has the slopes of 1, 2, 4 or 8 heads. */
function architecture({ encoding, heads }) {
  if (encoding === "rope") return "GPT-NeoX";
  if (encoding === "alibi") return (heads & (heads - 1)) === 0 ? "Bloom" : null;
  return "GPT-2";
}

/** What cannot be done now stays in reach of the keyboard, which would be lost with a control that is disabled. */
class LabRunFile extends LabElement {
  static watches = ["runs", "selected", "phase"];
  static properties = { works: { state: true }, error: { state: true }, isOver: { state: true } };

  constructor() {
    super();
    /** What is being done: "download", "open" or null. */
    this.works = null;
    /** What went wrong, and with which of the two: {at, message}. */
    this.error = null;
    /** Whether a file is held over the place to drop it. */
    this.isOver = false;
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

  #one(run) {
    const { runs } = this.state;
    const obstacle = this.#obstacle(run);
    const opens = architecture(run.config);
    return html`<p class="field">
        <label for="run-file">Run</label>
        <select id="run-file" @change=${(event) => this.lab.select(event.target.value)}>
          ${runs.map(({ id, encoding, seed }) => html`<option value=${id} .selected=${live(id === run.id)}>${this.lab.encodingLabel(encoding)}, seed ${seed}</option>`)}
        </select>
      </p>
      <p class="action">
        <button type="button" class="button" aria-disabled=${obstacle !== null || this.works !== null ? "true" : nothing}
          @click=${() => this.#download(run)}>Download this run</button>
        <span role="status">${this.works === "download" ? "Python packs it …" : (obstacle ?? "")}</span>
      </p>
      ${this.#failure("download")}
      <p class="note">
        A .zip with the model (<code>model.safetensors</code>) and its characters, ${opens
          ? html`which Hugging Face’s <code>transformers</code> opens as ${opens}`
          : html`which <code>safetensors</code> reads; no architecture of <code>transformers</code> holds it`}, and with
        all that this lab needs to go on with it. Its README shows how.
      </p>
      <copy-field label="Copy as Python: trains the same run outside the browser" .value=${trainCommand(this.lab.data, run.config)}></copy-field>
      ${run.config.corpus === "own" ? this.#ownText(run) : nothing}`;
  }

  #ownText({ text }) {
    return html`<p class="action">
      <button type="button" class="button" ?disabled=${text === null} @click=${() => download(TEXT_FILE, text, "text/plain;charset=utf-8")}>
        Download ${TEXT_FILE}</button>
      <span>Your text, which the command reads.</span>
    </p>`;
  }

  /** Why a run is no file yet. */
  #obstacle(run) {
    if (isUnderWay(run)) return "It can be downloaded when it has ended or was stopped.";
    if (run.saved) return null;
    if (run.lost || run.state === "failed") return "What it learned was lost with its Python.";
    return run.step === 0 ? "It has not taken a step." : "It is being saved …";
  }

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
        ? "Python reads it …"
        : this.#isBusy
          ? "An experiment is running: stop it first, since the run takes its place."
          : "It takes the place of what is on the page. If it was stopped, it can go on where it was."}</p>
      ${this.#failure("open")}`;
  }

  #hold(event) {
    event.preventDefault(); // so that the browser lets go of the file here, and does not open it
    this.isOver = true;
  }

  #drop(event) {
    event.preventDefault();
    this.isOver = false;
    const [file] = event.dataTransfer.files;
    if (file) this.#read(file);
  }

  #ask(event) {
    if (!this.#takesFile) event.preventDefault(); // which file it is to be
  }

  async #choose(event) {
    const { target } = event;
    const [file] = target.files;
    if (!file) return;
    await this.#read(file);
    target.value = ""; // so that the same file can be chosen again
  }

  /** A file that is too large is refused unread: it would fill the tab's memory. */
  async #read(file) {
    if (!this.#takesFile) return;
    await this.#work("open", async () => {
      const { largestFile } = this.lab.data;
      if (file.size > largestFile) {
        throw new Error(`${file.name} has ${megabytes(file.size)} MB; a saved run has at most ${megabytes(largestFile)} MB, so it is none.`);
      }
      await this.lab.openFile(new Uint8Array(await file.arrayBuffer()));
    });
  }

  async #work(what, act) {
    this.works = what;
    this.error = null;
    try {
      await act();
    } catch (error) {
      this.error = { at: what, message: lastLine(error.message) };
    }
    this.works = null;
  }

  #failure(at) {
    return this.error?.at === at ? html`<p class="error" role="alert">${this.error.message}</p>` : nothing;
  }
}

customElements.define("lab-run-file", LabRunFile);
