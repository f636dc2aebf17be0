/** What this browser keeps of the runs, with an IndexedDB in memory: written, listed, opened, deleted, refused, tampered with. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { IDBFactory, IDBObjectStore } from "../../web/node_modules/fake-indexeddb/build/esm/index.js";
import FakeEvent from "../../web/node_modules/fake-indexeddb/build/esm/lib/FakeEvent.js";
import "../../web/node_modules/fake-indexeddb/auto/index.mjs";
import { clock, FakePythons, recordedEvents, settle, until } from "./web_fakes.mjs";

Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2 }, configurable: true });
const { Lab } = await import("../../web/lab/lab.js");
const { Archive } = await import("../../web/lab/archive.js");
const { readSummary, toRow, toRun } = await import("../../web/lab/record.js");
const { createRun } = await import("../../web/lab/run.js");
const data = {
  ...JSON.parse(readFileSync(process.env.LAB_TABLE)),
  version: "0.1.0",
  runtime: { folder: "python-0123456789/" },
  corpora: [{ name: "alice29", file: "corpora/alice29.txt" }],
};
globalThis.fetch = async () => ({ ok: true, status: 200, text: async () => "a text to learn" });

/** Channels of this test's tabs: one that stays open would keep Node from ending. */
const channels = new Set();
globalThis.BroadcastChannel = class extends BroadcastChannel {
  constructor(name) {
    super(name);
    this.unref();
    channels.add(this);
  }
};

beforeEach(() => {
  for (const channel of channels) channel.close();
  channels.clear();
  globalThis.indexedDB = new IDBFactory();
});

/** A tab, with Python and what is kept at hand. */
async function openTab(query = "steps=20", changes = {}) {
  const pythons = new FakePythons();
  const lab = new Lab({ data: { ...data, ...changes }, start: pythons.start, events: recordedEvents().events, params: new URLSearchParams(query) });
  lab.begin();
  await until(() => lab.state.status !== null && lab.state.kept.state !== "loading");
  return { lab, pythons, state: lab.state };
}

/** How many runs a tab lists as kept. */
const kept = ({ kept: { experiments } }) => experiments.reduce((sum, { runs }) => sum + runs.length, 0);

/** A tab in which an experiment has run and is kept. */
async function trainedTab(query) {
  const tab = await openTab(query);
  await tab.lab.run();
  await until(() => tab.state.runs.every(({ key }) => key !== null) && kept(tab.state) >= tab.state.runs.length);
  return tab;
}

/** A tab stops what it trains as soon as its first run has come so far, once. */
function stopAt({ lab, pythons, state }, step) {
  pythons.instead.advance = () => {
    if (state.runs[0].step < step) return;
    pythons.instead = {};
    lab.stop();
  };
}

/** A tab whose one run was stopped at such a step, of 60, and is kept. */
async function stoppedTab(step) {
  const tab = await openTab("steps=60&encodings=none");
  stopAt(tab, step);
  await tab.lab.run();
  await until(() => kept(tab.state) === 1);
  return tab;
}

/** Another tab, in which what is kept has been opened. */
async function openedTab() {
  const tab = await openTab();
  await tab.lab.openKept(tab.state.kept.experiments[0].id);
  return tab;
}

/** Of the runs that a tab lists: how they ended, and where. */
const endings = ({ kept: { experiments } }) => experiments.flatMap(({ runs }) => runs.map(({ state, step }) => `${state} ${step}`));

/** What is stored in one of the stores, and a way to change it behind the page's back. */
async function stored(name, change = () => {}) {
  const database = await new Promise((resolve) => {
    indexedDB.open("embedding-lab").onsuccess = ({ target }) => resolve(target.result);
  });
  const store = database.transaction(name, "readwrite").objectStore(name);
  const rows = await new Promise((resolve) => (store.getAll().onsuccess = ({ target }) => resolve(target.result)));
  const keys = await new Promise((resolve) => (store.getAllKeys().onsuccess = ({ target }) => resolve(target.result)));
  await Promise.all(rows.map((row, index) => {
    change(row);
    return new Promise((resolve) => (store.put(row, keys[index]).onsuccess = resolve));
  }));
  database.close();
  return rows;
}

test("runs are kept as soon as they have ended, and listed as one experiment with its settings", async () => {
  const { state } = await trainedTab("steps=20&d=24&seeds=1,2");
  const [experiment, ...others] = state.kept.experiments;
  assert.equal(others.length, 0);
  assert.deepEqual(experiment.runs.map(({ config }) => `${config.encoding}-${config.seed}`).sort(), state.runs.map(({ id }) => id).sort());
  assert.equal(experiment.config.d, 24);
  assert.ok(experiment.runs.every(({ state, step }) => state === "finished" && step === 20));
  assert.ok(experiment.bytes > 0 && Math.abs(experiment.keptAt - Date.now()) < 60_000);
});

test("the list shows the loss of the step that it names, also of a last frame that the page was not told", async () => {
  const { lab, state, pythons } = await openTab("encodings=none&steps=20");
  stopAt({ lab, state, pythons }, 16);
  await lab.run();
  await until(() => kept(state) === 1);
  const [{ runs: [run] }] = state.kept.experiments;
  assert.equal(run.state, "finished");
  assert.equal(run.loss, state.runs[0].saved.validationLoss.at(-1));
});

test("what was kept opens in another tab as it was, with what the labs found out, and is compared anew", async () => {
  const first = await trainedTab();
  first.lab.probes.near("order", {}, true);
  await until(() => first.lab.probes.shown("order"));
  const answer = first.lab.probes.shown("order");
  first.lab.select(first.state.runs[1].id);
  first.lab.keeper.tryAgain(); // looks, as the next drawing would
  clock.pass(2000);
  await settle();
  const second = await openTab();
  assert.deepEqual(second.state.runs, []);
  await second.lab.openKept(second.state.kept.experiments[0].id);
  assert.equal(second.state.phase, "finished");
  for (const [index, run] of second.state.runs.entries()) {
    const before = first.state.runs.find(({ id }) => id === run.id);
    for (const part of ["config", "train", "validation", "geometry", "history", "saved", "seconds", "step", "state", "label"]) {
      assert.deepEqual(run[part], before[part], `${part} of run ${index}`);
    }
  }
  assert.deepEqual(second.state.gaps, first.state.gaps);
  assert.equal(second.pythons.called("compare").length, 1);
  assert.deepEqual(second.state.values, first.state.values);
  second.lab.probes.near("order", {}, true);
  second.lab.select(answer.source.id);
  assert.deepEqual(second.lab.probes.shown("order").result, answer.result);
  await settle();
  assert.equal(second.pythons.called("probe").length, 0, "it is known already");
  assert.equal(kept(second.state), 3, "and what is opened is not kept twice");
});

test("findings of another Python are asked anew, whatever version it calls itself", async () => {
  const first = await trainedTab();
  first.lab.probes.near("order", {}, true);
  await until(() => first.lab.probes.shown("order"));
  first.lab.keeper.tryAgain();
  clock.pass(2000);
  await settle();
  assert.notEqual((await stored("findings")).flatMap(({ found }) => found).length, 0);
  const second = await openTab("steps=20", { runtime: { folder: "python-9876543210/" } });
  await second.lab.openKept(second.state.kept.experiments[0].id);
  assert.equal(second.lab.probes.shown("order"), undefined);
});

test("what is added later joins the experiment, also in the tab that opened it", async () => {
  const { lab, state } = await trainedTab();
  await lab.runMoreSeeds(1);
  await until(() => kept(state) === 6);
  assert.equal(state.kept.experiments.length, 1);
  const other = await openTab();
  await other.lab.openKept(state.kept.experiments[0].id);
  await other.lab.runMoreSeeds(1);
  await until(() => kept(state) === 9, "the first tab hears of it");
  assert.equal(state.kept.experiments.length, 1);
  await lab.run();
  await until(() => state.kept.experiments.length === 2);
});

test("a run that was stopped is kept, and kept as finished when it has gone on", async () => {
  const { lab, pythons, state } = await openTab("encodings=none&steps=20");
  pythons.instead.advance = () => {
    if (state.runs[0].step === 8) lab.stop();
  };
  await lab.run();
  await until(() => kept(state) === 1);
  assert.equal(state.kept.experiments[0].runs[0].state, "stopped");
  pythons.instead = {};
  await lab.continueRuns(["none-1"]);
  await until(() => state.kept.experiments[0].runs[0].state === "finished");
  assert.equal(kept(state), 1);
});

test("a tab that stops earlier takes nothing from what another tab has trained of the same run", async () => {
  const first = await stoppedTab(8);
  const second = await openedTab();
  await second.lab.continueRuns(["none-1"]);
  await until(() => endings(first.state).join() === "finished 60");
  stopAt(first, 16);
  await first.lab.continueRuns(["none-1"]);
  await until(() => endings(second.state).length === 2);
  assert.deepEqual(endings(second.state), ["stopped 20", "finished 60"]);
  const third = await openedTab();
  assert.deepEqual(third.state.runs.map(({ step }) => step), [60], "the one that has come furthest is opened");
  await first.lab.continueRuns(["none-1"]);
  await until(() => endings(third.state).join() === "finished 60,finished 60", "each tab goes on with a record of its own");
});

test("a tab that comes further writes over what another tab has stopped of the same run", async () => {
  const first = await stoppedTab(8);
  const second = await openedTab();
  stopAt(second, 16);
  await second.lab.continueRuns(["none-1"]);
  await until(() => endings(first.state).join() === "stopped 20");
  await first.lab.continueRuns(["none-1"]);
  await until(() => endings(second.state).join() === "finished 60");
});

test("findings about what another tab has trained further leave that as it is", async () => {
  const first = await stoppedTab(8);
  const second = await openedTab();
  await second.lab.continueRuns(["none-1"]);
  await until(() => endings(first.state).join() === "finished 60");
  first.lab.probes.near("order", {}, true);
  await until(() => first.lab.probes.shown("order"));
  first.lab.keeper.tryAgain();
  clock.pass(2000);
  await settle();
  assert.deepEqual(endings(second.state), ["finished 60"]);
  const third = await openedTab();
  assert.equal(third.state.runs[0].step, 60);
});

test("runs that left the page before they were saved are kept, as an experiment of their own", async () => {
  const { lab, state, pythons } = await openTab("steps=60");
  const saving = [];
  pythons.instead.save_run = (worker, args) => new Promise((resolve) => saving.push(() => resolve(pythons.save_run(worker, ...args))));
  pythons.instead.advance = () => {
    if (state.runs.filter(({ step }) => step >= 8).length < 2) return;
    delete pythons.instead.advance;
    lab.keeper.tryAgain(); // looks, as the next drawing would
    lab.stop();
  };
  lab.run();
  await until(() => saving.length === 2);
  const again = lab.run();
  delete pythons.instead.save_run;
  saving.forEach((save) => save());
  await again;
  await until(() => kept(state) === 5);
  assert.deepEqual(state.kept.experiments.map(({ runs }) => runs.map((run) => run.state).join()), [
    "finished,finished,finished",
    "stopped,stopped",
  ]);
});

test("an own text is kept once, and goes with the last run of its experiment", async () => {
  const tab = await openTab();
  tab.lab.setValue("corpus", "own");
  tab.lab.setOwnText("a text of my own");
  await tab.lab.run();
  await until(() => kept(tab.state) === 3);
  assert.deepEqual(await stored("texts"), ["a text of my own"]);
  const other = await openTab();
  await other.lab.openKept(other.state.kept.experiments[0].id);
  assert.equal(other.state.ownText, "a text of my own");
  const keys = tab.state.kept.experiments[0].runs.map(({ key }) => key);
  await tab.lab.keeper.remove(keys.slice(0, 2));
  assert.equal((await stored("texts")).length, 1);
  await tab.lab.keeper.remove(keys.slice(2));
  assert.deepEqual(await stored("texts"), []);
});

test("what is deleted stays on the page of both tabs, and is not kept again", async () => {
  const first = await trainedTab();
  const second = await openTab();
  await second.lab.openKept(second.state.kept.experiments[0].id);
  await first.lab.keeper.remove([first.state.runs[0].key]);
  assert.equal(kept(first.state), 2);
  await until(() => kept(second.state) === 2, "the other tab hears of it");
  assert.equal(second.state.runs.length, 3);
  second.lab.keeper.tryAgain();
  await settle();
  assert.equal(kept(second.state), 2);
  await second.lab.keeper.removeAll();
  await until(() => kept(first.state) === 0);
  assert.equal(first.state.runs.length, 3);
  for (const name of ["runs", "contents", "findings", "texts"]) assert.deepEqual(await stored(name), []);
});

test("findings about a run that another tab deleted do not bring it back", async () => {
  const first = await trainedTab("encodings=none&steps=20");
  const archive = new Archive({ change() {}, trouble() {} });
  await archive.open();
  const [summary] = await stored("runs");
  await archive.remove([summary.key]);
  assert.equal(await archive.putFindings({ summary, findings: {} }), false);
  assert.equal(await archive.put({ summary, contents: {}, findings: {}, text: null }, true, "spare"), null);
  await until(() => kept(first.state) === 0);
  archive.close();
});

test("a full browser is told, costs nothing else, and takes the runs when there is room", async (context) => {
  const { lab, state } = await openTab();
  const put = context.mock.method(IDBObjectStore.prototype, "put", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
  await lab.run();
  await until(() => state.kept.message?.startsWith("3 runs"));
  assert.match(state.kept.message, /^3 runs could not be kept: this browser has no room left\. They are lost when this page is closed\./);
  assert.equal(state.phase, "finished");
  assert.equal(state.gaps.length, 2);
  assert.equal(kept(state), 0);
  put.mock.restore();
  lab.keeper.tryAgain();
  await until(() => kept(state) === 3);
  assert.equal(state.kept.message, null);
});

test("a run that could not be kept and has left the page since is kept when there is room", async (context) => {
  const { lab, state } = await openTab("encodings=none&steps=20");
  const put = context.mock.method(IDBObjectStore.prototype, "put", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
  await lab.run();
  await until(() => state.kept.message !== null);
  lab.reset();
  put.mock.restore();
  lab.keeper.tryAgain();
  await until(() => kept(state) === 1);
});

test("an experiment that was deleted a moment ago is told to be so when it is opened, here or in another tab", async () => {
  const { lab, state } = await trainedTab("encodings=none&steps=20");
  const [{ id, runs: [{ key }] }] = state.kept.experiments;
  const other = await openTab();
  const deleted = lab.keeper.remove([key]);
  await lab.openKept(id);
  assert.equal(await deleted, true);
  assert.equal(state.kept.message, "It could not be opened: it has been deleted.");
  other.state.kept = { ...other.state.kept, experiments: [{ id, runs: [{ key, config: { encoding: "none", seed: 1 } }] }] };
  await other.lab.openKept(id);
  assert.equal(other.state.kept.message, "It could not be opened: it has been deleted.");
  assert.deepEqual(other.state.kept.unreadable, []);
});

test("what cannot be deleted is told, and whoever asked hears of it", async (context) => {
  const { lab, state } = await trainedTab("encodings=none&steps=20");
  for (const name of ["delete", "clear"]) {
    context.mock.method(IDBObjectStore.prototype, name, () => {
      throw new DOMException("The disk cannot be written.", "UnknownError");
    });
  }
  assert.equal(await lab.keeper.remove([state.runs[0].key]), false);
  assert.equal(state.kept.message, "It could not be deleted: The disk cannot be written.");
  assert.equal(await lab.keeper.removeAll(), false);
  assert.equal(kept(state), 1);
});

test("a run is written whole or not at all", async (context) => {
  const original = IDBObjectStore.prototype.put;
  const { lab, state } = await openTab("encodings=none&steps=20");
  const put = context.mock.method(IDBObjectStore.prototype, "put", function (value, key) {
    if (this.name === "findings") throw new DOMException("full", "QuotaExceededError");
    return original.call(this, value, key);
  });
  await lab.run();
  await until(() => state.kept.message !== null);
  put.mock.restore();
  assert.deepEqual(await stored("runs"), []);
  assert.deepEqual(await stored("contents"), []);
});

for (const [what, factory, words] of [
  ["without IndexedDB", undefined, /this browser has no IndexedDB/],
  ["that forbids it", { open() { throw new DOMException("denied", "SecurityError"); } }, /lets the page store nothing/],
]) {
  test(`a browser ${what} is told, and the experiment runs`, async () => {
    globalThis.indexedDB = factory;
    const { lab, state } = await openTab();
    assert.equal(state.kept.state, "unavailable");
    assert.match(state.kept.message, words);
    await lab.run();
    await settle();
    assert.equal(state.phase, "finished");
    assert.match(state.kept.message, words);
  });
}

test("a database of a newer version is told, not touched", async () => {
  await new Promise((resolve) => (indexedDB.open("embedding-lab", 99).onsuccess = ({ target }) => resolve(target.result.close())));
  const { state } = await openTab();
  assert.match(state.kept.message, /written by a newer version of this page, so reload it/);
});

test("a newer version that opens in another tab finds the way free", async () => {
  const { state } = await trainedTab("encodings=none&steps=20");
  await new Promise((resolve, reject) => {
    const request = indexedDB.open("embedding-lab", 99);
    request.onsuccess = ({ target }) => resolve(target.result.close());
    request.onblocked = reject;
  });
  await until(() => state.kept.state === "unavailable");
  assert.match(state.kept.message, /newer version of this page was opened in another tab: reload this one/);
  assert.equal(state.runs.length, 1);
});

test("a run that is being written when a newer version opens is kept, and only that version is told", async (context) => {
  const original = IDBObjectStore.prototype.put;
  const { lab, state } = await openTab("encodings=none&steps=20");
  let newer = null;
  context.mock.method(IDBObjectStore.prototype, "put", function (value, key) {
    newer ??= new Promise((resolve) => (indexedDB.open("embedding-lab", 99).onsuccess = ({ target }) => resolve(target.result)));
    return original.call(this, value, key);
  });
  await lab.run();
  await until(() => newer);
  const database = await newer;
  await settle();
  assert.match(state.kept.message, /newer version of this page was opened/);
  assert.notEqual(state.runs[0].key, null);
  const count = database.transaction("runs").objectStore("runs").count();
  await new Promise((resolve) => (count.onsuccess = resolve));
  assert.equal(count.result, 1);
  database.close();
});

/** The databases that are opened from now on: a test may close one as the browser does. */
function opening(context) {
  const opened = [];
  const { open } = IDBFactory.prototype;
  context.mock.method(IDBFactory.prototype, "open", function (...args) {
    const request = open.apply(this, args);
    request.addEventListener("success", () => opened.push(request.result));
    return request;
  });
  return opened;
}

test("what the browser has closed is opened again, and takes what comes next", async (context) => {
  const opened = opening(context);
  const { lab, state } = await trainedTab("encodings=none&steps=20");
  opened[0].close();
  opened[0].dispatchEvent(new FakeEvent("close"));
  await lab.run();
  await until(() => kept(state) === 2);
  assert.equal(state.kept.message, null);
  assert.equal(opened.length, 2);
  const other = await openTab();
  await other.lab.keeper.removeAll();
  await until(() => kept(state) === 0, "it hears of other tabs, too");
});

test("what the browser has closed and does not open again is told", async (context) => {
  const opened = opening(context);
  const { lab, state } = await trainedTab("encodings=none&steps=20");
  globalThis.indexedDB = { open() { throw new DOMException("denied", "SecurityError"); } };
  opened[0].dispatchEvent(new FakeEvent("close"));
  await lab.run();
  await settle();
  assert.equal(state.kept.state, "unavailable");
  assert.equal(state.kept.message, "The browser has closed what is kept: reload the page.");
});

const TAMPERED = {
  "no object": ["runs", (row) => delete row.config, /its settings are missing/],
  "a setting out of range": ["runs", (row) => (row.config.d = 4000), /d = 4000 is out of range/],
  "a setting that is unknown": ["runs", (row) => (row.config.payload = "x"), /payload is unknown/],
  "a state that is none": ["runs", (row) => (row.state = "toString"), /its state is unknown/],
  "a step beyond its settings": ["runs", (row) => (row.step = 21), /its step is none of its settings/],
  "another key": ["runs", (row) => (row.key = "elsewhere"), /it has no key/],
  "another date": ["runs", (row) => (row.keptAt = "yesterday"), /its date/],
  "a date beyond all dates": ["runs", (row) => (row.keptAt = 1e300), /its date/],
  "an end before its last step": ["runs", (row) => (row.step = 19), /its step is none of its settings/],
  "a stop at its last step": ["runs", (row) => (row.state = "training"), /its step is none of its settings/],
  "an end without a loss": ["runs", (row) => (row.loss = NaN), /its loss is no number/],
};
for (const [what, [store, change, why]] of Object.entries(TAMPERED)) {
  test(`a record with ${what} is listed as unreadable, and can be deleted`, async () => {
    await trainedTab("encodings=none&steps=20");
    await stored(store, change);
    const { lab, state } = await openTab();
    assert.equal(kept(state), 0);
    const [{ key, why: told }] = state.kept.unreadable;
    assert.match(told, why);
    await lab.keeper.remove([key]);
    assert.deepEqual(state.kept.unreadable, []);
    assert.deepEqual(await stored("contents"), []);
  });
}

const DAMAGED = {
  "without what it learned": (row) => delete row.saved,
  "with parameters of another kind": (row) => (row.saved.mean = [1, 2]),
  "with fewer losses than steps": (row) => (row.saved.trainLoss = row.saved.trainLoss.slice(1)),
  "with half a picture": (row) => (row.history[0].points = row.history[0].points.slice(1)),
  "with a vocabulary that is none": (row) => (row.facts.vocabulary = "ab"),
  "that ended otherwise": (row) => (row.saved.state = "diverged"),
  "with evaluations out of order": (row) => row.saved.validationSteps.reverse(),
  "with evaluations beyond its steps": (row) => (row.saved.validationSteps[row.saved.validationSteps.length - 1] = 24),
  "with a loss that is no number": (row) => (row.saved.validationLoss[1] = NaN),
  "with a training loss that is no number": (row) => (row.saved.trainLoss[3] = NaN),
  "without a baseline": (row) => delete row.facts.baselines.bigram,
  "with a baseline that is no number": (row) => (row.facts.baselines.unigram = Infinity),
  "with a class of characters that is none": (row) => (row.facts.classes[0] = "constructor"),
  "with a part of an encoding that is none": (row) => (row.facts.supplies = ["table", "<b>"]),
  "with rare characters that are none": (row) => (row.facts.rare = { threshold: 3, share: 0.1, characters: ["a"] }),
  "that are nothing": (row) => Object.keys(row).forEach((name) => delete row[name]),
};
for (const [what, change] of Object.entries(DAMAGED)) {
  test(`a run with contents ${what} is told when it is opened, and the page stays as it is`, async () => {
    const first = await trainedTab("encodings=none&steps=20");
    await stored("contents", change);
    const { lab, state } = await openTab();
    assert.equal(kept(state), 1);
    await lab.openKept(state.kept.experiments[0].id);
    assert.deepEqual(state.runs, []);
    assert.equal(state.phase, "ready");
    assert.equal(state.kept.unreadable.length, 1);
    await first.lab.keeper.remove([state.kept.unreadable[0].key]);
    assert.equal(kept(first.state), 0);
  });
}

/** A tab's one kept run, of seed 1, becomes that of an own encoding with this code in what is stored. */
async function makeOwn(code, name = "own:a counter") {
  await stored("runs", (row) => (row.config.encoding = name));
  await stored("contents", (row) => (row.code = code));
}

test("the code of an own encoding is kept with its run, and comes back with it unrun", async () => {
  const code = 'class Own:\n    name = "<script>alert(1)</script>"\n';
  const { state: { runs: [run] } } = await trainedTab("encodings=none&steps=20");
  const facts = { ...run.facts, supplies: ["table", "bias"], rare: { threshold: 3, share: 0.01, characters: [["鬱", 2]] } };
  const own = { ...createRun({ ...run.config, encoding: "own:δυαδικός (2)" }, code), saved: run.saved, facts };
  Object.assign(own, { key: "k", experiment: "e", keptAt: 1, version: "0.1.0", history: run.history });
  const row = structuredClone(toRow(own, [], "python-0123456789/"));
  assert.equal(row.contents.code, code);
  const back = toRun(readSummary(data, "k", row.summary), row.contents, null);
  assert.deepEqual([back.id, back.code, back.encoding], ["own:δυαδικός (2)-1", code, "own:δυαδικός (2)"]);
  assert.deepEqual([back.facts.supplies, back.facts.rare], [facts.supplies, facts.rare]);
  assert.ok(row.summary.bytes >= toRow({ ...own, code: null }, [], "").summary.bytes + 2 * code.length - 8, "its size counts");
});

test("an experiment of own encodings is opened without a call that hands code to Python", async () => {
  await trainedTab("encodings=none&steps=20");
  await makeOwn("raise SystemExit");
  const { lab, state, pythons } = await openTab();
  await lab.openKept(state.kept.experiments[0].id);
  assert.deepEqual(state.runs.map(({ encoding, code }) => [encoding, code]), [["own:a counter", "raise SystemExit"]]);
  await settle();
  for (const { name, args } of pythons.calls) assert.ok(!JSON.stringify(args).includes("SystemExit"), name);
});

const REFUSED_CODE = {
  "without its code": [undefined, /the code of its encoding is missing/],
  "whose code is a number": [7, /no text of 1 to 100,000 characters/],
  "whose code is empty": ["", /no text of 1 to 100,000 characters/],
  "whose code is too long": ["#".repeat(100_001), /no text of 1 to 100,000 characters/],
  "whose code has half a character": ["# \ud83d", /no text of 1 to 100,000 characters/],
  "of the lab with code": ["import os", /its encoding is the lab's/, "none"],
};
for (const [what, [code, why, encoding]] of Object.entries(REFUSED_CODE)) {
  test(`a run ${what} is told when it is opened, and the page stays as it is`, async () => {
    await trainedTab("encodings=none&steps=20");
    await makeOwn(code, encoding);
    const { lab, state } = await openTab();
    await lab.openKept(state.kept.experiments[0].id);
    assert.deepEqual(state.runs, []);
    assert.match(state.kept.unreadable[0].why, why);
  });
}

test("a name that the rule refuses is listed as unreadable", async () => {
  await trainedTab("encodings=none&steps=20");
  for (const name of ["own:", "own:=1+1", "own:a,b", "own:<b>", 'own:"', `own:${"x".repeat(41)}`, "own: a"]) {
    await makeOwn("x", name);
    const { state } = await openTab();
    assert.match(state.kept.unreadable[0]?.why ?? "", /has a name that cannot be used/, name);
  }
});

test("runs of one name and two codes are not opened as one encoding", async () => {
  await trainedTab("encodings=none&steps=20&seeds=1,2");
  let codes = 0;
  await stored("runs", (row) => (row.config.encoding = "own:a counter"));
  await stored("contents", (row) => (row.code = `# ${(codes += 1)}`));
  const { lab, state } = await openTab();
  await lab.openKept(state.kept.experiments[0].id);
  assert.equal(state.runs.length, 1);
  assert.match(state.kept.unreadable[0].why, /other code than another run of the same name/);
});
