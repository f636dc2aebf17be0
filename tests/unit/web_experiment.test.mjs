/**
 * Runs and workers: who trains where and when, and what happens when someone stops, or something breaks.
 * No timer fires unless a test says so, and no frame is ever drawn: what trains here would train in a hidden tab.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Experiment } from "../../web/lab/experiment.js";
import { absorb } from "../../web/lab/run.js";
import { Store } from "../../web/lab/store.js";
import { WorkerPool } from "../../web/lab/worker-pool.js";
import { clock, FakePythons, makeRuns, recordedEvents, settle, until } from "./web_fakes.mjs";

const FIVE = ["none", "learned", "sinusoidal", "rope", "alibi"];
const THREE = FIVE.slice(0, 3);

/** An experiment with its parts, on so many cores. */
function lab(cores) {
  const pythons = new FakePythons();
  const failures = [];
  const progress = [];
  const { events, told } = recordedEvents();
  const store = new Store();
  const pool = new WorkerPool({
    allows: () => true,
    start: pythons.start, cores, onProgress: (news) => progress.push(news), onFailure: (error) => failures.push(error),
  });
  const experiment = new Experiment({ store, pool, events });
  return { pythons, pool, store, experiment, told, failures, progress, state: store.state };
}

/** The same after its workers have started. */
async function readyLab(cores) {
  const parts = lab(cores);
  parts.pool.begin();
  await until(() => parts.pythons.started.length === cores);
  await settle();
  return parts;
}

const named = (told, name) => told.filter((event) => event.name === name).map(({ detail }) => detail);
const states = (runs) => runs.map(({ state }) => state);
const never = () => new Promise(() => {});
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

test("trains to the end though no frame is drawn and no timer fires", async () => {
  const { experiment, state, told } = await readyLab(3);
  const runs = makeRuns(THREE);
  await experiment.start(runs, "text");
  assert.equal(state.phase, "finished");
  assert.deepEqual(states(runs), ["finished", "finished", "finished"]);
  for (const { train, validation, step } of runs) {
    assert.equal(step, 20);
    assert.deepEqual(train.steps, Array.from({ length: 20 }, (_, i) => i + 1));
    assert.deepEqual(validation.steps, [0, 4, 8, 12, 16, 20]);
  }
  const [result] = named(told, "result");
  assert.deepEqual(Object.keys(result).sort(), ["baselines", "config", "gaps", "runs"]);
  assert.deepEqual(result.runs.map(({ encoding }) => encoding), THREE);
  assert.equal(named(told, "result").length, 1);
});

test("runs beyond the number of workers wait their turn", async () => {
  const { experiment, pythons } = await readyLab(2);
  const runs = makeRuns(FIVE);
  const done = experiment.start(runs, "text");
  await until(() => pythons.called("advance").length > 0);
  assert.deepEqual(states(runs).slice(2), ["queued", "queued", "queued"]);
  await done;
  assert.deepEqual(states(runs), FIVE.map(() => "finished"));
  assert.equal(pythons.started.length, 2);
});

test("a worker holds one run and gets one call at a time", async () => {
  const { experiment, pythons } = await readyLab(2);
  let most = 0;
  pythons.instead.advance = (worker) => void (most = Math.max(most, worker.runs.size));
  await experiment.start(makeRuns(FIVE), "text");
  assert.equal(most, 1);
  assert.deepEqual(pythons.started.map(({ overlapping }) => overlapping), [false, false]);
  await until(() => pythons.started.every(({ runs }) => runs.size === 0), "every run is closed");
});

test("runs started before Python is there begin when it is", async () => {
  const { experiment, pool, pythons } = lab(2);
  pythons.startsAtOnce = false;
  const runs = makeRuns(THREE);
  const done = experiment.start(runs, "text");
  pool.begin();
  await settle();
  assert.deepEqual(states(runs), ["queued", "queued", "queued"]);
  assert.equal(pythons.started.length, 1, "the others follow when the first has its files");
  pythons.started[0].finishStart();
  await until(() => pythons.started.length === 2);
  pythons.started[1].finishStart();
  await done;
  assert.deepEqual(states(runs), ["finished", "finished", "finished"]);
});

test("Pause asks for no more, Resume goes on where it was", async () => {
  const { experiment, pythons, state } = await readyLab(2);
  const runs = makeRuns(["none", "learned"], { steps: 400 });
  const done = experiment.start(runs, "text");
  await until(() => runs.every(({ step }) => step > 0));
  experiment.pause();
  await settle();
  const calls = pythons.calls.length;
  const steps = runs.map(({ step }) => step);
  await settle();
  assert.equal(pythons.calls.length, calls);
  assert.deepEqual(runs.map(({ step }) => step), steps);
  assert.equal(state.phase, "paused");
  experiment.resume();
  assert.equal(state.phase, "running");
  await done;
  assert.deepEqual(runs.map(({ step }) => step), [400, 400]);
  assert.deepEqual(runs[0].train.steps, Array.from({ length: 400 }, (_, i) => i + 1));
});

test("Stop while paused ends the runs", async () => {
  const { experiment, pythons, state } = await readyLab(2);
  const runs = makeRuns(["none", "learned"], { steps: 400 });
  experiment.start(runs, "text");
  await until(() => runs.every(({ step }) => step > 0));
  experiment.pause();
  await settle();
  experiment.stop();
  await until(() => pythons.started.every((worker) => worker.runs.size === 0), "every run is closed");
  assert.deepEqual(states(runs), ["stopped", "stopped"]);
  assert.equal(state.phase, "stopped");
});

test("Stop drops the frame in flight and keeps what was shown", async () => {
  const { experiment, pythons, state, told } = await readyLab(1);
  const [run] = makeRuns(["none"], { steps: 400 });
  let release = null;
  pythons.instead.advance = (worker, args) =>
    run.step < 8 ? undefined : new Promise((resolve) => (release = () => resolve(pythons.advance(worker, ...args))));
  experiment.start([run], "text");
  await until(() => release !== null);
  experiment.stop();
  assert.equal(run.state, "stopped", "at once, with the call still out");
  assert.equal(state.phase, "stopped");
  const progress = named(told, "progress").length;
  release();
  await until(() => pythons.called("close_run").length === 1);
  assert.equal(run.step, 8);
  assert.equal(run.train.loss.length, 8);
  assert.equal(run.state, "stopped");
  assert.equal(named(told, "progress").length, progress);
  assert.equal(named(told, "result").length, 0);
});

test("a frame of the last experiment does not reach the next one of the same name", async () => {
  const { experiment, pythons, state } = await readyLab(1);
  let release = null;
  pythons.instead.advance = (worker, args) =>
    release ? undefined : new Promise((resolve) => (release = () => resolve(pythons.advance(worker, ...args))));
  const [before] = makeRuns(["none"], { d: 8 });
  experiment.start([before], "text");
  await until(() => release !== null);
  const [after] = makeRuns(["none"], { d: 16 });
  const done = experiment.start([after], "text");
  release();
  await done;
  assert.equal(before.id, after.id);
  assert.deepEqual(state.runs, [after]);
  assert.deepEqual(after.train.steps, Array.from({ length: 20 }, (_, i) => i + 1));
  assert.ok(after.train.loss.every((loss) => loss > 16), "every point is of the new settings");
});

test("ten times Run and Stop with other settings: no worker more than cores, none left over", async () => {
  const { experiment, pythons, state } = await readyLab(3);
  for (let d = 8; d < 18; d += 1) {
    experiment.start(makeRuns(FIVE, { d, steps: 400 }), "text");
    await until(() => state.runs[0].step > 0 && state.runs[0].config.d === d);
    experiment.stop();
  }
  const last = makeRuns(FIVE, { d: 64 });
  await experiment.start(last, "text");
  assert.equal(pythons.started.length, 3);
  assert.equal(pythons.alive.length, 3);
  assert.deepEqual(states(last), FIVE.map(() => "finished"));
  assert.ok(last.every(({ train }) => train.loss.every((loss) => loss > 64)));
  await until(() => pythons.started.every((worker) => worker.runs.size === 0), "no run is left in a worker");
});

test("a call that never returns: its worker is ended and replaced, its run says so, the others go on", async () => {
  const { experiment, pythons, told } = await readyLab(2);
  const runs = makeRuns(FIVE);
  let hung = null;
  pythons.instead.advance = (worker, [id]) => {
    if (id !== "learned-1") return undefined;
    hung = worker;
    return never();
  };
  const done = experiment.start(runs, "text");
  await until(() => hung && runs.filter(({ state }) => state === "finished").length === 4);
  assert.ok(hung.alive, "a slow call has its time");
  clock.pass(9_000);
  await settle();
  assert.ok(hung.alive);
  clock.pass(60_000);
  await done;
  assert.ok(!hung.alive);
  assert.equal(pythons.alive.length, 2);
  assert.equal(pythons.started.length, 3);
  const failed = runs.find(({ encoding }) => encoding === "learned");
  assert.equal(failed.state, "failed");
  assert.match(failed.message, /did not answer within 1\d s/);
  assert.deepEqual(named(told, "error").map(({ code }) => code), ["hung"]);
  assert.equal(named(told, "result")[0].runs.length, 4);
});

test("while the machine sleeps nothing hangs: a call and a start have their time when it is awake again", async () => {
  const { experiment, pythons, pool, told, failures } = await readyLab(1);
  const [run] = makeRuns(["none"]);
  let answer = null;
  pythons.instead.advance = (worker, args) => {
    if (!answer) return new Promise((resolve) => (answer = () => resolve(pythons.advance(worker, ...args))));
  };
  const done = experiment.start([run], "text");
  await until(() => answer);
  clock.sleep(8 * 3_600_000);
  clock.sleep(8 * 3_600_000);
  await settle();
  assert.equal(pythons.alive.length, 1);
  answer();
  await done;
  assert.equal(run.state, "finished");
  assert.deepEqual(named(told, "error"), []);

  pythons.startsAtOnce = false;
  pool.discard(await pool.acquire());
  clock.sleep(3_600_000);
  await settle();
  assert.equal(failures.length, 0);
  pythons.started.at(-1).finishStart();
  assert.ok(await pool.acquire());
});

test("a fresh worker takes the place of a hung one in the queue", async () => {
  const { experiment, pythons } = await readyLab(1);
  const runs = makeRuns(THREE);
  pythons.instead.open_run = (worker, [id]) => (id === "none-1" ? never() : undefined);
  const done = experiment.start(runs, "text");
  await until(() => pythons.called("open_run").length === 1);
  clock.pass(600_000);
  await done;
  assert.deepEqual(states(runs), ["failed", "finished", "finished"]);
  assert.equal(pythons.alive.length, 1);
});

test("an exception in Python: its run shows it, its worker is replaced, the others go on", async () => {
  const { experiment, pythons, told } = await readyLab(2);
  const runs = makeRuns(THREE);
  pythons.instead.advance = (worker, [id]) => {
    if (id === "none-1") throw new Error("Traceback (most recent call last):\nKeyError: 'embedding'");
  };
  await experiment.start(runs, "text");
  assert.deepEqual(states(runs), ["failed", "finished", "finished"]);
  assert.match(runs[0].message, /KeyError/);
  assert.equal(pythons.alive.length, 2);
  assert.equal(pythons.started.length, 3);
  assert.equal(named(told, "error").length, 1);
});

test("a worker that dies while it loads lets the others train", async () => {
  const { experiment, pool, pythons, failures } = lab(2);
  pythons.startsAtOnce = false;
  pool.begin();
  pythons.started[0].finishStart();
  await until(() => pythons.started.length === 2);
  pythons.started[1].failStart(new Error("gone"));
  const runs = makeRuns(THREE);
  await experiment.start(runs, "text");
  assert.deepEqual(states(runs), ["finished", "finished", "finished"]);
  assert.deepEqual(failures, []);
});

test("a value that Python refuses is told at its setting, and the results on the page stay", async () => {
  const { experiment, pythons, state, told } = await readyLab(2);
  const before = makeRuns(THREE);
  await experiment.start(before, "text");
  const { gaps } = state;
  assert.equal(gaps.length, 2);
  const message = "The text has one distinct character, 'a'.";
  pythons.instead.open_run = () => ({ error: { code: "corpus", field: "corpus", message } });
  await experiment.start(makeRuns(THREE, { d: 16 }), "aaaa");
  assert.equal(state.errors.corpus, message);
  assert.equal(state.blocked.field, "corpus");
  assert.deepEqual(state.runs.map(({ config }) => config.d), [8, 8, 8]);
  assert.deepEqual(states(state.runs), ["finished", "finished", "finished"]);
  assert.deepEqual(state.gaps, gaps);
  assert.equal(state.phase, "finished");
  assert.equal(named(told, "error")[0].code, "corpus");
  assert.ok(pythons.alive.length === 2 && pythons.started.length === 2, "an expected failure costs no worker");
});

test("a run that diverges keeps its curve and its message, and is left out of the result", async () => {
  const { experiment, pythons, told } = await readyLab(2);
  const runs = makeRuns(["none", "learned"]);
  pythons.instead.advance = (worker, args) => {
    if (args[0] !== "none-1") return undefined;
    return { ...pythons.advance(worker, ...args), state: "diverged", message: "Diverged at step 4: the loss is nan." };
  };
  await experiment.start(runs, "text");
  assert.deepEqual(states(runs), ["diverged", "finished"]);
  assert.equal(runs[0].message, "Diverged at step 4: the loss is nan.");
  assert.equal(runs[0].train.loss.length, 4);
  assert.deepEqual(named(told, "result")[0].runs.map(({ encoding }) => encoding), ["learned"]);
});

test("a start that fails is reported once, and begin() tries again", async () => {
  const { experiment, pool, pythons, failures } = lab(2);
  pythons.startsAtOnce = false;
  const runs = makeRuns(["none"]);
  const done = experiment.start(runs, "text");
  pool.begin();
  const missing = Object.assign(new Error("numpy.whl could not be loaded: HTTP 404."), { code: "missing-file" });
  pythons.started[0].failStart(missing);
  await until(() => failures.length === 1);
  assert.equal(failures[0], missing);
  assert.equal(pythons.alive.length, 0);
  pythons.startsAtOnce = true;
  pool.begin();
  await done;
  assert.deepEqual(states(runs), ["finished"]);
  assert.equal(failures.length, 1);
});

test("Reset while a run trains empties the page, and the next run has all workers", async () => {
  const { experiment, state, pythons } = await readyLab(2);
  experiment.start(makeRuns(THREE, { steps: 1e6 }), "text");
  await until(() => state.runs.some(({ step }) => step > 0));
  experiment.reset();
  assert.deepEqual([state.runs, state.gaps], [[], []]);
  await until(() => pythons.started.every((worker) => worker.runs.size === 0), "every run is closed");
  const runs = makeRuns(THREE);
  await experiment.start(runs, "text");
  assert.deepEqual(states(runs), ["finished", "finished", "finished"]);
  assert.equal(pythons.started.length, 2);
});

test("the run that is shown large has a new picture with every frame", async () => {
  const { experiment, pythons, state } = await readyLab(1);
  await experiment.start(makeRuns(THREE), "text");
  const shown = pythons.called("advance").filter(({ args }) => args[0] === state.selected);
  assert.ok(shown.length >= 5 && shown.every(({ args: [, , geometry] }) => geometry));
});

test("the picture of a finished run is that of its last step", async () => {
  const { experiment } = await readyLab(1);
  const runs = makeRuns(THREE);
  await experiment.start(runs, "text");
  assert.deepEqual(runs.map(({ geometry }) => geometry.step), [20, 20, 20]);
});

test("Pause counts once and only while something runs; Resume always goes on", async () => {
  const { experiment, state } = await readyLab(1);
  const [run] = makeRuns(["none"], { steps: 40 });
  const done = experiment.start([run], "text");
  await until(() => run.step > 0);
  experiment.pause();
  experiment.pause();
  experiment.resume();
  await done;
  assert.equal(run.state, "finished");
  experiment.pause();
  assert.equal(state.phase, "finished");
  experiment.resume();
  assert.equal(state.phase, "finished");
});

test("a comparison of fewer runs that answers late does not replace one of more", async () => {
  const { experiment, pythons, state, told } = await readyLab(3);
  const held = [];
  pythons.instead.compare = (worker, [results]) =>
    results.length < 3 ? new Promise((resolve) => held.push(() => resolve(pythons.compare(worker, results)))) : undefined;
  const done = experiment.start(makeRuns(THREE), "text");
  await until(() => state.runsCompared === 3, "the last comparison has answered");
  const complete = state.gaps;
  for (const release of held) release();
  await done;
  assert.ok(held.length > 0, "an earlier comparison was held back");
  assert.deepEqual(state.gaps, complete);
  assert.deepEqual(named(told, "result")[0].gaps, complete);
});

test("a worker that falls silent while it starts is given up and can be tried again", async () => {
  const { pythons, pool, failures } = lab(1);
  pythons.startsAtOnce = false;
  pool.begin();
  const worker = pool.acquire();
  clock.pass(59_000);
  await settle();
  assert.equal(failures.length, 0);
  clock.pass(2_000);
  await until(() => failures.length === 1);
  assert.match(failures[0].message, /told nothing for 60 s/);
  assert.equal(pythons.started[0].alive, false);
  pythons.startsAtOnce = true;
  pool.begin();
  assert.equal((await worker).secondsToReady, 1.5);
});

test("a run's first steps are told at once, and those after them now and then", () => {
  const { events, told } = recordedEvents();
  const [run] = makeRuns(["none"]);
  run.state = "training";
  for (run.step of [0, 2, 4, 6]) events.progress(run);
  run.state = "finished";
  run.step = 20;
  events.progress(run);
  assert.deepEqual(named(told, "progress").map(({ step }) => step), [0, 2, 20]);
});

test("a run keeps pictures of its table from step 0 to the latest, evenly and not too many", () => {
  const [run] = makeRuns(["none"], { steps: 1000 });
  const frame = (step) => ({
    step, state: "training", message: null, seconds: 1, stepsPerSecond: 1, trainFrom: 1, trainLoss: [], validationSteps: [], validationLoss: [],
    geometry: { points: Float32Array.of(step, 0), explained: [1, 0], points3: Float32Array.of(step, 0, 0), explained3: [1, 0, 0] },
  });
  for (let step = 0; step <= 700; step += 1) {
    absorb(run, frame(step));
    assert.equal(run.history.at(-1), run.geometry);
  }
  absorb(run, { ...frame(701), geometry: null });
  const steps = run.history.map((picture) => picture.step);
  assert.deepEqual([steps[0], steps.at(-1)], [0, 700]);
  assert.ok(steps.length > 60 && steps.length <= 120, `${steps.length} pictures`);
  const gaps = steps.slice(1).map((step, i) => step - steps[i]);
  assert.ok(Math.max(...gaps) <= 9 && Math.min(...gaps.slice(0, -1)) >= 8, `steps between them: ${gaps}`);
});

test("what a run learned is kept when it ends, and the run that is shown large has its table in space, too", async () => {
  const { experiment, pythons, state } = await readyLab(2);
  const runs = makeRuns(["none", "learned"]);
  await experiment.start(runs, "text");
  assert.deepEqual(runs.map(({ saved, text }) => [saved.step, text]), [[20, "text"], [20, "text"]]);
  const inSpace = (id) => pythons.called("advance").filter(({ args }) => args[0] === id && args[3]).length;
  assert.equal(state.selected, "learned-1");
  assert.ok(inSpace("learned-1") >= 5 && inSpace("none-1") <= 1, "the other one at its end alone");
  experiment.reset();
  experiment.start(makeRuns(["none"], { steps: 400 }), "text");
  await until(() => state.runs[0]?.step > 0);
  const exported = pythons.called("save_run").length;
  experiment.reset();
  await until(() => pythons.started.every((worker) => worker.runs.size === 0), "every run is closed");
  assert.equal(pythons.called("save_run").length, exported, "nothing is kept of a run that is no more");
});

for (const end of ["finish", "stop"]) {
  test(`the runs before are forgotten with all that they learned when the next ones end (${end})`, async () => {
    const { experiment, state } = await readyLab(1);
    const [before] = await (async () => {
      const runs = makeRuns(["none"]);
      await experiment.start(runs, "text");
      return runs.map((run) => new WeakRef(run));
    })();
    const done = experiment.start(makeRuns(["none"], { steps: 400 }), "text");
    await until(() => state.runs[0].step > 0);
    if (end === "stop") experiment.stop();
    await done;
    await settle();
    clock.timers.clear();
    collectGarbage();
    assert.equal(before.deref(), undefined);
  });
}

test("what has finished is compared when the rest is stopped, though the answer was on its way", async () => {
  const { experiment, pythons, state } = await readyLab(3);
  const runs = [...makeRuns(["none", "learned"]), ...makeRuns(["rope"], { steps: 4000 })];
  let answer = null;
  pythons.instead.compare = (worker, args) =>
    answer === null ? new Promise((resolve) => (answer = () => resolve(pythons.compare(worker, ...args)))) : undefined;
  experiment.start(runs, "text");
  await until(() => answer !== null && runs.slice(0, 2).every((run) => run.state === "finished"));
  experiment.stop();
  answer();
  await until(() => state.runsCompared === 2);
  assert.deepEqual([state.gaps.length, state.phase], [1, "stopped"]);
});

test("Stop, when all runs have ended, leaves the result to come", async () => {
  const { experiment, pythons, state, told } = await readyLab(1);
  const runs = makeRuns(["none"]);
  let answer = null;
  pythons.instead.compare = (worker, args) => new Promise((resolve) => (answer = () => resolve(pythons.compare(worker, ...args))));
  const done = experiment.start(runs, "text");
  await until(() => answer !== null);
  experiment.stop();
  answer();
  await done;
  assert.equal(state.phase, "finished");
  assert.equal(named(told, "result").length, 1);
});

test("what Stop ended is saved though the next runs have taken its place, and what Reset forgot is not", async () => {
  const pythons = new FakePythons();
  const store = new Store();
  const saved = [];
  const pool = new WorkerPool({ start: pythons.start, cores: 1, allows: () => true, onProgress: () => {}, onFailure: () => {} });
  const experiment = new Experiment({ store, pool, events: recordedEvents().events, onSaved: (run) => saved.push(run) });
  pool.begin();
  const [first, second, third] = ["none", "learned", "rope"].flatMap((encoding) => makeRuns([encoding], { steps: 4000 }));
  for (const [run, end] of [[first, () => experiment.stop()], [second, () => experiment.reset()]]) {
    experiment.start([run], "text");
    await until(() => run.step > 0);
    end();
  }
  experiment.start([third], "text");
  await until(() => third.step > 0);
  assert.deepEqual(saved, [first]);
  assert.ok(first.saved.step >= first.step);
  experiment.reset();
});

test("a text that is refused when a run goes on leaves the run as it was", async () => {
  const { experiment, pythons, state } = await readyLab(1);
  const [run] = makeRuns(["none"], { steps: 400 });
  const first = experiment.start([run], "text");
  await until(() => run.step > 0);
  experiment.stop();
  await first;
  await until(() => run.saved);
  const { saved } = run;
  pythons.instead.open_run = () => ({ error: { code: "corpus", field: "corpus", message: "The text is empty." } });
  await experiment.extend([run]);
  assert.deepEqual([state.phase, state.errors.corpus, run.state, run.saved], ["stopped", "The text is empty.", "stopped", saved]);
});
