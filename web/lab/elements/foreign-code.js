/** Python that came from a file or from what the browser kept, all of it to be read before it may run, and what it could do. */

import { html, nothing } from "lit";
import { counted } from "../format.js";
import { hiddenIn, revealed } from "../hidden-characters.js";

/**
 * @param {string[]} names what its encodings are called
 * @param {string} code shown as text, whatever it holds
 */
export function foreignCode(names, code) {
  const hidden = hiddenIn(code);
  return html`<p class="note">${counted([...code].length, "character")}, ${counted(code.replace(/\n$/, "").split("\n").length, "line")}. Scroll to read it all.</p>
    ${hidden ? html`<p class="error">${hidden}</p>` : nothing}
    <pre class="foreign-code" dir="ltr" tabindex="0" role="group" aria-label="Code of ${names.join(", ")}">${revealed(code).map(
      ({ text, isSign }) => (isSign ? html`<span class="sign">${text}</span>` : text),
    )}</pre>`;
}

/** What code that runs can do and cannot, for those who decide whether it may. */
export const CONSEQUENCES =
  "It would run in a Python of its own in this tab: there it can compute what it likes from the text and the settings of " +
  "its run, and take processor and memory until it is ended. It sees neither this page nor your files nor what the browser " +
  "keeps, and reaches no network. Let it run if you have read it, or trust whoever it comes from.";
