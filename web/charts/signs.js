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

const SVG = "http://www.w3.org/2000/svg";

/**
 * A short stroke with the mark on it, as a key shows it; it takes the colour of its text (currentColor).
 * @param {string} sign
 * @param {{line?: boolean}} [options]  line: with the stroke on both sides of the mark
 * @returns {SVGSVGElement}
 */
export function signElement(sign, { line = false } = {}) {
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
    stroke.setAttribute("stroke-width", "2");
    svg.append(stroke);
  }
  const mark = document.createElementNS(SVG, "path");
  const points = POLYGON[sign].map(([dx, dy]) => `${(width / 2 + dx * 4).toFixed(2)} ${(6 + dy * 4).toFixed(2)}`);
  mark.setAttribute("d", `M${points.join("L")}Z`);
  mark.setAttribute("fill", "currentColor");
  svg.append(mark);
  return svg;
}
