/**
 * Trains the runs of an experiment: one worker each, as far as there are free ones, and a queue for the rest.
 *
 * Pull, not push: a run's loop asks its worker for the next stretch of training, takes in the frame, and asks again.
 * Pause is not asking. Nothing here waits for a frame of the screen or for a timer, so a hidden tab keeps training.
 */

import { afterAwake } from "./awake.js";
import { deadline, PATIENCE } from "./deadline.js";
import { answered, asError } from "./errors.js";
import { absorb, isUnderWay, takeUp, validationLoss } from "./run.js";
/** @import { Frame, Phase, Python, Run, Saved, State } from "./kinds.js" */
/** @import { LabError } from "./errors.js" */
/** @import { Events } from "./events.js" */
/** @import { PoolWorker } from "./worker-pool.js" */

/**
 * @typedef {{stale: () => boolean, signal: AbortSignal}} Turn whether a generation is over, and what calls off its waiting
 */

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
  /** Each run of a reader's own code that has a worker, with it. @type {Map<Run, PoolWorker>} */
  #ownWorkers = new Map();
  /** @type {Pick<State, "runs" | "gaps" | "summaries" | "runsCompared" | "selected" | "phase"> | null} */
  #before = null;
  /** @type {((value?: unknown) => void) | null} */
  #resume = null;
  /** @type {Promise<unknown>} */
  #resumed = Promise.resolve();
  #visit;
  #onSaved;
  /** @type {Promise<unknown> | null} */
  #woken = null;
  /** @type {(value?: unknown) => void} */
  #wake = () => {};
  /**
   * Run to the generation that trains it or was the last to do so: what an earlier one still brings is not the run's.
   * @type {WeakMap<Run, number>}
   */
  #owners = new WeakMap();

  /**
   * @param {object} parts
   * @param {import("./store.js").Store} parts.store
   * @param {import("./worker-pool.js").WorkerPool} parts.pool
   * @param {Pick<Events, "progress" | "result" | "error">} parts.events
   * @param {(run: Run, worker: PoolWorker) => Promise<boolean>} [parts.visit] may ask something of a run in its own
   *   worker, between two frames; it resolves to whether it has more to ask at once. What it throws ends the run.
   * @param {(run: Run) => void} [parts.onSaved] told when what a run has learned is saved in the run, which may have
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
   * @param {Run[]} runs as `createRun` makes them
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
   * @param {Run[]} runs with their text
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
   * @param {Run[]} runs
   */
  async show(runs) {
    this.#abandon();
    const phase = runs.every(({ state }) => state === "finished") ? "finished" : "stopped";
    this.#store.set({ ...this.#fresh(runs), phase });
    await this.#compareAnew();
  }

  /** The state of an experiment with these runs, before anything was compared. @param {Run[]} runs */
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

  /** @param {Run[]} runs */
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

  /** @param {Run[]} runs */
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

  /** @returns {Phase} */
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

  /** @param {Run} run @param {PoolWorker} worker */
  #endIfItHangs(run, worker) {
    const aFewSteps = run.stepsPerSecond ? (STEPS_OF_GRACE * 1000) / run.stepsPerSecond : 0;
    afterAwake(GRACE + aFewSteps, () => {
      if (this.#ownWorkers.get(run) === worker) this.#pool.discard(worker);
    });
  }

  /**
   * A run that was stopped goes on from what was saved, which may be a frame more than was shown.
   * @param {Run} run
   * @param {number} generation
   */
  async #train(run, generation) {
    const stale = () => generation !== this.#generation;
    const { signal } = this.#calledOff;
    const { saved } = run;
    this.#owners.set(run, generation);
    /** @type {PoolWorker | null} */
    let worker = null;
    let isOpen = false;
    try {
      worker = await this.#pool.acquire({ code: run.code, signal });
      if (run.code !== null) this.#ownWorkers.set(run, worker);
      await this.#mayTrain(run, worker, { stale, signal });
      if (stale()) return;
      takeUp(run, saved);
      this.#change(run, { state: "opening" });
      const { id, config, text, code } = run;
      const { frame, ...facts } = answered(await this.#call(worker, run, "open_run", id, config, text ?? "", null, saved, null, code));
      isOpen = true;
      if (stale()) return;
      this.#change(run, { facts, saved: null, version: this.#store.state.status?.version ?? null });
      this.#take(run, frame);
      await this.#pull(run, worker, { stale, signal });
      // What a reader's code has left of its Python says nothing of other runs.
      if (run.state === "finished" && run.code === null && !stale()) await this.#compare(worker, stale);
    } catch (error) {
      if (worker && run.code !== null && error !== signal.reason) this.#pool.discard(worker);
      if (!stale()) this.#fail(run, asError(error));
    } finally {
      if (worker && isOpen) await this.#close(run, worker, generation, saved);
      if (worker && this.#ownWorkers.get(run) === worker) this.#ownWorkers.delete(run);
      if (worker) this.#pool.release(worker);
    }
    if (run.state === "finished" && run.code !== null && !stale()) await this.#compareAnew();
  }

  /**
   * Save what has been trained, unless the run was forgotten or goes on elsewhere, and free the worker.
   * @param {Run} run
   * @param {PoolWorker} worker
   * @param {number} generation
   * @param {Saved | null} before
   */
  async #close(run, worker, generation, before) {
    const owns = () => this.#owners.get(run) === generation;
    try {
      if (owns() && run.step > 0) {
        const saved = answered(await this.#call(worker, run, "save_run", run.id));
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

  /**
   * A run from its first frame to its end, or until it is stale: then what arrives is dropped.
   * @param {Run} run
   * @param {PoolWorker} worker
   * @param {Turn} turn
   */
  async #pull(run, worker, { stale, signal }) {
    while (run.state === "training") {
      await this.#receive(run, worker, { stale, signal });
      if (stale()) return;
      const wanted = this.#isLarge(run) || this.#wantsThumbnail(run);
      const next = answered(await this.#call(worker, run, "advance", run.id, BUDGET, wanted, this.#isLarge(run)));
      if (stale()) return;
      this.#take(run, next);
    }
    if (run.state !== "finished" || run.geometry?.step === run.step) return;
    const last = answered(await this.#call(worker, run, "advance", run.id, BUDGET, true, true));
    if (!stale()) this.#take(run, last);
  }

  /**
   * Let `visit` come, once; during a pause as often as it has something to ask, until the pause ends.
   * @param {Run} run
   * @param {PoolWorker} worker
   * @param {Turn} turn
   */
  async #receive(run, worker, { stale, signal }) {
    let more;
    do {
      more = await this.#visit(run, worker);
      if (!this.#paused || stale()) continue;
      this.#pool.rest(worker);
      if (!more) await this.#resumedOrWoken();
    } while (this.#paused && !stale());
    await this.#mayTrain(run, worker, { stale, signal });
  }

  /**
   * Wait until nothing is paused and the run has a core; no core is kept through a pause.
   * @param {Run} run
   * @param {PoolWorker} worker
   * @param {Turn} turn
   */
  async #mayTrain(run, worker, { stale, signal }) {
    while (!stale() && (this.#paused || !this.#pool.hasCore(worker))) {
      this.#pool.rest(worker);
      await this.#resumed;
      if (stale()) return;
      this.#change(run, { waitsForCore: true });
      await this.#pool.takeCore(worker, signal).finally(() => this.#change(run, { waitsForCore: false }));
    }
  }

  get #paused() {
    return this.#store.state.phase === "paused";
  }

  #resumedOrWoken() {
    this.#woken ??= new Promise((resolve) => (this.#wake = resolve)).then(() => (this.#woken = null));
    return Promise.race([this.#resumed, this.#woken]);
  }

  /**
   * A call for one run.
   * @template {keyof Python} N
   * @param {PoolWorker} worker
   * @param {Run} run
   * @param {N} name
   * @param {Parameters<Python[N]>} args
   */
  #call(worker, run, name, ...args) {
    return this.#pool.call(worker, deadline(run, args), name, ...args);
  }

  /** Whether its table is the one shown large, with every frame, on the plane and in space. @param {Run} run */
  #isLarge(run) {
    return run.id === this.#store.state.selected;
  }

  /** @param {Run} run */
  #wantsThumbnail({ thumbnail }) {
    return !thumbnail || performance.now() - thumbnail.at >= THUMBNAIL_EVERY;
  }

  /** @param {Run} run @param {Frame} frame */
  #take(run, frame) {
    absorb(run, frame);
    if (frame.geometry && run.geometry && (this.#wantsThumbnail(run) || run.state === "finished")) {
      run.thumbnail = { ...run.geometry, at: performance.now() };
    }
    this.#store.touch("runs");
    this.#events.progress(run);
  }

  /** @param {Run} run @param {Partial<Run>} changes */
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

  /** Ask what the finished runs come to. @param {PoolWorker} worker @param {() => boolean} stale */
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
    } catch (thrown) {
      const error = asError(thrown);
      this.#events.error(error.code ?? "python", error.message);
    }
  }

  /** @param {Run} run @param {LabError} error */
  #fail(run, error) {
    this.#events.error(error.code ?? "python", error.message);
    const { code, field } = error;
    if (code && field && REFUSED.includes(code) && run.code === null && this.#before) this.#refuse(this.#before, field, error.message);
    else this.#change(run, { state: "failed", message: error.message, fault: faultOf(error) });
  }

  /**
   * A setting or a text that Python cannot use is no fault of one run: none starts, and the page is as it was.
   * @param {Pick<State, "runs" | "gaps" | "summaries" | "runsCompared" | "selected" | "phase">} before
   * @param {string} field
   * @param {string} message
   */
  #refuse({ phase, ...shown }, field, message) {
    this.#abandon();
    this.#stopRuns(shown.runs);
    const errors = { ...this.#store.state.errors, [field]: message };
    this.#store.set({ ...shown, phase: shown.runs.length ? phase : this.#idle(), errors, blocked: { field } });
  }

  #finish() {
    const { runs, gaps } = this.#store.state;
    this.#before = null; // they and what they learned are wanted no more
    this.#store.set({ phase: "finished" });
    this.#events.result(runs, gaps);
  }
}

/** Where a reader's own encoding failed, if it did. @param {LabError} error */
const faultOf = ({ code, line, traceback }) => (code === "encoding" ? { line, traceback } : null);
