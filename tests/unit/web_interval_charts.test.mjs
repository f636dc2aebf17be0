/** What an interval plot decides before it draws: which gaps its axis spans and where rows, texts and marks lie. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MATTERS, intervalLayout, intervalRange } from "../../web/charts/interval-layout.js";

const gap = (nats, low = null, high = null) => ({ nats, low, high });

test("the axis holds 0, the gaps from which a difference matters, and every interval", () => {
  const [low, high] = intervalRange([gap(-0.28, -0.34, -0.22), gap(0.01)]);
  assert.ok(low < -0.34 && low > -0.4 && high > MATTERS && high < 0.2, [low, high]);
  const alone = intervalRange([gap(0.002)]);
  assert.ok(alone[0] < -MATTERS && alone[1] > MATTERS, alone);
});

test("an interval as wide as two seeds may give does not squash the others", () => {
  const [low, high] = intervalRange([gap(-0.28, -19, 18), gap(-0.1, -0.12, -0.08)]);
  assert.ok(low >= -1 && high <= 1, [low, high]);
});

test("a gap that is not a number has no say", () => {
  assert.deepEqual(intervalRange([gap(NaN, NaN, NaN), gap(-0.28)]), intervalRange([gap(-0.28)]));
});

const layout = (width, compared = [true, false, true], nameWidth = 170, valueWidth = 140) =>
  intervalLayout({ width, range: [-0.4, 0.15], compared, nameWidth, valueWidth });

test("rows follow each other without overlap, and what is measured elsewhere lies within its row", () => {
  for (const width of [280, 330, 700]) {
    const { rows, box, height } = layout(width);
    rows.forEach(({ top, height: own, from, lane, beside, name, value }, i) => {
      if (i) assert.equal(top, rows[i - 1].top + rows[i - 1].height);
      for (const y of [from, lane, name, value]) assert.ok(y >= top && y <= top + own, `${width}: ${y}`);
      if (i !== 1) assert.ok(beside + 5 < top + own);
    });
    assert.equal(box.bottom, rows.at(-1).top + rows.at(-1).height);
    assert.ok(height > box.bottom);
  }
});

test("with room the texts stand beside the plot, and the plot lies between them", () => {
  const { box, x, rows, valueX } = layout(700);
  assert.ok(box.left >= 170 && box.right <= 700 - 140 && valueX + 140 <= 700);
  assert.ok(x(-0.4) >= box.left && x(0.15) <= box.right);
  assert.ok(rows.every(({ from, top }) => from === top));
});

test("on a phone they stand above each row, in two lines where one is too narrow", () => {
  const one = layout(330);
  assert.deepEqual([one.box.left, one.box.right, one.valueX], [0, 330, 190]);
  assert.ok(one.rows.every(({ name, value, from }) => name === value && name < from));
  const two = layout(300);
  assert.equal(two.valueX, 0);
  assert.ok(two.rows.every(({ name, value, from }) => name < value && value < from));
});
