/** <figure-save>: saves the charts of the figure or lab around it as SVG or PNG, with what they show in small print. */

import { html, nothing } from "lit";
import { ChartElement } from "../../charts/chart-element.js";
import { figurePng, figureSvg } from "../../charts/figure-file.js";
import { download } from "../download.js";
import { asError } from "../errors.js";
import { fileName, smallPrint } from "../exports.js";
import { LabElement } from "./lab-element.js";
/** @import { EventOn, Run } from "../kinds.js" */

class FigureSave extends LabElement {
  static properties = {
    /** Title of the picture. */
    heading: { attribute: false },
    /** What its file's name begins with. */
    name: { attribute: false },
    /** The runs that it shows (run.js), or what a probe looked at. */
    runs: { attribute: false },
    /** More small print. */
    notes: { attribute: false },
    charts: { state: true },
    said: { state: true },
  };

  constructor() {
    super();
    this.heading = "";
    this.name = "";
    /** @type {Run[]} */
    this.runs = [];
    /** @type {string[]} */
    this.notes = [];
    /** @type {ChartElement[]} */
    this.charts = [];
    this.said = "";
  }

  render() {
    if (this.runs.length === 0) return nothing;
    return html`<details class="save" @toggle=${this.#look}>
      <summary>Save the figure</summary>
      ${this.charts.map((chart, index) => this.#choice(chart, this.charts.length > 1 ? index + 1 : null))}
      <p role="status">${this.said}</p>
    </details>`;
  }

  /** @param {ChartElement} chart @param {number | null} number */
  #choice(chart, number) {
    const which = number === null ? "" : ` ${number}`;
    return html`<p class="action">
      ${number === null ? "" : html`<span>Chart ${number}</span>`}
      ${["SVG", "PNG"].map(
        (kind) => html`<button type="button" class="button" aria-label="Save ${this.heading}${which && `, chart${which}`}, as ${kind}"
          @click=${() => this.#save(chart, kind, number)}>${kind}</button>`,
      )}
    </p>`;
  }

  /**
   * The charts come and go with what they show: those are saved that are there when the reader looks.
   * @param {EventOn<HTMLDetailsElement>} event
   */
  #look({ target }) {
    if (!target.open) return;
    this.charts = this.#found();
    this.said = this.charts.length ? "" : "There is no chart here now: what is shown is text.";
  }

  #found() {
    const around = this.closest("figure, article, section")?.querySelectorAll("*") ?? [];
    const all = [...around].filter((element) => element instanceof ChartElement);
    // The pictures themselves, not what turns their pages, and not the small ones that are buttons.
    return all.filter((chart) => !chart.closest("button") && !all.some((other) => other !== chart && chart.contains(other)));
  }

  /** @param {ChartElement} chart @param {string} kind @param {number | null} number */
  async #save(chart, kind, number) {
    const shown = chart.isConnected ? chart : this.#found()[(number ?? 1) - 1];
    const file = `${fileName(this.name, this.runs)}${number === null ? "" : `-${number}`}.${kind.toLowerCase()}`;
    try {
      const { origin, pathname } = location;
      const { version } = this.lab.data;
      const notes = [...this.notes, smallPrint(this.lab.data, this.runs), `Embedding Lab ${version}, ${origin}${pathname}`];
      const svg = figureSvg(shown, { title: this.heading, notes });
      if (kind === "SVG") download(file, svg, "image/svg+xml");
      else download(file, await figurePng(svg), "image/png");
      this.said = `${file} is saved.`;
    } catch (error) {
      this.said = `The figure could not be saved: ${asError(error).message}`;
    }
  }
}

customElements.define("figure-save", FigureSave);
