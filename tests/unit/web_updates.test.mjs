/** A new version of the site waits for the reader, and for every experiment that is under way; the first one replaces nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVICE_WORKER } from "../../web/lab/script-address.js";
import { Store } from "../../web/lab/store.js";
import { holdWhileTraining, TRAINING_LOCK } from "../../web/lab/training-lock.js";
import { HELD, Updates } from "../../web/lab/updates.js";

globalThis.requestAnimationFrame = () => 1; // as in a hidden tab: nothing is ever drawn

/** The Web Locks API as far as it is used here, for all tabs of a test at once: Node 20 has none. */
class FakeLocks {
  held = [];
  async request(name, ...args) {
    const act = args.pop();
    const { mode = "exclusive", ifAvailable = false } = args[0] ?? {};
    const isTaken = this.held.some((lock) => lock.name === name && (mode === "exclusive" || lock.mode === "exclusive"));
    if (isTaken && !ifAvailable) throw new Error("the fake lets no one wait");
    if (isTaken) return act(null);
    const lock = { name, mode };
    this.held.push(lock);
    try {
      return await act(lock);
    } finally {
      this.held = this.held.filter((other) => other !== lock);
    }
  }
}
const manager = new FakeLocks();

const OURS = { scriptURL: SERVICE_WORKER };

class FakeWorker extends EventTarget {
  messages = [];
  postMessage(message) {
    this.messages.push(message);
  }
}

/** The browser's side: a registration, and whether a version answers for the page. */
class FakeContainer extends EventTarget {
  constructor({ kept, waiting = null, installing = null, fails = false }) {
    super();
    this.controller = kept ? OURS : null;
    this.registration = Object.assign(new EventTarget(), { waiting, installing, update: async () => {} });
    this.fails = fails;
  }
  async register() {
    if (this.fails) throw new DOMException("blocked", "SecurityError");
    return this.registration;
  }
  /** A version begins to answer for the page. */
  takeOver(worker = OURS) {
    this.controller = worker;
    this.dispatchEvent(new Event("controllerchange"));
  }
  find(worker) {
    this.registration.installing = worker;
    this.registration.dispatchEvent(new Event("updatefound"));
  }
  finish(worker) {
    Object.assign(this.registration, { installing: null, waiting: worker });
    worker.dispatchEvent(new Event("statechange"));
  }
}

async function opened(options, { phase = "ready", locks = manager } = {}) {
  const container = new FakeContainer(options);
  const seen = { reloads: 0, changes: 0, phase };
  const updates = new Updates({
    container,
    locks,
    phase: () => seen.phase,
    reload: () => (seen.reloads += 1),
    onChange: () => (seen.changes += 1),
  });
  await updates.register();
  return { container, updates, seen };
}

test("the first version takes over without a word, and the next one waits for the reader", async () => {
  const { container, updates, seen } = await opened({ kept: false });
  container.takeOver();
  assert.deepEqual([updates.news, seen.reloads, seen.changes], [null, 0, 0]);
  const worker = new FakeWorker();
  container.find(worker);
  assert.equal(updates.news, null, "it is still being fetched");
  container.finish(worker);
  assert.deepEqual([updates.news, worker.messages, seen.reloads], ["ready", [], 0]);
});

test("a version that waited before the page was opened, or was being fetched then, is told of as well", async () => {
  assert.equal((await opened({ kept: true, waiting: new FakeWorker() })).updates.news, "ready");
  const installing = new FakeWorker();
  const { container, updates } = await opened({ kept: true, installing });
  assert.equal(updates.news, null);
  container.finish(installing);
  assert.equal(updates.news, "ready");
});

test("a page that came from the server, past what is kept, is told of nothing", async () => {
  assert.equal((await opened({ kept: false, waiting: new FakeWorker() })).updates.news, null);
});

test("pressed, the new version is asked for, and the page is loaded anew once it has taken over, not before", async () => {
  const worker = new FakeWorker();
  const { container, updates, seen } = await opened({ kept: true, waiting: worker });
  const used = updates.use();
  await new Promise(setImmediate);
  assert.deepEqual([worker.messages, seen.reloads], [["use-now"], 0]);
  assert.ok(manager.held.some(({ name, mode }) => name === TRAINING_LOCK && mode === "exclusive"), "no tab begins meanwhile");
  container.takeOver();
  await used;
  assert.equal(seen.reloads, 1);
});

for (const phase of ["running", "paused"]) {
  test(`an experiment that is ${phase} on the page holds a new version back, in words, until it has ended`, async () => {
    const worker = new FakeWorker();
    const { container, updates, seen } = await opened({ kept: true, waiting: worker }, { phase });
    await updates.use();
    assert.deepEqual([updates.held, worker.messages, seen.reloads], [HELD.here, [], 0]);
    seen.phase = "finished";
    const used = updates.use();
    await new Promise(setImmediate);
    assert.deepEqual([updates.held, worker.messages], [null, ["use-now"]]);
    container.takeOver();
    await used;
  });
}

test("an experiment in another tab holds it back from its beginning to its end, hidden or not", async () => {
  const other = new Store();
  holdWhileTraining(other, manager);
  other.set({ phase: "running" });
  await new Promise(setImmediate);
  const worker = new FakeWorker();
  const { container, updates } = await opened({ kept: true, waiting: worker });
  await updates.use();
  assert.deepEqual([updates.held, worker.messages], [HELD.elsewhere, []]);
  other.set({ phase: "paused" });
  await updates.use();
  assert.deepEqual(worker.messages, []);
  other.set({ runs: [] });
  other.set({ phase: "stopped" });
  await new Promise(setImmediate);
  const used = updates.use();
  await new Promise(setImmediate);
  assert.deepEqual(worker.messages, ["use-now"]);
  container.takeOver();
  await used;
});

test("two tabs that train share the lock, and one that trains twice takes it twice", async () => {
  const stores = [new Store(), new Store()];
  for (const store of stores) holdWhileTraining(store, manager);
  const count = async () => {
    await new Promise(setImmediate);
    return manager.held.filter(({ name }) => name === TRAINING_LOCK).length;
  };
  for (const store of stores) store.set({ phase: "running" });
  assert.equal(await count(), 2);
  stores[0].set({ phase: "finished" });
  assert.equal(await count(), 1);
  stores[0].set({ phase: "running" });
  assert.equal(await count(), 2);
  for (const store of stores) store.set({ phase: "stopped" });
  assert.equal(await count(), 0);
});

test("when another tab has changed the version, this page is told and not loaded anew by itself", async () => {
  const { container, updates, seen } = await opened({ kept: true, waiting: new FakeWorker() });
  container.registration.waiting = null;
  container.takeOver();
  assert.deepEqual([updates.news, seen.reloads], ["gone", 0]);
  seen.phase = "running";
  await updates.use();
  assert.deepEqual([updates.held, seen.reloads], [HELD.here, 0]);
  seen.phase = "finished";
  await updates.use();
  assert.equal(seen.reloads, 1);
});

test("a browser that keeps nothing, and one without locks, lose nothing else", async () => {
  const { updates } = await opened({ kept: false, fails: true });
  assert.equal(updates.news, null);
  await updates.ask();
  const store = new Store();
  holdWhileTraining(store, undefined);
  store.set({ phase: "running" });
  store.set({ phase: "finished" });
  const worker = new FakeWorker();
  const { container, updates: without, seen } = await opened({ kept: true, waiting: worker }, { locks: undefined });
  const used = without.use();
  assert.deepEqual(worker.messages, ["use-now"]);
  container.takeOver();
  await used;
  assert.equal(seen.reloads, 1);
});

test("the service worker of a course that answers for the lab's page is no version of the lab", async () => {
  const { container, updates } = await opened({ kept: false });
  container.takeOver({ scriptURL: "https://example.org/sw.js" });
  container.registration.active = { scriptURL: "https://example.org/sw.js" };
  assert.deepEqual([updates.news, updates.isComplete], [null, false]);
  container.registration.active = OURS;
  container.takeOver();
  assert.deepEqual([updates.news, updates.isComplete], [null, true]);
});
