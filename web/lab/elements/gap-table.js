/** <lab-gaps>: what each encoding reached and how far it is from the control, with a verdict in words, and more seeds. */

import { html, nothing } from "lit";
import "../../charts/interval-plot.js";
import { count } from "../../charts/numbers.js";
import { UNITS } from "../../charts/units.js";
import { counted, distanceWords, gapWords } from "../format.js";
import { CONTROL, gapBetween, gapToControl, outcome } from "../gaps.js";
import "./encoding-mark.js";
import "./figure-save.js";
import { LabElement } from "./lab-element.js";
import { measuredNote } from "./measured-note.js";
import "./more-seeds.js";
/** @import { Gap, Measured, MeasuredEncoding, Run, State, Summary } from "../kinds.js" */
/** @import { Row } from "../gaps.js" */

/** The rule of thumb, in nats. */
const MATTERS = 0.1;
const NOISE = 0.01;
/** So many gaps between the others stand open; more of them wait to be asked for. */
const FEW_PAIRS = 3;

/** @typedef {{nats: number, low: number | null, high: number | null, seeds: number, verdict: string, more: number | null}} Shown */

class LabGaps extends LabElement {
  static watches = ["runs", "gaps", "summaries", "unit", "showMeasured", "phase"];
  /** @type {boolean | null} */
  #showsPairs = null; // true or false where the reader said so

  render() {
    const { runs, gaps, summaries } = this.state;
    const { rows, pairs } = outcome(runs, gaps);
    const measured = this.state.showMeasured && runs.length ? this.lab.measured() : null;
    const shown = this.#showsPairs ?? pairs.length <= FEW_PAIRS;
    const intervals = [...rows.flatMap(({ gap }) => gap ?? []), ...(shown ? pairs : [])];
    return html`<section class="gaps" aria-labelledby="gaps-title">
      <div>
        <h2 id="gaps-title">What does position buy?</h2>
        <p class="note" tabindex="-1">${runs.length ? this.#completeness(runs) : EMPTY}</p>
        ${runs.length ? this.#table({ rows, pairs, shown, summaries, measured }) : nothing}
        ${intervals.some(({ low }) => low !== null) || (measured && intervals.length) ? this.#plot(intervals, measured) : nothing}
        ${measured ? measuredNote(measured, `The lighter rows are means over ${counted(measured.seeds.length, "seed")}, with their 95 % intervals.`) : nothing}
        <lab-more-seeds .lab=${this.lab}></lab-more-seeds>
      </div>
      ${this.#reading()}
    </section>`;
  }

  /** @param {Run[]} runs */
  #completeness(runs) {
    const finished = runs.filter(({ state }) => state === "finished").length;
    if (finished === runs.length) return `All ${counted(runs.length, "run")} finished.`;
    return `Partial: ${count(finished)} of ${counted(runs.length, "run")} finished. A loss stands here when its run has taken its last step.`;
  }

  /** @param {{rows: Row[], pairs: Gap[], shown: boolean, summaries: Summary[], measured: Measured | null}} outcome */
  #table({ rows, pairs, shown, summaries, measured }) {
    const { unit } = this.lab;
    return html`<table class="outcome">
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col" class="number">Parameters</th>
          <th scope="col" class="number">Final validation loss<span class="unit">${unit.per}</span></th>
          <th scope="col" class="number">Against None<span class="unit">${unit.gapUnit}; ${unit.logarithmic ? "below × 1" : "negative"} is better</span></th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const summary = summaries.find(({ encoding }) => encoding === row.encoding);
          const elsewhere = measured?.encodings.find(({ encoding }) => encoding === row.encoding);
          return html`<tr data-encoding=${row.encoding}>
              <th scope="row">${this.#name(row.encoding)}</th>
              <td class="number" data-label="Parameters">${row.parameters === null ? "–" : count(row.parameters)}</td>
              <td class="number" data-label="Final validation loss">${unit.loss(row.mean)}${this.#spread(row, summary)}</td>
              ${this.#gap(row.gap, "Against None")}
            </tr>
            ${elsewhere && measured ? this.#elsewhere(elsewhere, gapToControl(measured.gaps, row.encoding), "Against None") : nothing}`;
        })}
      </tbody>
      ${pairs.length ? this.#pairs(pairs, shown, measured) : nothing}
    </table>`;
  }

  /** What the seeds of an encoding say together. @param {Row} row @param {Summary | undefined} summary */
  #spread({ finished, total }, summary) {
    const { unit } = this.lab;
    if (total === 1) return nothing;
    const of = finished < total ? `${finished} of ${total} seeds` : counted(finished, "seed");
    if (finished < 2 || summary?.seeds !== finished) return html`<span class="unit">${of}</span>`;
    const deviation = unit.gap(summary.deviation).replace(/^\+/, "");
    return html`<span class="unit">${of}, <abbr title="standard deviation">SD</abbr> ${deviation}</span>
      <span class="unit">95 %: ${unit.loss(summary.low)} to ${unit.loss(summary.high)}</span>`;
  }

  /** @param {Shown | null} gap @param {string} label */
  #gap(gap, label) {
    const { unit } = this.lab;
    if (!gap) return html`<td class="number" data-label=${label}>–</td><td class="verdict" data-label="Verdict"></td>`;
    const interval = gap.low === null ? nothing : html`<span class="unit">95 %: ${unit.gap(gap.low)} to ${unit.gap(gap.high)}</span>`;
    return html`<td class="number" data-label=${label}>${unit.gap(gap.nats)} ${interval}</td>
      <td class="verdict" data-label="Verdict">${gap.verdict}${settling(gap)}</td>`;
  }

  /**
   * The same, as it was measured over many seeds.
   * @param {MeasuredEncoding} measured
   * @param {Gap | null} gap
   * @param {string} label
   */
  #elsewhere({ seeds, final }, gap, label) {
    const { unit } = this.lab;
    const name = html`<th scope="row" colspan="2">${counted(seeds, "seed")}, measured elsewhere</th>`;
    const loss = html`<td class="number" data-label="Final validation loss">${unit.loss(final.mean)}
      <span class="unit">95 %: ${unit.loss(final.low)} to ${unit.loss(final.high)}</span></td>`;
    return html`<tr class="elsewhere">${name}${loss}${gap ? this.#gap({ ...gap, more: 0 }, label) : html`<td colspan="2"></td>`}</tr>`;
  }

  /** @param {Gap[]} pairs @param {boolean} open @param {Measured | null} measured */
  #pairs(pairs, open, measured) {
    const rows = pairs.map((pair) => {
      const elsewhere = measured && gapBetween(measured.gaps, pair.a, pair.b);
      return html`<tr data-pair="${pair.a}-${pair.b}">
          <th scope="row" colspan="3">${this.#name(pair.a)} <span class="minus">against</span> ${this.#name(pair.b)}</th>
          ${this.#gap(pair, "Gap")}
        </tr>
        ${elsewhere
          ? html`<tr class="elsewhere"><th scope="row" colspan="3">${counted(elsewhere.seeds, "seed")}, measured elsewhere</th>
              ${this.#gap({ ...elsewhere, more: 0 }, "Gap")}</tr>`
          : nothing}`;
    });
    return html`<tbody class="pairs">
      <tr>
        <th scope="rowgroup" colspan="5">
          <button type="button" class="unfold" aria-expanded=${String(open)} @click=${() => this.#unfold(!open)}>
            Between the others (${pairs.length})</button>
        </th>
      </tr>
      ${open ? rows : nothing}
    </tbody>`;
  }

  /** The gaps of the table on one axis. @param {Gap[]} gaps @param {Measured | null} measured */
  #plot(gaps, measured) {
    /** @param {Gap} gap */
    const named = (gap) => ({ ...gap, name: `${this.lab.encodingLabel(gap.a)} against ${this.lab.encodingLabel(gap.b)}` });
    const elsewhere = measured ? gaps.flatMap(({ a, b }) => gapBetween(measured.gaps, a, b) ?? []) : [];
    const rows = gaps.map((gap) => ({ ...named(gap), encoding: gap.b === CONTROL ? gap.a : null }));
    return html`<interval-plot .rows=${rows} .measured=${elsewhere.map(named)} .unit=${this.lab.unit}></interval-plot>
      <figure-save .lab=${this.lab} .heading=${`Gaps, ${this.lab.unit.gapUnit}`} .name=${"gaps"} .runs=${this.state.runs}></figure-save>`;
  }

  /** @param {boolean} open */
  #unfold(open) {
    this.#showsPairs = open;
    this.requestUpdate();
  }

  /** @param {string} encoding */
  #name(encoding) {
    return html`<span class="encoding"><encoding-mark encoding=${encoding}></encoding-mark> ${this.lab.encodingLabel(encoding)}</span>`;
  }

  #reading() {
    const { unit } = this.lab;
    const { gaps } = this.state;
    const inUnit = unit === UNITS.nats ? nothing : html` (${distanceWords(unit, MATTERS)}; ${distanceWords(unit, NOISE)})`;
    return html`<aside class="reading" aria-label="How to read the gaps">
      <p>
        <strong>${MATTERS} nats matters, ${NOISE} is noise</strong>${inUnit} at this size: another seed alone moves a
        final loss by hundredths, now and then by a tenth.
      </p>
      <p>
        <strong>A gap is paired.</strong> Runs of one seed share their first table, their layers and their batches, so
        losses are compared seed by seed. ${gaps.length > 1 ? "Each interval stands for itself: none is corrected for how many there are." : nothing}
      </p>
      <p>
        <strong>Three units, one loss.</strong> A loss of L nats gives the character that comes next a probability of
        e<sup>−L</sup>, as a geometric mean. In bits it is L / ln 2, or 1.443 L. The perplexity is e<sup>L</sup>:
        among so many characters an even choice would be as unsure. A difference of losses is there a ratio:
        ${gapWords(UNITS.nats, -MATTERS)} is ${gapWords(UNITS.bits, -MATTERS)}, or ${gapWords(UNITS.perplexity, -MATTERS)}.
      </p>
    </aside>`;
  }
}

const EMPTY = "The answer of your own runs will stand here: the final loss of each encoding, and how far apart they are.";

/** How many more seeds would settle the verdict on a gap. @param {Pick<Gap, "more" | "seeds">} gap */
function settling({ more, seeds }) {
  if (more === 0 || seeds === 1) return nothing;
  const words = more === null ? "more than 1,000 more seeds would be needed" : `about ${counted(more, "more seed")} may settle it`;
  return html`<span class="unit">${words}</span>`;
}

customElements.define("lab-gaps", LabGaps);
