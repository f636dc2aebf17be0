/**
 * Trains the runs of an experiment: one worker each, as far as there are free ones, and a queue for the rest.
 *
 * Pull, not push: a run's loop asks its worker for the next stretch of training, takes in the frame, and asks again.
 * Pause is not asking. Nothing here waits for a frame of the screen or for a timer, so a hidden tab keeps training.
 */

import { absorb, isUnderWay, validationLoss } from "./run.js";

/** How long one call trains, in milliseconds: short, so that Pause and Stop are felt at once. */
const BUDGET = 100;
/** Least time between two small pictures of a run's table, in milliseconds; the selected run's large one knows no pause. */
const THUMBNAIL_EVERY = 600;
/** Deadline of a call that computes next to nothing, in milliseconds. */
const PATIENCE = 10_000;
/** Codes of Python's errors that concern every run alike. */
const REFUSED = ["config", "corpus"];
/** The slowest machine that is waited for: 0.2 GFLOP/s, in operations per millisecond. */
const SLOWEST = 2e5;
/** The most characters that one validation reads (training.py); for the deadline alone. */
const VALIDATION_CHARACTERS = 16_384;

export class Experiment {
  #store;
  #pool;
  #events;
  #generation = 0;
  #before = null;
  #resume = null;
  #resumed = Promise.resolve();

  /**
   * @param {{store: import("./store.js").Store, pool: import("./worker-pool.js").WorkerPool,
   *   events: ReturnType<typeof import("./events.js").createEvents>}} parts
   */
  constructor({ store, pool, events }) {
    this.#store = store;
    this.#pool = pool;
    this.#events = events;
  }

  /**
   * Begin anew with these runs, in place of those before; if Python refuses the settings or the text, those return.
   * @param {object[]} runs as `createRun` makes them
   * @param {string} text what they train on
   */
  async start(runs, text) {
    const { state } = this.#store;
    if (state.phase === "running" || state.phase === "paused") this.stop();
    this.#abandon();
    const { runs: shown, gaps, runsCompared, selected: shownLarge, phase } = state;
    this.#before = { runs: shown, gaps, runsCompared, selected: shownLarge, phase };
    const generation = this.#generation;
    const kept = runs.find(({ id }) => id === state.selected);
    const selected = kept ?? runs.find(({ encoding }) => encoding !== "none") ?? runs[0];
    this.#store.set({ runs, gaps: [], runsCompared: 0, selected: selected.id, phase: "running" });
    await Promise.all(runs.map((run) => this.#train(run, text, generation)));
    if (generation === this.#generation) this.#finish();
  }

  /** Ask for no more; a call in flight still brings its frame. */
  pause() {
    if (this.#store.state.phase !== "running") return;
    this.#resumed = new Promise((resolve) => (this.#resume = resolve));
    this.#store.set({ phase: "paused" });
  }

  resume() {
    if (this.#store.state.phase !== "paused") return;
    this.#store.set({ phase: "running" });
    this.#resume?.();
  }

  /** End all runs at once. What they have shown stays; a frame in flight is dropped. */
  stop() {
    this.#abandon();
    for (const run of this.#store.state.runs.filter(isUnderWay)) run.state = "stopped";
    this.#store.set({ phase: "stopped" });
    this.#store.touch("runs");
  }

  /** End all runs and forget them. */
  reset() {
    this.#abandon();
    this.#store.set({ runs: [], gaps: [], runsCompared: 0, phase: this.#idle() });
  }

  #idle() {
    return this.#store.state.status ? "ready" : "loading";
  }

  #abandon() {
    this.#generation += 1;
    this.#resume?.();
    this.#resumed = Promise.resolve();
  }

  async #train(run, text, generation) {
    const stale = () => generation !== this.#generation;
    const worker = await this.#pool.acquire();
    try {
      await this.#pull(run, text, worker, stale);
      if (run.state === "finished" && !stale()) await this.#compare(worker, stale);
    } catch (error) {
      if (!stale()) this.#fail(run, error);
    } finally {
      if (run.facts) await this.#pool.call(worker, PATIENCE, "close_run", run.id).catch(() => {});
      this.#pool.release(worker);
    }
  }

  /** A run from its opening to its end, or until it is stale: then what arrives is dropped. */
  async #pull(run, text, worker, stale) {
    await this.#resumed;
    if (stale()) return;
    this.#change(run, { state: "opening" });
    const { frame, ...facts } = await this.#call(worker, run, "open_run", run.id, run.config, text);
    run.facts = facts;
    if (stale()) return;
    this.#take(run, frame);
    while (run.state === "training") {
      await this.#resumed;
      if (stale()) return;
      const next = await this.#call(worker, run, "advance", run.id, BUDGET, this.#wantsPicture(run));
      if (stale()) return;
      this.#take(run, next);
    }
    if (run.state !== "finished" || run.geometry?.step === run.step) return;
    const last = await this.#call(worker, run, "advance", run.id, BUDGET, true);
    if (!stale()) this.#take(run, last);
  }

  /** A call for one run; what Python reports as an expected failure is thrown with its code and field. */
  async #call(worker, run, name, ...args) {
    const answer = await this.#pool.call(worker, deadline(run, args), name, ...args);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer;
  }

  #wantsPicture(run) {
    return run.id === this.#store.state.selected || this.#wantsThumbnail(run);
  }

  #wantsThumbnail({ thumbnail }) {
    return !thumbnail || performance.now() - thumbnail.at >= THUMBNAIL_EVERY;
  }

  #take(run, frame) {
    absorb(run, frame);
    if (frame.geometry && (this.#wantsThumbnail(run) || run.state === "finished")) {
      run.thumbnail = { ...run.geometry, at: performance.now() };
    }
    this.#store.touch("runs");
    this.#events.progress(run);
  }

  #change(run, changes) {
    Object.assign(run, changes);
    this.#store.touch("runs");
  }

  async #compare(worker, stale) {
    const finished = this.#store.state.runs.filter(({ state }) => state === "finished");
    if (new Set(finished.map(({ encoding }) => encoding)).size < 2) return;
    const runsCompared = finished.length;
    const results = finished.map((run) => ({ encoding: run.encoding, seed: run.seed, validationLoss: validationLoss(run) }));
    try {
      const { gaps } = await this.#pool.call(worker, PATIENCE, "compare", results);
      // Python's None arrives as undefined; outside, "no interval" is null.
      const plain = gaps.map((gap) => ({ ...gap, low: gap.low ?? null, high: gap.high ?? null }));
      // Each finished run asks its own worker, and an answer on fewer runs may come after one on more.
      if (stale() || runsCompared < this.#store.state.runsCompared) return;
      this.#store.set({ gaps: plain, runsCompared });
    } catch (error) {
      this.#events.error(error.code ?? "python", error.message);
    }
  }

  #fail(run, error) {
    this.#events.error(error.code ?? "python", error.message);
    if (REFUSED.includes(error.code)) this.#refuse(error);
    else this.#change(run, { state: "failed", message: error.message });
  }

  /** A setting or a text that Python cannot use is no fault of one run: none starts, and the page is as it was. */
  #refuse({ field, message }) {
    this.#abandon();
    const { phase, ...shown } = this.#before;
    const errors = { ...this.#store.state.errors, [field]: message };
    this.#store.set({ ...shown, phase: shown.runs.length ? phase : this.#idle(), errors, blocked: { field } });
  }

  #finish() {
    const { runs, gaps } = this.#store.state;
    this.#store.set({ phase: "finished" });
    if (runs.some(({ state }) => state === "finished")) this.#events.result(runs, gaps);
  }
}

/**
 * How long a call of a run may take before its worker counts as hung: what a very slow machine needs for one step and
 * one validation. Before the run is open its cost is not known; the sizes of its matrices bound it. A text among the
 * arguments has to be read, at the slowest a hundred characters in a millisecond.
 * @returns {number} milliseconds
 */
function deadline({ config, facts }, args) {
  const { d, layers, context } = config;
  const validation = 2 * VALIDATION_CHARACTERS * (12 * layers * d * d + 2 * layers * context * d + 256 * d);
  const characters = args.reduce((sum, arg) => sum + (typeof arg === "string" ? arg.length : 0), 0);
  return PATIENCE + (validation + (facts?.flopsPerStep ?? validation)) / SLOWEST + characters / 100;
}
