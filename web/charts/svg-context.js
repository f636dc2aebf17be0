/** The few calls of a canvas's context that the heat map draws with, writing SVG instead: for a figure in a file. */

import { context2d, make } from "./chart-element.js";
import { svgNode } from "./svg-node.js";

const MIDDLE = 0.35; // of the type's size, from a line's middle to its baseline
/** @type {Record<string, string | null>} */
const ANCHOR = { left: null, center: "middle", right: "end" };

export class SvgContext {
  fillStyle = "#000000";
  strokeStyle = "#000000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign = "left";
  textBaseline = "middle"; // as which every text is drawn
  #ruler = context2d(make("canvas", ""));

  /** @param {SVGSVGElement} svg  emptied @param {number} width @param {number} height */
  constructor(svg, width, height) {
    this.svg = svg;
    svg.replaceChildren();
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    const look = { fill: this.fillStyle, opacity: this.globalAlpha, "shape-rendering": "crispEdges" };
    this.svg.append(svgNode("rect", { x, y, width, height, ...look }));
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.svg.append(svgNode("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth }));
  }

  /** @param {string} text @param {number} x @param {number} y @param {number} [widest] */
  fillText(text, x, y, widest = Infinity) {
    const [, weight, size, family] = /^(\S+) (\S+) (.*)$/.exec(this.font) ?? [];
    this.#ruler.font = this.font;
    const node = svgNode("text", { x, y: y + MIDDLE * parseFloat(size), fill: this.fillStyle, "text-anchor": ANCHOR[this.textAlign] }, text);
    if (this.#ruler.measureText(text).width > widest) {
      node.setAttribute("textLength", String(widest));
      node.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    Object.assign(node.style, { fontWeight: weight, fontSize: size, fontFamily: family });
    this.svg.append(node);
  }
}
