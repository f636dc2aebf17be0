/** What the page around a frame can ask of the lab: panels, locks, a task and settings, at the opening and later. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakePythons, recordedEvents, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");
const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
const data = { ...table, corpora: [{ name: "alice29", file: "corpora/alice29.txt" }] };
globalThis.fetch = async () => ({ ok: true, status: 200, text: async () => "a text to learn" });

function openLab(query, isEmbedded = true) {
  const pythons = new FakePythons();
  const { events, told } = recordedEvents();
  const lab = new Lab({ data, start: pythons.start, events, params: new URLSearchParams(query), isEmbedded });
  return { lab, told, pythons, state: lab.state };
}
const named = (told, name) => told.filter((event) => event.name === name).map(({ detail }) => detail);

test("an embedded lab runs and keeps nothing", async () => {
  const { lab, told } = openLab("steps=8&d=16&encodings=none,learned");
  assert.equal(lab.keeper, null);
  lab.begin();
  await lab.run();
  assert.equal(named(told, "result").length, 1);
});

// Locks

test("locks name settings as an address does, and all is every one", () => {
  assert.deepEqual(openLab("locks=d,position-scale,seeds").state.locks, ["d", "position_scale", "seeds"]);
  const all = openLab("locks=all").state.locks;
  for (const name of ["encodings", "seeds", "corpus", "d", "init_std", "tied"]) assert.ok(all.includes(name), name);
  assert.equal(all.includes("encoding") || all.includes("seed"), false);
});

for (const [locks, wrong] of [["width", "locks = width is unknown"], ["", "locks is empty"], ["d,d", "locks names d twice"]]) {
  test(`locks=${locks} is reported with what is allowed, and nothing is fixed`, () => {
    const { locks: fixed, problems: [{ name, message }] } = openLab(`locks=${locks}`).state;
    assert.equal(name, "locks");
    assert.ok(message.startsWith(wrong) && message.includes("position-scale, init-std"), message);
    assert.deepEqual(fixed, []);
  });
}

test("a reader cannot change what is fixed, by any way, and can change the rest", () => {
  const { lab, state } = openLab("locks=d,encodings,seeds,corpus&d=32&seeds=4&encodings=none,rope");
  lab.setValue("d", "64");
  lab.setValue("steps", "10");
  lab.setValue("corpus", "own");
  lab.setSeeds("1,2");
  lab.setEncoding("alibi", true);
  lab.setOwnText("mine");
  lab.restoreDefaults();
  lab.setValue("lr", "0.5");
  assert.deepEqual([state.values.d, state.values.corpus, state.seeds, state.ownText], [32, "alice29", "4", ""]);
  assert.deepEqual(state.encodings, ["none", "rope"]);
  assert.deepEqual([state.values.lr, state.values.steps], ["0.5", 500]);
});

test("the defaults of a frame are what its author asked for, those of the chapter page the lab's, but for what is fixed", () => {
  for (const [isEmbedded, steps, d] of [[true, 40, 32], [false, 500, 32]]) {
    const { lab, state } = openLab("steps=40&d=32&locks=d", isEmbedded);
    lab.setValue("steps", "7");
    lab.restoreDefaults();
    assert.deepEqual([state.values.steps, state.values.d], [steps, d]);
  }
});

test("a reader has an editor where the controls are, unless the encodings are fixed", () => {
  assert.equal(openLab("").lab.offersEditor, true);
  assert.equal(openLab("panels=loss").lab.offersEditor, false);
  assert.equal(openLab("locks=encodings").lab.offersEditor, false);
});

test("two settings that do not fit are told, and led to, where the reader can change one", async () => {
  for (const [locks, field] of [["heads", "d"], ["d", "heads"], ["steps", "heads"], ["all", "heads"]]) {
    const { lab, state } = openLab(`locks=${locks}`);
    // As where they were typed before the page fixed them.
    lab.store.set({ values: { ...state.values, d: "50" } });
    await lab.run();
    assert.deepEqual(Object.keys(state.errors), [field], locks);
    assert.ok(state.errors[field].startsWith("heads = 4 does not divide d = 50"), state.errors[field]);
    assert.equal(state.errors[field].endsWith(" This page has fixed heads, so change d."), locks === "heads", state.errors[field]);
    assert.equal(state.blocked.field, field, locks);
  }
});

for (const [query, isEmbedded] of [["locks=corpus", true], ["locks=all", true], ["panels=loss,gaps", true], ["panels=loss,gaps", false]]) {
  const page = isEmbedded ? "a frame" : "the chapter";
  test(`an own text that the reader of ${page} has no place for (${query}) is reported, and the default taken`, () => {
    const { values, problems } = openLab(`corpus=own&${query}`, isEmbedded).state;
    assert.deepEqual(problems.map(({ name }) => name), ["corpus"]);
    assert.match(problems[0].message, /corpus = own .*unlock corpus and show the panel controls. The default is used.$/);
    assert.equal(values.corpus, "alice29");
  });
}

test("an own text that the reader has a place for is taken", () => {
  const { values, problems } = openLab("corpus=own&locks=d&panels=controls").state;
  assert.deepEqual([values.corpus, problems], ["own", []]);
});

// Configure

test("configure changes what it names, fixed or not, and leaves the reader's other choices alone", () => {
  const { lab, state } = openLab("steps=40&locks=steps");
  lab.setValue("lr", "0.5");
  lab.setSeeds("7");
  assert.deepEqual(lab.configure({ steps: "60", encodings: "none,alibi", theme: "dark", panels: "gaps", locks: "d", expect: "none<3" }), []);
  assert.deepEqual([state.values.steps, state.values.lr, state.seeds], [60, "0.5", "7"]);
  assert.deepEqual(state.encodings, ["none", "alibi"]);
  assert.deepEqual([state.theme, state.panels, state.locks, state.expect.expect], ["dark", ["gaps"], ["d"], "none<3"]);
  lab.setValue("steps", "9");
  lab.restoreDefaults();
  assert.deepEqual([state.values.steps, state.values.lr], [60, 0.006], "the defaults are what is asked for now");
});

test("null goes back to the lab's default", () => {
  const { lab, state } = openLab("steps=40&theme=dark&panels=gaps&expect=none<3");
  lab.configure({ steps: null, theme: null, panels: null, expect: null });
  assert.deepEqual([state.values.steps, state.theme, state.expect], [500, "auto", null]);
  assert.deepEqual(state.panels, ["loss", "geometry", "gaps", "controls"]);
});

test("what cannot be had is reported by name and by one event, stays reported until it is put right, and costs nothing else", () => {
  const { lab, state, told } = openLab("theme=sepia");
  lab.configure({ d: "9999", step: "3", steps: "60", panels: "curves" });
  assert.deepEqual(state.problems.map(({ name }) => name), ["theme", "d", "step", "panels"]);
  assert.deepEqual([state.values.steps, state.values.d], [60, 48]);
  const [error, ...others] = named(told, "error");
  assert.deepEqual(others, []);
  assert.equal(error.code, "config");
  for (const words of ["d = 9999 is out of range", "step is unknown", "panels = curves"]) assert.ok(error.message.includes(words), error.message);
  assert.equal(error.message.includes("sepia"), false, "that was told before");
  lab.configure({ d: "32", step: null, panels: null, theme: null });
  assert.deepEqual(state.problems, []);
  assert.equal(named(told, "error").length, 1);
  assert.equal(state.values.d, 32);
});

test("settings that only together break no rule may come one by one", () => {
  const { lab, state } = openLab("");
  lab.configure({ d: "30" });
  assert.deepEqual([state.values.d, state.values.heads], [48, 4]);
  assert.deepEqual(state.problems.map(({ name }) => name), ["heads"]);
  lab.configure({ heads: "5" });
  assert.deepEqual([state.values.d, state.values.heads], [30, 5]);
  assert.deepEqual(state.problems, []);
});

test("names without a meaning do not pile up", () => {
  const { lab, state } = openLab("");
  for (let round = 0; round < 10; round += 1) {
    lab.configure(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x${round}-${index}`, "1"])));
  }
  assert.equal(state.problems.length, 50);
});

test("while runs train, settings count from the next Run", async () => {
  const { lab, state } = openLab("steps=20&encodings=none&d=16");
  lab.begin();
  const ended = lab.run();
  await until(() => state.phase === "running");
  lab.configure({ steps: "8" });
  await ended;
  assert.equal(state.runs[0].step, 20);
  await lab.run();
  assert.equal(state.runs[0].step, 8);
});

test("a Run that is refused is told as an event, too", async () => {
  const { lab, told } = openLab("");
  lab.setValue("steps", "none");
  await lab.run();
  assert.deepEqual(named(told, "error").map(({ code }) => code), ["config"]);
});

// Tasks

test("the task is told right after each result, and shown as long as that is the latest", async () => {
  const { lab, told, state } = openLab("steps=8&d=16&encodings=none,learned&expect=none-learned>0.1");
  lab.begin();
  assert.equal(lab.judgement(), null);
  await lab.run();
  const names = told.map(({ name }) => name);
  assert.deepEqual(names.slice(names.indexOf("result")), ["result", "task"]);
  const [judged] = named(told, "task");
  const [{ nats, ...check }, ...others] = judged.checks;
  assert.equal(Math.abs(nats), 0, "the losses of this Python are alike");
  assert.deepEqual(check, { condition: "none-learned>0.1", low: null, high: null, passed: false, reason: null });
  assert.deepEqual([judged.expect, judged.passed, others], ["none-learned>0.1", false, []]);
  assert.deepEqual(lab.judgement(), judged);
  lab.configure({ expect: "none-learned>-0.1" });
  assert.equal(lab.judgement().passed, true);
  lab.run();
  await until(() => state.phase === "running");
  assert.equal(lab.judgement(), null);
});

test("a task is told and judged where no run has finished, too, though there is no result", async () => {
  const { lab, told, pythons } = openLab("steps=8&d=16&encodings=none,learned&expect=none-learned>0.1,bigram<3");
  pythons.instead.advance = (worker, args) => ({ ...pythons.advance(worker, ...args), state: "diverged", message: "The loss is nan." });
  lab.begin();
  await lab.run();
  assert.deepEqual(named(told, "result"), []);
  const [judged, ...others] = named(told, "task");
  assert.deepEqual([judged.passed, others], [false, []]);
  assert.deepEqual(judged.checks.map(({ nats, passed, reason }) => [nats, passed, reason]), [
    [null, false, "no run of none has finished, and no run of learned has finished"],
    [null, false, "no run has finished"],
  ]);
  assert.deepEqual(lab.judgement(), judged);
});
