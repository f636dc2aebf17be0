/** Several seeds: what they come to by encoding, how many more are suggested and why, and how long those take. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { byEncoding, gapBetween, outcome } from "../../web/lab/gaps.js";
import { secondsFor, suggestion } from "../../web/lab/more-seeds.js";
import { bestRun, createRun } from "../../web/lab/run.js";

const run = (encoding, seed, loss, more = {}) => {
  const made = createRun({ encoding, seed, steps: 20 });
  if (loss !== null) made.validation.loss.push(loss);
  return Object.assign(made, { state: loss === null ? "queued" : "finished", seconds: 4 }, more);
};
const gap = (a, b, more, seeds = 3) => ({ a, b, nats: -0.05, low: seeds > 1 ? -0.2 : null, high: seeds > 1 ? 0.1 : null, seeds, verdict: "run more seeds", more });

test("the runs of an encoding stand together, in the order in which they came", () => {
  const runs = [run("none", 1, 2.4), run("learned", 1, 2.1), run("none", 2, 2.3), run("learned", 3, null), run("none", 0, 2.2)];
  const grouped = byEncoding(runs).map(({ encoding, runs: own }) => [encoding, own.map(({ seed }) => seed)]);
  assert.deepEqual(grouped, [["none", [1, 2, 0]], ["learned", [1, 3]]]);
  runs.forEach((each, i) => each.validation.loss.push(9 - i)); // another order of losses is no other order of rows
  assert.deepEqual(byEncoding(runs).map(({ encoding }) => encoding), ["none", "learned"]);
});

test("a mean is that of the finished runs alone, and says how many those are", () => {
  const runs = [run("none", 1, 2.4), run("none", 2, 2.2), run("none", 3, 9, { state: "stopped" }), run("none", 4, null)];
  const [{ mean, finished, total }] = outcome(runs, []).rows;
  assert.ok(Math.abs(mean - 2.3) < 1e-12);
  assert.deepEqual([finished, total], [2, 4]);
});

test("a gap that is turned round has its ends changed, and needs as many seeds", () => {
  const turned = gapBetween([gap("learned", "rope", 7)], "rope", "learned");
  assert.deepEqual(turned, { ...gap("rope", "learned", 7), nats: 0.05, low: -0.1, high: 0.2 });
  assert.equal(gapBetween([], "rope", "learned"), null);
});

const some = [run("none", 1, 2.4), run("learned", 1, 2.1), run("rope", 1, 2.2)];

test("without a gap it is said whether one encoding is alone, or several have none yet", () => {
  assert.deepEqual(suggestion([run("none", 1, 2.4), run("none", 2, 2.3)], [], 18), { count: 2, reason: "alone" });
  const stopped = [run("none", 1, 2.4), run("learned", 1, 2.5, { state: "stopped" })];
  assert.deepEqual(suggestion(stopped, [], 19), { count: 2, reason: "no pair" });
  assert.equal(suggestion([run("none", 1, 2.4), run("learned", 2, 2.5)], [], 18).reason, "no pair");
  assert.equal(suggestion(some, [], 19).reason, "not compared", "Python has not answered yet");
});

test("one seed asks for a first interval, whatever the gaps are", () => {
  assert.deepEqual(suggestion(some, [gap("learned", "none", null, 1)], 19), { count: 2, reason: "first interval" });
  assert.deepEqual(suggestion(some, [gap("learned", "none", null, 1)], 1), { count: 1, reason: "first interval" });
});

test("gaps to the control are settled first, the easiest of them before the others", () => {
  const between = gap("learned", "rope", 1);
  const easy = gap("rope", "none", 4);
  const hard = gap("none", "learned", 9);
  assert.deepEqual(suggestion(some, [between, hard, easy], 17), { count: 4, reason: "settle", pair: easy });
  const settled = [hard, easy].map((each) => ({ ...each, more: 0 }));
  assert.deepEqual(suggestion(some, [between, ...settled], 17), { count: 2, reason: "settle", pair: between }, "never fewer than 2");
  assert.equal(suggestion(some, [{ ...between, more: 0 }, ...settled], 17).reason, "settled");
});

test("what the seeds that are left cannot settle is not promised", () => {
  for (const more of [18, 400, null]) {
    const pair = gap("learned", "none", more);
    assert.deepEqual(suggestion(some, [pair], 17), { count: 2, reason: "out of reach", pair });
  }
  assert.deepEqual(suggestion(some, [gap("learned", "none", 3)], 0), { count: 0, reason: "none left" });
});

test("a gap that can be settled is preferred to one that cannot", () => {
  const [never, soon] = [gap("learned", "none", null), gap("rope", "none", 5)];
  assert.deepEqual(suggestion(some, [never, soon], 17).pair, soon);
});

test("the time is that of the finished runs, as many at once as there are workers", () => {
  const runs = [run("none", 1, 2.4, { seconds: 2 }), run("learned", 1, 2.1, { seconds: 4 }), run("learned", 2, null, { seconds: 99 })];
  assert.equal(secondsFor(runs, 3, 1), 18); // six runs of 3 s
  assert.equal(secondsFor(runs, 3, 4), 6);
  assert.equal(secondsFor([run("none", 1, null)], 3, 4), null);
});

test("the best run is the lowest of those that have finished", () => {
  const runs = [run("none", 1, 2.4), run("rope", 1, 2), run("alibi", 1, 1, { state: "stopped" })];
  assert.equal(bestRun(runs).encoding, "rope");
  assert.equal(bestRun([run("none", 1, null)]), null);
});
