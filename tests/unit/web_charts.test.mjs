/** What the charts decide before they draw: places of labels, names of characters, the window of the geometry. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { characterName, glyph } from "../../web/charts/characters.js";
import { GeometryView } from "../../web/charts/geometry-view.js";
import { stackLabels } from "../../web/charts/label-stack.js";

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
