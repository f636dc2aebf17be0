/**
 * The marks that tell encodings apart without colour, drawn alike on canvas and in SVG.
 * Each is one polygon around the origin, sized so that all look equally heavy at the same radius.
 */

const ring = (count, radius, turn = 0) =>
  Array.from({ length: count }, (_, i) => {
    const angle = turn + (i / count) * 2 * Math.PI;
    const r = typeof radius === "function" ? radius(i) : radius;
    return [r * Math.sin(angle), -r * Math.cos(angle)];
  });

const cross = () => {
  const arm = 1.05;
  const half = 0.38;
  const plus = [[-half, -arm], [half, -arm], [half, -half], [arm, -half], [arm, half], [half, half],
    [half, arm], [-half, arm], [-half, half], [-arm, half], [-arm, -half], [-half, -half]];
  return plus.map(([x, y]) => [(x - y) * Math.SQRT1_2 * 1.1, (x + y) * Math.SQRT1_2 * 1.1]);
};

const POLYGON = {
  circle: ring(24, 1),
  square: ring(4, 1.26, Math.PI / 4),
  triangle: ring(3, 1.34),
  diamond: ring(4, 1.34),
  cross: cross(),
  star: ring(10, (i) => (i % 2 ? 0.58 : 1.4)),
};

/**
 * Adds a mark to a canvas path.
 * @param {Path2D} path
 * @param {string} sign    a name in ENCODING_SIGN, or "star"
 * @param {number} x       centre, in the path's units
 * @param {number} y
 * @param {number} radius
 */
export function addSign(path, sign, x, y, radius) {
  POLYGON[sign].forEach(([dx, dy], i) => path[i ? "lineTo" : "moveTo"](x + dx * radius, y + dy * radius));
  path.closePath();
}

/** A mark as the data of an SVG path. */
export const signPath = (sign, x, y, radius) =>
  `M${POLYGON[sign].map(([dx, dy]) => `${(x + dx * radius).toFixed(2)} ${(y + dy * radius).toFixed(2)}`).join("L")}Z`;

const SVG = "http://www.w3.org/2000/svg";

/**
 * A short stroke with the mark on it, as a key shows it; it takes the colour of its text (currentColor).
 * @param {string | null} sign  null for a stroke without a mark
 * @param {{line?: boolean, dash?: string, thickness?: number}} [options]  line: with the stroke on both sides of the
 *   mark; dash, thickness: of that stroke
 * @returns {SVGSVGElement}
 */
export function signElement(sign, { line = false, dash = "", thickness = 2 } = {}) {
  const width = line ? 26 : 12;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} 12`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", 12);
  svg.setAttribute("aria-hidden", "true");
  if (line) {
    const stroke = document.createElementNS(SVG, "path");
    stroke.setAttribute("d", `M0 6H${width}`);
    stroke.setAttribute("stroke", "currentColor");
    stroke.setAttribute("stroke-width", thickness);
    if (dash) stroke.setAttribute("stroke-dasharray", dash);
    svg.append(stroke);
  }
  if (sign) {
    const mark = document.createElementNS(SVG, "path");
    mark.setAttribute("d", signPath(sign, width / 2, 6, 4));
    mark.setAttribute("fill", "currentColor");
    svg.append(mark);
  }
  return svg;
}
