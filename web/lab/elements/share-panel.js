/** <lab-share>: what can be taken from the page: a link, the numbers, the commands, a run as a file, and what is kept. */

import { html, nothing } from "lit";
import { download } from "../download.js";
import { embedTag } from "../embed-tag.js";
import { curvesCsv, experimentJson, fileName, resultsCsv, sweepCommand, TEXT_FILE } from "../exports.js";
import { isOwn } from "../own.js";
import { codeFiles } from "../own-code.js";
import "./copy-field.js";
import "./kept-list.js";
import { LabElement } from "./lab-element.js";
import "./run-file.js";
/** @import { Run } from "../kinds.js" */

class LabShare extends LabElement {
  static watches = ["runs", "phase", "values", "encodings", "seeds", "kept"];
  static properties = { isWriting: { state: true } };

  constructor() {
    super();
    /** Whether a file with the numbers is being written. */
    this.isWriting = false;
  }

  render() {
    const { lab } = this;
    const { runs, kept } = this.state;
    const isKept = kept.experiments.length + kept.unreadable.length > 0;
    return html`<section class="share" id="share" aria-labelledby="share-title">
      <h2 id="share-title">Keep it, share it, check it elsewhere</h2>
      <div class="share-groups ${runs.length || isKept ? "" : "few"}">
        <section aria-labelledby="share-link">
          <h3 id="share-link">Share the experiment</h3>
          <copy-field label=${runs.length ? "Link to the experiment on this page" : "Link to what the controls hold"} .value=${this.#link}></copy-field>
          <p class="note">${this.#aboutLink()}</p>
          <copy-field label="HTML that opens it in the page of a course" .value=${embedTag(lab.sharedQuery())}></copy-field>
          <p class="note">It goes into any page of any site. The README says what else the tag takes and tells.</p>
        </section>
        ${runs.length
          ? html`<section aria-labelledby="all-runs">
              <h3 id="all-runs">All runs</h3>
              ${this.#numbers(runs)}
            </section>`
          : nothing}
        <lab-run-file .lab=${lab}></lab-run-file>
        <section class="kept-runs" aria-labelledby="kept-title">
          <h3 id="kept-title" tabindex="-1">Kept in this browser</h3>
          <lab-kept .lab=${lab}></lab-kept>
        </section>
      </div>
    </section>`;
  }

  /** @param {Run[]} runs */
  #numbers(runs) {
    return html`<p class="action" role="group" aria-label="Save the numbers">
        ${this.#saves("Curves (CSV)", "curves", "csv", () => curvesCsv(runs))}
        ${this.#saves("Results (CSV)", "results", "csv", () => resultsCsv(this.lab.data, runs))}
        ${this.#saves("Everything (JSON)", "experiment", "json", () => this.#json())}
        <span role="status">${this.isWriting ? "Writing the file …" : ""}</span>
      </p>
      <p class="note">Losses are in nats per character. Each figure has a “Save the figure” of its own.</p>
      ${runs.length > 1
        ? html`<copy-field label="Copy as Python: trains them all outside the browser" .value=${sweepCommand(this.lab.data, runs)}></copy-field>
            <p class="note">In a copy of the lab’s source; its README says how.${this.#aboutFiles(runs)}</p>`
        : nothing}`;
  }

  /**
   * @param {string} label
   * @param {string} what
   * @param {"csv" | "json"} ending
   * @param {() => BlobPart | Promise<BlobPart>} write
   */
  #saves(label, what, ending, write) {
    return html`<button type="button" class="button" aria-disabled=${this.isWriting ? "true" : nothing}
      @click=${() => this.#save(what, ending, write)}>${label}</button>`;
  }

  /** What the command reads, in so many words where it reads anything. @param {Run[]} runs */
  #aboutFiles(runs) {
    const files = [...codeFiles(runs).values(), ...(runs[0].config.corpus === "own" ? [TEXT_FILE] : [])];
    return files.length ? ` It reads ${files.join(", ")}, which “One run” gives.` : "";
  }

  #aboutLink() {
    const { runs, values, encodings } = this.state;
    const shared = runs.length ? [...new Set(runs.map(({ encoding }) => encoding))] : encodings;
    const own = shared.filter(isOwn);
    const isOwnText = (runs[0]?.config ?? values).corpus === "own";
    if (own.length === 0 && !isOwnText) {
      return "It holds the settings and nothing else: whoever opens it and presses Run gets the same curves, up to rounding, from the same version of the lab.";
    }
    if (own.length === 0) return "It holds the settings, but not your text: whoever opens it pastes the text themselves.";
    const names = own.map((encoding, index) => html`${index ? ", " : ""}<bdi>${this.lab.encodingLabel(encoding)}</bdi>`);
    return html`It holds the settings, but ${isOwnText ? "neither your text nor" : "not"} your ${own.length > 1 ? "encodings" : "encoding"}
      ${names}: no link carries code. ${own.length === shared.length ? "It opens with the encodings that this page begins with. " : ""}Send
      the run as a file, or its code, to whom you want to see it.`;
  }

  get #link() {
    const { origin, pathname } = location;
    const query = this.lab.sharedQuery();
    return `${origin}${pathname}${query && `?${query}`}`;
  }

  #json() {
    const { runs, gaps, summaries } = this.state;
    const { data } = this.lab;
    return experimentJson({ table: data, runs, gaps, summaries, version: data.version, link: this.#link });
  }

  /**
   * Long curves take a while, in which the page goes on.
   * @param {string} what
   * @param {"csv" | "json"} ending
   * @param {() => BlobPart | Promise<BlobPart>} write
   */
  async #save(what, ending, write) {
    if (this.isWriting) return;
    const name = `${fileName(what, this.state.runs)}.${ending}`;
    this.isWriting = true;
    try {
      download(name, await write(), ending === "csv" ? "text/csv" : "application/json");
    } finally {
      this.isWriting = false;
    }
  }
}

customElements.define("lab-share", LabShare);
