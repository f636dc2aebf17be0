/**
 * Copies what the browser has laid out into an SVG that needs neither stylesheet nor font: texts where they stand, boxes
 * with a background or a border, and inner SVGs, all with the colours they compute to as attributes.
 *
 * The libraries that turn a page into a picture inline its stylesheets or draw it through foreignObject, which few
 * programs besides browsers can open; the charts need only the few kinds of parts that are here.
 */

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = ["path", "line", "rect", "circle"];
const STRUCTURE = ["d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "dx", "dy", "width", "height", "transform", "id",
  "clip-path", "textLength", "lengthAdjust", "shape-rendering", "data-part"];
const ANCHOR = { end: "end", right: "end", center: "middle" }; // of a text-align
const SIDES = ["Top", "Right", "Bottom", "Left"];

/**
 * An SVG element with attributes; null and undefined leave one out.
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} attributes
 * @param {(Node | string)[]} children
 */
export function svgNode(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * @param {HTMLElement} root  laid out in the document
 * @returns {SVGSVGElement}   of the size of the root
 */
export function traced(root) {
  const { left, top, width, height } = root.getBoundingClientRect();
  const svg = svgNode("svg", { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` });
  const at = (rect) => ({ left: rect.left - left, top: rect.top - top, width: rect.width, height: rect.height });
  const colors = new Colors();
  svg.append(...parts(root, at, colors));
  return svg;
}

/** What an element and all within it show, in the order of the document. */
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

/** The background and the borders of a box. */
function box({ left, top, width, height }, style, colors) {
  const rect = (x, y, w, h, color, rx) => svgNode("rect", {
    x: round(x), y: round(y), width: round(w), height: round(h), rx, fill: color.hex, "fill-opacity": unlessOne(color.alpha),
    "shape-rendering": rx ? null : "crispEdges",
  });
  const borders = SIDES.map((side) => ({
    size: parseFloat(style[`border${side}Width`]), color: colors.plain(style[`border${side}Color`]),
  }));
  const [above, right, below, before] = borders;
  const round50 = style.borderTopLeftRadius === "50%" ? round(width / 2) : null;
  const drawn = [];
  const background = colors.plain(style.backgroundColor);
  if (background) drawn.push(rect(left, top, width, height, background, round50));
  if (round50 !== null) return drawn; // its border is the paper's, which sets dots apart
  const sides = [
    [above, left, top, width, above.size], [below, left, top + height - below.size, width, below.size],
    [before, left, top, before.size, height], [right, left + width - right.size, top, right.size, height],
  ];
  for (const [{ size, color }, ...place] of sides) if (size > 0 && color) drawn.push(rect(...place, color));
  return drawn;
}

/** The lines of a text as they are broken. */
function lines(text, at, style, colors) {
  const range = document.createRange();
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
  const color = colors.plain(style.color);
  return found.map(({ words, rect, left, right }) => {
    const anchor = ANCHOR[style.textAlign] ?? null;
    const line = at({ left, top: rect.top, width: right - left, height: rect.height });
    const x = line.left + { end: line.width, middle: line.width / 2, null: 0 }[anchor];
    return svgNode("text", {
      x: round(x), y: round(line.top + colors.ascent(style, rect.height)), "text-anchor": anchor,
      fill: color.hex, "fill-opacity": unlessOne(color.alpha), ...font(style),
    }, words.trimEnd().replace(/ +/g, " "));
  });
}

/** Copies of the children of an SVG, with what they compute to as attributes. */
function copies(element, colors) {
  return [...element.children].flatMap((child) => {
    const style = getComputedStyle(child);
    if (style.display === "none" || style.visibility === "hidden") return [];
    const copy = svgNode(child.localName);
    for (const name of STRUCTURE) if (child.hasAttribute(name)) copy.setAttribute(name, child.getAttribute(name));
    const look = child.localName === "text" ? { ...painted(style, colors), ...font(style), ...set(style) }
      : SHAPES.includes(child.localName) ? painted(style, colors) : {};
    for (const [name, value] of Object.entries({ ...look, opacity: unlessOne(Number(style.opacity)) })) {
      if (value !== null) copy.setAttribute(name, value);
    }
    copy.append(...(child.localName === "text" ? [child.textContent] : copies(child, colors)));
    return [copy];
  });
}

function painted(style, colors) {
  const fill = style.fill === "none" ? null : colors.plain(style.fill);
  const stroke = style.stroke === "none" ? null : colors.plain(style.stroke);
  const lined = (value, usual) => (stroke && value !== usual ? value : null);
  return {
    fill: fill?.hex ?? "none", "fill-opacity": fill && unlessOne(fill.alpha * Number(style.fillOpacity)),
    stroke: stroke?.hex ?? null, "stroke-opacity": stroke && unlessOne(stroke.alpha * Number(style.strokeOpacity)),
    "stroke-width": lined(parseFloat(style.strokeWidth), 1),
    "stroke-dasharray": lined(style.strokeDasharray.replaceAll("px", ""), "none"),
    "stroke-linejoin": lined(style.strokeLinejoin, "miter"), "paint-order": lined(style.paintOrder, "normal"),
  };
}

const font = (style) => ({
  "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize),
  "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
});

const set = (style) => ({
  "text-anchor": style.textAnchor === "start" ? null : style.textAnchor,
  "dominant-baseline": style.dominantBaseline === "auto" ? null : style.dominantBaseline,
});

const round = (value) => Math.round(value * 100) / 100;
const unlessOne = (opacity) => (opacity === 1 ? null : round(opacity));

/** What a canvas says about colours and fonts. */
class Colors {
  #context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  #known = new Map();

  /** A computed colour, whatever its notation, as programs besides browsers read it; null if nothing is to be seen. */
  plain(color) {
    if (!this.#known.has(color)) this.#known.set(color, this.#read(color));
    return this.#known.get(color);
  }

  #read(color) {
    this.#context.clearRect(0, 0, 1, 1);
    this.#context.fillStyle = color;
    this.#context.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = this.#context.getImageData(0, 0, 1, 1).data;
    if (alpha === 0) return null;
    return { hex: `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`, alpha: alpha / 255 };
  }

  /** CSS px from the top of a line's box to its baseline. */
  ascent(style, height) {
    this.#context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = this.#context.measureText("x");
    return above + (height - above - below) / 2;
  }
}
