/** How each probe's result is drawn, by the name of the probe: for now as the names and values of what it measured. */

import { html } from "lit";

function plain(result) {
  const [name, value] = Object.entries(result).find(([, entry]) => typeof entry === "number") ?? ["", ""];
  const rows = Object.entries(result).map(([key, entry]) => html`<dt>${key}</dt><dd>${JSON.stringify(entry)?.slice(0, 200)}</dd>`);
  return { number: { value: String(value), unit: "", caption: name }, figure: html`<dl>${rows}</dl>` };
}

export const VIEWS = new Proxy({}, { get: () => plain });
