/** What the charts of the labs decide before they draw: colours, places of cells, axes, ranges, turns, and how they write numbers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { barRange } from "../../web/charts/bar-range.js";
import { heatLayout, labelEvery } from "../../web/charts/heat-layout.js";
import { heatColor, heatRange } from "../../web/charts/heat-scale.js";
import { distinct, rangeY, scaleX } from "../../web/charts/line-scale.js";
import { coordinate, percent, probability, significant } from "../../web/charts/numbers.js";
import { reach, turned } from "../../web/charts/turning.js";
import { difference, listed, ordinal } from "../../web/lab/format.js";
import { pastTraining } from "../../web/lab/probe-views/position.js";

// Numbers

test("a number keeps its significant digits, a tiny one becomes a power of ten", () => {
  const written = [0, 0.25, -0.25, 0.0123456, 12.3456, 999.6, 1234.5, 33408, 3.337e-6, -1e-9, 5e9].map((value) => significant(value));
  assert.deepEqual(written, ["0", "0.250", "−0.250", "0.0123", "12.3", "1,000", "1,235", "33,408", "3.34 × 10⁻⁶", "−1.00 × 10⁻⁹", "5.00 × 10⁹"]);
  assert.deepEqual([null, undefined, NaN].map((value) => significant(value)), ["–", "–", "–"]);
});

test("a coordinate has the sign of what is written", () => {
  assert.deepEqual([-0.1254, 0.16, -0.0002, -12.34].map(coordinate), ["−0.125", "0.160", "0.000", "−12.3"]);
});

test("a probability is written as tests give it", () => {
  assert.deepEqual([0.001, 0.7551, 1, 6e-5, null].map(probability), ["0.001", "0.76", "1", "6 × 10⁻⁵", "–"]);
});

test("no difference is exactly 0, rounding is not", () => {
  assert.deepEqual([0, 3.34e-6, 0.0946].map(difference), ["exactly 0", "3.3 × 10⁻⁶", "0.095"]);
});

test("shares, places and lists read as in a sentence", () => {
  assert.deepEqual([percent(0.2412), percent(1 / 72, 1)], ["24\u00a0%", "1.4\u00a0%"]);
  assert.deepEqual([1, 2, 3, 4, 11, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listed), ["", "a", "a and b", "a, b and c"]);
});

// Colours of a heat map

const COLORS = { negative: "rgb(0, 0, 200)", zero: "rgb(250, 250, 250)", positive: "rgb(200, 100, 0)", most: "rgb(50, 0, 100)" };

test("a diverging scale is symmetric, a sequential one starts at 0", () => {
  assert.deepEqual(heatRange([-1, 0.5, null], "diverging"), { low: -1, high: 1, below: false, above: false });
  assert.deepEqual(heatRange([0, 3, 2], "sequential"), { low: 0, high: 3, below: false, above: false });
});

test("one number far from the rest does not take the colours from them, and the bar says that it lies beyond", () => {
  const { high, above } = heatRange([...new Array(300).fill(1), 50], "diverging");
  assert.deepEqual([high, above], [1, true]);
});

test("numbers that are all 0 have a range", () => {
  assert.deepEqual(heatRange([0, 0], "diverging"), { low: -1, high: 1, below: false, above: false });
});

test("0 fades into the paper, the ends have their full colours, what lies beyond too", () => {
  const color = heatColor({ low: -2, high: 2 }, "diverging", COLORS);
  assert.deepEqual([0, -2, 2, 9].map(color), ["rgb(250,250,250)", "rgb(0,0,200)", "rgb(200,100,0)", "rgb(200,100,0)"]);
  const dark = heatColor({ low: 0, high: 4 }, "sequential", COLORS);
  assert.deepEqual([0, 4].map(dark), ["rgb(250,250,250)", "rgb(50,0,100)"]);
});

// Places of a heat map's cells

const layout = (options) => heatLayout({ width: 330, rows: 22, columns: 48, panels: 1, titled: false, gutter: 20, tiles: false, ...options });

test("every picture and cell lies within the width, from a phone up", () => {
  for (const width of [280, 330, 700, 1100]) {
    for (const [rows, columns, panels] of [[73, 48, 1], [22, 48, 5], [32, 32, 4], [64, 64, 1], [1, 73, 3], [22, 96, 5], [32, 128, 2]]) {
      const placed = layout({ width, rows, columns, panels, titled: panels > 1 });
      for (const panel of placed.panels) {
        assert.ok(panel.left >= 20 && panel.left + panel.width <= width + 1e-6, `${width}: ${JSON.stringify(panel)}`);
        assert.ok(panel.top + panel.height <= placed.height);
      }
    }
  }
});

test("pictures stand side by side where there is room", () => {
  const tops = (width) => new Set(layout({ width, rows: 32, columns: 32, panels: 4 }).panels.map(({ top }) => top)).size;
  assert.deepEqual([tops(330), tops(800)].map((lines) => lines > 1), [true, false]);
});

test("a pointer finds the cell that is drawn under it, and none beside the pictures", () => {
  const placed = layout({ panels: 3, titled: true, width: 700 });
  for (const cell of [{ panel: 0, row: 0, column: 0 }, { panel: 2, row: 21, column: 47 }, { panel: 1, row: 7, column: 30 }]) {
    const { left, top } = placed.place(cell.panel, cell.row, cell.column);
    assert.deepEqual(placed.at(left + placed.cell.width / 2, top + placed.cell.height / 2), cell);
  }
  assert.equal(placed.at(2, 2), null);
});

test("tiles break into lines, and the pointer finds each", () => {
  const placed = layout({ rows: 1, columns: 73, panels: 3, tiles: true, titled: true });
  for (const column of [0, 20, 72]) {
    const { left, top } = placed.place(1, 0, column);
    assert.ok(left >= 0 && left + placed.cell.width <= 330);
    assert.deepEqual(placed.at(left + 3, top + 3), { panel: 1, row: 0, column });
  }
});

test("labels stand as close as they fit", () => {
  assert.deepEqual([labelEvery(14, 10), labelEvery(6, 10), labelEvery(3, 20)], [1, 2, 8]);
});

// Axes of a line plot

test("values that are tried get the same room each, 0 among them", () => {
  const { at, ticks } = scaleX({ kind: "even" }, [0, 0.02, 1], [0, 240]);
  assert.deepEqual(ticks(), [0, 0.02, 1]);
  assert.ok(Math.abs(at(0.02) - at(0) - (at(1) - at(0.02))) < 1e-9);
  assert.ok(at(0) > 0 && at(1) < 240);
});

test("equal factors are equal steps on a logarithmic axis", () => {
  const { at } = scaleX({ kind: "log" }, [8, 96], [0, 100]);
  assert.ok(Math.abs(at(48) - at(24) - (at(32) - at(16))) < 1e-9);
});

test("the x of all series are read once, in order", () => {
  assert.deepEqual(distinct([{ x: [0, 8, 16] }, { x: [8, 24] }]), [0, 8, 16, 24]);
});

test("the y axis holds every value, band and level but those far away", () => {
  const [low, high] = rangeY([{ y: [2, null, 3], low: [1.5, 2, 2], high: [3, 3, 4] }], [{ value: 4.3, far: true }, { value: 1.2 }]);
  assert.ok(low < 1.2 && high > 4 && high < 4.3, [low, high]);
  assert.deepEqual(rangeY([{ y: [null] }], []), [0, 1]);
  const [same, above] = rangeY([{ y: [2, 2] }], []);
  assert.ok(same < 2 && above > 2);
});

test("bars begin at 0 and hold what they are compared with", () => {
  assert.deepEqual(barRange([{ value: 0.4, chance: 0.6 }, { value: null }]), [0, 0.6]);
  assert.deepEqual(barRange([{ value: 0.1, among: { low: -0.2, mean: 0, high: 0.05 } }]), [-0.2, 0.1]);
  assert.deepEqual(barRange([{ value: 0 }]), [0, 1]);
});

// The table in space

test("unturned, the first two axes lie on the page and the third comes towards the reader", () => {
  const { flat, depth } = turned([1, 2, 3], 0, 0);
  assert.deepEqual([...flat, ...depth], [1, 2, 3]);
});

test("a turn keeps every distance from the middle", () => {
  const { flat, depth } = turned([1, 2, 3, -2, 0.5, 1], 0.7, -0.4);
  for (const [i, size] of [[0, Math.hypot(1, 2, 3)], [1, Math.hypot(2, 0.5, 1)]]) {
    assert.ok(Math.abs(Math.hypot(flat[2 * i], flat[2 * i + 1], depth[i]) - size) < 1e-6);
  }
  assert.equal(reach([1, 2, 2, 0, 0, 1]), 3);
});

test("a change past the training length has an error where both its losses have one", () => {
  const context = (standardErrors) => ({ positions: [0, 16], losses: [2, 3], standardErrors });
  assert.deepEqual(pastTraining(context([0.3, 0.4]), 16), { nats: 1, error: 0.5 });
  for (const errors of [[0.3, null], [null, 0.4]]) assert.equal(pastTraining(context(errors), 16).error, null);
});
