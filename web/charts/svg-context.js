/** The few calls of a canvas's context that the heat map draws with, writing SVG instead: for a figure in a file. */

import { svgNode } from "./figure-trace.js";

const MIDDLE = 0.35; // of the type's size, from a line's middle to its baseline
const ANCHOR = { left: null, center: "middle", right: "end" };

export class SvgContext {
  fillStyle = "#000000";
  strokeStyle = "#000000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign = "left";
  #ruler = document.createElement("canvas").getContext("2d");

  /** @param {SVGSVGElement} svg  emptied */
  constructor(svg, width, height) {
    this.svg = svg;
    svg.replaceChildren();
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
  }

  fillRect(x, y, width, height) {
    const look = { fill: this.fillStyle, opacity: this.globalAlpha, "shape-rendering": "crispEdges" };
    this.svg.append(svgNode("rect", { x, y, width, height, ...look }));
  }

  strokeRect(x, y, width, height) {
    this.svg.append(svgNode("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth }));
  }

  /** Its textBaseline is always "middle". */
  fillText(text, x, y, widest = Infinity) {
    const [weight, size, family] = this.font.match(/^(\S+) (\S+) (.*)$/).slice(1);
    this.#ruler.font = this.font;
    const node = svgNode("text", { x, y: y + MIDDLE * parseFloat(size), fill: this.fillStyle, "text-anchor": ANCHOR[this.textAlign] }, text);
    if (this.#ruler.measureText(text).width > widest) {
      node.setAttribute("textLength", widest);
      node.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    Object.assign(node.style, { fontWeight: weight, fontSize: size, fontFamily: family });
    this.svg.append(node);
  }
}
