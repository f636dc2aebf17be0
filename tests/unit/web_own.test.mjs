/** Encodings and texts of the reader's own, with a Python that answers at the test's command. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CHECKED, clock, FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");
const { isOwn, NotAllowedError, ownKey, ownName } = await import("../../web/lab/own.js");
const { fromQuery, toQuery } = await import("../../web/lab/query.js");
const { SideWorker } = await import("../../web/lab/side-worker.js");
const { WorkerPool } = await import("../../web/lab/worker-pool.js");
const { encodingNames, listEncodings } = await import("../../web/charts/encodings.js");
const { encodingColor, encodingSign } = await import("../../web/charts/palette.js");

const data = { ...JSON.parse(readFileSync(process.env.LAB_TABLE)), corpora: [{ name: "alice29", file: "corpora/alice29.txt" }] };
globalThis.fetch = async () => ({ ok: true, status: 200, text: async () => "a text to learn" });

const CODE = "class Mine: ...";

async function openLab(query = "steps=20&d=16&encodings=none,learned") {
  const pythons = new FakePythons();
  const { events, told } = recordedEvents();
  const lab = new Lab({ data, start: pythons.start, events, params: new URLSearchParams(query) });
  lab.begin();
  await until(() => lab.state.status !== null && pythons.started.length === 2);
  return { lab, pythons, told, state: lab.state };
}

function openPool({ allows = () => true, cores = 2 } = {}) {
  const pythons = new FakePythons();
  const pool = new WorkerPool({ start: pythons.start, cores, allows, onProgress: () => {}, onFailure: () => {} });
  pool.begin();
  return { pool, pythons };
}

test("an own encoding is named by its name, and numbered when another code has that", () => {
  assert.equal(ownKey("binary counter", "a", []), "own:binary counter");
  const others = [{ encoding: "own:binary counter", code: "a" }, { encoding: "own:binary counter 2", code: "b" }];
  assert.equal(ownKey("binary counter", "a", others), "own:binary counter");
  assert.equal(ownKey("binary counter", "b", others), "own:binary counter 2");
  assert.equal(ownKey("binary counter", "c", others), "own:binary counter 3");
  const long = "n".repeat(40);
  assert.equal(ownKey(long, "b", [{ encoding: `own:${long}`, code: "a" }]), `own:${"n".repeat(38)} 2`);
  const astral = "𝔫".repeat(40); // 80 units of JavaScript, 40 characters
  assert.equal(ownKey(astral, "a", []), `own:${astral}`);
  assert.equal(ownKey(astral, "b", [{ encoding: `own:${astral}`, code: "a" }]), `own:${"𝔫".repeat(38)} 2`);
  assert.equal(ownName("own:binary counter"), "binary counter");
  assert.deepEqual(["none", "own:x"].map(isOwn), [false, true]);
});

test("the first own encodings have colours and marks of their own", () => {
  const names = ["own:p", "own:q", "own:r", "own:s"];
  listEncodings(data);
  const all = [...names, ...encodingNames()];
  assert.equal(new Set(all.map(encodingColor)).size, all.length);
  assert.equal(new Set(all.map(encodingSign)).size, all.length);
  assert.deepEqual(names.map(encodingColor), names.map(encodingColor));
  const many = Array.from({ length: 16 }, (_, index) => names[index] ?? `own:${index}`);
  assert.equal(new Set(many.map((name) => `${encodingColor(name)} ${encodingSign(name)}`)).size, 16);
});

test("a worker that ran a code serves that code alone, and is replaced when another needs its place", async () => {
  const { pool, pythons } = openPool({ cores: 1 });
  const first = await pool.acquire({ code: "a" });
  pool.release(first);
  assert.equal(await pool.acquire({ code: "a" }), first);
  const plain = pool.acquire();
  await settle();
  assert.equal(pythons.alive.length, 1, "what is in use is not ended");
  pool.release(first);
  assert.notEqual(await plain, first);
  assert.deepEqual(pythons.started.map(({ alive }) => alive), [false, true]);
});

test("a code takes the worker that ran it before one that is clean", async () => {
  const { pool, pythons } = openPool();
  const [one, other] = [await pool.acquire(), await pool.acquire({ code: "a" })];
  pool.release(one);
  pool.release(other);
  assert.equal(await pool.acquire({ code: "a" }), other);
  assert.equal(await pool.acquire({ code: "b" }), one);
  assert.equal(pythons.started.length, 2);
});

test("no more free workers are replaced than are waited for", async () => {
  const { pool, pythons } = openPool();
  const both = [await pool.acquire({ code: "a" }), await pool.acquire({ code: "a" })];
  both.forEach((worker) => pool.release(worker));
  await pool.acquire();
  assert.deepEqual(pythons.started.map(({ alive }) => alive), [false, true, true]);
});

test("code that is not allowed gets no worker", async () => {
  const { pool, pythons } = openPool({ allows: ({ code }) => code === null });
  await assert.rejects(pool.acquire({ code: "a" }), NotAllowedError);
  await pool.acquire();
  assert.deepEqual(pythons.calls, []);
});

test("an encoding that is trained on an empty page trains with the chosen ones", async () => {
  const { lab, pythons, state } = await openLab();
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  assert.deepEqual(state.runs.map(({ encoding, state: end }) => [encoding, end]), [
    ["none", "finished"], ["learned", "finished"], ["own:mine", "finished"],
  ]);
  const codes = pythons.called("open_run").map(({ args }) => [args[1].encoding, args[6]]);
  assert.deepEqual(codes.sort(), [["learned", null], ["none", null], ["own:mine", CODE]]);
  assert.deepEqual(lab.encodings().at(-1).label, "mine");
  assert.equal(state.gaps.length, 2, "it is compared with the others");
});

test("what is compared is not asked of a Python that a reader's code ran in", async () => {
  const { lab, pythons, state } = await openLab();
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  const spoiled = new Set();
  for (const { name, args, worker } of pythons.calls) {
    if (name === "open_run" && args[6] === CODE) spoiled.add(worker);
    if (name === "compare") assert.ok(!spoiled.has(worker));
  }
  assert.equal(spoiled.size, 1);
  assert.equal(pythons.called("compare").at(-1).args[0].length, 3);
});

test("an encoding joins an experiment that has ended, with its settings and each of its seeds, though the controls hold others", async () => {
  const { lab, state, told } = await openLab("steps=20&d=16&encodings=none&seeds=1,2");
  await lab.run();
  lab.setValue("d", "24");
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished" && state.runs.length === 4);
  assert.deepEqual(state.runs.slice(2).map(({ encoding, seed, config, label }) => [encoding, seed, config.d, label]), [
    ["own:mine", 1, 16, "mine, seed 1"], ["own:mine", 2, 16, "mine, seed 2"],
  ]);
  assert.equal(told.filter(({ name }) => name === "result").length, 2);
});

test("an encoding joins an experiment that is under way, which ends once, with all", async () => {
  const { lab, state, told } = await openLab("steps=400&d=16&encodings=none,learned");
  lab.run();
  await until(() => state.runs.some(({ step }) => step > 8));
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  assert.deepEqual(state.runs.map(({ state: end, message }) => [end, message]), Array(3).fill(["finished", null]));
  const results = told.filter(({ name }) => name === "result");
  assert.equal(results.length, 1);
  assert.equal(results[0].detail.runs.length, 3);
});

test("the same code with every seed is not trained again; changed code of the same name is another encoding", async () => {
  const { lab, state } = await openLab("steps=20&d=16&encodings=none");
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  await assert.rejects(lab.trainOwn("mine", CODE), /mine is on the page with this code and every seed/);
  lab.trainOwn("mine", `${CODE} # changed`);
  await until(() => state.phase === "finished" && state.runs.length === 3);
  assert.deepEqual(state.runs.map(({ encoding }) => encoding), ["none", "own:mine", "own:mine 2"]);
  lab.runMoreSeeds(1);
  await until(() => state.phase === "finished" && state.runs.length === 6);
  assert.equal(state.runs.at(-1).code, `${CODE} # changed`);
});

test("what keeps an encoding from the page is told to who asked for it", async () => {
  const { lab, state } = await openLab("steps=20&d=16&encodings=none");
  await assert.rejects(lab.trainOwn('a"b,<i>', CODE), /has a name that cannot be used/);
  assert.deepEqual(state.encodings, ["none"]);
  lab.setSeeds("abc");
  await assert.rejects(lab.trainOwn("mine", CODE), /seed = abc is not a whole number/);
  lab.setSeeds("1");
  assert.equal(await lab.trainOwn("mine", CODE), "own:mine");
  assert.equal(state.runs.length, 2, "they are on the page");
  assert.equal(await lab.trainOwn("mine", `${CODE} # changed`), "own:mine 2");
});

test("two encodings that are trained while the text is still to come are both added", async () => {
  const { lab, state } = await openLab("steps=20&d=16&encodings=none");
  await lab.run();
  state.runs[0].text = null;
  await Promise.all([lab.trainOwn("first", "1"), lab.trainOwn("second", "2"), lab.trainOwn("second", "2").catch(() => {})]);
  await until(() => state.phase === "finished");
  assert.deepEqual(state.runs.map(({ encoding, state: end }) => [encoding, end]), [
    ["none", "finished"], ["own:first", "finished"], ["own:second", "finished"],
  ]);
});

test("a reader's code takes no other run off the page, whatever its Python answers", async () => {
  const { lab, pythons, state } = await openLab("steps=20000&d=16&encodings=none");
  const error = { code: "config", field: "d", message: "a forged refusal" };
  pythons.instead.open_run = (worker, args) => (args[6] === CODE ? { error } : undefined);
  lab.run();
  await until(() => state.runs[0]?.step > 8);
  await lab.trainOwn("mine", CODE);
  await until(() => state.runs[1].state === "failed");
  assert.equal(state.runs[0].state, "training");
  assert.equal(state.phase, "running");
  lab.stop();
});

test("a stopped encoding that waited for a worker starts no Python, and one that hangs gives its worker back", async () => {
  const { lab, pythons, state } = await openLab("steps=20000&d=16&encodings=none,learned");
  pythons.instead.advance = (worker, [id]) => (id.startsWith("own:") ? new Promise(() => {}) : undefined);
  for (const code of ["1", "2", "3", "4"]) await lab.trainOwn(`mine ${code}`, code);
  lab.stop();
  await until(() => !state.runs.some(({ state: now }) => now === "training"));
  lab.reset();
  for (const code of ["1", "2", "3", "4"]) lab.setEncoding(`own:mine ${code}`, false);
  lab.setValue("steps", "20");
  await lab.run();
  assert.equal(state.phase, "finished");
  const before = pythons.started.length;
  assert.equal(before, 2);
  await lab.trainOwn("hangs", "5");
  await until(() => pythons.called("advance").some(({ args }) => args[0] === "own:hangs-1"));
  lab.stop();
  await settle();
  assert.equal(pythons.alive.length, 2);
  clock.pass(2000 + 3 * 100); // and three of its steps, a tenth of a second each
  await settle();
  assert.deepEqual([pythons.started.length, pythons.alive.length], [before + 1, 2]);
});

test("an encoding is tried with the settings that it would train with", async () => {
  const { lab, pythons } = await openLab("steps=20&d=16&encodings=none");
  await lab.run();
  lab.setValue("d", "32");
  await lab.checkEncoding(CODE);
  lab.reset();
  await lab.checkEncoding(CODE);
  assert.deepEqual(pythons.called("check_encoding").map(({ args }) => args[1].d), [16, 32]);
});

test("code that fails says so in its run, with its line; the others go on, and its Python is replaced", async () => {
  const { lab, pythons, state } = await openLab("steps=20&d=16&encodings=none");
  const error = { code: "encoding", field: "encoding", message: "line 3: ValueError: no", line: 3, traceback: "Traceback ..." };
  pythons.instead.advance = (worker, [id]) => (id.startsWith("own:") ? { error } : undefined);
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  const [none, own] = state.runs;
  assert.deepEqual([none.state, own.state], ["finished", "failed"]);
  assert.deepEqual([own.message, own.fault], [error.message, { line: 3, traceback: "Traceback ..." }]);
  const { worker } = pythons.called("open_run").find(({ args }) => args[6] === CODE);
  assert.equal(worker.alive, false);
});

test("code that came from elsewhere runs when the reader has allowed it, and not before", async () => {
  const { lab, pythons, state } = await openLab("steps=20&d=16&encodings=none");
  lab.trainOwn("mine", CODE);
  await until(() => state.phase === "finished");
  const kept = state.runs;
  const { lab: other, pythons: fresh, state: page } = await openLab("steps=20&d=16&encodings=none");
  await other.openRuns(kept);
  assert.deepEqual(page.encodings, ["none", "own:mine"]);
  await other.runMoreSeeds(1);
  assert.match(page.errors.encodings, /not allowed to run/);
  await other.run();
  assert.match(page.errors.encodings, /not allowed to run/);
  const [none, own] = page.runs;
  other.select(none.id);
  for (const name of ["geometry", "merges"]) other.probes.near(name, {}, true);
  await until(() => other.probes.shown("geometry") && other.probes.shown("merges"));
  other.select(own.id);
  await settle();
  assert.equal(other.probes.obstacle("geometry"), "consent");
  assert.equal(other.probes.shown("geometry").source, none, "the latest answer stays");
  assert.equal(other.probes.obstacleBeside("geometry", other.probes.shown("geometry")), "consent");
  other.probes.adopt(own, other.probes.findings(none));
  assert.equal(other.probes.shown("geometry").source, own, "what was found out about it needs no code");
  assert.equal(other.probes.obstacleBeside("geometry", other.probes.shown("geometry")), null);
  const [onText] = page.probes.merges.answers;
  assert.equal(other.probes.shown("merges"), onText);
  assert.equal(other.probes.obstacleBeside("merges", onText), null, "of the text it is the answer, whatever run is selected");
  assert.ok(fresh.calls.every(({ args }) => !args.includes(CODE)));
  other.consent.allow(CODE);
  await other.runMoreSeeds(1);
  assert.deepEqual(page.runs.map(({ encoding, seed }) => `${encoding} ${seed}`), ["none 1", "own:mine 1", "none 2", "own:mine 2"]);
  assert.ok(pythons.calls.some(({ args }) => args.includes(CODE)));
});

test("an address neither brings nor carries an own encoding", () => {
  const { encodings, problems } = fromQuery(data, new URLSearchParams("encodings=none,own:mine and more"));
  assert.deepEqual(encodings, data.experiment.encodings);
  assert.match(problems[0].message, /own:mine and more is a reader's own encoding, and an address carries no code/);
  const { values, seeds } = fromQuery(data, new URLSearchParams());
  assert.equal(toQuery(data, { values, seeds, encodings: ["none", "rope", "own:mine"] }), "encodings=none,rope");
  assert.equal(toQuery(data, { values, seeds, encodings: ["own:mine"] }), "");
});

test("a check runs in a Python of its own that is ended afterwards, and a later one takes its place", async () => {
  const { lab, pythons } = await openLab();
  const before = pythons.started.length;
  lab.warmCheck();
  assert.equal(pythons.started.length, before + 1);
  assert.deepEqual(await lab.checkEncoding(CODE), CHECKED);
  const [{ args, worker }] = pythons.called("check_encoding");
  assert.equal(args[0], CODE);
  assert.equal(args[1].d, 16);
  assert.equal(worker.alive, false);
  pythons.instead.check_encoding = () => new Promise(() => {});
  const endless = lab.checkEncoding("endless");
  await until(() => pythons.called("check_encoding").length === 2);
  await settle();
  delete pythons.instead.check_encoding;
  const next = lab.checkEncoding("next");
  await assert.rejects(endless, { code: "superseded" });
  assert.deepEqual(await next, CHECKED);
  assert.equal(pythons.alive.length, 2, "those of the pool");
});

test("a check that does not answer is given up", async () => {
  const { lab, pythons } = await openLab();
  pythons.instead.check_encoding = () => new Promise(() => {});
  const endless = lab.checkEncoding("endless");
  await until(() => pythons.called("check_encoding").length === 1);
  await settle();
  clock.pass(10_000);
  await assert.rejects(endless, { code: "hung" });
  assert.equal(pythons.alive.length, 2);
});

test("what is no answer, or none at all, is told as a Python that the code broke", async () => {
  const { lab, pythons } = await openLab();
  const changed = (change) => {
    const answer = structuredClone(CHECKED);
    change(answer);
    return answer;
  };
  const forged = [
    null, 7, {}, { error: {} }, { error: { code: "encoding", message: "no", line: -3 } }, { error: { code: "encoding", message: ["no"] } },
    changed((answer) => delete answer.probes), changed((answer) => (answer.name = null)), changed((answer) => (answer.name = 'a"b,<img>')),
    changed((answer) => (answer.methods = 5)), changed((answer) => (answer.supplies = ["tables"])), changed((answer) => (answer.notes = {})),
    changed((answer) => delete answer.probes["position-table"].subspaces), changed((answer) => (answer.probes["position-table"].table[1] = [0])),
    changed((answer) => (answer.probes.rotation.defined = true)), changed((answer) => (answer.probes["distance-bias"].defined = "no")),
  ];
  for (const answer of forged) {
    pythons.instead.check_encoding = () => answer ?? Promise.resolve(answer);
    await assert.rejects(lab.checkEncoding(CODE), { code: "broken", message: /^The code broke its Python/ }, JSON.stringify(answer));
  }
  pythons.instead.check_encoding = () => Promise.reject(new ReferenceError("eval is not defined"));
  await assert.rejects(lab.checkEncoding(CODE), { code: "broken", message: /^The code broke its Python/ });
  pythons.instead.check_encoding = () => ({ error: { code: "encoding", field: "encoding", message: "no", line: 3, traceback: "Traceback", printed: "" } });
  assert.equal((await lab.checkEncoding(CODE)).error.line, 3);
});

test("a Python that does not come is not the code's fault", async () => {
  const { lab, pythons } = await openLab();
  pythons.startsAtOnce = false;
  const check = lab.checkEncoding(CODE);
  await until(() => pythons.started.length === 3);
  pythons.started.at(-1).failStart(Object.assign(new Error("numpy.whl did not arrive"), { code: "missing-file" }));
  await assert.rejects(check, { code: "missing-file" });
});

test("a Python that waits for a check is ended when none comes for a minute", async () => {
  const { lab, pythons } = await openLab();
  lab.warmCheck();
  assert.equal(pythons.alive.length, 3);
  clock.pass(59_999);
  assert.equal(pythons.alive.length, 3);
  clock.pass(1);
  assert.equal(pythons.alive.length, 2);
});

test("a Python beside the pool is ended when it has rested, and started again when it is wanted", async () => {
  const pythons = new FakePythons();
  const side = new SideWorker({ start: pythons.start, rest: 1000 });
  assert.equal((await side.call(500, "status")).backend, "numpy");
  clock.pass(900);
  await side.call(500, "status");
  clock.pass(900);
  assert.equal(pythons.alive.length, 1);
  clock.pass(200);
  assert.equal(pythons.alive.length, 0);
  await side.call(500, "status");
  assert.equal(pythons.started.length, 2);
});

test("a text is read by Python; what is read late replaces nothing, and what is none leaves the text before", async () => {
  const { lab, pythons, state } = await openLab();
  let finish;
  pythons.read_text = (worker, bytes) => ({ text: new TextDecoder().decode(bytes), encoding: "UTF-8", facts: { distinct: bytes.length } });
  await lab.readText(new TextEncoder().encode("first"));
  assert.deepEqual([state.ownText, state.textFacts, state.textReading], ["first", { distinct: 5 }, false]);
  pythons.instead.read_text = () => new Promise((resolve) => (finish = () => resolve({ text: "late", encoding: "UTF-8", facts: {} })));
  const late = lab.readText(Uint8Array.of(1));
  await until(() => finish);
  assert.equal(state.textReading, true);
  delete pythons.instead.read_text;
  const typed = lab.readText("typed");
  assert.equal(state.ownText, "typed");
  finish();
  await typed;
  assert.equal(await late, null);
  assert.deepEqual([state.ownText, state.textFacts, state.textReading], ["typed", { distinct: 5 }, false]);
  lab.store.set({ errors: { corpus: "what Run said of it" } });
  await lab.readText("typed");
  assert.equal(state.errors.corpus, "what Run said of it", "it is of the same text");
  await lab.readText("typed on");
  assert.deepEqual(state.errors, {});
  lab.setOwnText("typed");
  pythons.instead.read_text = () => ({ error: { code: "corpus", field: "corpus", message: "It is a picture." } });
  await assert.rejects(lab.readText(Uint8Array.of(2)), /It is a picture/);
  assert.deepEqual([state.ownText, state.textReading], ["typed", false]);
});
