/** The key of the loss chart: a button per curve, and beside it the values at the step being read. */

import { make, setText } from "./chart-element.js";
import { valueAt } from "./loss-columns.js";
import { bandAt } from "./loss-groups.js";
import { measuredElsewhere } from "./loss-words.js";
import { count } from "./numbers.js";
import { encodingColor, encodingSign } from "./palette.js";
import { bandElement, signElement } from "./signs.js";
/** @import { Curve, Measured } from "./loss-groups.js" */
/** @import { Unit } from "./units.js" */

/**
 * @typedef {object} Row of the key
 * @property {HTMLLIElement} item
 * @property {HTMLButtonElement} button
 * @property {HTMLElement} sign
 * @property {HTMLElement} name
 * @property {HTMLElement} train
 * @property {HTMLElement} validation
 * @property {HTMLElement} measured
 * @property {HTMLElement} range
 * @property {string | null} encoding  whose sign it has
 */

/** A readout that has its own place above the plot, so that it can never cover a curve or lie under a finger. */
export class LossKey {
  /** @param {(ids: string[]) => void} onToggle  called with the ids of the runs of the curve whose button was pressed */
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.element = make("div", "lc-key");
    const head = make("p", "lc-head");
    this.at = make("span", "lc-at");
    this.training = make("span", "lc-column");
    head.append(this.at, this.training, make("span", "lc-column", "validation"));
    this.list = make("ul", "lc-runs");
    this.elsewhere = make("p", "lc-elsewhere");
    const sign = make("span", "lc-sign");
    sign.append(bandElement());
    this.meaning = make("span", "");
    this.elsewhere.append(sign, this.meaning);
    this.element.append(head, this.list, this.elsewhere);
    /** By the ids of the curves. @type {Map<string, Row>} */
    this.rows = new Map();
  }

  /**
   * @param {Curve[]} curves        all, visible or not
   * @param {Measured[]} measured   rows of the bands measured elsewhere that are drawn
   * @param {number | null} step    the step being read; null shows the latest values
   * @param {Unit} unit
   * @param {string} empty          what to say while there is no run
   */
  show(curves, measured, step, unit, empty) {
    this.element.classList.toggle("lc-empty", curves.length === 0);
    const reading = step !== null;
    this.element.classList.toggle("lc-reading", reading);
    setText(this.at, curves.length === 0 ? empty : reading ? `Step ${count(step)}` : `Latest values, ${unit.title}`);
    setText(this.training, curves.some(({ band }) => !band) ? "training" : "");
    this.#removeOthers(curves);
    curves.forEach((curve, i) => {
      const row = this.#row(curve);
      if (this.list.children[i] !== row.item) this.list.insertBefore(row.item, this.list.children[i] ?? null);
      this.#fill(row, curve, step ?? Infinity, unit);
    });
    // What the bands are; the runs of the same colours say whose each is.
    this.elsewhere.hidden = measured.length === 0;
    if (measured.length) setText(this.meaning, measuredElsewhere(measured));
  }

  /** @param {Curve[]} curves */
  #removeOthers(curves) {
    const ids = new Set(curves.map(({ id }) => id));
    for (const [id, row] of this.rows) {
      if (ids.has(id)) continue;
      row.item.remove();
      this.rows.delete(id);
    }
  }

  /** @param {Curve} curve */
  #row(curve) {
    const row = this.rows.get(curve.id) ?? this.#makeRow(curve);
    this.rows.set(curve.id, row);
    return row;
  }

  /** @param {Curve} curve @returns {Row} */
  #makeRow({ ids, band }) {
    const item = make("li", band ? "lc-run lc-group" : "lc-run");
    const button = make("button", "lc-toggle");
    button.type = "button";
    button.addEventListener("click", () => this.onToggle(ids));
    const sign = make("span", "lc-sign");
    const name = make("span", "lc-name");
    button.append(sign, name);
    const values = make("span", "lc-values");
    const train = make("span", "lc-value");
    const validation = make("span", "lc-value");
    const measured = make("span", "lc-measured");
    const range = make("span", "lc-range");
    if (band) values.append(make("span", "lc-term", "validation"), validation, measured, range);
    else {
      values.append(
        make("span", "lc-term", "training"), train, make("span", "lc-blank"),
        make("span", "lc-term", "validation"), validation, measured,
      );
    }
    item.append(button, values);
    return { item, button, sign, name, train, validation, measured, range, encoding: null };
  }

  /** @param {Row} row @param {Curve} curve @param {number} step @param {Unit} unit */
  #fill(row, curve, step, unit) {
    if (row.encoding !== curve.encoding) {
      row.encoding = curve.encoding;
      row.sign.style.color = encodingColor(curve.encoding);
      row.sign.replaceChildren(signElement(encodingSign(curve.encoding), { line: true, band: curve.band !== null }));
    }
    const { visible, label } = curve;
    setText(row.name, label);
    row.button.setAttribute("aria-pressed", String(visible));
    row.button.title = visible ? `Hide ${label}` : `Show ${label}`;
    row.item.classList.toggle("lc-selected", curve.selected);
    const train = visible ? valueAt(curve.train, step) : null;
    const validation = visible ? valueAt(curve.validation, step) : null;
    const band = visible ? bandAt(curve, step) : null;
    setText(row.train, unit.loss(train?.loss));
    setText(row.validation, unit.loss(validation?.loss));
    setText(row.measured, validation ? `at ${count(validation.step)}` : "");
    setText(row.range, band ? `${unit.loss(band.low)} to ${unit.loss(band.high)}` : "");
  }
}
