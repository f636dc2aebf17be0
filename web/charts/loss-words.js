/** What the loss chart says in words: the text alternative and the note on what does not fit in the picture. */

import { count, nats } from "./numbers.js";
import { valueAt } from "./loss-columns.js";

const list = (parts) => (parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

/**
 * One or two sentences for a reader who does not see the chart.
 * @param {object[]} runs       the visible runs
 * @param {object|null} baselines
 * @param {number} steps
 */
export function summary(runs, baselines, steps) {
  const lines = baselines &&
    `Baselines: uniform ${nats(baselines.uniform, 2)}, unigram ${nats(baselines.unigram, 2)}, bigram ${nats(baselines.bigram, 2)}.`;
  const results = runs.map((run) => {
    const latest = valueAt(run.validation, steps) ?? valueAt(run.train, steps);
    return latest ? `${run.label} ${nats(latest.loss, 2)} at step ${count(latest.step)}` : `${run.label} not measured yet`;
  });
  const said = results.length
    ? `Loss in nats per character against training step, 0 to ${count(steps)}. Latest validation loss: ${list(results)}.`
    : "Loss in nats per character against training step. No run yet.";
  return lines ? `${said} ${lines}` : said;
}

/**
 * What a reader must know because the picture cannot show it, or "".
 * @param {{run: object, train: object, validation: object}[]} shown  visible runs with what was read of them
 * @param {number} top  upper end of the y axis, in nats
 */
export function outOfPicture(shown, top) {
  const above = [];
  const broken = [];
  for (const { run, train, validation } of shown) {
    const peak = train.high >= validation.high ? train : validation;
    if (peak.high > top) above.push(`${run.label} (up to ${nats(peak.high, 1)} at step ${count(peak.highStep)})`);
    const step = train.brokenStep ?? validation.brokenStep;
    if (step !== null) broken.push(`${run.label} has no loss from step ${count(step)}: not a number`);
  }
  const sentences = [];
  if (above.length) sentences.push(`Above the picture: ${list(above)}.`);
  if (broken.length) sentences.push(`${broken.join("; ")}.`);
  return sentences.join(" ");
}

/**
 * The readout as one sentence, for a screen reader following the arrow keys.
 * @param {object[]} runs  the visible runs
 * @param {number} step
 */
export function spoken(runs, step) {
  const parts = runs.map((run) => {
    const train = valueAt(run.train, step);
    const validation = valueAt(run.validation, step);
    const measured = validation ? `, validation ${nats(validation.loss)} at step ${count(validation.step)}` : "";
    return `${run.label}: training ${nats(train?.loss)}${measured}`;
  });
  return `Step ${count(step)}. ${parts.join(". ")}.`;
}
