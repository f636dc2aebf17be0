/** The units of a loss: the same loss in nats, bits and perplexity, and how each is written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { UNITS } from "../../web/charts/units.js";

const { nats, bits, perplexity } = UNITS;

test("one loss in three units", () => {
  // A model that always gives the next of 8 characters the probability 1/8.
  const loss = Math.log(8);
  assert.deepEqual([nats.loss(loss), bits.loss(loss), perplexity.loss(loss)], ["2.079", "3.000", "8.00"]);
  assert.deepEqual([nats.loss(loss, 2), bits.loss(loss, 2), perplexity.loss(loss, 2)], ["2.08", "3.00", "8.00"]);
});

test("the way to a unit and back ends where it began", () => {
  for (const [name, unit] of Object.entries(UNITS)) {
    assert.equal(unit.name, name);
    for (const loss of [0, 0.693, 2.08, 4.29]) assert.ok(Math.abs(unit.toNats(unit.of(loss)) - loss) < 1e-12, `${name} ${loss}`);
  }
});

test("a perplexity has three significant digits, however large", () => {
  assert.deepEqual([0, 1, 4.29, 7, 30, 2000].map((loss) => perplexity.loss(loss)),
    ["1.00", "2.72", "73.0", "1,097", "1.07 × 10¹³", "over 1.8 × 10³⁰⁸"]);
});

test("a gap has its sign, and as a perplexity it is a factor", () => {
  const gap = -0.262;
  assert.deepEqual([nats.gap(gap), bits.gap(gap), perplexity.gap(gap)], ["−0.26", "−0.38", "× 0.77"]);
  assert.deepEqual([nats.gap(0.0123), bits.gap(0.0123), perplexity.gap(0.0123)], ["+0.012", "+0.018", "× 1.01"]);
  assert.deepEqual([nats.gap(0), bits.gap(-1e-9), perplexity.gap(0)], ["0.000", "0.000", "× 1.00"]);
  assert.deepEqual([-5, 3, 900].map(perplexity.gap), ["× 0.0067", "× 20", "× over 1.8 × 10³⁰⁸"]);
});

test("none is a dash and what is not finite is NaN, in every unit", () => {
  for (const unit of Object.values(UNITS)) {
    for (const write of [unit.loss, unit.gap]) {
      assert.deepEqual([undefined, null, NaN, Infinity].map((value) => write(value)), ["–", "–", "NaN", "NaN"], unit.name);
    }
  }
});
