/** Losses in sentences: in each unit the words are true and read on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { UNITS } from "../../web/charts/units.js";
import { distanceWords, gapWords, lossWords } from "../../web/lab/format.js";

const inEach = (write) => Object.values(UNITS).map(write);

test("a loss", () => {
  assert.deepEqual(inEach((unit) => lossWords(unit, Math.log(8))), ["2.079 nats", "3.000 bits", "perplexity 8.00"]);
  assert.deepEqual(inEach((unit) => lossWords(unit, Math.log(8), 2)), ["2.08 nats", "3.00 bits", "perplexity 8.00"]);
});

test("a gap has its sign, and is a factor as a perplexity", () => {
  assert.deepEqual(inEach((unit) => gapWords(unit, -0.28)), ["−0.28 nats", "−0.40 bits", "× 0.76 in perplexity"]);
  assert.deepEqual(inEach((unit) => gapWords(unit, 0.28)), ["+0.28 nats", "+0.40 bits", "× 1.32 in perplexity"]);
});

test("a distance has none, whichever loss is the larger", () => {
  const words = ["0.28 nats", "0.40 bits", "a factor of 1.32 in perplexity"];
  for (const nats of [0.28, -0.28]) assert.deepEqual(inEach((unit) => distanceWords(unit, nats)), words);
  assert.deepEqual(inEach((unit) => distanceWords(unit, 0)), ["0.000 nats", "0.000 bits", "a factor of 1.00 in perplexity"]);
});
