/** View of the lab that packs the text: what compressors need for it, among the baselines and the reader's best run. */

import { html } from "lit";
import { count } from "../../charts/numbers.js";
import { encodingColor } from "../../charts/palette.js";
import { listed } from "../format.js";
import { figure } from "./figure.js";
import { isSaid } from "./words.js";
/** @import { Results } from "../results.js" */
/** @import { View, ViewArguments } from "./index.js" */

/**
 * Claim 16: a scale for losses that has nothing to do with models.
 * @param {Results["compressors"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function compressors({ characters, bytes, compressors: packed, baselines }, { unit, best }) {
  const known = packed.flatMap(({ nats, ...each }) => (nats === null ? [] : [{ ...each, nats }]));
  const missing = packed.filter(({ nats }) => nats === null);
  const least = known.length ? known.reduce((a, b) => (b.nats < a.nats ? b : a)) : null;
  /** @type {(label: string, nats: number, more: Partial<import("../../charts/bar-list.js").Bar>) => object} */
  const bar = (label, nats, more) => ({ label, value: unit.of(nats), text: unit.loss(nats), ...more });
  const bars = [
    ...Object.entries(baselines).map(([name, nats]) => bar(name, nats, { group: "Counting, on the last tenth" })),
    ...packed.map(({ name, nats, bytes: size }) =>
      (nats === null
        ? { label: name, value: null, text: "not there", group: PACKED }
        : bar(name, nats, { group: PACKED, note: `${count(size)} bytes`, marked: name === least?.name }))),
    ...(best ? [bar(best.label, best.nats, { group: "Your best run, on the last tenth", color: encodingColor(best.encoding) })] : []),
  ];
  return {
    number: least
      ? { value: unit.loss(least.nats), unit: unit.per, caption: `is what ${least.name} needs, the least of these: ${count(least.bytes)} bytes for ${count(characters)} characters, ${count(bytes)} bytes unpacked` }
      : null,
    figure: figure("What each needs for a character of this text", html`<bar-list .labels=${"Method"} .quantity=${unit.per} .bars=${bars}
      .summary=${"Shorter is better. The groups are measured on different parts of the text."}></bar-list>`),
    notes: [
      ...missing.map(({ name, missing: why }) => `Not measured: ${name}. ${why}`),
      known.length > 0 && `A compressor reads the whole text once and pays for learning it; a run is measured on the last tenth, after many passes over the rest, and its parameters are not counted. So ${listed(known.map(({ name }) => name))} give a scale for losses, not opponents.`,
      known.length > 0 && !best && "Your best run joins them when one has finished on this text.",
    ].filter(isSaid),
  };
}

const PACKED = "Packed, the whole text";
