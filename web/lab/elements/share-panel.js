/** <lab-share>: what can be taken from the page: a link, the numbers, the commands, a run as a file, and what is kept. */

import { html, nothing } from "lit";
import { download } from "../download.js";
import { curvesCsv, experimentJson, fileName, resultsCsv, sweepCommand } from "../exports.js";
import "./copy-field.js";
import "./kept-list.js";
import { LabElement } from "./lab-element.js";
import "./run-file.js";

class LabShare extends LabElement {
  static watches = ["runs", "phase", "values", "encodings", "seeds"];

  render() {
    const { lab } = this;
    const { runs } = this.state;
    return html`<section class="share" id="share" aria-labelledby="share-title">
      <h2 id="share-title">Keep it, share it, check it elsewhere</h2>
      <div class="share-groups">
        <section aria-labelledby="share-link">
          <h3 id="share-link">Share the experiment</h3>
          <copy-field label=${runs.length ? "Link to the experiment on this page" : "Link to what the controls hold"} .value=${this.#link}></copy-field>
          <p class="note">${this.#isOwn
            ? "It holds the settings, but not your text: whoever opens it pastes the text themselves."
            : "It holds the settings and nothing else: whoever opens it presses Run and gets the same curves."}</p>
        </section>
        <section aria-labelledby="all-runs">
          <h3 id="all-runs">All runs</h3>
          ${runs.length ? this.#numbers(runs) : html`<p class="note">After a run, its curves and results can be saved here.</p>`}
        </section>
        <lab-run-file .lab=${lab}></lab-run-file>
      </div>
      <section aria-labelledby="kept-title">
        <h3 id="kept-title" tabindex="-1">Kept in this browser</h3>
        <lab-kept .lab=${lab}></lab-kept>
      </section>
    </section>`;
  }

  #numbers(runs) {
    return html`<p class="action" role="group" aria-label="Save the numbers">
        <button type="button" class="button" @click=${() => this.#save("curves", "csv", curvesCsv(runs))}>Curves (CSV)</button>
        <button type="button" class="button" @click=${() => this.#save("results", "csv", resultsCsv(this.lab.data, runs))}>Results (CSV)</button>
        <button type="button" class="button" @click=${() => this.#save("experiment", "json", this.#json())}>Everything (JSON)</button>
      </p>
      <p class="note">Losses are in nats per character. Each figure has a “Save the figure” of its own.</p>
      ${runs.length > 1
        ? html`<copy-field label="Copy as Python: trains them all outside the browser" .value=${sweepCommand(this.lab.data, runs)}></copy-field>
            <p class="note">In a copy of the lab’s source; its README says how.</p>`
        : nothing}`;
  }

  get #isOwn() {
    const { runs, values } = this.state;
    return (runs[0]?.config ?? values).corpus === "own";
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

  #save(what, ending, text) {
    download(`${fileName(what, this.state.runs)}.${ending}`, text, ending === "csv" ? "text/csv" : "application/json");
  }
}

customElements.define("lab-share", LabShare);
