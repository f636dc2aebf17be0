/**
 * The shapes of the loss chart's lines, bands and marks, in CSS px from the top left of the plot. Each is drawn with a
 * pen, a canvas's Path2D or PathData for SVG, so that the screen and a file show the same.
 */

import { leftOf, plotBox, topOf } from "./loss-scene.js";
import { encodingSign } from "./palette.js";
import { addSign } from "./signs.js";
/** @import { Band } from "./loss-groups.js" */
/** @import { DrawnCurve, Leader, Scene } from "./loss-scene.js" */

/** @typedef {Pick<Path2D, "moveTo" | "lineTo" | "closePath">} Pen a Path2D, or PathData */

const HATCH = { spacing: 8, slant: 7 }; // CSS px between two strokes, and by which each leans over
const LEAST_BAND = 1; // CSS px of a band's height

/** Widths, dashes (CSS px) and opacities of the parts of a picture. */
export const LOOK = Object.freeze({
  grid: { width: 1 },
  baseline: { width: 1, dash: [1.5, 3] },
  hatch: { width: 0.75, opacity: 0.6 },
  edge: { width: 1, dash: [4, 3], opacity: 0.95 },
  band: { opacity: 0.2 },
  chosen: { width: 1.1, opacity: 0.9 },
  train: { width: 1 },
  validation: { width: 2, selected: 2.75 },
  mark: { radius: 3.2, selected: 3.85, edge: 1.5, spacing: 34 },
  leader: { width: 1, opacity: 0.55 },
  ahead: { width: 1, dash: [2, 5], opacity: 0.4 },
});

/**
 * A line through the values; null, or what is not a number, breaks it, and undefined is passed over.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {ArrayLike<number>} steps
 * @param {ArrayLike<number | null | undefined>} losses
 */
export function drawLine(pen, scene, steps, losses) {
  let down = false;
  for (let i = 0; i < steps.length; i++) {
    if (losses[i] === undefined) continue;
    const loss = losses[i] ?? NaN;
    const known = Number.isFinite(loss);
    if (known) pen[down ? "lineTo" : "moveTo"](leftOf(scene, steps[i]), topOf(scene, loss));
    down = known;
  }
}

/**
 * The area between the least and the greatest values, at least a pixel high, broken as a line is.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {{steps: ArrayLike<number>, low: ArrayLike<number | null | undefined>, high: ArrayLike<number | null | undefined>}} band
 */
export function drawBand(pen, scene, { steps, low, high }) {
  /** @type {{left: number, top: number, bottom: number}[]} */
  let part = []; // since the last gap
  const close = () => {
    part.forEach(({ left, top }, k) => pen[k ? "lineTo" : "moveTo"](left, top));
    for (const { left, top, bottom } of part.reverse()) pen.lineTo(left, Math.max(bottom, top + LEAST_BAND));
    if (part.length) pen.closePath();
    part = [];
  };
  for (let i = 0; i < steps.length; i++) {
    if (low[i] === undefined) continue;
    const [least, most] = [low[i] ?? NaN, high[i] ?? NaN];
    if (!Number.isFinite(least) || !Number.isFinite(most)) close();
    else part.push({ left: leftOf(scene, steps[i]), top: topOf(scene, most), bottom: topOf(scene, least) });
  }
  close();
}

/**
 * Slanted strokes from edge to edge that fill a band: what was measured elsewhere is told from the reader's own by more
 * than colour.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Band} band
 */
export function drawHatch(pen, scene, { steps, low, high }) {
  const places = Array.from(steps, (step) => leftOf(scene, step));
  let i = 0;
  /** @type {(losses: number[], left: number) => number} */
  const at = (losses, left) => {
    while (i > 0 && places[i] > left) i--;
    while (places[i + 1] < left) i++;
    return topOf(scene, losses[i] + ((losses[i + 1] - losses[i]) * (left - places[i])) / (places[i + 1] - places[i]));
  };
  for (let left = places[0]; left + HATCH.slant < places[places.length - 1]; left += HATCH.spacing) {
    pen.moveTo(left, at(low, left));
    pen.lineTo(left + HATCH.slant, at(high, left + HATCH.slant));
  }
}

/** Both edges of a band. @param {Pen} pen @param {Scene} scene @param {Band} band */
export function drawEdges(pen, scene, { steps, low, high }) {
  drawLine(pen, scene, steps, low);
  drawLine(pen, scene, steps, high);
}

/**
 * The marks of a validation curve that stand far enough apart, but none above the plot.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Pick<DrawnCurve, "curve" | "validation">} drawn
 */
export function drawMarks(pen, scene, { curve, validation }) {
  const radius = curve.selected ? LOOK.mark.selected : LOOK.mark.radius;
  for (const k of spacedMarks(scene, validation.marks)) {
    const top = topOf(scene, validation.highs[k] ?? NaN);
    if (top >= 0) addSign(pen, encodingSign(curve.encoding), leftOf(scene, scene.x[k]), top, radius);
  }
}

/**
 * Places of the marks that stand far enough apart, counted from the first, and always the last one.
 * @param {Scene} scene
 * @param {number[]} marks
 */
function spacedMarks(scene, marks) {
  if (marks.length < 2) return marks;
  const { x } = scene;
  const last = marks[marks.length - 1];
  const spacing = leftOf(scene, x[last] - x[marks[0]]) / (marks.length - 1);
  const every = Math.max(1, Math.round(LOOK.mark.spacing / spacing));
  const drawn = marks.filter((_, k) => k % every === 0);
  if (drawn.at(-1) !== last) drawn.push(last);
  return drawn;
}

/**
 * The hairline that leads from a curve's end at the edge of the plot, or a baseline's, to its label in the gutter.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Leader} leader
 */
export function drawLeader(pen, scene, { at, label, from }) {
  const { width } = plotBox(scene);
  pen.moveTo(width + (from === null ? 0 : 3), at);
  pen.lineTo(width + 5, at);
  pen.lineTo(width + 11, label);
}

/**
 * The dotted line from the end of a curve that has not come to the edge of the plot.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Leader} leader
 */
export function drawAhead(pen, scene, { at, from }) {
  if (from === null || from >= scene.steps) return;
  pen.moveTo(leftOf(scene, from) + 7, at);
  pen.lineTo(plotBox(scene).width, at);
}

/** The dotted lines of those baselines that lie within the plot. @param {Pen} pen @param {Scene} scene */
export function drawBaselines(pen, scene) {
  const { width, height } = plotBox(scene);
  for (const { value } of scene.baselines) {
    const top = Math.round(topOf(scene, value)) + 0.5;
    if (top < 0 || top > height) continue;
    pen.moveTo(0, top);
    pen.lineTo(width, top);
  }
}
