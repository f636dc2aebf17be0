/**
 * Copies what the browser has laid out into an SVG that needs neither stylesheet nor font: texts where they stand, boxes
 * with a background or a border, and inner SVGs, all with the colours they compute to as attributes.
 *
 * The libraries that turn a page into a picture inline its stylesheets or draw it through foreignObject, which few
 * programs besides browsers can open; the charts need only the few kinds of parts that are here.
 */

import { context2d, make } from "./chart-element.js";
import { SVG, svgNode } from "./svg-node.js";

const SHAPES = ["path", "line", "rect", "circle"];
const STRUCTURE = ["d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "dx", "dy", "width", "height", "transform", "id",
  "clip-path", "textLength", "lengthAdjust", "shape-rendering", "data-part"];
/** @type {Record<string, string>} */
const ANCHOR = { end: "end", right: "end", center: "middle" }; // of a text-align
const SIDES = ["top", "right", "bottom", "left"];

/**
 * @typedef {{left: number, top: number, width: number, height: number}} Box CSS px
 * @typedef {(rect: Box) => Box} Place where a part of the page lies in the picture
 * @typedef {{hex: string, alpha: number}} Color
 */

/**
 * @param {HTMLElement} root  laid out in the document
 * @returns {SVGSVGElement}   of the size of the root
 */
export function traced(root) {
  const { left, top, width, height } = root.getBoundingClientRect();
  const svg = svgNode("svg", { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` });
  /** @type {Place} */
  const at = (rect) => ({ left: rect.left - left, top: rect.top - top, width: rect.width, height: rect.height });
  const colors = new Colors();
  svg.append(...parts(root, at, colors));
  return svg;
}

/**
 * What an element and all within it show, in the order of the document.
 * @param {Element} element
 * @param {Place} at
 * @param {Colors} colors
 * @returns {SVGElement[]}
 */
function parts(element, at, colors) {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return [];
  if (element instanceof SVGSVGElement) {
    const { left, top } = at(element.getBoundingClientRect());
    return [svgNode("g", { transform: `translate(${round(left)},${round(top)})` }, ...copies(element, colors))];
  }
  const inside = [...element.childNodes].flatMap((child) => {
    if (child instanceof Text) return lines(child, at, style, colors);
    return child instanceof Element ? parts(child, at, colors) : [];
  });
  return [...box(at(element.getBoundingClientRect()), style, colors), ...inside];
}

/**
 * The background and the borders of a box.
 * @param {Box} rect
 * @param {CSSStyleDeclaration} style
 * @param {Colors} colors
 */
function box({ left, top, width, height }, style, colors) {
  /** @type {(x: number, y: number, w: number, h: number, color: Color, rx?: number | null) => SVGRectElement} */
  const rect = (x, y, w, h, color, rx) => svgNode("rect", {
    x: round(x), y: round(y), width: round(w), height: round(h), rx, fill: color.hex, "fill-opacity": unlessOne(color.alpha),
    "shape-rendering": rx ? null : "crispEdges",
  });
  const borders = SIDES.map((side) => ({
    size: parseFloat(style.getPropertyValue(`border-${side}-width`)), color: colors.plain(style.getPropertyValue(`border-${side}-color`)),
  }));
  const [above, right, below, before] = borders;
  const round50 = style.borderTopLeftRadius === "50%" ? round(width / 2) : null;
  const drawn = [];
  const background = colors.plain(style.backgroundColor);
  if (background) drawn.push(rect(left, top, width, height, background, round50));
  if (round50 !== null) return drawn; // its border is the paper's, which sets dots apart
  /** @type {[typeof above, number, number, number, number][]} */
  const sides = [
    [above, left, top, width, above.size], [below, left, top + height - below.size, width, below.size],
    [before, left, top, before.size, height], [right, left + width - right.size, top, right.size, height],
  ];
  for (const [{ size, color }, x, y, w, h] of sides) if (size > 0 && color) drawn.push(rect(x, y, w, h, color));
  return drawn;
}

/**
 * The lines of a text as they are broken; none of one that is transparent.
 * @param {Text} text
 * @param {Place} at
 * @param {CSSStyleDeclaration} style
 * @param {Colors} colors
 */
function lines(text, at, style, colors) {
  const color = colors.plain(style.color);
  if (!color) return [];
  const range = document.createRange();
  /** @type {{words: string, rect: DOMRect, left: number, right: number}[]} */
  const found = [];
  let place = 0;
  for (const character of text.data) {
    range.setStart(text, place);
    range.setEnd(text, (place += character.length));
    const rect = range.getClientRects()[0];
    if (!rect) continue; // white space that is collapsed
    const line = found.at(-1);
    if (line && Math.abs(line.rect.top - rect.top) < rect.height / 2) {
      line.words += character;
      if (!character.trim()) continue;
      line.right = Math.max(line.right, rect.right);
      line.left = Math.min(line.left, rect.left);
    } else if (character.trim()) found.push({ words: character, rect, left: rect.left, right: rect.right });
  }
  return found.map(({ words, rect, left, right }) => {
    const anchor = ANCHOR[style.textAlign] ?? null;
    const line = at({ left, top: rect.top, width: right - left, height: rect.height });
    const x = line.left + line.width * (anchor === "end" ? 1 : anchor === "middle" ? 0.5 : 0);
    return svgNode("text", {
      x: round(x), y: round(line.top + colors.ascent(style, rect.height)), "text-anchor": anchor,
      fill: color.hex, "fill-opacity": unlessOne(color.alpha), ...font(style),
    }, words.trimEnd().replace(/ +/g, " "));
  });
}

/**
 * Copies of the children of an SVG, with what they compute to as attributes.
 * @param {Element} element
 * @param {Colors} colors
 * @returns {SVGElement[]}
 */
function copies(element, colors) {
  return [...element.children].flatMap((child) => {
    const style = getComputedStyle(child);
    if (style.display === "none" || style.visibility === "hidden") return [];
    const copy = document.createElementNS(SVG, child.localName);
    for (const name of STRUCTURE) {
      const value = child.getAttribute(name);
      if (value !== null) copy.setAttribute(name, value);
    }
    const look = child.localName === "text" ? { ...painted(style, colors), ...font(style), ...set(style) }
      : SHAPES.includes(child.localName) ? painted(style, colors) : {};
    for (const [name, value] of Object.entries({ ...look, opacity: unlessOne(Number(style.opacity)) })) {
      if (value !== null) copy.setAttribute(name, String(value));
    }
    copy.append(...(child.localName === "text" ? [child.textContent ?? ""] : copies(child, colors)));
    return [copy];
  });
}

/** @param {CSSStyleDeclaration} style @param {Colors} colors */
function painted(style, colors) {
  const fill = style.fill === "none" ? null : colors.plain(style.fill);
  const stroke = style.stroke === "none" ? null : colors.plain(style.stroke);
  /** @type {<T>(value: T, usual: T) => T | null} */
  const lined = (value, usual) => (stroke && value !== usual ? value : null);
  return {
    fill: fill?.hex ?? "none", "fill-opacity": fill && unlessOne(fill.alpha * Number(style.fillOpacity)),
    stroke: stroke?.hex ?? null, "stroke-opacity": stroke && unlessOne(stroke.alpha * Number(style.strokeOpacity)),
    "stroke-width": lined(parseFloat(style.strokeWidth), 1),
    "stroke-dasharray": lined(style.strokeDasharray.replaceAll("px", ""), "none"),
    "stroke-linejoin": lined(style.strokeLinejoin, "miter"), "paint-order": lined(style.paintOrder, "normal"),
  };
}

/** @param {CSSStyleDeclaration} style */
const font = (style) => ({
  "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize),
  "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
});

/** @param {CSSStyleDeclaration} style */
const set = (style) => ({
  "text-anchor": style.textAnchor === "start" ? null : style.textAnchor,
  "dominant-baseline": style.dominantBaseline === "auto" ? null : style.dominantBaseline,
});

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;
/** @param {number} opacity */
const unlessOne = (opacity) => (opacity === 1 ? null : round(opacity));

/** What a canvas says about colours and fonts. */
class Colors {
  #context = context2d(Object.assign(make("canvas", ""), { width: 1, height: 1 }), { willReadFrequently: true });
  /** @type {Map<string, Color | null>} */
  #known = new Map();

  /**
   * A computed colour, whatever its notation, as programs besides browsers read it; null if nothing is to be seen.
   * @param {string} color
   */
  plain(color) {
    let known = this.#known.get(color);
    if (known === undefined) this.#known.set(color, (known = this.#read(color)));
    return known;
  }

  /** @param {string} color */
  #read(color) {
    this.#context.clearRect(0, 0, 1, 1);
    this.#context.fillStyle = color;
    this.#context.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = this.#context.getImageData(0, 0, 1, 1).data;
    if (alpha === 0) return null;
    return { hex: `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`, alpha: alpha / 255 };
  }

  /** CSS px from the top of a line's box to its baseline. @param {CSSStyleDeclaration} style @param {number} height */
  ascent(style, height) {
    this.#context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = this.#context.measureText("x");
    return above + (height - above - below) / 2;
  }
}
