/** Views of the labs of the residual stream: what each part adds, what order and context change in it, how alike its states are. */

import { html } from "lit";
import { characterName, glyph, spelled } from "../../charts/characters.js";
import { coordinate, count, significant } from "../../charts/numbers.js";
import { counted, difference } from "../format.js";
import { figure } from "./figure.js";
import { depthName, drawn, encodingName, isRounding, isSaid, quoted, readingNotes } from "./words.js";
/** @import { OrderCase, Reading, Results } from "../results.js" */
/** @import { View } from "./index.js" */

const LEAK = 1e-3; // a difference from which order is said to have come through the mask
const NARROW = 0.5; // mean cosines above which a cone is called narrow, and mild
const MILD = 0.2;
const NOTHING = 0.1; // a mean cosine that is called near 0

/** Claim 7: one array that every part adds to. @param {Results["residual-stream"]} result @returns {View} */
export function residualStream({ text, width, depths }) {
  const length = text.characters.length;
  const writes = depths.filter(({ meanWrite }) => meanWrite !== null);
  return {
    number: {
      value: `${length} × ${width}`,
      unit: "numbers",
      caption: `at every depth: a vector of d = ${width} for each of your ${counted(length, "character")}. ${counted(writes.length, "part")} ${writes.length === 1 ? "adds" : "add"} to it`,
    },
    figure: html`
      ${figure("The stream after each write", html`<heat-map .ownScale=${true}
        .panels=${depths.map(({ name, values }) => ({ name: depthName(name), values }))}
        .rowLabels=${drawn(text.characters)} .rowNames=${text.characters.map((each, i) => `${characterName(each)} at ${i}`)}
        .columnLabels=${Array.from({ length: width }, (_, i) => String(i))} .rowTitle=${"position"} .columnTitle=${`number of the vector, 0 to ${width - 1}`}
        .quantity=${"entry of the stream"} .summary=${`The stream for ${quoted(text.used)} at ${depths.length} depths, each an array of ${length} by ${width}.`}></heat-map>`)}
      ${figure("Length of the vectors, and what each part adds", html`<bar-list .labels=${"depth"} .quantity=${"mean L2 norm"}
        .bars=${depths.map(({ name, meanNorm, meanWrite }) => ({
          label: depthName(name), value: meanNorm, note: meanWrite === null ? "" : `adds a vector of ${significant(meanWrite)}`,
        }))}
        .summary=${"What is added may point against what stands there, so the norms do not simply add up. The last norm rescales and adds nothing."}></bar-list>`)}`,
    notes: readingNotes(text, "your text"),
  };
}

/**
 * Claim 9: what reordering changes, with the mask off and on, with one block and more.
 * @param {Results["order"]} result
 * @returns {View}
 */
export function order({ first, second, last, encoding, cases }) {
  /** @type {(layers: number, name: string, causal: boolean) => OrderCase | undefined} */
  const find = (layers, name, causal) => cases.find((each) => each.layers === layers && each.encoding === name && each.causal === causal);
  const blocks = [...new Set(cases.map(({ layers }) => layers))];
  const encodings = [...new Set(cases.map((each) => each.encoding))];
  const blind = cases.filter((each) => each.encoding === "none" && !each.causal);
  const largest = blind.reduce((a, b) => (b.equivarianceError > a.equivarianceError ? b : a));
  /** @type {(size: number, scale: number) => import("lit").TemplateResult} */
  const cell = (size, scale) => html`<td class="number">${difference(size)}<span class="note">${isRounding(size, scale) ? "the same, up to rounding" : "differs"}</span></td>`;
  const rows = encodings.flatMap((name) => blocks.flatMap((layers) => {
    const [off, on] = [find(layers, name, false), find(layers, name, true)];
    return off && on ? [{ name, layers, off, on }] : [];
  }));
  const leaks = rows.filter(({ name, layers }) => name === "none" && layers > 1);
  const single = find(1, "none", true);
  const own = rows.filter(({ name }) => name !== "none");
  return {
    number: {
      value: difference(largest.equivarianceError),
      unit: "",
      caption: `largest difference of a logit after undoing the reordering, without mask and encoding (the largest logit is ${significant(largest.scale, 2)})`,
    },
    figure: figure(
      html`${quoted(first.used)} against ${quoted(second.used)}, both with one more character at the end, ${characterName(last)}`,
      html`<scroll-box label="Largest difference of a logit"><table class="probe-table">
        <caption>Largest difference of a logit</caption>
        <thead><tr><th scope="col">Model</th><th scope="col" class="number">Mask off: every position</th><th scope="col" class="number">Mask on: the last position</th></tr></thead>
        <tbody>${rows.map(({ name, layers, off, on }) => html`<tr><th scope="row">${name === "none" ? "no encoding" : encodingName(name)}, ${counted(layers, "block")}${off.weights === "untrained" ? html`<span class="note">untrained, as your run has fewer</span>` : ""}</th>
          ${cell(off.equivarianceError, off.scale)}${cell(on.lastDifference, on.scale)}</tr>`)}</tbody>
      </table></scroll-box>`,
    ),
    notes: [
      !isRounding(largest.equivarianceError, largest.scale) && "More than rounding is left without mask and encoding: this run contradicts the claim.",
      single && (isRounding(single.lastDifference, single.scale)
        ? "With the mask and one block, the last position cannot tell the two orders apart."
        : "With the mask and one block, the last position does tell the two orders apart: this run contradicts the claim."),
      ...leaks.map(({ layers, on }) => (on.lastDifference > LEAK
        ? `With ${counted(layers, "block")} order comes through the mask alone: no position is not no order.`
        : `With ${counted(layers, "block")} no order came through the mask here (below ${LEAK}).`)),
      own.length === 0 ? `The encoding of this run, ${encodingName(encoding)}, supplies no position, so there is nothing to compare with.` : "",
      own.some(({ off }) => isRounding(off.equivarianceError, off.scale)) && `With ${encodingName(encoding)} the two orders look alike too: it makes no difference in this model.`,
      ...readingNotes(first, "the first text"),
      ...readingNotes({ ...second, cut: 0, instead: false }, "the second text"),
    ].filter(isSaid),
  };
}

/**
 * Claim 17: the same character at the same index enters the same, whatever its sentence.
 * @param {Results["context-free"]} result
 * @returns {View}
 */
export function contextFree({ first, second, index, character, sameContext, depths, bitIdentical, shifted }) {
  const entering = depths.find(({ name }) => name === "position") ?? depths[0];
  const leaving = depths[depths.length - 1];
  /** @param {Reading} reading */
  const marked = ({ characters }) => html`<code dir="auto">${spelled(characters.slice(0, index).join(""))}<mark>${glyph(characters[index]).text}</mark>${spelled(characters.slice(index + 1).join(""))}</code>`;
  return {
    number: {
      value: difference(entering.largestDifference),
      unit: "",
      caption: `largest difference before the first block, for ${characterName(character)} at index ${index} of both texts; after the last norm it is ${significant(leaving.largestDifference, 2)}`,
    },
    figure: html`<p class="probe-quote">${marked(first)} and ${marked(second)}</p>
      ${figure("How far the two states are apart at each depth", html`<bar-list .labels=${"depth"} .quantity=${"largest difference of a number"}
        .bars=${depths.map(({ name, largestDifference, cosine }) => ({
          label: depthName(name), value: largestDifference, text: difference(largestDifference), note: `cosine ${significant(cosine, 3)}`,
        }))}
        .summary=${bitIdentical ? "Equal to the last bit before the first block; what comes after it is context." : "Not equal before the first block."}></bar-list>`)}`,
    notes: [
      !bitIdentical && "The two states differ before the first block: this run contradicts the claim.",
      sameContext
        ? "Everything up to this index is the same in both texts, so a causal model sees no difference at any depth: choose another index, or change one of the texts."
        : leaving.largestDifference === 0 && "The states still agree after the last norm, though the texts differ before the index: nothing of the context arrived here.",
      shifted && (shifted.bitIdentical
        ? `One place later, at index ${shifted.index}, the same character enters the same here too: nothing is added for the position.`
        : `One place later, at index ${shifted.index}, the same character enters differently (by up to ${significant(shifted.largestDifference, 2)}), since its position vector is another one. That is why the index must match.`),
      ...readingNotes(first, "the first text"),
      ...readingNotes(second, "the second text"),
    ].filter(isSaid),
  };
}

/**
 * Claim 18: mean cosine of pairs at every depth, as it is and after subtracting the mean.
 * @param {Results["cosine-cone"]} result
 * @returns {View}
 */
export function cosineCone({ states, depths }) {
  const before = depths.find(({ name }) => name === "position") ?? depths.find(({ name }) => name === "embedding") ?? depths[0];
  const after = depths.findLast(({ name }) => name.startsWith("block")) ?? depths[depths.length - 1];
  const bars = depths.flatMap(({ name, raw, centred, meanShare }) => [
    { group: depthName(name), label: "as it is", value: raw, text: coordinate(raw), note: `mean vector: ${significant(meanShare, 2)} of a length` },
    { group: depthName(name), label: "centred", value: centred, text: coordinate(centred), color: "var(--ordinal-first)" },
  ]);
  const verdict =
    after.raw >= NARROW ? "That is a narrow cone: almost any two states look alike by their cosine."
    : after.raw >= MILD ? "That is a mild cone: part of any cosine here is what all states share."
    : "That is no cone to speak of: at this size and this moment the claim is not borne out.";
  return {
    number: {
      value: coordinate(after.raw),
      unit: "",
      caption: `mean cosine of two states after the last block; before the first ${coordinate(before.raw)}, and with the mean subtracted ${coordinate(after.centred)}`,
    },
    figure: figure("Mean cosine of all pairs", html`<bar-list .labels=${"states"} .quantity=${"mean cosine, −1 to 1"} .bars=${bars} .range=${[Math.min(-0.1, ...bars.map(({ value }) => value)), 1]}
      .summary=${`Over ${count(states)} states of validation text, and the rows of E. Around 0 the states point everywhere; near 1, all the same way.`}></bar-list>`),
    notes: [
      verdict,
      Math.abs(after.centred) < NOTHING
        ? `With the mean subtracted it is near 0, as it must be where lengths are alike; how much was common is the mean vector’s share, ${significant(after.meanShare, 2)} of a length.`
        : `With the mean subtracted it is ${coordinate(after.centred)}; it would be near 0 if lengths were alike. How much was common is the mean vector’s share, ${significant(after.meanShare, 2)} of a length.`,
    ],
  };
}
