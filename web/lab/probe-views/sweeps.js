/** Views of the labs that train models of their own: widths, one table or two, amplitudes of the sinusoid. */

import { html } from "lit";
import { count, significant } from "../../charts/numbers.js";
import { encodingColor, encodingSign } from "../../charts/palette.js";
import { distanceWords, lossWords } from "../format.js";
import { figure } from "./figure.js";
import { encodingName, inUnit, isSaid, lossAxis, recipe } from "./words.js";
/** @import { Results, SweepRow } from "../results.js" */
/** @import { View, ViewArguments } from "./index.js" */
/** @import { Unit } from "../../charts/units.js" */
/** @import { Baselines } from "../../charts/loss-range.js" */
/** @import { Series } from "../../charts/line-plot.js" */

const LOSS = "validation loss";
const DIVERGED = "diverged, so it has no loss";
const NOTICEABLE = 0.1; // nats: as the chapter says, a tenth matters
const NEAR_UNIGRAM = 0.1; // nats within which a run knows little more than how frequent each character is

/**
 * The rows of a sweep that did not diverge.
 * @template {SweepRow} R
 * @param {R[]} rows
 */
const measured = (rows) => rows.flatMap((row) => (row.mean === null ? [] : [{ ...row, mean: row.mean }]));
/**
 * The measured rows of a sweep as a series: the mean, with the least and the greatest of the seeds and each of them.
 * @template {SweepRow} R
 * @param {Unit} unit
 * @param {R[]} rows
 * @param {(row: R) => number} x
 * @param {Pick<Series, "name" | "color" | "sign">} style
 * @returns {Series}
 */
const series = (unit, rows, x, style) => ({
  ...style, x: rows.map(x), spread: "bars", dots: rows.map(({ losses }) => inUnit(unit, losses)),
  y: inUnit(unit, rows.map(({ mean }) => mean)), low: inUnit(unit, rows.map(({ low }) => low)), high: inUnit(unit, rows.map(({ high }) => high)),
});
/** @param {Unit} unit @param {Baselines} baselines */
const levels = (unit, { unigram, bigram }) => [{ name: "unigram", value: unit.of(unigram) }, { name: "bigram", value: unit.of(bigram) }];
/** @param {Unit} unit @param {Pick<SweepRow, "low" | "high">} row */
const spreadOf = (unit, { low, high }) => `${unit.loss(low)} to ${unit.loss(high)}`;

/**
 * Claim 8: loss against width, with the spread of the seeds.
 * @param {Results["width"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function width(result, { unit }) {
  const { encoding, baselines, widths, best, gaps } = result;
  const known = measured(widths);
  const winner = known.find(({ d }) => d === best);
  const style = { name: `mean of ${recipe(result)}; bar: least to most`, color: encodingColor(encoding), sign: encodingSign(encoding) };
  const runnerUp = winner && known.filter(({ d }) => d !== best).sort((a, b) => a.mean - b.mean)[0];
  const pair = runnerUp && gaps.find(({ a, b }) => [a, b].sort().join() === [`d = ${best}`, `d = ${runnerUp.d}`].sort().join());
  return {
    number: winner
      ? { value: `d = ${best}`, unit: "", caption: `has the lowest mean validation loss, ${lossWords(unit, winner.mean)} (${spreadOf(unit, winner)}), of ${encodingName(encoding)} with ${recipe(result)}` }
      : null,
    figure: html`
      ${figure("Loss against width", html`<line-plot .x=${{ label: "width d (even steps are equal factors)", kind: "log", ticks: known.map(({ d }) => d), format: count }} .y=${lossAxis(unit, LOSS)}
        .series=${[series(unit, known, ({ d }) => d, style)]} .levels=${levels(unit, baselines)}
        .summary=${`Mean validation loss, ${unit.per}: ${known.map(({ d, mean }) => `${unit.loss(mean, 2)} at d = ${d}`).join(", ")}.`}></line-plot>`)}
      ${figure("Loss against parameters", html`<line-plot .x=${{ label: "parameters (even steps are equal factors)", kind: "log", ticks: known.map(({ parameters }) => parameters), format: count }} .y=${lossAxis(unit, LOSS)}
        .series=${[series(unit, known, ({ parameters }) => parameters, style)]} .levels=${levels(unit, baselines)}
        .summary=${`Parameters: ${known.map(({ d, parameters }) => `${count(parameters)} at d = ${d}`).join(", ")}.`}></line-plot>`)}`,
    notes: [
      ...widths.filter(({ mean }) => mean === null).map(({ d }) => `d = ${d} ${DIVERGED}.`),
      pair && runnerUp && `Against the next best, d = ${runnerUp.d}: ${distanceWords(unit, pair.nats)}, ${pair.verdict}.`,
      winner && known.length > 1 && best === Math.max(...known.map(({ d }) => d)) && "The widest is the best here: on this text, with this many updates, “too wide” was not reached.",
      winner && known.length > 1 && best === Math.min(...known.map(({ d }) => d)) && "The narrowest is the best here: “too narrow” was not reached.",
      headsNote(widths),
    ].filter(isSaid),
  };
}

/** The heads of a sweep, where they are not the same at every width. @param {{heads: number, d: number}[]} widths */
function headsNote(widths) {
  const heads = [...new Set(widths.map((each) => each.heads))];
  return heads.length > 1 ? `Heads: ${widths.map((each) => `${each.heads} at d = ${each.d}`).join(", ")}.` : "";
}

/**
 * Claim 19: one table for both jobs, or two.
 * @param {Results["tying"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function tying(result, { unit }) {
  const { encoding, saved, tied, untied, gap: difference } = result;
  /** @param {number[]} values */
  const mean = (values) => significant(values.reduce((sum, value) => sum + value, 0) / values.length, 2);
  const losses = [...tied.losses, ...untied.losses].filter((loss) => loss !== null).map((loss) => unit.of(loss));
  const margin = losses.length ? 0.15 * (Math.max(...losses) - Math.min(...losses)) || 0.01 : 0;
  /** @type {[string, typeof tied][]} */
  const rows = [["tied", tied], ["untied", untied]];
  // The result has untied minus tied; the chapter speaks of what tying changes, from untied to tied.
  const interval = difference && difference.low !== null && difference.high !== null ? `; 95 % from ${unit.gap(-difference.high)} to ${unit.gap(-difference.low)}` : "";
  return {
    number: difference
      ? { value: unit.gap(-difference.nats), unit: unit.gapUnit, caption: `change of the loss from untied to tied, for ${encodingName(encoding)} over ${recipe(result)}${interval}: ${difference.verdict}` }
      : null,
    figure: html`
      ${losses.length ? figure("Validation loss of each seed", html`<bar-list .labels=${"E and unembedding"} .quantity=${`${unit.per}; the axis does not begin at 0`}
        .range=${[Math.min(...losses) - margin, Math.max(...losses) + margin]}
        .bars=${rows.map(([label, each]) => ({ label, value: inUnit(unit, [each.mean])[0], text: unit.loss(each.mean), note: each.mean === null ? DIVERGED : spreadOf(unit, each), dots: inUnit(unit, each.losses) }))}
        .summary=${"A dot is a seed, the line their mean; further left is better."}></bar-list>`) : ""}
      ${figure("What else differs", html`<scroll-box label="What else differs"><table class="probe-table">
        <thead><tr><td></td><th scope="col" class="number">Tied</th><th scope="col" class="number">Untied</th></tr></thead>
        <tbody>
          <tr><th scope="row">Parameters</th><td class="number">${count(tied.parameters)}</td><td class="number">${count(untied.parameters)}</td></tr>
          <tr><th scope="row">Silhouette of E by class<span class="note">mean of the seeds</span></th><td class="number">${mean(tied.silhouette)}</td><td class="number">${mean(untied.silhouette)}</td></tr>
          <tr><th scope="row">Purity of its neighbours<span class="note">mean of the seeds</span></th><td class="number">${mean(tied.purity)}</td><td class="number">${mean(untied.purity)}</td></tr>
        </tbody>
      </table></scroll-box>`)}`,
    notes: [
      `Tying saves ${count(saved)} parameters, the V × d of a second table.`,
      !difference && "A run diverged, so the two cannot be compared.",
      difference && (difference.nats > 0 ? "Tying is the better of the two here." : "Tying is the worse of the two here, at this number of updates."),
    ].filter(isSaid),
  };
}

/**
 * Claim 12: what becomes of a run whose sinusoid is much larger than its table.
 * @param {Results["amplitude"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function amplitude(result, { unit }) {
  const { initStd, baselines, amplitudes, best } = result;
  const known = measured(amplitudes);
  const loudest = known.at(-1);
  const winner = known.find((each) => each.amplitude === best);
  const cost = loudest && winner ? loudest.mean - winner.mean : 0;
  return {
    number: loudest && winner
      ? { value: unit.loss(loudest.mean), unit: unit.per, caption: `at amplitude ${written(loudest.amplitude)}; the best, ${unit.loss(winner.mean)}, at ${written(winner.amplitude)}. Knowing only how frequent each character is gives ${unit.loss(baselines.unigram)}` }
      : null,
    figure: figure("Loss against the amplitude of the sinusoid", html`<line-plot .x=${{ label: `amplitude A (values that were tried, evenly spaced); E starts with a standard deviation of ${initStd}`, kind: "even", format: written }} .y=${lossAxis(unit, LOSS)}
      .series=${[series(unit, known, (each) => each.amplitude, { name: `mean of ${recipe(result)}; bar: least to most`, color: encodingColor("sinusoidal"), sign: encodingSign("sinusoidal") })]}
      .levels=${levels(unit, baselines)} .summary=${`Mean validation loss, ${unit.per}: ${known.map((each) => `${unit.loss(each.mean, 2)} at ${written(each.amplitude)}`).join(", ")}.`}></line-plot>`),
    notes: [
      ...amplitudes.filter(({ mean }) => mean === null).map((each) => `Amplitude ${written(each.amplitude)} ${DIVERGED}.`),
      loudest && (loudest.mean >= baselines.unigram - NEAR_UNIGRAM
        ? `At amplitude ${written(loudest.amplitude)} the run knows hardly more than how frequent each character is: the position drowns the character.`
        : cost >= NOTICEABLE
          ? `At amplitude ${written(loudest.amplitude)} the run is ${distanceWords(unit, cost)} behind the best: slowed down rather than drowned.`
          : `At amplitude ${written(loudest.amplitude)} the run is within ${distanceWords(unit, cost)} of the best: this sweep does not bear the claim out.`),
      winner && winner.amplitude === 0 && "The best is no sinusoid at all: with so few updates the model has not yet made use of the position.",
    ].filter(isSaid),
  };
}

/** @param {number} value */
const written = (value) => String(Number(value.toPrecision(2)));
