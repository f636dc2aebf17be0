/** Views of the labs of position: its vectors, its rotations, its biases, and what becomes of them past the training length. */

import { html } from "lit";
import { characterName } from "../../charts/characters.js";
import { count, significant } from "../../charts/numbers.js";
import { ordinalColor } from "../../charts/palette.js";
import { counted, difference, distanceWords, listed } from "../format.js";
import { figure } from "./figure.js";
import { depthName, encodingName, inUnit, isRounding, isSaid, lossAxis } from "./words.js";
/** @import { DefinedContext, Results } from "../results.js" */
/** @import { View, ViewArguments } from "./index.js" */
/** @import { Unit } from "../../charts/units.js" */

const ABOUT = 0.25; // of what chance gives, within which an overlap of directions is about chance
/** @param {number} length */
const indices = (length) => Array.from({ length }, (_, i) => String(i));
/** What a causal model uses of a picture [query, key]: keys at or before the query. @param {number[][]} square */
const causal = (square) => square.map((row, query) => row.map((value, key) => (key > query ? null : value)));
/** @param {number[][][]} squares */
const byHead = (squares) => squares.map((square, head) => ({ name: `head ${head + 1}`, values: causal(square) }));
/** @param {number[][]} rows */
const distances = (rows) => rows.map((y, head) => ({ name: `head ${head + 1}`, x: y.map((_, distance) => distance), y }));

/**
 * Claims 10 to 12: a vector for each position, and whether it keeps apart from the characters.
 * @param {Results["position-table"]} result
 * @returns {View}
 */
export function positionTable({ encoding, context, parameters, table, dots, norms, tokenNorm, rowCosine, rowChance, subspaces, beyond }) {
  const { cosines, meanSquaredCosine, chance, tokenComponents, positionComponents } = subspaces;
  const shown = table.length;
  const width = table[0].length;
  const mean = norms.reduce((sum, norm) => sum + norm, 0) / norms.length;
  return {
    number: meanSquaredCosine === null ? null : {
      value: significant(meanSquaredCosine, 2),
      unit: "",
      caption: `mean squared cosine between the ${tokenComponents} leading directions of characters and the ${positionComponents} of positions; random directions would give ${significant(chance, 2)}`,
    },
    figure: html`
      ${figure(`The table of ${encodingName(encoding)}, ${shown} positions`, html`<heat-map .panels=${[{ values: table }]} .rowLabels=${indices(shown)}
        .rowNames=${indices(shown).map((each) => `position ${each}`)} .columnLabels=${indices(width)} .rowTitle=${"position"} .columnTitle=${`number of its vector, 0 to ${width - 1}`}
        .quantity=${"entry of the table"} .summary=${`The vectors of positions 0 to ${shown - 1} of ${encodingName(encoding)}.`}></heat-map>`)}
      ${figure("Dot products of its rows", html`<heat-map .panels=${[{ values: dots }]} .rowLabels=${indices(shown)} .columnLabels=${indices(shown)}
        .rowNames=${indices(shown).map((each) => `position ${each}`)} .columnNames=${indices(shown).map((each) => `with position ${each}`)} .rowTitle=${"position"} .columnTitle=${"position"}
        .quantity=${"dot product"} .summary=${"The dot product of each position’s vector with each other’s; equal stripes along the diagonal mean that distance alone decides."}></heat-map>`)}
      ${figure("Cosines between the leading directions of characters and positions", html`<bar-list .labels=${"principal angle"} .quantity=${"cosine, 0 to 1"} .range=${[0, 1]} .compared=${"largest of random subspaces, on average"}
        .bars=${cosines.map((value, i) => ({ label: String(i + 1), value, text: value.toFixed(2), ...(i === 0 && { chance: subspaces.randomLargest }) }))}
        .summary=${"1: a direction that both use; 0: at right angles. Each is the best pair left after those above it."}></bar-list>`)}`,
    notes: [
      meanSquaredCosine !== null && chance !== null && overlap(meanSquaredCosine / chance),
      `One row of E and one of the table: mean |cosine| ${significant(rowCosine, 2)}, for random directions ${significant(rowChance, 2)}.`,
      `Mean length of a position’s vector ${significant(mean, 2)}, of a character’s row ${significant(tokenNorm, 2)}. Trained parameters in the table: ${count(parameters)}.`,
      beyond.defined
        ? `Asked for ${count(beyond.asked)} positions, ${encodingName(encoding)} gives all of them; it was trained with ${count(context)}.`
        : `Asked for ${count(beyond.asked)} positions, it refuses. ${beyond.message}`,
    ].filter(isSaid),
  };
}

/** @param {number} timesChance */
function overlap(timesChance) {
  if (timesChance < 1 - ABOUT) return "They share less than random directions do, by this measure.";
  if (timesChance < 1 + ABOUT) return "They share about as much as random directions do: no separation is shown.";
  return "They share more than random directions do, by this measure: no separation is shown.";
}

/** Claim 13: turned queries and keys see distance alone. @param {Results["rotation"]} result @returns {View} */
export function rotation({ encoding, query, key, context, byDistance, shiftDifference, range, scores, normChange, angles }) {
  const scale = Math.max(...byDistance.flat().map(Math.abs));
  const exact = isRounding(shiftDifference, scale);
  const positions = indices(scores[0].length);
  return {
    number: {
      value: difference(shiftDifference),
      unit: "",
      caption: `largest change of a score when query and key move together; moving one alone changes it by up to ${significant(range, 2)}`,
    },
    figure: html`
      ${figure(html`Score of ${characterName(query)} looking back at ${characterName(key)}, by distance`, html`<line-plot .x=${{ label: "distance, in characters", format: count }}
        .y=${{ label: "score, q · k / √(d / H)" }} .series=${distances(byDistance)}
        .summary=${`For each of ${counted(byDistance.length, "head")}, the score of one query and one key at distances 0 to ${context - 1}.`}></line-plot>`)}
      ${figure("The same scores by position", html`<heat-map .panels=${byHead(scores)} .rowLabels=${positions} .columnLabels=${positions}
        .rowNames=${positions.map((each) => `query at ${each}`)} .columnNames=${positions.map((each) => `key at ${each}`)} .rowTitle=${"position of the query"} .columnTitle=${"position of the key"}
        .quantity=${"score"} .summary=${"Scores of one query and one key at every pair of positions; each stripe along the diagonal has one colour."}></heat-map>`)}
      ${figure("How far each pair of numbers is turned", html`<heat-map .panels=${[{ values: angles }]} .rowLabels=${indices(angles.length)} .columnLabels=${indices(angles[0].length)}
        .rowNames=${indices(angles.length).map((each) => `position ${each}`)} .columnNames=${indices(angles[0].length).map((each) => `pair ${each}`)} .rowTitle=${"position"} .columnTitle=${"pair of numbers of a query or key"}
        .quantity=${"angle in radians, −π to π; the colour jumps where a turn is complete"} .summary=${"The first pair turns fastest, the last hardly at all."}></heat-map>`)}`,
    notes: [
      exact
        ? `For ${encodingName(encoding)} the score depends on the distance alone, up to rounding.`
        : "The score changes by more than rounding when both are shifted: this encoding contradicts the claim.",
      isRounding(normChange) ? `A turn keeps lengths: they change by at most ${difference(normChange)} of themselves.` : `The turn changes lengths, by up to ${significant(normChange, 2)} of themselves.`,
      range <= 10 * shiftDifference && "Moving one alone changes the score no more than that: these heads do not use the distance.",
    ].filter(isSaid),
  };
}

/** @param {number[][]} rows */
const largest = (rows) => Math.max(...rows.flat().map(Math.abs));

/**
 * Whether a bias is a straight line in the distance and nothing else, up to rounding: only then has it slopes.
 * @param {Pick<Results["distance-bias"], "byDistance" | "spread" | "departure">} result
 */
export const isStraight = ({ byDistance, spread, departure }) =>
  [spread, departure].every((size) => isRounding(size, largest(byDistance)));

/**
 * Claim 14: a penalty that grows with distance, and how far each head does look.
 * @param {Results["distance-bias"]} result
 * @returns {View}
 */
export function distanceBias(result) {
  const { encoding, attention, evenly, bias, byDistance, spread, slopes, departure } = result;
  const positions = indices(bias[0].length);
  const scale = largest(byDistance);
  const straight = isStraight(result);
  const alone = isRounding(spread, scale);
  const rising = distances(byDistance).filter(({ y }) => y.some((value, at) => at > 0 && !isRounding(value - y[at - 1], largest([y]))));
  return {
    number: straight ? ofSlopes(slopes) : ofEnds(byDistance, alone),
    figure: html`
      ${figure("What is added to each score", html`<heat-map .panels=${byHead(bias)} .rowLabels=${positions} .columnLabels=${positions}
        .rowNames=${positions.map((each) => `query at ${each}`)} .columnNames=${positions.map((each) => `key at ${each}`)} .rowTitle=${"position of the query"} .columnTitle=${"position of the key"}
        .quantity=${"bias"} .summary=${`The bias of ${counted(bias.length, "head")}, for each query and each key at or before it.`}></heat-map>`)}
      ${figure("The same by distance", html`<line-plot .x=${{ label: "distance, in characters", format: count }} .y=${{ label: "bias" }} .series=${distances(byDistance)}
        .summary=${`For each of ${counted(byDistance.length, "head")}, what is added to a score at distances 0 to ${byDistance[0].length - 1}${alone ? "" : ", on average"}.`}></line-plot>`)}
      ${straight ? figure("Slope of each head", html`<bar-list .labels=${"head"} .quantity=${"bias per character of distance"}
        .bars=${slopes.map((value, head) => ({ label: `head ${head + 1}`, value, text: significant(value, 3) }))}></bar-list>`) : ""}
      ${figure("How far back each head looks", html`<bar-list .labels=${"head"} .quantity=${"mean distance, in characters"} .compared=${`a head that looked everywhere alike: ${significant(evenly, 3)}`}
        .bars=${attention.flatMap(({ meanDistance }, block) => meanDistance.map((value, head) => ({
          group: depthName(`block${block}.attention`).replace("after attention, ", ""), label: `head ${head + 1}`, value, text: significant(value, 3), chance: evenly,
        })))}
        .summary=${"Measured on validation text: content can outvote the bias."}></bar-list>`)}`,
    notes: [
      alone && `For ${encodingName(encoding)} the bias depends on the distance alone, ${straight
        ? "and is a straight line in it."
        : `but is no straight line in it: the nearest ones miss it by up to ${significant(departure, 2)}.`}`,
      !alone && `At one distance the bias differs by up to ${significant(spread, 2)}, so it does not depend on the distance alone; by distance, its means are drawn.`,
      rising.length > 0 && `Scores are raised from one distance to a farther one (${listed(rising.map(({ name }) => name))}), which contradicts the claim.`,
    ].filter(isSaid),
  };
}

/** @param {number} bias */
const effect = (bias) => (bias <= 0 ? "takes off" : "adds to");

/** What a straight bias does for each character of distance. @param {number[]} slopes @returns {View["number"]} */
function ofSlopes(slopes) {
  const [steepest, shallowest] = [Math.max, Math.min].map((extreme) => extreme(...slopes.map(Math.abs)));
  return {
    value: significant(steepest, 2),
    unit: "per character",
    caption: `is what the steepest head ${effect(slopes.find((slope) => Math.abs(slope) === steepest) ?? 0)} a score for each character of distance; the shallowest ${significant(shallowest, 2)}`,
  };
}

/**
 * What another bias does at both ends, in the head that does most at the near one.
 * @param {number[][]} byDistance
 * @param {boolean} alone whether the distance alone decides
 * @returns {View["number"]}
 */
function ofEnds(byDistance, alone) {
  const head = byDistance.reduce((most, row, at) => (Math.abs(row[1]) > Math.abs(byDistance[most][1]) ? at : most), 0);
  const far = byDistance[head].length - 1;
  const [atOne, atFar] = [byDistance[head][1], byDistance[head][far]];
  const size = significant(Math.abs(atFar));
  return {
    value: significant(Math.abs(atOne)),
    unit: "",
    caption: `is what head ${head + 1}${byDistance.length > 1 ? ", the strongest there," : ""} ${effect(atOne)} a score at distance 1${alone ? "" : ", on average"}; at ${far}, the longest, it ${atFar <= 0 ? `takes ${size} off` : `adds ${size}`}`,
  };
}

/**
 * Claims 11, 12, 14: the loss by position, inside and past the training length.
 * @param {Results["extrapolation"]} result
 * @param {ViewArguments} args
 * @returns {View}
 */
export function extrapolation({ encoding, trained, contexts }, { unit }) {
  const defined = contexts.filter((each) => each.defined);
  const refused = contexts.filter((each) => !each.defined);
  const longest = defined.at(-1);
  const goesPast = longest !== undefined && longest.length > trained;
  const change = goesPast ? pastTraining(longest, trained) : null;
  const series = defined.map(({ length, positions, losses, standardErrors }, i) => {
    const last = length === longest?.length && !standardErrors.includes(null);
    /** @param {1 | -1} sign */
    const around = (sign) => inUnit(unit, losses.map((loss, k) => loss + sign * (standardErrors[k] ?? 0)));
    return {
      name: `read at ${length}`, x: positions, y: inUnit(unit, losses), color: ordinalColor(i, defined.length), ...(last && { low: around(-1), high: around(1) }),
    };
  });
  return {
    number: change
      ? { value: unit.gap(change.nats), unit: unit.gapUnit, caption: `change of the loss from the last positions inside the training length, ${trained}, to the last of ${longest?.length}, for ${encodingName(encoding)}` }
      : { value: "refused", unit: "", caption: refused[0]?.message ?? `nothing longer than the training length, ${trained}, was asked for` },
    figure: html`
      ${defined.length ? figure("Loss by position", html`<line-plot .x=${{ label: "position (the first of each averaged group)", format: count, range: [0, Math.max(trained, ...defined.map(({ length }) => length))] }}
        .y=${lossAxis(unit, "loss")} .series=${series} .uprights=${[{ name: `trained up to ${trained}`, value: trained }]}
        .summary=${`Loss by position of ${encodingName(encoding)} at ${counted(defined.length, "length")}, trained at ${trained}.${goesPast ? ` Band: one standard error at ${longest?.length}.` : ""}`}></line-plot>`) : ""}
      ${figure("Mean loss at each length", html`<scroll-box label="Mean loss at each length"><table class="probe-table">
        <thead><tr><th scope="col" class="number">Read at</th><th scope="col" class="number">Mean loss<span class="note">${unit.per}</span></th><th scope="col" class="number">Past ${trained}<span class="note">${unit.per}</span></th></tr></thead>
        <tbody>${contexts.map((each) => html`<tr><th scope="row" class="number">${count(each.length)}</th>${each.defined
          ? html`<td class="number">${unit.loss(each.loss)}${each.standardError === null ? "" : html`<span class="note">standard error ${distanceWords(unit, each.standardError)}</span>`}</td><td class="number">${unit.loss(each.beyond)}</td>`
          : html`<td colspan="2">refused${each.neverLearned ? `: positions ${count(each.neverLearned[0])} to ${count(each.neverLearned[1])} have no vector` : ""}</td>`}</tr>`)}</tbody>
      </table></scroll-box>`)}`,
    notes: [
      change && judged(change, encoding, unit),
      ...refused.filter(({ neverLearned }) => !neverLearned).map(({ length, message }) => `At ${count(length)}: ${message}`),
    ].filter(isSaid),
  };
}

/**
 * From the last group of positions inside the training length to the last of all, with the error of the difference.
 * @param {Pick<DefinedContext, "positions" | "losses" | "standardErrors">} context
 * @param {number} trained
 */
export function pastTraining({ positions, losses, standardErrors }, trained) {
  const size = positions.length > 1 ? positions[1] - positions[0] : trained;
  const inside = Math.max(0, positions.findLastIndex((start) => start + size <= trained));
  const last = losses.length - 1;
  const [before, after] = [standardErrors[inside], standardErrors[last]];
  const error = before === null || after === null ? null : Math.hypot(before, after);
  return { nats: losses[last] - losses[inside], error };
}

/** @param {{nats: number, error: number | null}} change @param {string} encoding @param {Unit} unit */
function judged({ nats: change, error }, encoding, unit) {
  const within = error !== null && Math.abs(change) <= 2 * error;
  const size = error === null ? "" : ` (two standard errors are ${distanceWords(unit, 2 * error)})`;
  if (within) return `${encodingName(encoding)} reads on about as well as inside its training length${size}.`;
  return change > 0
    ? `${encodingName(encoding)} is defined there and still gets worse${size}.`
    : `${encodingName(encoding)} even gets better there${size}.`;
}
