/** The numbers of a chart as a table, for a screen reader and for whoever wants to copy them; made when it is opened. */

import { make } from "./chart-element.js";

const MOST_ROWS = 500;

export class ChartTable {
  #numbers = () => ({ head: [], rows: [] });
  #stale = true;

  constructor() {
    this.element = make("details", "chart-table");
    this.scroll = make("div", "chart-table-scroll");
    this.element.append(make("summary", "", "The numbers as a table"), this.scroll);
    this.element.addEventListener("toggle", () => this.#fill());
  }

  /**
   * @param {string} label  what the chart shows, in a sentence
   * @param {() => {head: string[], rows: string[][]}} numbers  the first cell of each row is its name
   */
  show(label, numbers) {
    this.label = label;
    this.#numbers = numbers;
    this.#stale = true;
    this.#fill();
  }

  #fill() {
    if (!this.element.open || !this.#stale) return;
    this.#stale = false;
    const { head, rows } = this.#numbers();
    const table = make("table", "");
    table.setAttribute("aria-label", this.label);
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

function cell(tag, text, scope) {
  const element = make(tag, "", text);
  if (scope) element.scope = scope;
  return element;
}
