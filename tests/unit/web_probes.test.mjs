/** The chapter's labs: which model is asked what and when, what an answer that comes late may change, and what may fail. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clock, FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

globalThis.requestAnimationFrame = (call) => setImmediate(call);
performance.now = () => clock.now;
globalThis.fetch = async () => ({ ok: true, status: 200, text: async () => "a text to learn" });
const { Lab } = await import("../../web/lab/lab.js");
const { pending } = await import("../../web/lab/probe-words.js");
const { readerNumber } = await import("../../web/lab/reader-numbers.js");

const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
const data = { ...table, corpora: [{ name: "alice29", file: "corpora/alice29.txt" }] };
const never = () => new Promise(() => {});

/** The page with so many workers that have started. */
async function readyLab(cores, query = "steps=400&encodings=learned") {
  Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: cores }, configurable: true });
  const pythons = new FakePythons();
  const { events, told } = recordedEvents();
  const lab = new Lab({ data, start: pythons.start, events, params: new URLSearchParams(query) });
  lab.begin();
  await until(() => pythons.started.length === cores && lab.state.status);
  await settle();
  return { lab, pythons, told, state: lab.state };
}

const answered = (lab, name) => until(() => lab.state.probes[name].answers.length > 0, `${name} is answered`);

/** Starts a run of many steps, and waits for its first ones. */
async function training(parts) {
  const done = parts.lab.run();
  await until(() => parts.state.runs[0]?.step > 0);
  return { run: parts.state.runs[0], done };
}

test("a lab far from the screen asks nothing; one that comes near is answered by an untrained model of the controls", async () => {
  const { lab, pythons, state } = await readyLab(2, "encodings=rope&seeds=7");
  await settle();
  assert.equal(pythons.called("probe").length + pythons.called("open_run").length, 0);
  lab.probes.near("lookup", "card", true);
  await answered(lab, "lookup");
  const [opened] = pythons.called("open_run");
  assert.deepEqual([opened.args[1].encoding, opened.args[1].seed, opened.args[2]], ["rope", 7, "a text to learn"]);
  const answer = lab.probes.shown("lookup");
  assert.deepEqual([answer.which, answer.step, answer.source.encoding], ["untrained", 0, "rope"]);
  assert.deepEqual(pythons.called("probe").map(({ args }) => args[2]), [state.probes.lookup.args]);
  lab.probes.near("order", "card", true);
  await answered(lab, "order");
  assert.equal(pythons.called("open_run").length, 1, "the model stays open for the next question");
});

test("a lab that shows one encoding looks at a model with it", async () => {
  const { lab } = await readyLab(2);
  for (const name of ["rotation", "distance-bias", "position-table"]) lab.probes.near(name, "card", true);
  await answered(lab, "rotation");
  await answered(lab, "distance-bias");
  await answered(lab, "position-table");
  const encoding = (name) => lab.probes.shown(name).source.encoding;
  assert.deepEqual(["rotation", "distance-bias", "position-table"].map(encoding), ["rope", "alibi", "learned"]);
  lab.probes.chooseModel("rotation", { encoding: "none" });
  await until(() => encoding("rotation") === "none");
});

test("a lab is asked while anything on the screen shows it", async () => {
  const { lab, pythons, state } = await readyLab(1);
  lab.probes.near("order", "number", true);
  await answered(lab, "order");
  lab.probes.near("order", "card", true);
  lab.probes.near("order", "number", false);
  lab.probes.setArgument("order", "first", "ab");
  await until(() => lab.probes.shown("order").args.first === "ab");
  lab.probes.near("order", "card", false);
  lab.probes.setArgument("order", "first", "ba");
  await settle();
  assert.equal(pythons.called("probe").length, 2);
  assert.equal(state.probes.order.answers.length, 1);
});

test("a run that trains is asked in its own worker, between two frames, and no call meets another", async () => {
  const parts = await readyLab(2);
  const { lab, pythons } = parts;
  const { run, done } = await training(parts);
  pythons.slices = 3;
  lab.probes.near("order", "card", true);
  await answered(lab, "order");
  const { which, step, source } = lab.probes.shown("order");
  assert.equal(which, "now");
  assert.equal(source, run);
  assert.ok(step > 0 && step < 400);
  const own = pythons.called("advance")[0].worker;
  const names = pythons.calls.filter(({ worker }) => worker === own).map(({ name }) => name);
  assert.ok(pythons.called("probe").every(({ worker, args }) => worker === own && args[1] === run.id));
  assert.ok(!names.join(" ").includes("probe probe"), "training goes on between two slices of a probe");
  await done;
  assert.deepEqual(pythons.started.map(({ overlapping }) => overlapping), [false, false]);
});

for (const [slice, slices] of [[8, 1], [70, 3]]) {
  test(`asked again and again, labs take less than 5 % of the training's time (${slices} calls of ${slice} ms)`, async () => {
    const parts = await readyLab(1, "steps=20000&encodings=learned");
    const { lab, pythons, state } = parts;
    let [frames, probes] = [0, 0];
    pythons.instead.advance = () => void ((clock.now += 100), (frames += 100));
    pythons.instead.probe = () => void (probes += slice);
    Object.assign(pythons, { slice, slices });
    const { run } = await training(parts);
    const labs = ["order", "lookup", "geometry"];
    for (const name of labs) lab.probes.near(name, "card", true);
    for (const name of labs) await answered(lab, name);
    await until(() => labs.every((name) => lab.probes.shown(name).step > run.step - 400) || run.step > 1000);
    [frames, probes] = [0, 0];
    const before = labs.map((name) => lab.probes.shown(name).step);
    await until(() => run.step > 15_000);
    assert.ok(probes / (frames + probes) < 0.05, `${probes} ms of ${frames + probes}`);
    assert.ok(labs.every((name, i) => lab.probes.shown(name).step > before[i]), "each had its turn");
    const gaps = probes / slice / slices;
    assert.ok(frames / gaps >= 1000, "at least a second of training between two answers");
    lab.stop();
    await until(() => state.runs[0].saved);
  });
}

test("a paused run answers new questions and trains no further", async () => {
  const parts = await readyLab(1);
  const { lab, pythons } = parts;
  const { run } = await training(parts);
  lab.pause();
  await settle();
  const { step } = run;
  lab.probes.near("order", "card", true);
  await answered(lab, "order");
  lab.probes.setArgument("order", "first", "ab");
  await until(() => lab.probes.shown("order").args.first === "ab");
  assert.equal(lab.probes.shown("order").step, step);
  await settle();
  assert.equal(run.step, step);
  assert.equal(pythons.called("probe").length, 2, "a model that stands still is asked once");
  lab.resume();
  await until(() => run.step > step);
});

test("a finished run keeps its saved, and is opened again with them, once for several labs", async () => {
  const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=none,learned");
  await lab.run();
  assert.ok(state.runs.every(({ saved }) => saved.step === 20 && saved.vector instanceof Float32Array));
  assert.ok(pythons.started.every(({ runs }) => runs.size === 0));
  const opened = pythons.called("open_run").length;
  for (const name of ["order", "lookup"]) lab.probes.near(name, "card", true);
  await answered(lab, "order");
  await answered(lab, "lookup");
  const again = pythons.called("open_run").slice(opened);
  assert.deepEqual(again.map(({ args }) => [args[1].encoding, args[2], args[4].step]), [["learned", "a text to learn", 20]]);
  assert.deepEqual([lab.probes.shown("order").which, lab.probes.shown("order").step], ["trained", 20]);
  lab.select("none-1");
  await until(() => lab.probes.shown("order").source.encoding === "none");
  const asked = pythons.called("probe").length;
  lab.select("learned-1");
  await settle();
  assert.equal(lab.probes.shown("order").source.encoding, "learned");
  assert.equal(pythons.called("probe").length, asked, "what was answered is not asked twice");
  assert.ok(pythons.started.every(({ runs }) => runs.size <= 1), "one model is open in a worker");
});

test("a lab that compares runs asks each that has ended, that which it shows first", async () => {
  const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=none,learned,rope&seeds=1,2");
  await lab.run();
  lab.probes.near("extrapolation", "card", true);
  await until(() => state.probes.extrapolation.answers.length === 3);
  await settle();
  assert.equal(pythons.called("probe").length, 3);
  assert.deepEqual(state.probes.extrapolation.answers.map(({ source }) => source.id), ["rope-1", "none-1", "learned-1"]);
  assert.equal(lab.probes.shown("extrapolation").source.id, "learned-1");
});

for (const [own, idle] of [[1, 15], [3, 15]]) {
  test(`one that trains and the ended ones are asked in turn, and no call is in vain (${own} calls and ${idle})`, async () => {
    const { lab, pythons, state } = await readyLab(3, "steps=20000&encodings=learned,none,rope");
    pythons.instead.advance = (worker, [id]) => {
      if (id !== "learned-1") worker.runs.get(id).step = 19_996;
      else clock.now += 100;
    };
    lab.run();
    await until(() => state.runs.filter(({ saved }) => saved).length === 2 && state.runs[0].step > 0);
    const jobs = new Map();
    const calls = { own: 0, idle: 0 };
    pythons.instead.probe = (worker, [name, id]) => {
      clock.now += 100;
      const run = worker.runs.get(id);
      const isIdle = id === "looked-at";
      const of = isIdle ? idle : own;
      calls[isIdle ? "idle" : "own"] += 1;
      const done = (jobs.get(run) ?? 0) + 1;
      jobs.set(run, done % of);
      return { probe: name, run: id, which: isIdle ? "trained" : "now", step: run.step, progress: done / of, result: done === of ? { step: run.step } : null };
    };
    const { extrapolation } = state.probes;
    const steps = new Set();
    lab.probes.near("extrapolation", "card", true);
    const run = state.runs.find(({ id }) => id === "learned-1");
    const [began, first] = [run.step, clock.now];
    await until(() => {
      for (const { which, step } of extrapolation.answers) if (which === "now") steps.add(step);
      return run.step > began + 4 * 600;
    });
    assert.deepEqual(extrapolation.answers.map(({ source }) => source.id).sort(), ["learned-1", "none-1", "rope-1"]);
    assert.equal(calls.idle, 2 * idle, "each that has ended is asked once");
    assert.ok(steps.size >= 5, `asked again while it trains, ${steps.size} times`);
    assert.ok(calls.own <= own * (steps.size + 1), `${calls.own} calls for ${steps.size} answers`);
    assert.ok(100 * (calls.own - own) < 0.05 * (clock.now - first), `${calls.own} calls in ${clock.now - first} ms`);
    lab.stop();
    await until(() => run.saved);
  });
}

test("a run that cannot be asked keeps none of the others from it, and is asked once", async () => {
  const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=none,learned,rope");
  await lab.run();
  const error = { code: "probe", field: null, message: "The run diverged: it has no finite parameters." };
  const broken = ["none", "rope"];
  pythons.instead.probe = (worker, [, id]) => (broken.includes(worker.runs.get(id).config.encoding) ? { error } : undefined);
  lab.probes.near("extrapolation", "card", true);
  await until(() => state.probes.extrapolation.answers.length + state.probes.extrapolation.errors.length === 3);
  await settle();
  assert.deepEqual(state.probes.extrapolation.answers.map(({ source }) => source.id), ["learned-1"]);
  assert.equal(pythons.called("probe").length, 3);
});

test("what is found out about the text alone is asked once: not again as a run trains, nor of another run or other settings", async () => {
  const parts = await readyLab(2, "steps=20000&encodings=learned,none");
  const { lab, pythons, state } = parts;
  const names = ["merges", "compressors"];
  for (const name of names) lab.probes.near(name, "card", true);
  for (const name of names) await answered(lab, name);
  lab.setValue("d", "16");
  pythons.instead.advance = () => void (clock.now += 100);
  const { run } = await training(parts);
  await until(() => run.step > 400);
  lab.select("none-1");
  await until(() => run.step > 800);
  lab.stop();
  await until(() => state.runs.every(({ saved }) => saved));
  lab.select("learned-1");
  await settle();
  assert.deepEqual(pythons.called("probe").map(({ args }) => args[0]), names);
  for (const name of names) assert.equal(pending(state.probes[name], lab.probes.question(name), lab.probes.obstacleBeside(name, lab.probes.shown(name)), lab.probes.shown(name)), null);
  pythons.instead.probe = (worker, [name, id]) => ({ probe: name, run: id, which: "untrained", step: 0, progress: 1, result: { compressors: [{ name: "bz2", nats: 1.5 }], rankCorrelation: 0.5 } });
  lab.probes.setArgument("merges", "count", "100");
  await until(() => lab.probes.shown("merges").args.count === "100");
  assert.equal(pythons.called("probe").length, 3, "another question is asked");
  lab.setValue("corpus", "own");
  lab.setOwnText("another text to learn");
  lab.reset();
  await until(() => lab.probes.shown("compressors").source.text === "another text to learn");
  lab.setValue("d", "24");
  await settle();
  assert.equal(readerNumber(lab, "compressor-bz2"), "1.500", "whatever the other settings are");
  const asked = pythons.called("probe").length;
  lab.setOwnText("yet another text to learn");
  await until(() => pythons.called("probe").length > asked);
});

test("what was wrong with one model is said of that one alone, and is forgotten with its run", async () => {
  const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=none,learned");
  await lab.run();
  const error = { code: "probe", field: null, message: "wrong" };
  pythons.instead.probe = (worker, [, id]) => (worker.runs.get(id).config.encoding === "learned" ? { error } : undefined);
  lab.probes.near("order", "card", true);
  await until(() => lab.probes.failed("order"));
  lab.select("none-1");
  await answered(lab, "order");
  assert.equal(lab.probes.failed("order"), undefined);
  lab.select("learned-1");
  assert.equal(lab.probes.failed("order").message, "wrong");
  lab.probes.near("order", "card", false);
  lab.reset();
  await settle();
  assert.deepEqual(state.probes.order.errors, []);
});

test("what was asked of a run that ends meanwhile is asked of the finished one", async () => {
  const parts = await readyLab(1, "steps=400&encodings=learned");
  const { lab, pythons } = parts;
  pythons.slices = 100;
  const { done } = await training(parts);
  lab.probes.near("order", "card", true);
  await until(() => lab.state.probes.order.task?.place === "own");
  pythons.instead.advance = (worker, [id]) => void (worker.runs.get(id).step = 396);
  await done;
  pythons.slices = 1;
  await answered(lab, "order");
  assert.deepEqual([lab.probes.shown("order").which, lab.probes.shown("order").step], ["trained", 400]);
});

test("a stopped run is looked at where it stopped", async () => {
  const parts = await readyLab(1);
  const { lab } = parts;
  const { run } = await training(parts);
  lab.probes.near("order", "card", true);
  lab.stop();
  await until(() => run.saved);
  clock.pass(200);
  await answered(lab, "order");
  const { source, step } = lab.probes.shown("order");
  assert.equal(source, run);
  assert.ok(step > 0 && step < 400 && step === run.saved.step);
});

test("a run that is stopped while its worker hangs ends without its saved, and labs look at it untrained", async () => {
  const parts = await readyLab(1);
  const { lab, pythons, state } = parts;
  const { run } = await training(parts);
  pythons.instead.advance = never;
  await settle();
  lab.stop();
  lab.probes.near("order", "card", true);
  await settle();
  assert.deepEqual([lab.probes.question("order"), lab.probes.obstacle("order")], [null, "ending"]);
  clock.pass(600_000);
  await answered(lab, "order");
  assert.deepEqual([run.state, run.saved, run.lost, lab.probes.obstacle("order")], ["stopped", null, true, null]);
  assert.equal(state.probes.order.answers[0].source, run);
  assert.equal(state.probes.order.answers[0].which, "untrained");
});

for (const change of ["select", "argument", "reset", "away"]) {
  test(`an answer that comes late changes nothing (${change})`, async () => {
    const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=none,learned");
    await lab.run();
    let release = null;
    pythons.instead.probe = (worker, args) =>
      release ? undefined : new Promise((resolve) => (release = () => resolve(pythons.probe(worker, ...args))));
    lab.probes.near("order", "card", true);
    await until(() => release);
    if (change === "select") lab.select("none-1");
    if (change === "argument") lab.probes.setArgument("order", "first", "ab");
    if (change === "reset") lab.reset();
    if (change === "away") lab.probes.near("order", "card", false);
    await settle();
    release();
    await settle();
    const { answers } = state.probes.order;
    if (change === "select") assert.deepEqual(answers.map(({ source }) => source.encoding), ["none"]);
    if (change === "argument") assert.deepEqual(answers.map(({ args }) => args.first), ["ab"]);
    if (change === "reset") assert.deepEqual(answers.map(({ which }) => which), ["untrained"]);
    if (change === "away") assert.deepEqual(answers, []);
  });
}

test("what is wrong with an argument stands in its lab; what was drawn stays, and it is not asked again by itself", async () => {
  const { lab, pythons, state, told } = await readyLab(2);
  lab.probes.near("order", "card", true);
  await answered(lab, "order");
  const shown = lab.probes.shown("order");
  const message = "second = 'x' lacks 'd': give the same characters in another order.";
  pythons.instead.probe = (worker, [, , args]) => (args.second === "x" ? { error: { code: "probe", field: "second", message } } : undefined);
  lab.probes.setArgument("order", "second", "x");
  await until(() => lab.probes.failed("order"));
  assert.deepEqual([lab.probes.failed("order").field, lab.probes.failed("order").message], ["second", message]);
  assert.equal(lab.probes.shown("order"), shown);
  const asked = pythons.called("probe").length;
  await settle();
  assert.equal(pythons.called("probe").length, asked);
  lab.probes.setArgument("order", "second", "cba");
  await until(() => state.probes.order.answers[0].args.second === "cba");
  assert.deepEqual(state.probes.order.errors, []);
  assert.equal(lab.probes.shown("order").args.second, "cba");
  assert.deepEqual(told.filter(({ name }) => name === "error"), [], "it is no failure of the lab");
});

test("a probe that trains models runs when the reader says so, tells how far it is, and stops", async () => {
  const { lab, pythons, state } = await readyLab(2);
  pythons.slices = 1000;
  lab.probes.near("width", "card", true);
  await settle();
  assert.equal(pythons.called("probe").length, 0);
  lab.probes.start("width");
  await until(() => state.probes.width.task?.progress > 0.01);
  lab.probes.near("width", "card", false);
  await settle();
  assert.ok(state.probes.width.task, "it goes on while the reader reads");
  lab.probes.stop("width");
  await until(() => pythons.started.every(({ runs }) => runs.size === 0), "its models are given up");
  assert.deepEqual([state.probes.width.task, state.probes.width.answers], [null, []]);
  pythons.slices = 3;
  lab.probes.start("width");
  await answered(lab, "width");
  assert.equal(state.probes.width.task, null);
  assert.equal(state.probes.width.told, 1);
});

test("what the reader starts is shown at the next frame, however lately the page was drawn", async () => {
  const { lab, pythons, state } = await readyLab(2);
  pythons.slices = 1000;
  lab.probes.setArgument("width", "updates", "5000");
  await settle();
  let isShown = false;
  lab.store.subscribe(["probes"], () => (isShown ||= state.probes.width.task !== null));
  lab.probes.start("width");
  await settle();
  assert.ok(isShown, "without a timer");
  lab.probes.stop("width");
});

test("Reset ends what was started on a run", async () => {
  const { lab, pythons, state } = await readyLab(2, "steps=20&encodings=learned");
  await lab.run();
  pythons.slices = 1000;
  lab.probes.start("tying");
  await until(() => state.probes.tying.task?.progress > 0);
  lab.reset();
  await until(() => state.probes.tying.task === null);
  await until(() => pythons.started.every(({ runs }) => runs.size === 0));
  assert.deepEqual(state.probes.tying.answers, []);
});

test("a run finds a worker while labs are asked", async () => {
  const { lab, pythons, state } = await readyLab(1, "steps=20&encodings=learned");
  for (const { name } of data.probes) lab.probes.near(name, "card", true);
  await lab.run();
  assert.equal(state.phase, "finished");
  assert.deepEqual(pythons.started.map(({ overlapping }) => overlapping), [false]);
});

test("a lab whose worker hangs says so and can be asked again; the worker is replaced", async () => {
  const { lab, pythons, state } = await readyLab(1);
  pythons.instead.probe = never;
  lab.probes.near("order", "card", true);
  await until(() => pythons.called("probe").length === 1);
  clock.pass(600_000);
  await until(() => lab.probes.failed("order"));
  assert.match(lab.probes.failed("order").message, /did not answer within/);
  await until(() => pythons.alive.length === 1 && pythons.started.length === 2);
  pythons.instead.probe = undefined;
  await settle();
  assert.equal(pythons.called("probe").length, 1);
  lab.probes.askAgain("order");
  await answered(lab, "order");
  assert.equal(lab.probes.failed("order"), undefined);
});

test("a run whose worker hangs over a lab's question fails as any run does", async () => {
  const parts = await readyLab(1);
  const { lab, pythons, state, told } = parts;
  const { run, done } = await training(parts);
  pythons.instead.probe = never;
  lab.probes.near("order", "card", true);
  await until(() => pythons.called("probe").length === 1);
  clock.pass(600_000);
  await done;
  assert.equal(run.state, "failed");
  assert.match(state.probes.order.errors[0].message, /did not answer within/);
  assert.deepEqual(told.filter(({ name }) => name === "error").map(({ detail }) => detail.code), ["hung"]);
});

test("settings that are wrong leave a lab without a question, and it asks when they are right", async () => {
  const { lab, pythons } = await readyLab(1);
  lab.setValue("heads", "5");
  lab.probes.near("order", "card", true);
  await settle();
  assert.deepEqual([lab.probes.question("order"), lab.probes.obstacle("order")], [null, "settings"]);
  assert.equal(pythons.called("open_run").length, 0);
  lab.setValue("heads", "4");
  await answered(lab, "order");
});

test("settings of the runs that another encoding cannot have are not those of the controls", async () => {
  const { lab } = await readyLab(1, "steps=20&encodings=learned&d=12&heads=4");
  await lab.run();
  lab.setValue("d", "16");
  assert.deepEqual([lab.probes.question("rotation"), lab.probes.obstacle("rotation")], [null, "encoding"]);
  assert.equal(lab.probes.obstacle("order"), null);
});

test("the code of a probe is asked for once", async () => {
  const { lab, pythons, state } = await readyLab(1);
  lab.probes.showCode("lookup");
  await until(() => state.probes.lookup.code);
  lab.probes.showCode("lookup");
  await settle();
  assert.deepEqual(state.probes.lookup.code, { file: "embedding_lab/probes/table.py", code: "def lookup(view):" });
  assert.equal(pythons.called("source").length, 1);
});
