/** Which losses the y axis shows: decided by the baselines first, so that it stands still while a run trains. */

/** @typedef {{uniform: number, unigram: number, bigram: number}} Baselines what counting alone reaches, nats per character */

const QUARTER = 0.25;
const AIR = 0.03; // nats kept between an extreme and the edge of the plot
/** @param {number} loss */
const down = (loss) => Math.max(0, Math.floor((loss - AIR) / QUARTER) * QUARTER);
/** @param {number} loss */
const up = (loss) => Math.ceil((loss + AIR) / QUARTER) * QUARTER;

/**
 * The range in nats, in quarters of a nat. It starts from a fifth below the bigram line to just above the uniform
 * line, and data widen it: downwards to zero, upwards to 1.25 times the uniform loss, beyond which a diverging run
 * is clipped rather than the others squashed. Without baselines the data decide, within four nats.
 * @param {Baselines | null} baselines
 * @param {{low: number, high: number}[]} curves  extremes of what each curve has shown so far
 * @returns {[number, number]}
 */
export function lossRange(baselines, curves) {
  const seen = curves.filter(({ low }) => Number.isFinite(low));
  const lowest = Math.min(...seen.map(({ low }) => low));
  const highest = Math.max(...seen.map(({ high }) => high));
  if (!baselines) return seen.length ? [down(lowest), up(Math.min(Math.max(highest, lowest + 1), lowest + 4))] : [0, 5];

  const reach = baselines.uniform * 1.25;
  const ceiling = up(seen.length ? Math.max(reach, lowest) : reach);
  return [down(Math.min(baselines.bigram * 0.8, lowest)), Math.min(up(Math.max(baselines.uniform, highest)), ceiling)];
}
