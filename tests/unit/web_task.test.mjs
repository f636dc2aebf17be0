/** Tasks: how a condition is read, how a result is judged by it, and how both are put into words. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { judge, parseTask, taskWords } from "../../web/lab/task.js";

const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
const task = (expect) => parseTask(table, expect).value;

/** Learned is better than None by 0.25 nats; Sinusoidal has no seed in common with either, and RoPE has not finished. */
const OUTCOME = {
  gaps: [{ a: "learned", b: "none", nats: -0.25, low: -0.3, high: -0.2, seeds: 2, verdict: "" }],
  summaries: [
    { encoding: "none", seeds: 2, mean: 2.36, low: 2.3, high: 2.42 },
    { encoding: "learned", seeds: 2, mean: 2.11, low: 2.1, high: 2.12 },
    { encoding: "sinusoidal", seeds: 1, mean: 2.2 },
  ],
  baselines: { uniform: 4.29, unigram: 3.16, bigram: 2.45 },
};
const checkOf = (expect) => judge(task(expect), OUTCOME).checks[0];

test("a gap is paired, whichever way round it was measured, and has its interval", () => {
  assert.deepEqual(checkOf("none-learned>0.1"), {
    condition: "none-learned>0.1", nats: 0.25, low: 0.2, high: 0.3, passed: true, reason: null,
  });
  assert.deepEqual(checkOf("learned - none < -0.1"), {
    condition: "learned-none<-0.1", nats: -0.25, low: -0.3, high: -0.2, passed: true, reason: null,
  });
});

test("a loss is the mean over seeds; one seed has no interval", () => {
  assert.deepEqual(checkOf("learned<=2.11"), { condition: "learned<=2.11", nats: 2.11, low: 2.1, high: 2.12, passed: true, reason: null });
  assert.deepEqual(checkOf("sinusoidal<2.2"), { condition: "sinusoidal<2.2", nats: 2.2, low: null, high: null, passed: false, reason: null });
});

test("a baseline stands alone or behind the minus", () => {
  const { nats, low, high, passed } = checkOf("none-bigram<0");
  assert.deepEqual([nats, low, high].map((value) => value.toFixed(2)), ["-0.09", "-0.15", "-0.03"]);
  assert.equal(passed, true);
  assert.equal(checkOf("bigram>=2.45").passed, true);
});

test("each comparison at its limit", () => {
  const passed = Object.fromEntries([">", ">=", "<", "<="].map((comparison) => [comparison, checkOf(`none-learned${comparison}0.25`).passed]));
  assert.deepEqual(passed, { ">": false, ">=": true, "<": false, "<=": true });
});

test("what has no number is not passed, and says which runs are missing", () => {
  const reasons = ["rope<9", "none-rope<9", "alibi-rope<9", "none-sinusoidal<9"].map((expect) => {
    const { nats, passed, reason } = checkOf(expect);
    assert.deepEqual([nats, passed], [null, false]);
    return reason;
  });
  assert.deepEqual(reasons, [
    "no run of rope has finished",
    "no run of rope has finished",
    "no run of alibi has finished, and no run of rope has finished",
    "none and sinusoidal have not finished with the same seed",
  ]);
});

test("all conditions must hold", () => {
  const both = judge(task("none-learned>0.1,learned<2.2"), OUTCOME);
  assert.equal(both.expect, "none-learned>0.1,learned<2.2");
  assert.equal(both.passed, true);
  const one = judge(task("none-learned>0.1,learned<2"), OUTCOME);
  assert.deepEqual([one.passed, ...one.checks.map(({ passed }) => passed)], [false, true, false]);
});

for (const number of ["0.1", ".1", "+0.1", "1e-1", "1E-1"]) {
  test(`${number} is a number`, () => assert.equal(task(`learned<${number}`).conditions[0].limit, 0.1));
}

for (const [expect, wrong] of [
  ["", "expect is empty"],
  ["none<3,", "expect has an empty condition"],
  ["none", "expect = none cannot be judged: write A-B>NUMBER"],
  ["none=2", "expect = none=2 cannot be judged: write A-B>NUMBER"],
  ["none<two", "expect = none<two cannot be judged: write A-B>NUMBER"],
  ["none<1e999x", "expect = none<1e999x cannot be judged: write A-B>NUMBER"],
  ["none-rotary>0", "expect = none-rotary>0 cannot be judged: rotary is unknown: choose none, learned, sinusoidal, rope, "],
  ["constructor<2", "expect = constructor<2 cannot be judged: constructor is unknown"],
  ["none-none>0", "expect = none-none>0 cannot be judged: none is on both sides"],
  ["bigram-none>0", "expect = bigram-none>0 cannot be judged: bigram is a baseline"],
  ["none<3,learned<", "expect = learned< cannot be judged"],
]) {
  test(`expect=${expect} is refused with what is allowed`, () => {
    const { value, message } = parseTask(table, expect);
    assert.equal(value, undefined);
    assert.ok(message.startsWith(wrong), message);
  });
}

test("a task in words", () => {
  const words = (expect) => taskWords(task(expect).conditions[0], (name) => `<${name}>`);
  assert.equal(words("none-learned>0.1"), "the validation loss of <none> minus that of <learned> is more than 0.1 nats per character");
  assert.equal(words("learned-bigram<=-0.2"), "the validation loss of <learned> minus the bigram baseline is at most −0.2 nats per character");
  assert.equal(words("rope<2"), "the validation loss of <rope> is less than 2 nats per character");
  assert.equal(words("unigram>=3"), "the unigram baseline is at least 3 nats per character");
});
