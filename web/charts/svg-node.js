/** Makes the parts of an SVG. */

export const SVG = "http://www.w3.org/2000/svg";

/**
 * An SVG element with attributes; null and undefined leave one out.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | null | undefined>} attributes
 * @param {(Node | string)[]} children
 */
export function svgNode(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
