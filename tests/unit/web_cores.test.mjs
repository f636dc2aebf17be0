/** Labs that share the cores of a machine: how many train at a time, in which order, and what gives a core back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedCores } from "../../web/lab/cores.js";
import { Experiment } from "../../web/lab/experiment.js";
import { Store } from "../../web/lab/store.js";
import { poolSize, WorkerPool } from "../../web/lab/worker-pool.js";
import { FakePythons, makeRuns, recordedEvents, settle, until } from "./web_fakes.mjs";

/** What the browser keeps for all frames of a site: exclusive locks by name, first come, first served. */
class FakeLocks {
  #held = new Set();
  #waiting = [];

  request(name, { signal }, callback) {
    return new Promise((resolve, reject) => {
      const request = { name, callback, resolve, reject };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.includes(request)) return;
        this.#waiting.splice(this.#waiting.indexOf(request), 1);
        reject(signal.reason);
      });
      this.#waiting.push(request);
      queueMicrotask(() => this.#grant());
    });
  }

  #grant() {
    for (const request of [...this.#waiting]) {
      if (this.#held.has(request.name) || !this.#waiting.includes(request)) continue;
      this.#waiting.splice(this.#waiting.indexOf(request), 1);
      this.#held.add(request.name);
      Promise.resolve(request.callback()).then((value) => {
        this.#held.delete(request.name);
        request.resolve(value);
        this.#grant();
      });
    }
  }

  get held() {
    return this.#held.size;
  }
}

/** A lab in a frame, which shares the cores of its machine with all others that have the same locks. */
function framed(locks, cores) {
  const pythons = new FakePythons();
  const { events, told } = recordedEvents();
  const store = new Store();
  const shared = new SharedCores(poolSize(cores), locks);
  const pool = new WorkerPool({
    allows: () => true, start: pythons.start, cores, shared, onProgress: () => {}, onFailure: () => {},
  });
  const experiment = new Experiment({ store, pool, events });
  return { pythons, pool, experiment, told, shared, store, state: store.state };
}

const training = (labs) => labs.flatMap(({ state }) => state.runs).filter(({ state }) => ["opening", "training"].includes(state)).length;

test("six labs on two cores: never more than two runs train, and each lab finishes", async () => {
  const locks = new FakeLocks();
  const labs = Array.from({ length: 6 }, () => framed(locks, 2));
  let most = 0;
  for (const { pool, store } of labs) {
    store.touch = () => (most = Math.max(most, training(labs)));
    pool.begin();
  }
  await Promise.all(labs.map(({ experiment }) => experiment.start(makeRuns(["none", "learned"]), "text")));
  assert.equal(most, 2);
  assert.ok(labs.every(({ state, told }) => state.phase === "finished" && told.filter(({ name }) => name === "result").length === 1));
  await settle();
  assert.equal(locks.held, 0);
});

test("a lab starts one Python, and others when they are wanted", async () => {
  const { pool, pythons, experiment } = framed(new FakeLocks(), 4);
  pool.begin();
  await settle();
  assert.equal(pythons.started.length, 1);
  await experiment.start(makeRuns(["none", "learned", "rope"]), "text");
  assert.equal(pythons.started.length, 3);
});

test("first come, first served", async () => {
  const locks = new FakeLocks();
  const order = [];
  const [first, second, third] = [new SharedCores(1, locks), new SharedCores(1, locks), new SharedCores(1, locks)];
  const giveBack = await first.take();
  const others = [second, third].map((cores, index) => cores.take().then((give) => [order.push(index), give()]));
  await settle();
  assert.deepEqual(order, []);
  giveBack();
  await Promise.all(others);
  assert.deepEqual(order, [0, 1]);
});

for (const [count, cores] of [[4, 2], [2, 1]]) {
  test(`${count} runs on ${cores} cores all go on after a pause, in which no core is kept`, async () => {
    const locks = new FakeLocks();
    const { pool, experiment, state } = framed(locks, cores);
    pool.begin();
    const runs = makeRuns(["none", "learned", "rope", "alibi"].slice(0, count), { steps: 400 });
    const ended = experiment.start(runs, "text");
    await until(() => runs.slice(0, cores).every(({ step }) => step > 8));
    experiment.pause();
    await settle();
    assert.equal(locks.held, 0);
    experiment.resume();
    await ended;
    assert.equal(state.phase, "finished");
  });
}

test("a lab that is paused while it waits lets the others have the core, and tells when it waits again", async () => {
  const locks = new FakeLocks();
  const labs = [framed(locks, 1), framed(locks, 1), framed(locks, 1)];
  for (const { pool } of labs) pool.begin();
  const [[first], [paused], [last]] = ["none", "rope", "alibi"].map((encoding) => makeRuns([encoding], { steps: 400 }));
  labs[0].experiment.start([first], "text");
  await until(() => first.step > 8);
  labs[1].experiment.start([paused], "text");
  await until(() => paused.waitsForCore);
  labs[1].experiment.pause();
  labs[2].experiment.start([last], "text");
  await until(() => labs[2].state.phase === "finished");
  assert.deepEqual([paused.step, paused.waitsForCore, locks.held], [0, false, 0]);
  labs[1].experiment.resume();
  await until(() => labs[1].state.phase === "finished");
});

/** A lab whose run was paused and goes on while another lab has the only core. */
async function waiting(code = null) {
  const locks = new FakeLocks();
  const [one, other] = [framed(locks, 1), framed(locks, 1)];
  for (const { pool } of [one, other]) pool.begin();
  const [run] = makeRuns(["none"], { steps: 4000 });
  run.code = code;
  const ended = one.experiment.start([run], "text");
  await until(() => run.step > 8);
  one.experiment.pause();
  await settle();
  assert.equal(locks.held, 0);
  const [next] = makeRuns(["rope"], { steps: 400 });
  const otherEnded = other.experiment.start([next], "text");
  await until(() => next.step > 8);
  one.experiment.resume();
  await until(() => run.waitsForCore);
  return { one, other, run, next, ended, otherEnded };
}

test("a run that is paused again before a core is free takes no step", async () => {
  const { one, other, run } = await waiting();
  one.experiment.pause();
  const { step } = run;
  await until(() => other.state.phase === "finished");
  await settle();
  assert.equal(run.step, step);
});

for (const code of [null, "a reader's own"]) {
  test(`a run that is stopped while it waits to go on is saved (code: ${code})`, async () => {
    const { one, run } = await waiting(code);
    one.experiment.stop();
    await until(() => run.saved !== null);
    assert.equal(run.lost, false);
  });
}

test("a lab that is paused leaves its cores to the others, and waits for them when it goes on", async () => {
  const { run, next, ended, otherEnded } = await waiting();
  const { step } = run;
  await until(() => next.step > 40);
  assert.equal(run.step, step);
  await otherEnded;
  await ended;
  assert.deepEqual([run.state, next.state], ["finished", "finished"]);
});

test("Stop while a lab waits for a core leaves nothing behind, and the next Run takes its turn", async () => {
  const locks = new FakeLocks();
  const [busy, waiting] = [framed(locks, 1), framed(locks, 1)];
  for (const { pool } of [busy, waiting]) pool.begin();
  const [long] = makeRuns(["none"], { steps: 400 });
  const ended = busy.experiment.start([long], "text");
  await until(() => long.step > 0);
  const [stopped] = makeRuns(["rope"]);
  waiting.experiment.start([stopped], "text");
  await settle();
  assert.equal(stopped.state, "queued");
  waiting.experiment.stop();
  await settle();
  assert.equal(stopped.state, "stopped");
  await ended;
  await settle();
  assert.equal(locks.held, 0);
  const runs = makeRuns(["rope"]);
  await waiting.experiment.start(runs, "text");
  assert.equal(runs[0].state, "finished");
});

test("a lab whose Python does not start keeps no core from the others", async () => {
  const locks = new FakeLocks();
  const [broken, other] = [framed(locks, 1), framed(locks, 1)];
  broken.pythons.startsAtOnce = false;
  for (const { pool } of [broken, other]) pool.begin();
  broken.experiment.start(makeRuns(["none"]), "text");
  await settle();
  broken.pythons.started[0].failStart(new Error("404"));
  const runs = makeRuns(["rope"]);
  await other.experiment.start(runs, "text");
  assert.equal(runs[0].state, "finished");
});

test("where labs cannot know of each other, each trains", async () => {
  const refused = Object.assign(new Error("The lock manager is not available."), { name: "SecurityError" });
  for (const locks of [undefined, { request: async () => Promise.reject(refused) }]) {
    const { pool, experiment } = framed(locks, 2);
    pool.begin();
    const runs = makeRuns(["none", "rope"]);
    await experiment.start(runs, "text");
    assert.ok(runs.every(({ state }) => state === "finished"));
  }
});
