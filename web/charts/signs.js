/**
 * The marks that tell encodings apart without colour, drawn alike on canvas and in SVG.
 * Each is one polygon around the origin, sized so that all look equally heavy at the same radius.
 */

import { PathData } from "./path-data.js";
import { svgNode } from "./svg-node.js";

/** @typedef {[number, number]} Point */

/**
 * @param {number} count
 * @param {number | ((index: number) => number)} radius
 * @param {number} [turn]
 * @returns {Point[]}
 */
const ring = (count, radius, turn = 0) =>
  Array.from({ length: count }, (_, i) => {
    const angle = turn + (i / count) * 2 * Math.PI;
    const r = typeof radius === "function" ? radius(i) : radius;
    return [r * Math.sin(angle), -r * Math.cos(angle)];
  });

/** @returns {Point[]} */
const plus = () => {
  const arm = 1.155;
  const half = 0.418;
  return [[-half, -arm], [half, -arm], [half, -half], [arm, -half], [arm, half], [half, half],
    [half, arm], [-half, arm], [-half, half], [-arm, half], [-arm, -half], [-half, -half]];
};

/** @returns {Point[]} */
const cross = () => plus().map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);

/** @type {Record<string, Point[]>} */
const POLYGON = {
  circle: ring(24, 1),
  square: ring(4, 1.26, Math.PI / 4),
  triangle: ring(3, 1.34),
  diamond: ring(4, 1.34),
  cross: cross(),
  star: ring(10, (i) => (i % 2 ? 0.58 : 1.4)),
  plus: plus(),
  down: ring(3, 1.34, Math.PI),
  hourglass: [[-1.1, -1.15], [1.1, -1.15], [-1.1, 1.15], [1.1, 1.15]],
  bar: [[-0.55, -1.4], [0.55, -1.4], [0.55, 1.4], [-0.55, 1.4]],
  bow: [[-1.15, -1.1], [-1.15, 1.1], [1.15, -1.1], [1.15, 1.1]],
  right: ring(3, 1.34, Math.PI / 2),
};

/**
 * Adds a mark to a path.
 * @param {Pick<Path2D, "moveTo" | "lineTo" | "closePath">} path
 * @param {string} sign    a name of POLYGON
 * @param {number} x       centre, in the path's units
 * @param {number} y
 * @param {number} radius
 */
export function addSign(path, sign, x, y, radius) {
  POLYGON[sign].forEach(([dx, dy], i) => path[i ? "lineTo" : "moveTo"](x + dx * radius, y + dy * radius));
  path.closePath();
}

/**
 * A mark as the data of an SVG path.
 * @param {string} sign
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
export function signPath(sign, x, y, radius) {
  const pen = new PathData();
  addSign(pen, sign, x, y, radius);
  return String(pen);
}

/**
 * A short stroke with the mark on it, as a key shows it; it takes the colour of its text (currentColor).
 * @param {string | null} sign  null for a stroke without a mark
 * @param {{line?: boolean, dash?: string, thickness?: number, band?: boolean}} [options]  line: with the stroke on
 *   both sides of the mark; dash, thickness: of that stroke; band: with a band around it
 * @returns {SVGSVGElement}
 */
export function signElement(sign, { line = false, dash = "", thickness = 2, band = false } = {}) {
  const width = line ? 26 : 12;
  const svg = emptySign(width);
  if (band) svg.append(svgNode("rect", { width, height: 12, fill: "currentColor", opacity: 0.2 }));
  if (line) {
    const stroke = svgNode("path", { d: `M0 6H${width}`, stroke: "currentColor", "stroke-width": thickness });
    if (dash) stroke.setAttribute("stroke-dasharray", dash);
    svg.append(stroke);
  }
  if (sign) svg.append(svgNode("path", { d: signPath(sign, width / 2, 6, 4), fill: "currentColor" }));
  return svg;
}

/** The hatched band that stands for what was measured elsewhere, as a key shows it. @returns {SVGSVGElement} */
export function bandElement() {
  const svg = emptySign(26);
  svg.append(
    svgNode("path", { d: "M0 11L7 1M6 11L13 1M12 11L19 1M18 11L25 1", stroke: "currentColor", "stroke-width": 0.75 }),
    svgNode("path", { d: "M0 1H26M0 11H26", stroke: "currentColor", "stroke-dasharray": "4 3" }),
  );
  return svg;
}

/** @param {number} width */
const emptySign = (width) => svgNode("svg", { viewBox: `0 0 ${width} 12`, width, height: 12, "aria-hidden": "true" });
