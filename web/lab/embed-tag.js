/** The line of HTML that puts the lab, or one of its parts, into the page of a course. */

/**
 * @param {string} query of the experiment that it opens on, as in an address
 * @param {object} [options]
 * @param {string} [options.panels] what of the lab is shown, if not what it shows by itself
 * @param {string} [options.anchor] where in the page of the lab a reader without scripts is led
 * @param {string} [options.page] the address of the lab's page
 * @returns {string} in one line, whole
 */
export function embedTag(query, { panels = "", anchor = "", page = location.href } = {}) {
  const folder = new URL(".", page);
  const attributes = [...new URLSearchParams(query), ...(panels ? [["panels", panels]] : [])];
  const written = attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
  const link = new URL(`${query && `?${query}`}${anchor && `#${anchor}`}`, folder);
  const script = new URL("embedding-lab.js", folder);
  return `<script async src="${escape(script.href)}"></script>`
    + `<embedding-lab${written}><a href="${escape(link.href)}">Open the lab</a></embedding-lab>`;
}

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
