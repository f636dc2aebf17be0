/** Views of the labs of the table E: the lookup, its gradient, where its rows lie, the offset of case. */

import { html } from "lit";
import { characterLabel, characterName, glyph, spelled } from "../../charts/characters.js";
import { count, percent, probability, significant } from "../../charts/numbers.js";
import { CLASS_COLOR } from "../../charts/palette.js";
import { counted, difference, listed, ordinal } from "../format.js";
import { figure } from "./figure.js";
import { drawn, isRounding, isSaid, named, quoted, readingNotes } from "./words.js";
/** @import { Offset, Results, Separation } from "../results.js" */
/** @import { View, ViewArguments } from "./index.js" */
/** @import { Moment } from "../../charts/geometry-scrubber.js" */

/** @param {number} length */
const indices = (length) => Array.from({ length }, (_, i) => String(i));
const SIGNIFICANCE = 0.05;

/**
 * Claims 1 and 2: rows read, equal to the product with one-hot vectors.
 * @param {Results["lookup"]} result
 * @returns {View}
 */
export function lookup({ text, characters, width, table, rows, largestDifference, gradientDifference }) {
  const exact = largestDifference === 0;
  const columns = indices(width);
  return {
    number: {
      value: difference(largestDifference),
      unit: "",
      caption: `largest difference between the rows read and the product with one-hot vectors, for ${quoted(text.used)}`,
    },
    figure: html`
      ${figure(
        "What the model is told: one row for each character of your text",
        html`<heat-map .panels=${[{ values: rows }]} .rowLabels=${drawn(text.characters)} .rowNames=${named(text.characters)}
          .columnLabels=${columns} .rowTitle=${"character of the text"} .columnTitle=${`number of its row, 0 to ${width - 1}`}
          .quantity=${"entry of E"} .summary=${`${counted(text.characters.length, "row")} of ${width} numbers, looked up; equal characters have equal rows.`}></heat-map>`,
      )}
      ${figure(
        "Where they were read: the table E",
        html`<heat-map .panels=${[{ values: table }]} .rowLabels=${drawn(characters)} .rowNames=${named(characters)}
          .columnLabels=${columns} .rowTitle=${"character, in the order of the ids"} .columnTitle=${`number of its row, 0 to ${width - 1}`}
          .quantity=${"entry of E"} .lit=${[...new Set(text.ids)]} .litMeaning=${"▸ and a frame: rows of your text"}
          .summary=${`E, ${characters.length} rows of ${width} numbers; ${counted(new Set(text.ids).size, "row")} of it ${new Set(text.ids).size === 1 ? "is" : "are"} those of your text.`}></heat-map>`,
      )}`,
    notes: [
      !exact && "The two are not equal: this run contradicts the claim that they are the same to the last bit.",
      gradientDifference === 0
        ? "They train alike too: the gradients of E that they give are equal."
        : `Their gradients of E differ by ${difference(gradientDifference)} of the largest entry, which is ${isRounding(gradientDifference) ? "rounding, as they sum in another order" : "more than rounding"}.`,
      ...readingNotes(text, "your text"),
    ].filter(isSaid),
  };
}

/**
 * Claim 3: which rows one step reaches, from the input side and from both.
 * @param {Results["sparse-gradient"]} result
 * @returns {View}
 */
export function sparseGradient({ tied, batch, distinct, characters, input, output, both, sumDifference, why, ...reading }) {
  const present = new Set(batch.join(""));
  const lit = characters.flatMap((character, id) => (present.has(character) ? [id] : []));
  /** @type {(name: string, side: typeof both) => import("../../charts/heat-map.js").Panel} */
  const panel = (name, side) => ({ name: `${name}: ${side.rows} of ${characters.length} rows`, values: [side.norms] });
  const sides = [
    panel("From the input side, the lookup", input),
    panel("By way of the logits, the output side", output),
    panel(tied ? "Both together, as E is tied" : "What arrives at E, which is not tied", both),
  ];
  const kept = input.untouched.length === 0 && input.strangers.length === 0;
  return {
    number: {
      value: count(input.rows),
      unit: `of ${count(characters.length)} rows`,
      caption: `have a gradient from the input side; the batch has ${counted(distinct, "distinct character")}. From both sides: ${count(both.rows)}`,
    },
    figure: figure(
      "Length of the gradient of each row",
      html`<heat-map .panels=${sides} .tiles=${true} .kind=${"sequential"} .columnLabels=${drawn(characters)} .columnNames=${named(characters)}
        .rowLabels=${[""]} .columnTitle=${"one tile for each character, in the order of the ids"} .quantity=${"L2 norm of the row’s gradient; no fill: exactly 0"}
        .lit=${lit} .litMeaning=${"strong frame: the character is read in the batch"}
        .summary=${`The input side reaches ${input.rows} of ${characters.length} rows, the output side ${output.rows}, both together ${both.rows}.`}></heat-map>
        <p class="probe-quote">The batch: ${batch.map((line) => html`<q dir="auto">${spelled(line)}</q> `)}</p>`,
    ),
    notes: [
      !kept && `This contradicts the claim: ${listed([
        input.untouched.length && `${listed(named(input.untouched))} stand in the batch without a gradient`,
        input.strangers.length && `${listed(named(input.strangers))} have one without standing in it`,
      ].filter(isSaid))}.`,
      why,
      !isRounding(sumDifference, Math.max(...both.norms)) &&
        `The sides add up to another gradient than the one that training uses; the largest difference is ${difference(sumDifference)}.`,
      ...readingNotes({ used: batch[0], ...reading }, "your text"),
    ].filter(isSaid),
  };
}

/**
 * Claim 4: the picture of E, and whether its classes are more than chance.
 * @param {Results["geometry"]} result
 * @param {Partial<ViewArguments>} args
 * @returns {View}
 */
export function geometry(result, { moments, label = "", step = null } = {}) {
  const { characters, classes, metric, frequency, neighbours, separation, logFrequency } = result;
  const { silhouette, purity, k, shuffles } = separation;
  return {
    number: {
      value: significant(silhouette.value, 2),
      unit: "",
      caption: silhouette.shuffled
        ? `silhouette of the classes of characters; with shuffled labels ${significant(silhouette.shuffled.mean, 2)} on average, at most ${significant(silhouette.shuffled.high, 2)} (p = ${probability(silhouette.p)})`
        : "silhouette of the classes of characters, without shuffles to compare",
    },
    figure: html`
      ${figure("The rows of E where they differ most", html`<geometry-scrubber .vocabulary=${characters} .classes=${classes} .label=${label}
        .moments=${moments ?? [momentOf(result, step)]}></geometry-scrubber>`)}
      ${figure("Do the classes lie together? In all d dimensions", html`<bar-list .labels=${"measure"} .quantity=${"−1 to 1, and 0 to 1"}
        .compared=${`with the labels shuffled ${count(shuffles)} times: least to most, and the mean`} .range=${separationRange(silhouette, purity)}
        .bars=${[
          { label: "silhouette", value: silhouette.value, note: chance(silhouette), among: silhouette.shuffled },
          { label: `purity of ${k} neighbours`, value: purity.value, note: chance(purity), among: purity.shuffled },
        ]}></bar-list>`)}
      ${figure(`Nearest rows to ${characterName(neighbours.character)}`, html`<bar-list .labels=${"row"} .quantity=${metric === "cosine" ? "1 − cosine" : "distance"}
        .bars=${neighbours.nearest.map((each) => ({
          label: characterLabel(each.character), value: each.distance, note: each.class, color: CLASS_COLOR[each.class],
        }))}></bar-list>`)}
      ${figure("How much of the picture is frequency", html`<bar-list .labels=${"component"} .quantity=${"correlation with ln(1 + count)"} .range=${[-1, 1]}
        .bars=${logFrequency.components.map((value, axis) => ({
          label: `axis ${axis + 1}`, value, text: significant(value, 2), note: logFrequency.p[axis] === null ? "" : `p = ${probability(logFrequency.p[axis])}`,
        }))}
        .summary=${frequency === "removed"
          ? "What a straight line in log frequency explains was taken out of E first."
          : "The nearer to −1 or 1, the more this axis is simply how often a character occurs."}></bar-list>`)}`,
    notes: [
      `${separated("By the silhouette", silhouette, shuffles)} ${separated("By the neighbours", purity, shuffles)}`,
      frequency === "removed" && "Everything here was measured without what log frequency explains.",
    ].filter(isSaid),
  };
}

/**
 * The picture of a result of the geometry lab as a moment of <geometry-scrubber>.
 * @param {Pick<Results["geometry"], "points2" | "explained2" | "points3" | "explained3">} result
 * @param {number | null} step
 * @returns {Moment}
 */
export const momentOf = ({ points2, explained2, points3, explained3 }, step) => ({
  step, points2: Float32Array.from(points2.flat()), explained2, points3: Float32Array.from(points3.flat()), explained3,
});

/** @param {Separation[]} measures */
function separationRange(...measures) {
  const values = measures.flatMap(({ value, shuffled }) => [value, shuffled?.low]).filter((value) => value != null);
  return [Math.min(-0.1, ...values), 1];
}

/** @param {Separation} measure */
const chance = ({ shuffled, p }) =>
  shuffled ? `shuffled ${significant(shuffled.mean, 2)}, ${significant(shuffled.low, 2)} to ${significant(shuffled.high, 2)}; p = ${probability(p)}` : "";

/** @param {string} how @param {Separation} measure @param {number} shuffles */
function separated(how, { value, shuffled, p }, shuffles) {
  if (value === null) return `${how} there is nothing to compare: all characters are of one class.`;
  if (!shuffled) return `${how} nothing was compared, as no labels were shuffled.`;
  if (value > shuffled.high) return `${how}, the classes lie together more than under every one of ${count(shuffles)} shuffles.`;
  if (p !== null && p <= SIGNIFICANCE) return `${how}, the classes lie together more than under most shuffles, though not all (p = ${probability(p)}).`;
  return `${how}, the classes lie no more together than shuffled labels do (p = ${probability(p)}): no structure is shown.`;
}

/**
 * Claim 5: how often one offset of case gives the right capital.
 * @param {Results["case-offset"]} result
 * @returns {View}
 */
export function caseOffset({ letter, capital, metric, excluded, oneOffset, meanOffset }) {
  const { hits, trials } = oneOffset;
  const beats = oneOffset.p <= SIGNIFICANCE;
  /** @type {(label: string, group: string, found: number, offset: Offset, expected: number) => import("../../charts/bar-list.js").Bar} */
  const bar = (label, group, found, offset, expected) => ({
    label, group, value: found / offset.trials, text: `${found} of ${offset.trials}`, chance: expected, note: `chance ${significant(expected * offset.trials, 2)}`,
  });
  /** @type {[string, Offset][]} */
  const offsets = [[`${letter} → ${capital}`, oneOffset], ["mean of the others", meanOffset]];
  return {
    number: {
      value: `${count(hits)} of ${count(trials)}`,
      unit: "letters",
      caption: `come out nearest to their own capital after the step from “${letter}” to “${capital}”; chance would give ${significant(trials * oneOffset.chance, 2)}`,
    },
    figure: html`
      ${figure("Where the shifted rows land", html`<bar-list .labels=${"offset"} .quantity=${"share of the letters"} .range=${[0, 1]} .compared=${"what chance would give"}
        .bars=${[
          ...offsets.map(([name, each]) => bar(name, "the right capital is the nearest row of all", each.hits, each, each.chance)),
          ...offsets.map(([name, each]) => bar(name, "the right capital is the nearest of the capitals", each.amongCapitals.hits, each, each.amongCapitals.chance)),
          ...offsets.map(([name, each]) => bar(name, "the nearest row is a capital at all", each.anyCapital, each, each.capitalChance)),
        ]}></bar-list>`)}
      ${figure(`Each letter, moved by ${letter} → ${capital}`, html`<ul class="probe-letters">
        ${oneOffset.letters.map((each) => html`<li class=${each.hit ? "hit" : ""}>${each.letter} → ${glyph(each.nearest).text}
          <span class="note">${each.hit ? "✓ right" : `${each.capital} is ${ordinal(each.rank)}`}</span></li>`)}
      </ul>`)}`,
    notes: [
      beats
        ? `Better than chance (p = ${probability(oneOffset.p)}), and wrong for ${count(trials - hits)} of ${counted(trials, "letter")}.`
        : `No better than chance (p = ${probability(oneOffset.p)}): in this table, one offset does not make capitals.`,
      `Not allowed as an answer: ${excluded}. Without this rule ${count(oneOffset.selfNearest)} of ${counted(trials, "letter")} would have come out nearest to themselves.`,
      `On average the right capital is ${significant(oneOffset.meanRank, 2)} in the order of nearness; by chance it would be ${significant(oneOffset.chanceRank, 3)}. Nearness is measured by ${metric === "cosine" ? "the cosine" : "distance"}.`,
      `${percent(oneOffset.anyCapital / trials)} of the shifted rows are nearest to some capital, where chance gives ${percent(oneOffset.capitalChance)}.`,
    ],
  };
}
