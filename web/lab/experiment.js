/**
 * Trains the runs of an experiment: one worker each, as far as there are free ones, and a queue for the rest.
 *
 * Pull, not push: a run's loop asks its worker for the next stretch of training, takes in the frame, and asks again.
 * Pause is not asking. Nothing here waits for a frame of the screen or for a timer, so a hidden tab keeps training.
 */

import { deadline, PATIENCE } from "./deadline.js";
import { absorb, isUnderWay, takeUp, validationLoss } from "./run.js";

/** How long one call trains, in milliseconds: short, so that Pause and Stop are felt at once. */
const BUDGET = 100;
/** Least time between two small pictures of a run's table, in milliseconds; the selected run's large one knows no pause. */
const THUMBNAIL_EVERY = 600;
/** Codes of Python's errors that concern every run alike. */
const REFUSED = ["config", "corpus"];
/**
 * How long a reader's own code may still take when its run was stopped, in milliseconds, beside a few of its steps: a call
 * that does not come back by then hangs, and a worker is wanted.
 */
const GRACE = 2000;
const STEPS_OF_GRACE = 3;

export class Experiment {
  #store;
  #pool;
  #events;
  #generation = 0;
  /** How many runs of this generation have not ended. */
  #pending = 0;
  /** Calls off what waits for a worker in this generation. */
  #calledOff = new AbortController();
  /** Each run of a reader's own code that has a worker, with it. */
  #ownWorkers = new Map();
  #before = null;
  #resume = null;
  #resumed = Promise.resolve();
  #visit;
  #onSaved;
  #woken = null;
  #wake = () => {};
  /** Run to the generation that trains it or was the last to do so: what an earlier one still brings is not the run's. */
  #owners = new WeakMap();

  /**
   * @param {object} parts
   * @param {import("./store.js").Store} parts.store
   * @param {import("./worker-pool.js").WorkerPool} parts.pool
   * @param {ReturnType<typeof import("./events.js").createEvents>} parts.events
   * @param {(run: object, worker: object) => Promise<boolean>} [parts.visit] may ask something of a run in its own
   *   worker, between two frames; it resolves to whether it has more to ask at once. What it throws ends the run.
   * @param {(run: object) => void} [parts.onSaved] told when what a run has learned is saved in the run, which may have
   *   been replaced on the page meanwhile
   */
  constructor({ store, pool, events, visit = async () => false, onSaved = () => {} }) {
    this.#store = store;
    this.#pool = pool;
    this.#events = events;
    this.#visit = visit;
    this.#onSaved = onSaved;
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
    this.#remember();
    for (const run of runs) run.text = text;
    this.#store.set({ ...this.#fresh(runs), phase: "running" });
    await this.#trainAll(runs);
  }

  /**
   * Train runs beside those that are on the page: new ones, or ones of them that were stopped.
   * @param {object[]} runs with their text
   */
  async extend(runs) {
    const { runs: shown, phase } = this.#store.state;
    const joins = phase === "running" || phase === "paused";
    if (!joins) {
      this.#abandon();
      this.#remember();
    }
    for (const run of runs) run.state = "queued";
    const all = [...shown, ...runs.filter((run) => !shown.includes(run))];
    this.#store.set({ runs: all, phase: joins ? phase : "running" });
    await this.#trainAll(runs);
  }

  /**
   * Show runs that have ended in place of those before.
   * @param {object[]} runs
   */
  async show(runs) {
    this.#abandon();
    const phase = runs.every(({ state }) => state === "finished") ? "finished" : "stopped";
    this.#store.set({ ...this.#fresh(runs), phase });
    await this.#compareAnew();
  }

  /** The state of an experiment with these runs, before anything was compared. */
  #fresh(runs) {
    const before = runs.find(({ id }) => id === this.#store.state.selected);
    const selected = before ?? runs.find(({ encoding }) => encoding !== "none") ?? runs[0];
    return { runs, gaps: [], summaries: [], runsCompared: 0, selected: selected.id };
  }

  /** Keep what is on the page, in case that Python refuses what takes its place. */
  #remember() {
    const { runs, gaps, summaries, runsCompared, selected, phase } = this.#store.state;
    this.#before = { runs, gaps, summaries, runsCompared, selected, phase };
  }

  async #trainAll(runs) {
    const generation = this.#generation;
    this.#pending += runs.length;
    await Promise.all(runs.map((run) => this.#train(run, generation)));
    if (generation !== this.#generation) return;
    this.#pending -= runs.length;
    if (this.#pending === 0) this.#finish();
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

  /** Let `visit` come to the runs that are paused, too; those that train have it come by themselves. */
  wake() {
    this.#wake();
  }

  /** End all runs that are under way. What they have shown stays; a frame in flight is dropped. */
  stop() {
    if (!this.#store.state.runs.some(isUnderWay)) return; // all have ended, and the result is about to come
    this.#abandon();
    this.#stopRuns(this.#store.state.runs);
    this.#store.set({ phase: "stopped" });
    this.#compareAnew();
  }

  #stopRuns(runs) {
    for (const run of runs.filter(isUnderWay)) run.state = "stopped";
    this.#store.touch("runs");
  }

  /** End all runs and forget them. */
  reset() {
    this.#abandon();
    this.#owners = new WeakMap();
    this.#store.set({ runs: [], gaps: [], summaries: [], runsCompared: 0, phase: this.#idle() });
  }

  #idle() {
    return this.#store.state.status ? "ready" : "loading";
  }

  #abandon() {
    this.#generation += 1;
    this.#calledOff.abort();
    this.#calledOff = new AbortController();
    for (const [run, worker] of this.#ownWorkers) this.#endIfItHangs(run, worker);
    this.#pending = 0;
    this.#before = null;
    this.#resume?.();
    this.#resumed = Promise.resolve();
  }

  #endIfItHangs(run, worker) {
    const aFewSteps = run.stepsPerSecond ? (STEPS_OF_GRACE * 1000) / run.stepsPerSecond : 0;
    setTimeout(() => {
      if (this.#ownWorkers.get(run) === worker) this.#pool.discard(worker);
    }, GRACE + aFewSteps);
  }

  /** A run that was stopped goes on from what was saved, which may be a frame more than was shown. */
  async #train(run, generation) {
    const stale = () => generation !== this.#generation;
    const { saved } = run;
    this.#owners.set(run, generation);
    let worker = null;
    let isOpen = false;
    try {
      worker = await this.#pool.acquire({ code: run.code, signal: this.#calledOff.signal });
      if (run.code !== null) this.#ownWorkers.set(run, worker);
      await this.#resumed;
      if (stale()) return;
      takeUp(run, saved);
      this.#change(run, { state: "opening" });
      const { frame, ...facts } = await this.#call(worker, run, "open_run", run.id, run.config, run.text, null, saved, null, run.code);
      isOpen = true;
      if (stale()) return;
      this.#change(run, { facts, saved: null, version: this.#store.state.status?.version ?? null });
      this.#take(run, frame);
      await this.#pull(run, worker, stale);
      // What a reader's code has left of its Python says nothing of other runs.
      if (run.state === "finished" && run.code === null && !stale()) await this.#compare(worker, stale);
    } catch (error) {
      if (worker && run.code !== null) this.#pool.discard(worker);
      if (!stale()) this.#fail(run, error);
    } finally {
      if (isOpen) await this.#close(run, worker, generation, saved);
      if (this.#ownWorkers.get(run) === worker) this.#ownWorkers.delete(run);
      if (worker) this.#pool.release(worker);
    }
    if (run.state === "finished" && run.code !== null && !stale()) await this.#compareAnew();
  }

  /** Save what has been trained, unless the run was forgotten or goes on elsewhere, and free the worker. */
  async #close(run, worker, generation, before) {
    const owns = () => this.#owners.get(run) === generation;
    try {
      if (owns() && run.step > 0) {
        const saved = await this.#call(worker, run, "save_run", run.id);
        if (owns()) {
          this.#change(run, { saved });
          this.#onSaved(run);
        }
      }
      await this.#pool.call(worker, PATIENCE, "close_run", run.id);
    } catch {
      // Its worker was replaced. A run that went on may do so again, from where it was before.
      if (owns()) this.#change(run, { saved: run.saved ?? before, lost: !(run.saved ?? before) });
    }
  }

  /** A run from its first frame to its end, or until it is stale: then what arrives is dropped. */
  async #pull(run, worker, stale) {
    while (run.state === "training") {
      await this.#receive(run, worker, stale);
      if (stale()) return;
      const wanted = this.#isLarge(run) || this.#wantsThumbnail(run);
      const next = await this.#call(worker, run, "advance", run.id, BUDGET, wanted, this.#isLarge(run));
      if (stale()) return;
      this.#take(run, next);
    }
    if (run.state !== "finished" || run.geometry?.step === run.step) return;
    const last = await this.#call(worker, run, "advance", run.id, BUDGET, true, true);
    if (!stale()) this.#take(run, last);
  }

  /** Let `visit` come, once; during a pause as often as it has something to ask, until the pause ends. */
  async #receive(run, worker, stale) {
    let more;
    do {
      more = await this.#visit(run, worker);
      if (!more && this.#paused && !stale()) await this.#resumedOrWoken();
    } while (this.#paused && !stale());
  }

  get #paused() {
    return this.#store.state.phase === "paused";
  }

  #resumedOrWoken() {
    this.#woken ??= new Promise((resolve) => (this.#wake = resolve)).then(() => (this.#woken = null));
    return Promise.race([this.#resumed, this.#woken]);
  }

  /** A call for one run; what Python reports as an expected failure is thrown with its code and field. */
  async #call(worker, run, name, ...args) {
    const answer = await this.#pool.call(worker, deadline(run, args), name, ...args);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer;
  }

  /** Whether its table is the one shown large, with every frame, on the plane and in space. */
  #isLarge(run) {
    return run.id === this.#store.state.selected;
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

  /** Ask it of all runs on the page that have finished, unless that is known. */
  async #compareAnew() {
    const { runs, runsCompared } = this.#store.state;
    if (runs.filter(({ state }) => state === "finished").length === runsCompared) return;
    const generation = this.#generation;
    const worker = await this.#pool.acquire();
    await this.#compare(worker, () => generation !== this.#generation);
    this.#pool.release(worker);
  }

  /** Ask what the finished runs come to. */
  async #compare(worker, stale) {
    const finished = this.#store.state.runs.filter(({ state }) => state === "finished");
    const runsCompared = finished.length;
    if (runsCompared === 0) return;
    const results = finished.map((run) => ({ encoding: run.encoding, seed: run.seed, validationLoss: validationLoss(run) }));
    try {
      const { gaps, encodings: summaries } = await this.#pool.call(worker, PATIENCE, "compare", results);
      // Each finished run asks its own worker, and an answer on fewer runs may come after one on more.
      if (stale() || runsCompared < this.#store.state.runsCompared) return;
      this.#store.set({ gaps, summaries, runsCompared });
    } catch (error) {
      this.#events.error(error.code ?? "python", error.message);
    }
  }

  #fail(run, error) {
    this.#events.error(error.code ?? "python", error.message);
    if (REFUSED.includes(error.code) && run.code === null) this.#refuse(error);
    else this.#change(run, { state: "failed", message: error.message, fault: faultOf(error) });
  }

  /** A setting or a text that Python cannot use is no fault of one run: none starts, and the page is as it was. */
  #refuse({ field, message }) {
    const { phase, ...shown } = this.#before;
    this.#abandon();
    this.#stopRuns(shown.runs);
    const errors = { ...this.#store.state.errors, [field]: message };
    this.#store.set({ ...shown, phase: shown.runs.length ? phase : this.#idle(), errors, blocked: { field } });
  }

  #finish() {
    const { runs, gaps } = this.#store.state;
    this.#before = null; // they and what they learned are wanted no more
    this.#store.set({ phase: "finished" });
    if (runs.some(({ state }) => state === "finished")) this.#events.result(runs, gaps);
  }
}

/** Where a reader's own encoding failed, if it did. */
const faultOf = ({ code, line, traceback }) => (code === "encoding" ? { line, traceback } : null);
