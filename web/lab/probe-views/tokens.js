/** Views of the labs of ids: shuffled ids train alike, and merges take ids in the order of learning. */

import { html } from "lit";
import { characterName, glyph, spelled } from "../../charts/characters.js";
import { count, significant } from "../../charts/numbers.js";
import { counted, difference, listed } from "../format.js";
import { figure } from "./figure.js";
import { inUnit, isRounding, isSaid, lossAxis } from "./words.js";
/** @import { Results } from "../results.js" */
/** @import { View, ViewArguments } from "./index.js" */
/** @import { Series } from "../../charts/line-plot.js" */

const EXAMPLES = 4; // characters whose old and new ids are named
const LISTED = 12; // merges in the table

/**
 * Claim 6: the same curve under shuffled ids. That two computations agree is told in nats, whatever unit losses are written in.
 * @param {Results["relabel"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function relabel(result, { unit }) {
  const { characters, newIds, updates, losses, relabelledLosses, newOrderLosses, largestDifference, newOrderDifference, tableDifference } = result;
  /** @type {(name: string, y: number[], style: Partial<Series>) => Series} */
  const curve = (name, y, style) => ({ name, y: inUnit(unit, y), x: y.map((_, i) => i + 1), marks: false, ...style });
  const moved = characters.map((character, id) => ({ character, id })).filter(({ id }) => newIds[id] !== id);
  const examples = moved.filter(({ character }) => glyph(character).text === character).slice(-EXAMPLES);
  return {
    number: {
      value: difference(largestDifference),
      unit: largestDifference === 0 ? "" : "nats",
      caption: `largest difference between the two loss curves, over ${counted(updates, "update")}`,
    },
    figure: figure(
      "Training loss with the first ids and with shuffled ones",
      html`<line-plot .x=${{ label: "update", format: count }} .y=${lossAxis(unit, "loss of the training batch")}
        .series=${[
          curve("first ids", losses, { color: "var(--ordinal-first)", thickness: 6 }),
          curve("shuffled ids", relabelledLosses, { color: "var(--ordinal-last)", dash: "7 7" }),
          curve("shuffled, sums in the new order", newOrderLosses, { color: "var(--accent)", dash: "1.5 6" }),
        ]}
        .summary=${`Three curves of ${losses.length} updates that ${largestDifference === 0 && isRounding(newOrderDifference) ? "lie on one another" : "differ"}.`}></line-plot>`,
    ),
    notes: [
      largestDifference !== 0 && "The curves are not equal to the last bit: this run contradicts the claim.",
      tableDifference !== 0 && `The trained tables differ by up to ${difference(tableDifference)} after the rows are put back.`,
      `Every character has another id now, for instance ${examples.map(({ character, id }) => `${characterName(character)} ${newIds[id]} instead of ${id}`).join(", ")}.`,
      `To the last bit, when the sums over the vocabulary run in the old order. Summed in the new one, the losses differ by ${difference(newOrderDifference)} at most, ${isRounding(newOrderDifference) ? "which is rounding" : "which is more than rounding"}.`,
      `Validation loss at the end, ${unit.per}: ${listed([result.validationLoss, result.relabelledValidationLoss, result.newOrderValidationLoss].map((loss) => unit.loss(loss, 4)))}.`,
    ].filter(isSaid),
  };
}

/** Claim 6: ids of merges come out roughly in order of frequency. @param {Results["merges"]} result @returns {View} */
export function merges(result) {
  const { merges: learned, ids, ranks, pieces, parts, counts, countsWhenLearned, characters, charactersPerToken } = result;
  /** @param {string} text */
  const piece = (text) => html`<code dir="auto">${spelled(text)}</code>`;
  const { rankCorrelation, rankCorrelationWhenLearned } = result;
  return {
    number: {
      value: significant(rankCorrelation, 2),
      unit: "",
      caption: `rank correlation (Spearman) of id and frequency rank, over ${counted(learned, "merge")} learned on ${count(characters)} characters`,
    },
    figure: html`
      ${figure("Id of each merge against its rank by frequency", html`<line-plot .x=${{ label: "id, in the order of learning", format: count }}
        .y=${{ label: "rank by count in the tokenized text (1: most frequent)", format: count }}
        .series=${[{ name: "a merge", x: ids, y: ranks, line: false, color: "var(--ordinal-last)" }]}
        .summary=${`${counted(learned, "merge")}; the rank correlation of id and frequency rank is ${significant(rankCorrelation, 2)}. On a straight line from below to above, ids would be the order of frequency.`}></line-plot>`)}
      ${figure(`The first ${Math.min(LISTED, pieces.length)} merges`, html`<scroll-box label="The first merges"><table class="probe-table">
        <thead><tr><th scope="col" class="number">Id</th><th scope="col">Piece</th><th scope="col">Made of</th>
          <th scope="col" class="number">Count when learned</th><th scope="col" class="number">Count at the end</th></tr></thead>
        <tbody>${pieces.slice(0, LISTED).map((each, i) => html`<tr><td class="number">${ids[i]}</td><th scope="row">${piece(each)}</th>
          <td>${parts[i] ? html`${piece(parts[i][0])} + ${piece(parts[i][1])}` : "–"}</td>
          <td class="number">${count(countsWhenLearned[i])}</td><td class="number">${count(counts[i])}</td></tr>`)}</tbody>
      </table></scroll-box>`)}`,
    notes: [
      rankCorrelation !== null && rankCorrelation < 0.5 && "The ids hardly follow frequency here: this text does not bear the claim out.",
      `Counted at the moment of each merge, the correlation is ${significant(rankCorrelationWhenLearned, 3)}, near 1 by construction; later merges then use up occurrences of earlier pieces.`,
      `A token now stands for ${significant(charactersPerToken, 3)} characters on average.`,
    ].filter(isSaid),
  };
}
