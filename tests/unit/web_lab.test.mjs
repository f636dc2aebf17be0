/** What a reader can do, from Run to Retry, with a Python that answers at the test's command. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");

/** The page's data, with texts of which the server may know nothing. A text that came once is kept, so each has its test. */
const texts = ["alice29", "text-404", "text-0", "text-late", "text-later"];
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

test("a reader's own text is what trains", async () => {
  const { lab, pythons } = openLab("steps=20&corpus=own");
  await begun(lab);
  lab.setOwnText("my own words");
  await lab.run();
  assert.deepEqual(new Set(pythons.called("open_run").map(({ args }) => args[2])), new Set(["my own words"]));
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
