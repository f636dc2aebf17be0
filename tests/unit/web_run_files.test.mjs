/** A file with code: nothing of it runs before the reader said so, and what they refuse changes nothing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");
const data = { ...JSON.parse(readFileSync(process.env.LAB_TABLE)), corpora: [{ name: "alice29", file: "corpora/alice29.txt" }] };
globalThis.fetch = async () => ({ ok: true, status: 200, text: async () => "a text to learn" });

const CODE = "class Own: pass\n";
const NAME = "δυαδικός <b>";

/** A page on which a run of the lab's has ended, and a file whose run has an encoding of its own. */
async function labWithFile() {
  const pythons = new FakePythons();
  const { events } = recordedEvents();
  const lab = new Lab({ data, start: pythons.start, events, params: new URLSearchParams("steps=20&encodings=none") });
  lab.begin();
  await until(() => lab.state.status !== null);
  await lab.run();
  const [{ config: settings, saved }] = lab.state.runs;
  const config = { ...settings, encoding: "own:a counter" };
  pythons.instead.read_checkpoint = (worker, [bytes, runCode = false]) =>
    (runCode ? { config, text: undefined, saved, version: "0.1.0", code: CODE } : { needsConsent: true, config, code: CODE, name: NAME, version: "0.1.0" });
  pythons.calls.length = 0;
  return { lab, pythons, state: lab.state };
}

/** Names of the calls that were handed the code, or the leave to run it. */
const handedCode = ({ calls }) => calls.filter(({ args }) => args.some((arg) => arg === CODE || arg === true)).map(({ name }) => name);

test("the reader is asked with the whole code; a refusal leaves the page as it was and runs nothing", async () => {
  const { lab, pythons, state } = await labWithFile();
  const before = structuredClone({ ...state, kept: null, probes: null });
  const asked = [];
  await lab.openFile(Uint8Array.of(1), async (found) => {
    asked.push([found.name, found.code]);
    return false;
  });
  assert.deepEqual(asked, [[NAME, CODE]]);
  assert.deepEqual(structuredClone({ ...state, kept: null, probes: null }), before);
  assert.deepEqual(handedCode(pythons), []);
  assert.ok(!lab.consent.allows({ code: CODE }));
});

test("no worker waits for the reader's answer", async () => {
  const { lab, pythons, state } = await labWithFile();
  let answer;
  const opening = lab.openFile(Uint8Array.of(1), () => new Promise((resolve) => (answer = resolve)));
  await until(() => answer);
  const workers = pythons.alive.map(({ runs }) => runs.size);
  assert.deepEqual(workers, workers.map(() => 0));
  const calls = pythons.called("open_run").length;
  lab.setSeeds("1, 2");
  const running = lab.run();
  await until(() => pythons.called("open_run").length === calls + 2, "both workers of the pool are there for it");
  await running;
  answer(true);
  await assert.rejects(opening, /an experiment began meanwhile/);
  assert.deepEqual(state.runs.map(({ encoding }) => encoding), ["none", "none"]);
});

test("with the reader's leave the run is opened with its code, goes on, and becomes a file again", async () => {
  const { lab, pythons, state } = await labWithFile();
  await lab.openFile(Uint8Array.of(1), async () => true);
  const [run] = state.runs;
  assert.deepEqual([run.id, run.code, run.label, state.encodings], ["own:a counter-1", CODE, "a counter", ["own:a counter"]]);
  assert.equal(pythons.called("read_checkpoint").length, 2);
  const opened = pythons.called("open_run").find(({ args }) => args.includes(CODE));
  assert.equal(opened.args[6], CODE);
  const { bytes } = await lab.fileOf(run.id);
  assert.deepEqual(bytes, Uint8Array.of(20));
  assert.ok(pythons.calls.filter(({ args }) => args.includes(CODE)).every(({ worker }) => worker === opened.worker || !worker.alive));
});

test("what the reader allowed once is not asked about again", async () => {
  const { lab, state } = await labWithFile();
  lab.consent.allow(CODE);
  await lab.openFile(Uint8Array.of(1), () => assert.fail("asked again"));
  assert.equal(state.runs[0].code, CODE);
});

test("code that fails is told, its worker is ended, and the page is as it was", async () => {
  const { lab, pythons, state } = await labWithFile();
  const { runs } = state;
  const first = pythons.instead.read_checkpoint;
  const error = { code: "encoding", field: "encoding", message: "table raised ValueError: no", line: 3, traceback: "" };
  pythons.instead.read_checkpoint = (worker, args) => (args[1] ? { error } : first(worker, args));
  await assert.rejects(lab.openFile(Uint8Array.of(1), async () => true), /table raised ValueError: no/);
  const ran = pythons.called("read_checkpoint").find(({ args }) => args[1]).worker;
  assert.ok(!ran.alive);
  assert.equal(state.runs, runs);
  await settle();
  assert.equal(pythons.alive.length, 2, "another takes its place");
});

test("a run whose code is not allowed becomes no file", async () => {
  const { lab, pythons, state } = await labWithFile();
  Object.assign(state.runs[0], { code: CODE });
  await assert.rejects(lab.fileOf(state.runs[0].id), /code that you have not allowed to run/);
  assert.deepEqual(handedCode(pythons), []);
});
