/** The reader's own numbers: every name of the chapter has one, from what Python really answers, and loses it when it no longer holds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { NUMBER_NAMES, readerNumber } from "../../web/lab/reader-numbers.js";
import { makeRuns } from "./web_fakes.mjs";

const data = JSON.parse(readFileSync(process.env.LAB_TABLE));
const page = readFileSync(new URL("../../web/index.html", import.meta.url), "utf8");
const ENCODINGS = ["none", "learned", "sinusoidal", "rope", "alibi"];
const BASELINES = { uniform: 4.29, unigram: 3.162, bigram: 2.451 };

/** The lab as the numbers see it: a finished run of each encoding, and the answers to every probe on each of them. */
function finishedLab({ which = "trained", losses = [2.36, 2.08, 2.18, 2, 2.13] } = {}) {
  const runs = makeRuns(ENCODINGS, { corpus: "alice29" });
  runs.forEach((run, i) => {
    Object.assign(run, { state: "finished", facts: { baselines: BASELINES, vocabulary: ["a", "b", "c"] } });
    run.validation.loss.push(losses[i]);
  });
  const gaps = ENCODINGS.slice(1).map((encoding, i) => ({
    a: encoding, b: "none", nats: losses[i + 1] - losses[0], low: losses[i + 1] - losses[0] - 0.05, high: losses[i + 1] - losses[0] + 0.01, seeds: 3,
  }));
  const probes = Object.fromEntries(data.probes.map((probe) => [probe.name, {
    probe,
    answers: runs.flatMap((source) => {
      const sample = data.results.find((each) => each.probe === probe.name && each.encoding === source.encoding && each.which === "trained");
      return sample ? [{ source, which, untrained: false, result: sample.result }] : [];
    }),
  }]));
  const state = { runs, gaps, selected: "learned-1", values: { corpus: "alice29" }, probes };
  return { data: { corpora: [{ name: "alice29", vocabulary: 73, baselines: BASELINES }] }, state, probeQuestion: () => ({ source: runs[1] }) };
}

test("the chapter uses these names and no others", () => {
  const used = new Set([...page.matchAll(/<reader-number name="([^"]+)"/g)].map(([, name]) => name));
  assert.deepEqual([...used].sort(), [...NUMBER_NAMES].sort());
});

test("every name has a number in what Python answers", () => {
  const lab = finishedLab();
  for (const name of NUMBER_NAMES) {
    assert.match(readerNumber(lab, name) ?? `none for ${name}`, /^[−+]?[\d,.]+( × 10[⁻\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)?$/, name);
  }
});

test("what must be 0 exactly is written as 0", () => {
  const lab = finishedLab();
  assert.deepEqual(["lookup-difference", "relabel-difference", "context-before"].map((name) => readerNumber(lab, name)), ["0", "0", "0"]);
});

test("numbers of runs are those of the finished runs, and gaps are None less the other", () => {
  const lab = finishedLab();
  const number = (name) => readerNumber(lab, name);
  assert.deepEqual(["best-loss", "best-bits", "best-perplexity", "loss-none"].map(number), ["2.000", "2.885", "7.39", "2.360"]);
  assert.deepEqual(["gap-none-learned", "gap-low", "gap-high", "gap-seeds"].map(number), ["+0.28", "+0.27", "+0.33", "3"]);
  lab.state.runs[0].state = "failed";
  assert.equal(number("loss-none"), null);
  assert.equal(number("best-loss"), "2.000");
  lab.state.gaps.forEach((gap) => Object.assign(gap, { low: null, high: null, seeds: 1 }));
  assert.deepEqual(["gap-low", "gap-high", "gap-seeds"].map(number), [null, null, null]);
});

test("an untrained model gives no number, but for what no training changes", () => {
  const lab = finishedLab({ which: "untrained" });
  const without = NUMBER_NAMES.filter((name) => readerNumber(lab, name) === null);
  const learned = /^(silhouette|frequency|case|stream|position-cosine|extrapolation|cone)/;
  assert.deepEqual(without, NUMBER_NAMES.filter((name) => learned.test(name)));
});

test("of what needs no training the trained model is cited before the untrained, and settings that hold no more are not", () => {
  const lab = finishedLab();
  const { answers } = lab.state.probes["sparse-gradient"];
  const [trained] = answers.filter(({ source }) => source.id === lab.state.selected);
  const untrained = { ...trained, which: "untrained", untrained: true, result: { ...trained.result, distinct: 3 } };
  lab.state.probes["sparse-gradient"].answers = [untrained, trained];
  assert.equal(readerNumber(lab, "gradient-distinct"), String(trained.result.distinct));
  const unbegun = { encoding: "learned", seed: 1, config: { ...trained.source.config }, text: null };
  lab.state.probes["sparse-gradient"].answers = [{ ...untrained, untrained: false, source: unbegun }];
  assert.equal(readerNumber(lab, "gradient-distinct"), "3");
  unbegun.config.d = 64;
  assert.equal(readerNumber(lab, "gradient-distinct"), null);
});

test("the parameters of the learned table are those of a run that has one, whichever is selected", () => {
  const lab = finishedLab();
  lab.state.selected = "sinusoidal-1";
  assert.equal(readerNumber(lab, "position-parameters"), "0");
  const { result } = data.results.find(({ probe, encoding }) => probe === "position-table" && encoding === "learned");
  assert.equal(readerNumber(lab, "position-parameters-learned"), String(result.parameters));
});

test("the selected run is preferred, and where it has no answer the latest one stands", () => {
  const lab = finishedLab();
  const { answers } = lab.state.probes.lookup;
  const selected = answers.find(({ source }) => source.id === lab.state.selected);
  selected.result = { ...selected.result, largestDifference: 0.5 };
  assert.equal(readerNumber(lab, "lookup-difference"), "0.500");
  lab.state.selected = "none-1";
  assert.equal(readerNumber(lab, "lookup-difference"), "0");
  lab.state.selected = "rope-9";
  assert.equal(readerNumber(lab, "lookup-difference"), "0");
});

test("without runs there are only the facts of the text, and of one's own text none", () => {
  const lab = finishedLab();
  lab.state.runs = [];
  lab.state.gaps = [];
  for (const entry of Object.values(lab.state.probes)) entry.answers = [];
  const there = NUMBER_NAMES.filter((name) => readerNumber(lab, name) !== null);
  assert.deepEqual(there.sort(), ["baseline-bigram", "baseline-uniform", "baseline-unigram", "vocabulary-size"]);
  lab.state.values.corpus = "own";
  assert.ok(NUMBER_NAMES.every((name) => readerNumber(lab, name) === null));
});

test("what was trained with settings that no run had counts while the settings are the same", () => {
  const lab = finishedLab();
  const [run] = lab.state.runs;
  const unbegun = { encoding: "rope", seed: 5, config: { ...run.config, encoding: "rope", seed: 5 }, text: null };
  const { answers } = lab.state.probes.width;
  Object.assign(answers[0], { source: unbegun, which: "untrained" });
  assert.notEqual(readerNumber(lab, "width-best"), null);
  unbegun.config.layers = 2;
  assert.equal(readerNumber(lab, "width-best"), null);
});

test("the best amplitude is written as it was typed", () => {
  const lab = finishedLab();
  for (const { result } of lab.state.probes.amplitude.answers) result.best = 0.15;
  assert.equal(readerNumber(lab, "amplitude-best"), "0.15");
  for (const { result } of lab.state.probes.amplitude.answers) result.best = 0;
  assert.equal(readerNumber(lab, "amplitude-best"), "0");
});

test("a number on the page watches all that the controls hold", async () => {
  globalThis.HTMLElement = class {};
  globalThis.IntersectionObserver = class {};
  const elements = new Map();
  globalThis.customElements = { define: (tag, element) => elements.set(tag, element) };
  await import("../../web/lab/elements/reader-number.js");
  const { watches } = elements.get("reader-number");
  assert.ok(["values", "encodings", "seeds", "ownText", "runs", "selected", "probes", "gaps"].every((name) => watches.includes(name)));
});
