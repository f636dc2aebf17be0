/** What a reader can do, from Run to Retry, with a Python that answers at the test's command. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");
const { asFile } = await import("../../web/lab/corpus.js");

/** The page's data, with texts of which the server may know nothing. A text that came once is kept, so each has its test. */
const texts = ["alice29", "text-404", "text-0", "text-late", "text-later", "text-slow"];
const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
table.settings.find(({ name }) => name === "corpus").choices.push(...texts.slice(1).map((value) => ({ value, label: value, help: "" })));
const data = { ...table, corpora: texts.map((name) => ({ name, file: `corpora/${name}.txt` })) };

/** How the server answers: its status, or 0 for no answer at all. */
let status = 200;
globalThis.fetch = async () => {
  if (status === 0) throw new TypeError("Failed to fetch");
  return { ok: status === 200, status, text: async () => "a text to learn" };
};

function openLab(query = "") {
  status = 200;
  const pythons = new FakePythons();
  const { events, told } = recordedEvents();
  const lab = new Lab({ data, start: pythons.start, events, params: new URLSearchParams(query) });
  return { lab, pythons, told, state: lab.state };
}

/** Python is there. */
async function begun(lab) {
  lab.begin();
  await until(() => lab.state.status !== null);
}

/** A lab whose one run was stopped on its way, and is saved. */
async function stoppedLab(query) {
  const parts = openLab(query);
  const { lab, state } = parts;
  await begun(lab);
  const first = lab.run();
  await until(() => state.runs[0]?.step > 8);
  lab.stop();
  await first;
  await until(() => state.runs[0].saved);
  return { ...parts, run: state.runs[0] };
}

const named = (told, name) => told.filter((event) => event.name === name).map(({ detail }) => detail);

test("Python's arrival is told once, with its backend, version and time", async () => {
  const { lab, told, state } = openLab();
  await begun(lab);
  assert.deepEqual(named(told, "ready"), [{ backend: "numpy", version: "0.1.0", secondsToReady: 1.5 }]);
  assert.equal(state.phase, "ready");
});

test("Run pressed while Python loads is carried out when it is there", async () => {
  const { lab, pythons, state } = openLab("steps=20");
  pythons.startsAtOnce = false;
  lab.begin();
  const done = lab.run();
  await settle();
  assert.equal(state.phase, "running");
  pythons.startsAtOnce = true;
  pythons.started[0].finishStart();
  await done;
  assert.equal(state.phase, "finished");
  assert.equal(state.status.backend, "numpy");
});

test("autorun runs without a press, no autorun does not", async () => {
  const pressed = openLab("autorun=1&steps=20");
  pressed.lab.begin();
  await until(() => pressed.state.phase === "finished");
  const waiting = openLab("steps=20");
  waiting.lab.begin();
  await until(() => waiting.state.status !== null);
  await settle();
  assert.equal(waiting.state.phase, "ready");
  assert.equal(waiting.pythons.called("open_run").length, 0);
});

test("a setting that is wrong keeps Run from starting and leaves what is on the page", async () => {
  const { lab, pythons, state } = openLab("steps=20");
  await begun(lab);
  await lab.run();
  const opened = pythons.called("open_run").length;
  const runs = [...state.runs];
  lab.setValue("heads", "5");
  assert.match(state.errors.heads, /heads = 5 does not divide d = 48/);
  await lab.run();
  assert.equal(state.blocked.field, "heads");
  assert.equal(state.phase, "finished");
  assert.ok(runs.length === 3 && runs.every((run, i) => run === state.runs[i]));
  assert.equal(pythons.called("open_run").length, opened);
  lab.setValue("heads", "4");
  assert.deepEqual(state.errors, {});
  await lab.run();
  assert.equal(pythons.called("open_run").length, opened + 3);
});

for (const [answer, reason] of [[404, /HTTP 404/], [0, /Failed to fetch/]]) {
  test(`a text that the server does not give (${answer}) is named at its setting, and the next Run asks again`, async () => {
    const { lab, told, state } = openLab(`steps=20&corpus=text-${answer}`);
    lab.begin();
    status = answer;
    await lab.run();
    assert.match(state.errors.corpus, reason);
    assert.match(state.errors.corpus, new RegExp(`corpora/text-${answer}.txt`));
    assert.equal(state.blocked.field, "corpus");
    assert.equal(named(told, "error")[0].code, "missing-file");
    status = 200;
    await lab.run();
    assert.equal(state.phase, "finished");
    assert.deepEqual(state.errors, {});
  });
}

test("a start that fails is shown with its file, and Retry starts again", async () => {
  const { lab, pythons, told, state } = openLab();
  pythons.startsAtOnce = false;
  lab.begin();
  pythons.started[0].failStart(Object.assign(new Error("numpy.whl could not be loaded: HTTP 404."), { code: "missing-file", file: "numpy.whl" }));
  await until(() => state.loading.failure);
  assert.equal(state.loading.failure.file, "numpy.whl");
  assert.deepEqual(named(told, "error"), [{ code: "missing-file", message: "numpy.whl could not be loaded: HTTP 404." }]);
  pythons.startsAtOnce = true;
  lab.retryLoading();
  await until(() => state.status !== null);
  assert.equal(state.loading.failure, null);
  assert.equal(state.phase, "ready");
  assert.equal(named(told, "ready").length, 1);
});

test("a Python that breaks at its first call is shown, and Retry asks a fresh one", async () => {
  const { lab, pythons, state } = openLab();
  let broken = true;
  pythons.instead.status = () => {
    if (broken) throw new Error("Traceback (most recent call last): MemoryError");
  };
  lab.begin();
  await until(() => state.loading.failure);
  assert.match(state.loading.failure.message, /MemoryError/);
  broken = false;
  lab.retryLoading();
  await until(() => state.status !== null);
  assert.equal(state.phase, "ready");
  assert.equal(pythons.alive.length, 2, "no worker more than cores");
});

test("a text is taken as a file would hold it", () => {
  assert.equal(asFile("\uFEFFcafé \uD83D😀\uDE00."), "café \uFFFD😀\uFFFD.");
});

test("a reader's own text is what trains", async () => {
  const { lab, pythons } = openLab("steps=20&corpus=own");
  await begun(lab);
  lab.setOwnText("my own words");
  await lab.run();
  assert.deepEqual(new Set(pythons.called("open_run").map(({ args }) => args[2])), new Set(["my own words"]));
});

test("a text that the reader typed stays when a run on another one is opened; an empty field takes the run's", async () => {
  for (const [typed, left] of [["my own words", "my own words"], ["", "their words"], [" \n", "their words"]]) {
    const { lab, pythons, state } = openLab("steps=20&encodings=rope");
    await begun(lab);
    await lab.run();
    const [{ config, saved }] = state.runs;
    pythons.instead.read_checkpoint = () => ({ config: { ...config, corpus: "own" }, text: "their words", saved, version: "0.1.0" });
    lab.setOwnText(typed);
    await lab.openFile(Uint8Array.of(1));
    assert.deepEqual([state.values.corpus, state.runs[0].text, state.ownText], ["own", "their words", left]);
  }
});

test("several seeds make a run of each encoding at each, named apart", async () => {
  const { lab, state } = openLab("steps=20&seeds=1,2&encodings=none,rope");
  await begun(lab);
  await lab.run();
  assert.deepEqual(state.runs.map(({ label }) => label), ["None, seed 1", "RoPE, seed 1", "None, seed 2", "RoPE, seed 2"]);
  assert.equal(new Set(state.runs.map(({ id }) => id)).size, 4);
});

test("a text that arrives after another Run, or after Reset, starts nothing", async () => {
  for (const then of ["run", "reset"]) {
    const { lab, state } = openLab("steps=20&encodings=none");
    await begun(lab);
    const plain = globalThis.fetch;
    let arrive = null;
    globalThis.fetch = () => new Promise((resolve) => (arrive = () => resolve({ ok: true, status: 200, text: async () => "late" })));
    lab.setValue("corpus", then === "run" ? "text-late" : "text-later");
    const late = lab.run();
    await until(() => arrive !== null);
    assert.equal(state.textLoading, true);
    globalThis.fetch = plain;
    lab.setValue("corpus", "alice29");
    if (then === "run") await lab.run();
    else lab.reset();
    const runs = state.runs;
    arrive();
    await late;
    assert.equal(state.runs, runs);
    assert.equal(state.textLoading, false);
  }
});

test("more seeds are the next ones of every encoding, beside what is there, and the controls name them", async () => {
  const { lab, pythons, state } = openLab("steps=20&seeds=1,4&encodings=none,rope");
  await begun(lab);
  await lab.run();
  const before = [...state.runs];
  await lab.runMoreSeeds(2);
  assert.deepEqual(state.runs.slice(0, 4), before);
  assert.deepEqual(state.runs.slice(4).map(({ encoding, seed }) => `${encoding} ${seed}`), ["none 5", "rope 5", "none 6", "rope 6"]);
  assert.ok(state.runs.every((run) => run.state === "finished" && run.text === "a text to learn"));
  assert.equal(pythons.called("open_run").length, 8, "nothing is trained twice");
  assert.equal(state.seeds, "1, 4, 5, 6");
  assert.equal(state.runsCompared, 8);
  assert.equal(state.phase, "finished");
});

test("more seeds keep the settings of the experiment, whatever the controls hold by now", async () => {
  const { lab, state } = openLab("steps=20&encodings=none&d=16&heads=2");
  await begun(lab);
  await lab.run();
  assert.equal(state.runs[0].label, "None");
  lab.setValue("d", "32");
  await lab.runMoreSeeds(1);
  assert.deepEqual(state.runs.map(({ config }) => config.d), [16, 16]);
  assert.deepEqual(state.runs.map(({ label }) => label), ["None, seed 1", "None, seed 2"]);
  assert.equal(state.seeds, "1", "the controls speak of another experiment");
});

test("seeds go up to the last, then fill what is free below, and no experiment has more than twenty", async () => {
  const { lab, state } = openLab("steps=20&encodings=none&seeds=0,9998");
  await begun(lab);
  await lab.run();
  assert.equal(lab.seedsLeft(), 18);
  await lab.runMoreSeeds(30);
  const seeds = state.runs.map(({ seed }) => seed);
  assert.deepEqual(seeds.slice(0, 4), [0, 9998, 9999, 1]);
  assert.equal(new Set(seeds).size, 20);
  assert.equal(lab.seedsLeft(), 0);
});

test("a run that was stopped goes on from its last step, with nothing lost and nothing twice", async () => {
  const { lab, pythons, state } = openLab("steps=400&encodings=none,rope");
  await begun(lab);
  const first = lab.run();
  await until(() => state.runs.length === 2 && state.runs.every(({ step }) => step > 8));
  lab.stop();
  await first;
  await until(() => state.runs.every(({ saved }) => saved));
  const [stopped, other] = state.runs;
  const { step } = stopped.saved;
  assert.ok(step >= stopped.step, "a frame in flight was dropped from the picture, not from the run");
  await lab.continueRuns([stopped.id]);
  assert.equal(pythons.called("open_run").at(-1).args[4].step, step);
  assert.deepEqual([stopped.state, other.state], ["finished", "stopped"]);
  assert.deepEqual(stopped.train.steps, Array.from({ length: 400 }, (_, index) => index + 1));
  assert.deepEqual(stopped.validation.steps, [...new Set(stopped.validation.steps)]);
  assert.equal(stopped.validation.steps.at(-1), 400);
  assert.equal(stopped.saved.step, 400);
});

test("a run that goes on in a worker that breaks can go on again from where it was stopped before", async () => {
  const { lab, pythons, run } = await stoppedLab("steps=400&encodings=none");
  const { saved } = run;
  pythons.instead.advance = () => {
    throw new Error("MemoryError");
  };
  await lab.continueRuns([run.id]);
  await until(() => run.saved === saved);
  assert.deepEqual([run.state, run.lost, run.message], ["failed", false, "MemoryError"]);
});

test("a file that holds no run changes nothing; one that does is opened with its settings in the controls", async () => {
  const { lab, pythons, state } = openLab("steps=20&encodings=none");
  await begun(lab);
  await lab.run();
  const { runs, phase, values } = state;
  await assert.rejects(lab.openFile(Uint8Array.of(1)), /This file holds no run/);
  assert.deepEqual([state.runs, state.phase, state.values], [runs, phase, values]);
  const config = { ...runs[0].config, encoding: "rope", seed: 7, d: 16 };
  const saved = { ...runs[0].saved, step: 8, state: "training", trainLoss: new Float64Array(8) };
  pythons.instead.read_checkpoint = () => ({ config, text: undefined, saved, version: "0.0.9" });
  await lab.openFile(Uint8Array.of(1));
  const [opened] = state.runs;
  assert.deepEqual([opened.encoding, opened.seed, opened.step, opened.state, opened.version], ["rope", 7, 8, "stopped", "0.0.9"]);
  assert.deepEqual([state.phase, state.encodings, state.seeds, state.values.d, state.selected], ["stopped", ["rope"], "7", 16, "rope-7"]);
  assert.ok(opened.facts && opened.geometry);
  await lab.continueRuns([opened.id]);
  assert.deepEqual([opened.state, opened.step], ["finished", 20]);
  assert.deepEqual(await lab.fileOf(opened.id), { name: "RoPE.zip", bytes: Uint8Array.of(20) });
  assert.equal(pythons.started.reduce((sum, worker) => sum + worker.runs.size, 0), 0, "no worker keeps a run");
});

test("a file that was read when another experiment has begun is not opened over it", async () => {
  const { lab, pythons, state } = openLab("steps=20&encodings=none");
  await begun(lab);
  let read = null;
  pythons.instead.read_checkpoint = () => new Promise((resolve) => (read = resolve));
  const opening = lab.openFile(Uint8Array.of(1));
  await until(() => read);
  const running = lab.run();
  await until(() => state.runs.length > 0);
  const [run] = state.runs;
  read({ config: { ...run.config, seed: 9 }, saved: { ...pythons.save_run({ runs: new Map([["x", run]]) }, "x") }, version: "0.1.0" });
  await assert.rejects(opening, /an experiment began meanwhile/);
  await running;
  assert.deepEqual(state.runs, [run]);
});

test("what was measured elsewhere belongs to the settings that it was measured with, and comes with the first run", async () => {
  const { lab, state } = openLab("steps=20&encodings=none");
  const { encoding, seed, ...config } = Object.fromEntries(data.settings.map(({ name, default: value }) => [name, value]));
  const measured = { config: { ...config, steps: 20 }, encodings: [] };
  lab.data = { ...data, measured };
  await begun(lab);
  assert.equal(lab.measured(), null);
  await lab.run();
  assert.equal(lab.measured(), measured);
  lab.setValue("d", "96");
  assert.equal(lab.measured(), measured, "the controls speak of the next experiment");
  await lab.run();
  assert.deepEqual([state.runs[0].config.d, lab.measured()], [96, null]);
});

test("a group of runs is hidden and shown together", () => {
  const { lab, state } = openLab();
  state.runs = ["a", "b", "c"].map((id) => ({ id, visible: id !== "b" }));
  const visible = () => state.runs.map((run) => run.visible);
  lab.toggleVisible(["a", "b"]);
  assert.deepEqual(visible(), [false, false, true]);
  lab.toggleVisible(["a", "b"]);
  assert.deepEqual(visible(), [true, true, true]);
});

test("runs that were stopped before their first step begin when they are continued", async () => {
  const { lab, pythons, state } = openLab("steps=40&encodings=none,rope&seeds=1,2");
  await begun(lab);
  const first = lab.run();
  await until(() => state.runs.length === 4 && state.runs[0].step > 0);
  lab.stop();
  await first;
  assert.ok(state.runs.filter(({ step }) => step === 0).length >= 2, "more runs than workers");
  await until(() => state.runs.every(({ saved, step }) => saved || step === 0));
  await lab.continueRuns(state.runs.map(({ id }) => id));
  assert.ok(state.runs.every((run) => run.state === "finished" && run.step === 40));
  for (const { train, validation } of state.runs) {
    assert.deepEqual(train.steps, Array.from({ length: 40 }, (_, index) => index + 1));
    assert.equal(validation.steps.filter((step) => step === 0).length, 1);
  }
  assert.equal(pythons.started.reduce((sum, worker) => sum + worker.runs.size, 0), 0);
});

test("a run that is continued, stopped while it opens, and continued again loses and repeats nothing", async () => {
  const { lab, pythons, run } = await stoppedLab("steps=40&encodings=none");
  const held = [];
  pythons.instead.open_run = (worker, args) =>
    new Promise((resolve) => held.push(() => resolve(pythons.open_run(worker, ...args))));
  const second = lab.continueRuns([run.id]);
  await until(() => held.length === 1);
  lab.stop();
  const third = lab.continueRuns([run.id]);
  await until(() => held.length === 2);
  held[1]();
  await until(() => run.state === "training");
  held[0]();
  await Promise.all([second, third]);
  assert.deepEqual(run.train.steps, Array.from({ length: 40 }, (_, index) => index + 1));
  assert.deepEqual([run.state, run.saved.step], ["finished", 40]);
});

test("a file that cannot be opened does not keep a Run that waits for its text from starting", async () => {
  const { lab, state } = openLab("steps=20&encodings=none&corpus=text-slow");
  await begun(lab);
  const plain = globalThis.fetch;
  let arrive = null;
  globalThis.fetch = () => new Promise((resolve) => (arrive = () => resolve({ ok: true, status: 200, text: async () => "late" })));
  const running = lab.run();
  await until(() => arrive !== null);
  globalThis.fetch = plain;
  await assert.rejects(lab.openFile(Uint8Array.of(1)), /This file holds no run/);
  arrive();
  await running;
  assert.deepEqual([state.phase, state.textLoading, state.runs[0].text], ["finished", false, "late"]);
});

test("more seeds leave alone what the reader has typed for the next Run", async () => {
  const { lab, state } = openLab("steps=20&encodings=none");
  await begun(lab);
  await lab.run();
  lab.setSeeds("x");
  await lab.runMoreSeeds(1);
  assert.equal(state.seeds, "x");
  assert.match(state.errors.seeds, /seed = x/);
  lab.setSeeds("2, 1");
  await lab.runMoreSeeds(1);
  assert.equal(state.seeds, "1, 2, 3");
  assert.deepEqual(state.errors, {});
});

test("the file of a run that has left the page is refused", async () => {
  await assert.rejects(openLab().lab.fileOf("learned-1"), /This run is on the page no more/);
});
