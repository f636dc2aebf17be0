/** The key of the loss chart: a button per run, and beside it the values at the step being read. */

import { make, setText } from "./chart-element.js";
import { valueAt } from "./loss-columns.js";
import { count, nats } from "./numbers.js";
import { encodingColor, encodingSign } from "./palette.js";
import { signElement } from "./signs.js";

/** A readout that has its own place above the plot, so that it can never cover a curve or lie under a finger. */
export class LossKey {
  /** @param {(id: string) => void} onToggle  called with the id of the run whose button was pressed */
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.element = make("div", "lc-key");
    const head = make("p", "lc-head");
    this.at = make("span", "lc-at");
    head.append(this.at, make("span", "lc-column", "training"), make("span", "lc-column", "validation"));
    this.list = make("ul", "lc-runs");
    this.element.append(head, this.list);
    this.rows = new Map(); // run id -> its nodes
  }

  /**
   * @param {object[]} runs         all runs, visible or not
   * @param {number | null} step    the step being read; null shows the latest values
   * @param {string} empty          what to say while there is no run
   */
  show(runs, step, empty) {
    this.element.classList.toggle("lc-empty", runs.length === 0);
    const reading = step !== null;
    this.element.classList.toggle("lc-reading", reading);
    setText(this.at, runs.length === 0 ? empty : reading ? `Step ${count(step)}` : "Latest values");
    this.#keepRows(runs);
    for (const run of runs) this.#fill(this.rows.get(run.id), run, step ?? Infinity);
  }

  #keepRows(runs) {
    const ids = new Set(runs.map((run) => run.id));
    for (const [id, row] of this.rows) {
      if (ids.has(id)) continue;
      row.item.remove();
      this.rows.delete(id);
    }
    runs.forEach((run, i) => {
      if (!this.rows.has(run.id)) this.rows.set(run.id, this.#makeRow(run));
      const { item } = this.rows.get(run.id);
      if (this.list.children[i] !== item) this.list.insertBefore(item, this.list.children[i] ?? null);
    });
  }

  #makeRow(run) {
    const item = make("li", "lc-run");
    const button = make("button", "lc-toggle");
    button.type = "button";
    button.addEventListener("click", () => this.onToggle(run.id));
    const sign = make("span", "lc-sign");
    const name = make("span", "lc-name");
    button.append(sign, name);
    const values = make("span", "lc-values");
    const train = make("span", "lc-value");
    const validation = make("span", "lc-value");
    const measured = make("span", "lc-measured");
    values.append(
      make("span", "lc-term", "training"), train, make("span", "lc-blank"),
      make("span", "lc-term", "validation"), validation, measured,
    );
    item.append(button, values);
    return { item, button, sign, name, train, validation, measured, encoding: null };
  }

  #fill(row, run, step) {
    if (row.encoding !== run.encoding) {
      row.encoding = run.encoding;
      row.sign.style.color = encodingColor(run.encoding);
      row.sign.replaceChildren(signElement(encodingSign(run.encoding), { line: true }));
    }
    const visible = run.visible !== false;
    setText(row.name, run.label);
    row.button.setAttribute("aria-pressed", String(visible));
    row.button.title = visible ? `Hide ${run.label}` : `Show ${run.label}`;
    row.item.classList.toggle("lc-selected", Boolean(run.selected));
    const train = visible ? valueAt(run.train, step) : null;
    const validation = visible ? valueAt(run.validation, step) : null;
    setText(row.train, nats(train?.loss));
    setText(row.validation, nats(validation?.loss));
    setText(row.measured, validation ? `at ${count(validation.step)}` : "");
  }
}
