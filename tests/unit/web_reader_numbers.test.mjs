/** The reader's own numbers: every name of the chapter has one, from what Python really answers, and loses it when it no longer holds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodingNames, listEncodings } from "../../web/charts/encodings.js";
import { UNITS } from "../../web/charts/units.js";
import { numberNames, numbersOf, probeBehind, readerNumber } from "../../web/lab/reader-numbers.js";
import { makeRuns } from "./web_fakes.mjs";

const data = JSON.parse(readFileSync(process.env.LAB_TABLE));
const page = readFileSync(new URL("../../web/index.html", import.meta.url), "utf8");
listEncodings(data);
const ENCODINGS = encodingNames();
const NUMBER_NAMES = numberNames();
const BASELINES = { uniform: 4.29, unigram: 3.162, bigram: 2.451 };

/** The lab as the numbers see it: a finished run of each encoding, and the answers to every probe on each of them. */
function finishedLab({ which = "trained", losses = [2.36, 2.08, 2.18, 2, 2.13] } = {}) {
  const runs = makeRuns(ENCODINGS, { corpus: "alice29" });
  runs.forEach((run, i) => {
    Object.assign(run, { state: "finished", facts: { baselines: BASELINES, vocabulary: ["a", "b", "c"] } });
    run.validation.loss.push(losses[i] ?? 2.25);
  });
  const gaps = ENCODINGS.slice(1).map((encoding, i) => ({
    a: encoding, b: "none", nats: (losses[i + 1] ?? 2.25) - losses[0], seeds: 3,
  }));
  for (const each of gaps) Object.assign(each, { low: each.nats - 0.05, high: each.nats + 0.01 });
  const probes = Object.fromEntries(data.probes.map((probe) => [probe.name, {
    probe,
    answers: runs.flatMap((source) => {
      const sample = data.results.find((each) => each.probe === probe.name && each.encoding === source.encoding && each.which === "trained");
      return sample ? [{ source, which, untrained: false, result: structuredClone(sample.result) }] : [];
    }),
  }]));
  const state = { runs, gaps, selected: "learned-1", values: { corpus: "alice29" }, probes };
  const corpora = [{ name: "alice29", vocabulary: 73, baselines: BASELINES }];
  return { data: { corpora }, state, unit: UNITS.nats, probes: { question: () => ({ source: runs[1] }) } };
}

test("the chapter uses these names and no others", () => {
  const names = (tag) => [...page.matchAll(new RegExp(`<${tag} name="([^"]+)"`, "g"))].map(([, name]) => name);
  const listed = names("number-list").flatMap(numbersOf).map(({ name }) => name);
  assert.ok(listed.includes("gap-none-learned") && listed.includes("extrapolation-none"));
  const used = new Set([...names("reader-number"), ...listed]);
  assert.deepEqual([...used].sort(), [...NUMBER_NAMES].sort());
});

test("an encoding has its numbers whatever its name, and none past its length where it ends there", (t) => {
  t.after(() => listEncodings(data));
  const choices = [...data.settings[0].choices, { value: "rope-2d", label: "RoPE 2D" }, { value: "short-table", label: "Short", limited: true }];
  listEncodings({ settings: [{ name: "encoding", choices }] });
  assert.deepEqual(numberNames().filter((name) => !NUMBER_NAMES.includes(name)), ["extrapolation-rope-2d", "gap-none-rope-2d", "gap-none-short-table"]);
  const lab = finishedLab();
  lab.state.runs.push({ ...lab.state.runs[1], id: "rope-2d-1", encoding: "rope-2d" });
  lab.state.gaps.push({ a: "rope-2d", b: "none", nats: -0.5, seeds: 1, low: null, high: null });
  const [answer] = lab.state.probes.extrapolation.answers;
  lab.state.probes.extrapolation.answers = [{ ...answer, source: lab.state.runs.at(-1) }];
  assert.equal(readerNumber(lab, "gap-none-rope-2d"), "+0.50");
  assert.match(readerNumber(lab, "extrapolation-rope-2d"), /^[−+]\d\.\d+$/);
  assert.equal(readerNumber(lab, "extrapolation-rope"), null);
  assert.deepEqual(["extrapolation-rope-2d", "gap-none-rope-2d"].map(probeBehind), ["extrapolation", null]);
});

test("a name that is no number is refused with those that are", () => {
  assert.throws(() => readerNumber(finishedLab(), "gap-none-none"), /^RangeError: gap-none-none is no number of the chapter: choose one of .*gap-none-learned/);
});

test("every name has a number in what Python answers", () => {
  const lab = finishedLab();
  for (const name of NUMBER_NAMES) {
    assert.match(readerNumber(lab, name) ?? `none for ${name}`, /^[−+]?[\d,.]+( × 10[⁻\d⁰¹²³⁴⁵⁶⁷⁸⁹]+| nats)?$/, name);
  }
});

test("what must be 0 exactly is written as 0", () => {
  const lab = finishedLab();
  assert.deepEqual(["lookup-difference", "relabel-difference", "context-before"].map((name) => readerNumber(lab, name)), ["0", "0", "0"]);
});

test("numbers of runs are those of the finished runs, and gaps are None less the other", () => {
  const lab = finishedLab();
  const number = (name) => readerNumber(lab, name);
  assert.deepEqual(["best-loss", "best-nats", "best-bits", "best-perplexity", "loss-none"].map(number), ["2.000", "2.000", "2.885", "7.39", "2.360"]);
  assert.deepEqual(["gap-none-learned", "gap-low", "gap-high", "gap-seeds"].map(number), ["+0.28", "+0.27", "+0.33", "3"]);
  lab.state.runs[0].state = "failed";
  assert.equal(number("loss-none"), null);
  assert.equal(number("best-loss"), "2.000");
  lab.state.gaps.forEach((gap) => Object.assign(gap, { low: null, high: null, seeds: 1 }));
  assert.deepEqual(["gap-low", "gap-high", "gap-seeds"].map(number), [null, null, null]);
});

test("losses, gaps and distances follow the unit; nothing else does", () => {
  const lab = finishedLab();
  const inUnit = (unit, named) => {
    lab.unit = unit;
    return NUMBER_NAMES.map((name) => readerNumber(lab, name, named));
  };
  const [nats, bits, perplexity] = Object.values(UNITS).map((unit) => inUnit(unit, true));
  const following = NUMBER_NAMES.filter((_, i) => nats[i] !== bits[i] || nats[i] !== perplexity[i]);
  const losses = /^(best-loss|.*-loss(-one)?|loss-none|baseline-.*|gap-(?!seeds).*|tying-gap|width-spread|extrapolation-.*|compressor-.*)$/;
  assert.deepEqual(following, NUMBER_NAMES.filter((name) => losses.test(name)));
  const number = (name) => Object.values(UNITS).map((unit) => inUnit(unit, true)[NUMBER_NAMES.indexOf(name)]);
  assert.deepEqual(number("best-loss"), ["2.000 nats", "2.885 bits", "perplexity 7.39"]);
  assert.deepEqual(number("gap-none-learned"), ["+0.28 nats", "+0.40 bits", "× 1.32 in perplexity"]);
  lab.unit = UNITS.perplexity;
  assert.deepEqual(["gap-low", "gap-high"].map((name) => readerNumber(lab, name)), ["× 1.31", "× 1.39"]);
  lab.state.probes.width.answers[0].result.widths.forEach((each) => Object.assign(each, { low: 2, high: 2.1 }));
  lab.state.selected = lab.state.probes.width.answers[0].source.id;
  assert.deepEqual(number("width-spread"), ["0.10 nats", "0.14 bits", "a factor of 1.11 in perplexity"]);
});

test("in the text, what follows the unit names it or stands beside a number that does", () => {
  const places = [...page.matchAll(/<reader-number name="([^"]+)"(?: unit="([^"]+)")?/g)];
  const fixed = new Set(["nats per character", "bits per character", "nats", "parameters", "per character", "chosen"]);
  for (const [, name, unit] of places) if (unit) assert.ok(fixed.has(unit), `${name}: ${unit}`);
  const lab = finishedLab();
  const named = (name) => readerNumber(lab, name, true) !== readerNumber(lab, name);
  for (const [, name, unit] of places) {
    if (named(name)) assert.ok(unit === "chosen" || /^gap-(low|high)$/.test(name), `${name} has no unit`);
    else assert.notEqual(unit, "chosen", `${name} is no loss`);
  }
});

test("a compressor that is not here has no number", () => {
  const lab = finishedLab();
  assert.match(readerNumber(lab, "compressor-xz"), /^[12]\./);
  for (const { result } of lab.state.probes.compressors.answers) Object.assign(result.compressors[2], { nats: null, bytes: null, missing: "No module." });
  assert.equal(readerNumber(lab, "compressor-xz"), null);
});

test("slopes are those of a straight bias, of another run where the selected one's bends", () => {
  const lab = finishedLab();
  const slopes = () => ["bias-steepest", "bias-shallowest"].map((name) => readerNumber(lab, name));
  lab.state.selected = "alibi-1";
  assert.deepEqual(slopes(), ["0.250", "0.00391"]);
  lab.state.selected = "kerple-1";
  assert.deepEqual(slopes(), ["0.250", "0.00391"]);
  const { probes } = lab.state;
  probes["distance-bias"].answers = probes["distance-bias"].answers.filter(({ source }) => source.encoding === "kerple");
  assert.deepEqual(slopes(), [null, null]);
  const [{ result }] = probes["distance-bias"].answers;
  Object.assign(result, { departure: 1e-6 });
  assert.match(slopes().join(), /^\d\.\d+,0\.\d+$/);
  Object.assign(result, { spread: 0.3 });
  assert.deepEqual(slopes(), [null, null]);
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
