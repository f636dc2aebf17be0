/** What the charts decide before they draw: ranges, columns, labels, names of characters, the window of the geometry. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { characterName, glyph } from "../../web/charts/characters.js";
import { GeometryView } from "../../web/charts/geometry-view.js";
import { stackLabels } from "../../web/charts/label-stack.js";
import { LossColumns, valueAt } from "../../web/charts/loss-columns.js";
import { lossRange } from "../../web/charts/loss-range.js";
import { outOfPicture, summary } from "../../web/charts/loss-words.js";
import { nats } from "../../web/charts/numbers.js";

const BASELINES = { uniform: 4.29, unigram: 3.16, bigram: 2.45 };

// Labels

const stacked = (at, height = 10, top = 0, bottom = 100) => stackLabels(at.map((centre) => ({ at: centre, height })), top, bottom);

test("labels with room stand at their values", () => {
  assert.deepEqual(stacked([20, 80, 50]), [20, 80, 50]);
});

test("labels at one value share the way evenly", () => {
  assert.deepEqual(stacked([50, 50]), [45, 55]);
});

test("labels never overlap, keep their order and stay inside", () => {
  for (const wanted of [[0, 1, 2, 50], [99, 98, 97], [50, 50, 50, 50, 50, 50], [0, 0, 100, 100], [40, 49, 58, 10]]) {
    const centres = stacked(wanted);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
    order.forEach((label, k) => {
      if (k) assert.ok(centres[label] - centres[order[k - 1]] >= 10 - 1e-9, `${wanted} became ${centres}`);
    });
    assert.ok(Math.min(...centres) >= 5 && Math.max(...centres) <= 95, `${wanted} became ${centres}`);
  }
});

test("labels that cannot all fit start at the top", () => {
  assert.deepEqual(stacked([10, 20, 30], 50, 0, 100), [25, 75, 125]);
});

// Range of the losses

test("the range holds the baselines before there is a run", () => {
  const [low, high] = lossRange(BASELINES, []);
  assert.ok(low < BASELINES.bigram && high > BASELINES.uniform, [low, high]);
});

test("the range stands still while a run moves within it", () => {
  assert.deepEqual(lossRange(BASELINES, [{ low: 2.2, high: 4.29 }]), lossRange(BASELINES, []));
});

test("the range goes down with a run that learns more", () => {
  const [low] = lossRange(BASELINES, [{ low: 0.9, high: 4.3 }]);
  assert.ok(low <= 0.9 && low >= 0.5, low);
  assert.equal(lossRange(BASELINES, [{ low: 0.001, high: 4.3 }])[0], 0);
});

test("a run that diverges is clipped, so that the others can still be read", () => {
  const [, high] = lossRange(BASELINES, [{ low: 2.2, high: 1e6 }]);
  assert.ok(high > BASELINES.uniform + 1 && high < 7, high);
});

test("a curve without a finite value has no say", () => {
  assert.deepEqual(lossRange(BASELINES, [{ low: Infinity, high: -Infinity }]), lossRange(BASELINES, []));
});

test("without baselines the data decide", () => {
  const [low, high] = lossRange(null, [{ low: 1, high: 1.6 }]);
  assert.ok(low <= 1 && high >= 1.6 && high < 3, [low, high]);
  assert.deepEqual(lossRange(null, []), [0, 5]);
});

// Columns of the loss curves

const record = (loss, from = 1) => ({ steps: loss.map((_, i) => from + i), loss });
const NOTHING = { steps: [], loss: [] };
const read = (columns, train, validation = NOTHING) => columns.read({ id: "a", train, validation });

test("with room for every step each has its own column", () => {
  const columns = new LossColumns(90, 100);
  assert.deepEqual(columns.x, Array.from({ length: 91 }, (_, i) => i));
  const { train } = read(columns, record([4, 3, 2]));
  assert.deepEqual(train.highs.slice(0, 5), [undefined, 4, 3, 2, undefined]);
  assert.deepEqual(train.lows.slice(0, 5), [undefined, 4, 3, 2, undefined]);
});

test("a spike of one step among thousands is kept", () => {
  const columns = new LossColumns(20_000, 300);
  const losses = new Array(20_000).fill(2);
  losses[7_777] = 9;
  losses[12_345] = 0.5;
  const { train } = read(columns, record(losses));
  assert.ok(columns.x.length <= 300);
  assert.equal(Math.max(...train.highs), 9);
  assert.equal(Math.min(...train.lows), 0.5);
  assert.deepEqual([train.low, train.high, train.highStep], [0.5, 9, 7_778]);
});

test("a curve that grows is the same as one that came at once", () => {
  const losses = Array.from({ length: 900 }, (_, i) => 2 + Math.sin(i));
  Object.assign(losses, { 1: 9, 10: 8, 500: 0.5 }); // where it grows
  const growing = new LossColumns(1000, 200);
  const { steps, loss } = record(losses);
  for (const length of [1, 10, 500, 900]) read(growing, { steps: steps.slice(0, length), loss: loss.slice(0, length) });
  const { highs, lows } = read(growing, { steps, loss }).train;
  const once = read(new LossColumns(1000, 200), { steps, loss }).train;
  assert.deepEqual([highs, lows], [once.highs, once.lows]);
});

test("a run that starts again leaves nothing of the earlier one", () => {
  const columns = new LossColumns(10, 100);
  read(columns, record([9, 9, 9, 9, 9]));
  const { train } = read(columns, record([1, 1]));
  assert.deepEqual(train.highs.slice(0, 6), [undefined, 1, 1, undefined, undefined, undefined]);
  assert.equal(train.high, 1);
  const longer = read(columns, record([3, 3, 3, 3])).train;
  assert.equal(longer.low, 3);
});

test("a loss that is not a number breaks the line and is told with its step", () => {
  const { train } = read(new LossColumns(10, 100), record([4, 3, NaN, NaN]));
  assert.deepEqual(train.highs.slice(1, 5), [4, 3, null, null]);
  assert.equal(train.brokenStep, 3);
  assert.deepEqual([train.low, train.high], [3, 4]);
  const run = { label: "None" };
  assert.match(outOfPicture([{ run, train, validation: read(new LossColumns(10, 100), NOTHING).train }], 5), /None has no loss from step 3/);
});

test("a number and NaN in one column show the number", () => {
  const { train } = read(new LossColumns(1000, 100), record([NaN, 3, NaN, 2, NaN]));
  const shown = (values) => values.filter((value) => value !== undefined);
  assert.deepEqual([shown(train.highs), shown(train.lows), train.marks], [[3], [2], [0]]);
});

test("the value at a step is the last one measured", () => {
  const validation = { steps: [0, 10, 20], loss: [4, 3, 2] };
  assert.deepEqual(valueAt(validation, 14), { step: 10, loss: 3 });
  assert.deepEqual(valueAt(validation, 20), { step: 20, loss: 2 });
  assert.equal(valueAt(record([1]), 0), null);
});

test("the chart in words names each run's latest loss and the baselines", () => {
  const run = { id: "a", label: "RoPE", train: NOTHING, validation: { steps: [0, 10], loss: [4, 2.0149] } };
  const words = summary([run], BASELINES, 500);
  assert.match(words, /RoPE 2\.01 at step 10/);
  assert.match(words, /uniform 4\.29, unigram 3\.16, bigram 2\.45/);
});

test("losses are written at three digits, what is none or not finite as such", () => {
  assert.deepEqual([nats(2.0834), nats(undefined), nats(NaN), nats(Infinity)], ["2.083", "–", "NaN", "NaN"]);
});

// Characters

test("a character is its own mark, a blank has a stand-in", () => {
  assert.deepEqual(["a", "é", "ж", "字", "'"].map((c) => glyph(c).text), ["a", "é", "ж", "字", "'"]);
  assert.deepEqual([" ", "\n", "\t"].map((c) => glyph(c).text), ["␣", "⏎", "⇥"]);
});

test("what leaves no ink is shown by its code point", () => {
  for (const character of ["\u0000", "\u200b", "\u00a0", "\u2028", "\ud800"]) {
    assert.match(glyph(character).text, /^U\+[0-9A-F]{4}$/);
    assert.ok(glyph(character).long);
  }
});

test("a combining mark stands on a circle", () => {
  assert.equal(glyph("\u0301").text, "◌\u0301");
});

test("every character has a name in running text", () => {
  assert.deepEqual([" ", "\n", "\t", "\u200b"].map(characterName), ["space", "line break", "tab", "U+200B"]);
  assert.match(characterName("a"), /a/);
});

// Geometry

const BOX = { left: 0, top: 0, width: 300, height: 200 };
const placed = (view, points) => {
  const { x, y } = view.scales(BOX);
  return Array.from({ length: points.length / 2 }, (_, i) => [x(points[2 * i]), y(points[2 * i + 1])]);
};

test("every point lies in the plot, up is up, and a unit is as long both ways", () => {
  const view = new GeometryView();
  const points = Float32Array.of(-3, 0, 3, 0, 0, 1, 0, -1);
  view.follow(points);
  const [left, right, top, bottom] = placed(view, points);
  for (const [x, y] of [left, right, top, bottom]) assert.ok(x >= 0 && x <= 300 && y >= 0 && y <= 200);
  assert.ok(left[0] < right[0] && top[1] < bottom[1]);
  assert.ok(Math.abs((right[0] - left[0]) / 6 - (bottom[1] - top[1]) / 2) < 1e-9);
});

test("the window follows points that leave it at once, and shrinks slowly", () => {
  const view = new GeometryView();
  view.follow(Float32Array.of(-1, -1, 1, 1));
  const far = Float32Array.of(-10, -10, 10, 10);
  view.follow(far);
  for (const [x, y] of placed(view, far)) assert.ok(x >= 0 && x <= 300 && y >= 0 && y <= 200);
  const near = Float32Array.of(-9, -9, 9, 9);
  const [before] = placed(view, near);
  view.follow(near);
  const [after] = placed(view, near);
  assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) < 3);
});

test("a point that is not a number does not move the window", () => {
  const view = new GeometryView();
  const points = Float32Array.of(-1, -1, 1, 1);
  view.follow(points);
  const before = placed(view, points);
  view.follow(Float32Array.of(-1, -1, 1, 1, NaN, 5));
  assert.deepEqual(placed(view, points), before);
});
