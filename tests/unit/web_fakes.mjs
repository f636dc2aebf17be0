/** A Python for tests of the page's logic: it answers like embedding_lab.worker, at the test's command. */

import { createEvents } from "../../web/lab/events.js";
import { createRun } from "../../web/lab/run.js";

/** As in a hidden tab: no frame of the screen is ever drawn. */
globalThis.requestAnimationFrame = () => 1;

/** The clock of the tests: no timer fires by itself. */
export const clock = {
  now: 0,
  timers: new Map(),
  /** Lets so many milliseconds pass: what is set for then is called, each at its time. */
  pass(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const [next] = [...this.timers].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
      if (!next) break;
      const [id, { at, call }] = next;
      this.now = at;
      this.timers.delete(id);
      call();
    }
    this.now = end;
  },
  /** Lets so many milliseconds pass in which nothing runs: what was set for then is called after them, once. */
  sleep(milliseconds) {
    this.now += milliseconds;
    for (const [id, { at, call }] of [...this.timers]) {
      if (at <= this.now && this.timers.delete(id)) call();
    }
  },
};
let timers = 0;
globalThis.setTimeout = (call, wait) => {
  clock.timers.set((timers += 1), { at: clock.now + wait, call });
  return timers;
};
globalThis.clearTimeout = (id) => clock.timers.delete(id);

/** Lets everything that can happen without a timer happen, until the condition holds. */
export async function until(condition, what = condition.toString()) {
  for (let turns = 0; turns < 5000; turns += 1) {
    if (condition()) return;
    await new Promise(setImmediate);
  }
  throw new Error(`never came true: ${what}`);
}

/** Lets everything happen that can happen without a timer. */
export async function settle() {
  for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
}

/** What is found in an encoding that supplies a table. */
export const CHECKED = {
  name: "mine", maxLength: null, supplies: ["table"], parameters: 0, printed: "", notes: [],
  methods: [{ method: "table", shape: [2, 4], dtype: "float64", trainable: false, parameters: 0 }],
  probes: {
    "position-table": {
      defined: true, encoding: "own:mine", context: 2, parameters: 0, table: [[0, 1, 0, 1], [1, 0, 1, 0]], dots: [[2, 0], [0, 2]],
      norms: [1.4, 1.4], tokenNorm: 0.1, rowCosine: 0.5, rowChance: 0.4,
      subspaces: { cosines: [0.5], meanSquaredCosine: 0.25, chance: 0.3, tokenComponents: 1, positionComponents: 1, randomLargest: 0.6 },
      beyond: { asked: 4, defined: true, message: null, tMax: null, neverLearned: null },
    },
    rotation: { defined: false, why: "it turns nothing" },
    "distance-bias": { defined: false, why: "it adds nothing" },
  },
};

const BASELINES = { uniform: 4.29, unigram: 3.16, bigram: 2.45 };

/** Every worker that was started, what was called on it, and how calls are answered. */
export class FakePythons {
  /** Each worker: {alive, calls: [{name, args}], runs, busy, finishStart, failStart}. */
  started = [];
  /** Name of a function to a replacement `(worker, args) => answer`; undefined leaves the answer to the fake. */
  instead = {};
  /** Whether workers are ready by themselves. */
  startsAtOnce = true;
  /** Steps of one call of `advance`. */
  stride = 4;
  /** Calls that a probe takes until it answers, and the milliseconds of each. */
  slices = 1;
  slice = 0;

  get alive() {
    return this.started.filter(({ alive }) => alive);
  }

  /** Every call to any worker, in order. */
  calls = [];

  called(name) {
    return this.calls.filter((call) => call.name === name);
  }

  /** Takes the place of startPythonWorker. */
  start = ({ onProgress }) => {
    const worker = { alive: true, runs: new Map(), overlapping: false, busy: false };
    let end;
    const ended = new Promise((_, reject) => (end = () => reject(Object.assign(new Error("ended"), { code: "terminated" }))));
    ended.catch(() => {});
    const ready = new Promise((resolve, reject) => {
      worker.finishStart = () => {
        onProgress({ stage: "ready", loadedBytes: 2, totalBytes: 2, file: null });
        resolve({ secondsToReady: 1.5 });
      };
      worker.failStart = reject;
    });
    ready.catch(() => {});
    this.started.push(worker);
    if (this.startsAtOnce) queueMicrotask(worker.finishStart); // the real one tells nothing before it returns either
    return {
      ready,
      call: async (name, ...args) => {
        this.calls.push({ name, args, worker });
        worker.overlapping ||= worker.busy;
        worker.busy = true;
        try {
          await new Promise(setImmediate); // an answer never comes within the call
          const replaced = this.instead[name]?.(worker, args);
          return await Promise.race([replaced ?? this[name](worker, ...args), ended]);
        } finally {
          worker.busy = false;
        }
      },
      terminate: () => {
        worker.alive = false;
        end();
      },
    };
  };

  status() {
    return { version: "0.1.0", python: "3.13.2", numpy: "2.2.5", backend: "numpy" };
  }

  check_encoding() {
    return structuredClone(CHECKED);
  }

  open_run(worker, id, config, text, backend, saved) {
    const validation = Array.from(saved?.validationSteps ?? [], (step, index) => [step, saved.validationLoss[index]]);
    worker.runs.set(id, { config, step: saved?.step ?? 0, jobs: new Map(), validation });
    const facts = { run: id, config, parameters: 100 * config.d, vocabulary: ["a", "b"], classes: ["vowel", "consonant"], supplies: [] };
    return { ...facts, characters: {}, baselines: BASELINES, flopsPerStep: 1e6, frame: this.frame(worker, id, saved?.step ?? 0, true) };
  }

  advance(worker, id, budget, geometry) {
    const run = worker.runs.get(id);
    if (!run) return { error: { code: "unknown-run", field: null, message: `no run ${id}` } };
    const before = run.step;
    run.step = Math.min(run.config.steps, before + this.stride);
    return this.frame(worker, id, before, geometry);
  }

  /** The result names the step and the arguments that it is of. */
  probe(worker, name, id, args, budget, untrained) {
    clock.now += this.slice;
    const run = worker.runs.get(id);
    if (!run) return { error: { code: "unknown-run", field: null, message: `no run ${id}` } };
    const job = JSON.stringify([name, args, untrained]);
    const done = (run.jobs.get(job) ?? 0) + 1;
    run.jobs.set(job, done === this.slices ? 0 : done);
    const step = untrained ? 0 : run.step;
    const which = step === 0 ? "untrained" : step === run.config.steps ? "trained" : "now";
    const result = done === this.slices ? { step, args, encoding: run.config.encoding } : null;
    return { probe: name, run: id, which, step, progress: done / this.slices, result };
  }

  source(worker, name) {
    return { file: "embedding_lab/probes/table.py", code: `def ${name}(view):` };
  }

  /** With the losses of every step that its worker took, also of those that the page was not told. */
  save_run(worker, id) {
    const { step, config, validation } = worker.runs.get(id);
    return {
      vector: new Float32Array(2), mean: new Float32Array(2), square: new Float32Array(2), step,
      state: step === config.steps ? "finished" : "training", message: null, seconds: step / 10,
      trainLoss: Float64Array.from({ length: step }, (_, index) => config.d + 1 / (index + 1)),
      validationSteps: Int32Array.from(validation, ([at]) => at), validationLoss: Float64Array.from(validation, ([, loss]) => loss),
    };
  }

  read_checkpoint() {
    return { error: { code: "checkpoint", field: null, message: "This file holds no run." } };
  }

  checkpoint(worker, id, label) {
    return { name: `${label}.zip`, bytes: Uint8Array.of(worker.runs.get(id).step) };
  }

  close_run(worker, id) {
    worker.runs.delete(id);
    return {};
  }

  compare(worker, results) {
    const [first, ...others] = results;
    const against = (other) => ({ a: other.encoding, b: first.encoding, low: null, high: null, seeds: 1, verdict: "a verdict" });
    const summary = ({ encoding, validationLoss }) => ({ encoding, seeds: 1, mean: validationLoss });
    const gaps = others.map((other) => ({ ...against(other), nats: other.validationLoss - first.validationLoss }));
    return { gaps, encodings: results.map(summary) };
  }

  /** Losses are d + 1 / step, so that a point tells which settings it came from. */
  frame(worker, id, before, geometry) {
    const { step, config, validation } = worker.runs.get(id);
    const fresh = Array.from({ length: step - before }, (_, i) => before + 1 + i);
    const measured = step > before || step === 0 ? [step] : [];
    validation.push(...measured.map((at) => [at, config.d + 1 / (at + 1)]));
    return {
      run: id, step, steps: config.steps, state: step === config.steps ? "finished" : "training", message: null,
      trainFrom: before + 1, trainLoss: Float32Array.from(fresh, (at) => config.d + 1 / at),
      validationSteps: Int32Array.from(measured), validationLoss: Float32Array.from(measured, (at) => config.d + 1 / (at + 1)),
      seconds: step / 10, stepsPerSecond: 10,
      geometry: geometry ? { points: Float32Array.of(step, 0, 0, step), explained: [0.6, 0.4] } : null,
    };
  }
}

/** Runs as the page makes them, one for each encoding. */
export function makeRuns(encodings, settings = {}) {
  const config = { d: 8, layers: 1, heads: 1, context: 8, batch: 1, steps: 20, seed: 1, ...settings };
  return encodings.map((encoding) => createRun({ ...config, encoding }));
}

/** The page's events, and a list that keeps what they told. */
export function recordedEvents() {
  const target = new EventTarget();
  const told = [];
  for (const name of ["ready", "progress", "result", "task", "error"]) {
    target.addEventListener(`embedding-lab:${name}`, ({ detail }) => told.push({ name, detail }));
  }
  return { events: createEvents(target), told };
}
