/** What a picture of the loss chart shows, whether on canvas or in a file, and where on the plot a loss lies. */

/** @import { Band, Curve } from "./loss-groups.js" */
/** @import { Reading } from "./loss-columns.js" */

const TOP_ROOM = 8;
const AXIS_HEIGHT = 24;
const LEAST_AXIS_WIDTH = 30;
const DIGIT = 6.7; // CSS px of a digit of a tick
const TICK_GAP = 6; // CSS px between a tick and the plot

/**
 * The chart element fills it in.
 * @typedef {object} Scene
 * @property {number} width       CSS px of the whole picture
 * @property {number} height
 * @property {number} gutter      CSS px kept free to the right of the plot, for the labels
 * @property {number} steps
 * @property {[number, number]} range  nats
 * @property {{at: number, text: string}[]} ticks  of the y axis, at: nats
 * @property {{name: string, value: number}[]} baselines
 * @property {{color: string, band: Band}[]} measured  elsewhere
 * @property {number[]} x         steps at which the curves have values
 * @property {number} stepsPerColumn  1: training curves are lines; more: bands from the least to the greatest loss
 * @property {DrawnCurve[]} curves
 * @property {Leader[]} leaders
 * @property {{ink: string, inkSoft: string, inkFaint: string, rule: string, paper: string, font: string}} theme
 *
 * @typedef {{curve: Curve, color: string, train: Reading, validation: Reading}} DrawnCurve visible or not, with what was read
 *   of it
 * @typedef {{at: number, label: number, color: string, from: number|null}} Leader
 *   from the right edge at height `at` to the label at height `label`, CSS px from the top of the plot;
 *   `from`: step at which the curve ends before the edge
 */

export const ROOM = Object.freeze({ top: TOP_ROOM, bottom: AXIS_HEIGHT, tick: TICK_GAP });

/** CSS px that the y axis takes for its ticks. @param {Scene["ticks"]} ticks */
export const axisWidth = (ticks) =>
  Math.max(LEAST_AXIS_WIDTH, Math.ceil(TICK_GAP + 2 + DIGIT * Math.max(0, ...ticks.map(({ text }) => text.length))));

/**
 * Where the plot lies within the picture, CSS px. It follows from the scene alone, so labels can be placed first.
 * @param {Pick<Scene, "width" | "height" | "gutter" | "ticks">} scene
 */
export function plotBox({ width, height, gutter, ticks }) {
  const left = axisWidth(ticks);
  return { left, top: TOP_ROOM, width: width - left - gutter, height: plotHeight(height) };
}

/** CSS px of the plot's height in a picture of a height. @param {number} height */
export const plotHeight = (height) => height - AXIS_HEIGHT - TOP_ROOM;

/**
 * CSS px from the top of the plot to a loss; outside the plot for a loss out of range.
 * @param {Pick<Scene, "range" | "height">} scene
 * @param {number} loss
 */
export function topOf(scene, loss) {
  const [low, high] = scene.range;
  return ((high - loss) / (high - low)) * plotHeight(scene.height);
}

/** CSS px from the left of the plot to a step. @param {Scene} scene @param {number} step */
export const leftOf = (scene, step) => (step / scene.steps) * plotBox(scene).width;

/**
 * Fainter with every run that is shown, and as a band, so that batch noise never hides the validation curves.
 * @param {Scene} scene
 */
export const trainAlpha = ({ curves, stepsPerColumn }) =>
  Math.min(stepsPerColumn > 1 ? 0.28 : 0.36, Math.max(0.1, 1.1 / curves.filter(({ curve }) => curve.visible && !curve.band).length));
