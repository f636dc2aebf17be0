/** The outcome of an experiment as rows of a table: a row an encoding, and the gaps between every two. */

import { validationLoss } from "./run.js";

/** The encoding that the others are measured against. */
const CONTROL = "none";

/**
 * @param {object[]} runs (run.js)
 * @param {{a: string, b: string, nats: number, low: number|null, high: number|null, seeds: number, verdict: string}[]} gaps
 *   as `compare` gives them: nats = loss(a) - loss(b)
 * @returns {{rows: object[], pairs: object[]}} `rows`: {encoding, parameters, losses, mean, finished, total, gap} with
 *   gap = loss of this encoding - loss of the control, or null; `pairs`: the gaps that have nothing to do with the control
 */
export function outcome(runs, gaps) {
  const encodings = [...new Set(runs.map(({ encoding }) => encoding))];
  const rows = encodings.map((encoding) => {
    const own = runs.filter((run) => run.encoding === encoding);
    const losses = own.filter(({ state }) => state === "finished").map(validationLoss);
    return {
      encoding,
      parameters: own.find(({ facts }) => facts)?.facts.parameters ?? null,
      losses,
      mean: losses.length ? losses.reduce((sum, loss) => sum + loss, 0) / losses.length : null,
      finished: losses.length,
      total: own.length,
      gap: encoding === CONTROL ? null : gapOf(gaps, encoding, CONTROL),
    };
  });
  const pairs = gaps.filter(({ a, b }) => a !== CONTROL && b !== CONTROL);
  return { rows, pairs };
}

/** The gap loss(first) - loss(second), whichever way round it was measured. */
function gapOf(gaps, first, second) {
  const straight = gaps.find(({ a, b }) => a === first && b === second);
  if (straight) return straight;
  const turned = gaps.find(({ a, b }) => a === second && b === first);
  if (!turned) return null;
  const { nats, low, high } = turned;
  return { ...turned, a: first, b: second, nats: -nats, low: high === null ? null : -high, high: low === null ? null : -low };
}
