/** <bar-list>: named values as bars in a table, so that every number can be read; with a comparison value, or single measurements as dots. */

import { barRange } from "./bar-range.js";
import { chartWith, make } from "./chart-element.js";
import { significant } from "./numbers.js";

/**
 * @typedef {object} Bar
 * @property {string} label
 * @property {number | null} value
 * @property {string} [text]      the value as it is written
 * @property {string} [note]
 * @property {string} [group]     a heading above the first bar of that group
 * @property {boolean} [marked]   set in bold with an arrow
 * @property {string} [color]
 * @property {number | null} [chance]  a tick to compare with
 * @property {{low: number, mean: number, high: number} | null} [among]  the range of a comparison and its mean
 * @property {(number | null)[]} [dots]  drawn in place of the bar, one a measurement, with a tick at the value
 *
 * @typedef {object} Properties
 * @property {Bar[]} bars
 * @property {[number, number] | null} range  of the bars; by default from 0 to what occurs
 * @property {string} labels     heads of the columns
 * @property {string} quantity   with its unit
 * @property {string} compared   what the tick or the range is
 * @property {string} summary    what is to be seen, in a sentence
 */

/** @type {Properties} */
const PROPERTIES = { bars: [], range: null, labels: "", quantity: "", compared: "", summary: "" };

/** Light-DOM custom element; setting one of its properties redraws in the next frame. */
export class BarList extends chartWith(PROPERTIES) {
  table = make("table", "bl-table");

  build() {
    this.append(this.table);
  }

  draw() {
    const [low, high] = this.range ?? barRange(this.bars);
    /** @param {number} value */
    const share = (value) => Math.min(1, Math.max(0, (value - low) / (high - low)));
    const head = make("tr", "");
    head.append(heading(this.labels), heading(this.quantity), make("td", ""));
    /** @type {HTMLTableRowElement[]} */
    const body = [];
    this.bars.forEach((bar, i) => {
      if (bar.group && bar.group !== this.bars[i - 1]?.group) {
        const row = make("tr", "bl-group");
        const cell = make("th", "", bar.group);
        cell.colSpan = 3;
        cell.scope = "rowgroup";
        row.append(cell);
        body.push(row);
      }
      body.push(this.#row(bar, share));
    });
    const compared = this.bars.some(({ chance, among }) => chance != null || among) ? this.compared : "";
    const caption = make("caption", "bl-caption", this.summary);
    const top = make("thead", "");
    top.append(head);
    const rows = make("tbody", "");
    rows.append(...body);
    this.table.replaceChildren(caption, top, rows);
    if (compared) {
      const foot = this.table.createTFoot().insertRow().insertCell();
      foot.colSpan = 3;
      const sign = make("span", this.bars.some(({ among }) => among) ? "bl-key bl-among" : "bl-key bl-chance");
      foot.append(sign, ` ${compared}`);
    }
  }

  /** @param {Bar} bar @param {(value: number) => number} share */
  #row(bar, share) {
    const { label, value, text = significant(value), note, marked, color } = bar;
    const row = make("tr", marked ? "bl-marked" : "");
    const name = make("th", "", marked ? `▸ ${label}` : label);
    name.scope = "row";
    const track = make("td", "bl-track");
    track.setAttribute("aria-hidden", "true");
    const lane = make("div", "bl-lane");
    if (color) lane.style.color = color;
    if (!bar.dots) lane.append(placed("bl-zero", share(0)));
    if (value !== null) lane.append(...(bar.dots ? this.#dots(value, bar.dots, share) : [this.#bar(value, share)]));
    if (bar.chance != null) lane.append(placed("bl-chance", share(bar.chance)));
    if (bar.among) {
      const range = placed("bl-among", share(bar.among.low));
      range.style.width = `${Math.max(0.4, (share(bar.among.high) - share(bar.among.low)) * 100)}%`;
      lane.append(range, placed("bl-mean", share(bar.among.mean)));
    }
    track.append(lane);
    const number = make("td", "bl-value", text);
    if (note) number.append(make("span", "bl-note", note));
    row.append(name, track, number);
    return row;
  }

  /** @param {number} value @param {(value: number) => number} share */
  #bar(value, share) {
    const [from, to] = [share(0), share(value)].sort((a, b) => a - b);
    const bar = placed("bl-bar", from);
    bar.style.width = `${(to - from) * 100}%`;
    return bar;
  }

  /** @param {number} value @param {(number | null)[]} dots @param {(value: number) => number} share */
  #dots(value, dots, share) {
    return [placed("bl-mean", share(value)), ...dots.filter((dot) => dot !== null).map((dot) => placed("bl-dot", share(dot)))];
  }
}

/** @param {string} text */
function heading(text) {
  const cell = make("th", "", text);
  cell.scope = "col";
  return cell;
}

/** @param {string} className @param {number} share */
function placed(className, share) {
  const element = make("div", className);
  element.style.left = `${share * 100}%`;
  return element;
}

BarList.register("bar-list");
