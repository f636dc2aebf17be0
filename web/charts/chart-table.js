/** The numbers of a chart as a table, for a screen reader and for whoever wants to copy them; made when it is opened. */

import { make } from "./chart-element.js";
import { scrollBox } from "./scroll-box.js";

const TITLE = "The numbers as a table";
const MOST_ROWS = 500;

/** @typedef {{head: string[], rows: string[][]}} Numbers the first cell of each row is its name */

export class ChartTable {
  /** @type {() => Numbers} */
  #numbers = () => ({ head: [], rows: [] });
  #label = "";
  #stale = true;

  constructor() {
    this.element = make("details", "chart-table");
    this.scroll = scrollBox("chart-table-scroll", TITLE);
    this.element.append(make("summary", "", TITLE), this.scroll);
    this.element.addEventListener("toggle", () => this.#fill());
  }

  /**
   * @param {string} label  what the chart shows, in a sentence
   * @param {() => Numbers} numbers
   */
  show(label, numbers) {
    this.#label = label;
    this.#numbers = numbers;
    this.#stale = true;
    this.#fill();
  }

  #fill() {
    if (!this.element.open || !this.#stale) return;
    this.#stale = false;
    const { head, rows } = this.#numbers();
    const table = make("table", "");
    table.setAttribute("aria-label", this.#label);
    const headRow = table.createTHead().insertRow();
    headRow.append(...head.map((text) => cell("th", text, "col")));
    const body = table.createTBody();
    for (const [name, ...values] of rows.slice(0, MOST_ROWS)) {
      body.insertRow().append(cell("th", name, "row"), ...values.map((text) => cell("td", text)));
    }
    this.scroll.replaceChildren(table);
    if (rows.length > MOST_ROWS) this.scroll.append(make("p", "", `The first ${MOST_ROWS} of ${rows.length} rows.`));
  }
}

/** @param {"th" | "td"} tag @param {string} text @param {string} [scope] */
function cell(tag, text, scope) {
  const element = make(tag, "", text);
  if (scope) element.scope = scope;
  return element;
}
