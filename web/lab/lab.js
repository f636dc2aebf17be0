/** What a reader can do on the page: the elements call this, its `probes`, `keeper` and `consent`, and nothing else. */

import { Controls } from "./controls.js";
import { SharedCores } from "./cores.js";
import { loadCorpus, textOf } from "./corpus.js";
import { Experiment } from "./experiment.js";
import { EncodingCheck } from "./encoding-check.js";
import { answered, asError } from "./errors.js";
import { Keeper } from "./keeper.js";
import { nextSeeds } from "./more-seeds.js";
import { Consent, NotAllowedError, ownKey, ownName } from "./own.js";
import { Probes } from "./probes.js";
import { canContinue, createRun } from "./run.js";
import { RunFiles } from "./run-files.js";
import { experimentConfigs, MOST_SEEDS, parseSeeds, validate } from "./settings.js";
import { judge } from "./task.js";
import { poolSize, WorkerPool } from "./worker-pool.js";
/** @import { Answer, Config, Data, Examined, Measured, Progress, Python, Run, State, Subject } from "./kinds.js" */
/** @import { LabError } from "./errors.js" */
/** @import { Events } from "./events.js" */

/** Deadline of the first call to a fresh Python, in milliseconds. */
const STATUS_DEADLINE = 30_000;
/** Deadline of reading a file of the lab, in milliseconds. */
const READING_DEADLINE = 60_000;

/** Something that the reader asked for, and then for something else that takes its place. */
class OvertakenError extends Error {
  constructor() {
    super("It was not added, since something else began meanwhile: try again.");
  }
}

export class Lab extends Controls {
  #start;
  #pool;
  #experiment;
  #events;
  #files;
  #check;
  /** Counts what the reader asked for, so that a text which arrives late starts nothing. */
  #turn = 0;
  #greeting = false;

  /**
   * @param {object} options
   * @param {Data} options.data what the build generates as lab-data: settings, rules, experiment, corpora
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {Events} options.events
   * @param {URLSearchParams} options.params the query of the address
   * @param {boolean} [options.isEmbedded] whether the lab stands alone in a frame: it keeps nothing there, and shares the
   *   cores of the machine with other labs
   */
  constructor({ data, start, events, params, isEmbedded }) {
    super({ data, start, params, isEmbedded });
    const { store } = this;
    this.#start = start;
    /** @type {Events["result"]} */
    const result = (runs, gaps) => this.#tellResult(events, runs, gaps);
    this.#events = { ...events, result };
    this.consent = new Consent(() => this.store.set({ runs: this.state.runs }));
    /** @param {{code: string|null}} has */
    const allows = (has) => this.consent.allows(has);
    const shared = isEmbedded ? new SharedCores(poolSize(navigator.hardwareConcurrency)) : null;
    this.#pool = new WorkerPool({
      start,
      cores: navigator.hardwareConcurrency,
      shared,
      allows,
      onProgress: (progress) => this.#changeLoading(progress),
      onFailure: (error) => this.#failLoading(error),
    });
    this.#files = new RunFiles({ data, pool: this.#pool });
    this.#check = new EncodingCheck({ start });
    this.probes = new Probes({ data, store, pool: this.#pool, allows, wake: () => this.#experiment.wake() });
    /** @type {Probes["visit"]} */
    const visit = (run, worker) => this.probes.visit(run, worker);
    this.keeper = isEmbedded ? null : new Keeper({ data, store, findings: (run) => this.probes.findings(run) });
    /** @param {Run} run */
    const onSaved = (run) => this.keeper?.keep(run);
    this.#experiment = new Experiment({ store, pool: this.#pool, events: this.#events, visit, onSaved });
  }

  /** Start Python, and the experiment if the address asks for it. */
  begin() {
    if (this.autorun) this.run();
    this.keeper?.open();
    this.#greet();
  }

  retryLoading() {
    this.#changeLoading({ failure: null, stage: "runtime", loadedBytes: 0 });
    if (this.#greeting) this.#pool.begin();
    else this.#greet();
  }

  /** Start the workers and ask the first one what it is; waits through failures and retries. */
  async #greet() {
    this.#greeting = true;
    const first = this.#pool.acquire();
    this.#pool.begin();
    const worker = await first;
    try {
      const status = await this.#pool.call(worker, STATUS_DEADLINE, "status");
      const { secondsToReady } = worker;
      this.#changeLoading({ stage: "ready", secondsToReady, failure: null });
      this.store.set({ status, ...(this.state.phase === "loading" ? { phase: "ready" } : {}) });
      this.#events.ready({ backend: status.backend, version: status.version, secondsToReady });
    } catch (error) {
      this.#failLoading(asError(error));
    } finally {
      this.#greeting = false;
      this.#pool.release(worker);
    }
  }

  /** @param {Partial<State["loading"]>} changes */
  #changeLoading(changes) {
    this.store.set({ loading: { ...this.state.loading, ...changes } });
  }

  /** @param {LabError} error */
  #failLoading(error) {
    this.#changeLoading({ failure: { message: error.message, file: error.file ?? null } });
    this.#events.error(error.code ?? "python", error.message);
  }

  /** @param {Events} events @param {Run[]} runs @param {State["gaps"]} gaps */
  #tellResult(events, runs, gaps) {
    events.result(runs, gaps);
    const judgement = this.judgement();
    if (judgement) events.task(judgement);
  }

  /** @returns {ReturnType<typeof judge>|null} how the experiment on the page meets the task, once it has ended */
  judgement() {
    const { expect, runs, gaps, summaries, phase } = this.state;
    if (!expect || phase !== "finished") return null;
    const baselines = runs.find(({ state }) => state === "finished")?.facts?.baselines ?? null;
    return judge(expect, { gaps, summaries, baselines });
  }

  /**
   * Change what the page that holds the lab asks for, and tell it what cannot be had.
   * @param {Record<string, string|null>} changes as of `Controls.configure`
   */
  configure(changes) {
    const problems = super.configure(changes);
    if (problems.length) this.#events.error("config", problems.map(({ message }) => message).join(" "));
    return problems;
  }

  /** Run the experiment that the controls hold; if they hold something impossible, say so and show where. */
  async run() {
    await this.#toTheEnd(this.#begin());
  }

  /**
   * Put the experiment that the controls hold on the page, and train it.
   * @returns {Promise<{ended: Promise<void>}>} once it is on the page
   * @throws {Error} why it is not; what concerns a setting is told there, too
   */
  async #begin() {
    const { values, ownText } = this.state;
    const { configs, errors } = experimentConfigs(this.data, this.state);
    const field = this.showErrors(errors);
    if (errors.length) {
      this.store.set({ blocked: { field } });
      this.#events.error("config", errors[0].message);
      throw new Error(errors[0].message);
    }
    const turn = (this.#turn += 1);
    try {
      const runs = configs.map((config) => this.#createRun(config));
      this.#requireConsent(runs);
      this.store.set({ textLoading: values.corpus !== "own" });
      const text = values.corpus === "own" ? ownText : await loadCorpus(this.data, String(values.corpus));
      if (turn !== this.#turn) throw new OvertakenError();
      this.store.set({ textLoading: false });
      return { ended: this.#experiment.start(this.#labelled(runs), text) };
    } catch (error) {
      if (turn === this.#turn) this.#refuse(asError(error));
      throw error;
    }
  }

  /** A text that cannot be had is told where it is chosen. @param {LabError} error */
  #refuse(error) {
    const { field, code = "page", message } = error;
    this.store.set({ textLoading: false });
    if (field) this.showErrors([{ field, message }]);
    this.store.set({ blocked: { field: field ?? undefined } });
    this.#events.error(code, message);
  }

  /**
   * A run that has not begun, with the code of its encoding if that is one of the reader's own.
   * @param {Config} config
   */
  #createRun(config) {
    return createRun(config, this.codeOf(config.encoding));
  }

  /**
   * @param {Run[]} runs
   * @throws {Error} for Run, beside the encodings: code among them waits for the reader to allow it
   */
  #requireConsent(runs) {
    if (runs.every((run) => this.consent.allows(run))) return;
    throw Object.assign(new NotAllowedError(), { field: "encodings" });
  }

  /**
   * Runs with what a reader knows them by: their encoding and, where there are several, their seed.
   * @param {Run[]} runs
   */
  #labelled(runs) {
    const several = new Set(runs.map(({ seed }) => seed)).size > 1;
    for (const run of runs) run.label = this.encodingLabel(run.encoding) + (several ? `, seed ${run.seed}` : "");
    return runs;
  }

  /** Whether the experiment on the page has ended, so that it may go on. */
  get hasEnded() {
    return this.state.runs.length > 0 && ["finished", "stopped"].includes(this.state.phase);
  }

  /** How many runs train at a time. */
  get workers() {
    return this.#pool.size;
  }

  /** @returns {number} how many seeds may still be added to the experiment on the page */
  seedsLeft() {
    return Math.max(0, MOST_SEEDS - new Set(this.state.runs.map(({ seed }) => seed)).size);
  }

  /**
   * Train every encoding on the page with so many seeds that it has not had; what is there stays.
   * @param {number} count
   */
  async runMoreSeeds(count) {
    const { runs } = this.state;
    if (!this.hasEnded) return;
    const used = [...new Set(runs.map(({ seed }) => seed))];
    const next = nextSeeds(this.data, used, Math.min(count, this.seedsLeft()));
    const encodings = [...new Set(runs.map(({ encoding }) => encoding))];
    const added = next.flatMap((seed) => encodings.map((encoding) => this.#createRun({ ...runs[0].config, encoding, seed })));
    await this.#toTheEnd(this.#goOn(added, () => {
      if (this.#isInControls(runs)) this.setSeeds([...used, ...next].join(", "));
      this.#labelled([...runs, ...added]);
    }));
  }

  /**
   * Train an encoding that the reader wrote: beside the runs on the page, with their settings and each of their seeds, or,
   * where there are none, with the encodings that are chosen.
   *
   * @param {string} name
   * @param {string} code
   * @returns {Promise<string>} how its runs name the encoding, once they are on the page
   * @throws {Error} they are not, and `message` says why
   */
  async trainOwn(name, code) {
    const { runs, own } = this.state;
    const encoding = ownKey(name, code, own);
    const [error] = validate(this.data, { ...runs[0]?.config, encoding }).errors;
    if (error) throw new Error(error.message);
    const seeds = [...new Set(runs.map(({ seed }) => seed))];
    const missing = seeds.filter((seed) => !runs.some((run) => run.encoding === encoding && run.seed === seed));
    if (runs.length && missing.length === 0) {
      throw new Error(`${ownName(encoding)} is on the page with this code and every seed: change the code, or run more seeds.`);
    }
    this.consent.allow(code);
    this.offer([{ encoding, code }]);
    this.setEncoding(encoding, true);
    if (runs.length === 0) {
      await this.#begin();
    } else {
      const added = missing.map((seed) => this.#createRun({ ...runs[0].config, encoding, seed }));
      await this.#goOn(added, () => this.#labelled([...this.state.runs, ...added]));
    }
    return encoding;
  }

  /** @param {string|null} [code] what the reader wants to write on, if it is no encoding of the editor's */
  openEditor(code = null) {
    this.store.set({ editing: { code } });
  }

  /**
   * A file of the lab as it is in the Python that runs here.
   * @param {string} name such as "model.py"
   * @returns {Promise<{file: string, code: string}>}
   * @throws {Error} Python did not start or has no such file
   */
  async sourceFile(name) {
    // While runs train, no worker of the pool may be free for minutes.
    return answered(await (this.#isUnderWay ? this.reader.call(READING_DEADLINE, "source_file", name) : this.#ask("source_file", name)));
  }

  /**
   * @template {keyof Python} N
   * @param {N} name
   * @param {Parameters<Python[N]>} args
   */
  async #ask(name, ...args) {
    const worker = await this.#pool.acquire();
    try {
      return await this.#pool.call(worker, READING_DEADLINE, name, ...args);
    } finally {
      this.#pool.release(worker);
    }
  }

  /**
   * A prompt for the reader.
   * @param {typeof import("./console.js").Console} Console which the page loads when it is wanted
   * @param {() => void} onChange
   */
  openConsole(Console, onChange) {
    return new Console({ lab: this, start: this.#start, onChange });
  }

  /** Start the Python that `checkEncoding` will need. */
  warmCheck() {
    this.#check.warm();
  }

  /**
   * Try an encoding with the settings that it would train with, in a Python of its own.
   * @param {string} code
   * @returns {Promise<Answer<Examined>>} what `check_encoding` of the worker answers
   * @throws {Error} the settings are none; or as `EncodingCheck.check`
   */
  async checkEncoding(code) {
    const { encoding: _, ...settings } = this.ownSettings();
    const { config, errors } = validate(this.data, settings);
    if (errors.length) throw new Error(`The settings at the top of the page need a correction first: ${errors[0].message}`);
    return this.#check.check(code, config);
  }

  /** @param {string[]} ids runs that were stopped, to go on from where they were */
  async continueRuns(ids) {
    const runs = this.state.runs.filter((run) => ids.includes(run.id) && canContinue(run));
    if (this.hasEnded && runs.length) await this.#toTheEnd(this.#goOn(runs));
  }

  /** Whether runs train, or would if they were not paused. */
  get #isUnderWay() {
    return ["running", "paused"].includes(this.state.phase);
  }

  /**
   * Train runs beside those on the page, whose text they share. Several such requests may wait for it; Run, Stop and Reset
   * call them off.
   * @param {Run[]} runs
   * @param {() => void} [prepare] called just before they are on the page
   * @returns {Promise<{ended: Promise<void>}>} once they are
   * @throws {Error} why they are not; what concerns a setting is told there, too
   */
  async #goOn(runs, prepare = () => {}) {
    const turn = this.#turn;
    try {
      this.#requireConsent(runs);
      this.store.set({ textLoading: true });
      const text = await textOf(this.data, this.state.runs[0]);
      if (turn !== this.#turn) throw new OvertakenError();
      this.store.set({ textLoading: false });
      /** @param {Run} run */
      const isOnPage = (run) => this.state.runs.some(({ id }) => id === run.id);
      const wanted = runs.filter((run) => (this.state.runs.includes(run) ? canContinue(run) : !isOnPage(run)));
      if (wanted.length === 0) throw new OvertakenError();
      prepare();
      for (const run of wanted) run.text = text;
      return { ended: this.#experiment.extend(wanted) };
    } catch (error) {
      if (turn === this.#turn && !(error instanceof OvertakenError)) this.#refuse(asError(error));
      throw error;
    }
  }

  /**
   * Wait until what was begun has ended. Where it was not, the reader was told why.
   * @param {Promise<{ended: Promise<void>}>} begun
   */
  async #toTheEnd(begun) {
    const experiment = await begun.catch(() => null);
    await experiment?.ended;
  }

  /** Whether the controls hold the settings and the seeds of these runs. @param {Run[]} runs */
  #isInControls(runs) {
    const { values, ownText, seeds } = this.state;
    const [{ config: { encoding, seed, ...settings }, text }] = runs;
    const sameText = settings.corpus !== "own" || text === ownText;
    const sameSeeds = parseSeeds(this.data, seeds).seeds.sort().join() === [...new Set(runs.map((run) => run.seed))].sort().join();
    return sameText && sameSeeds && Object.entries(settings).every(([name, value]) => String(values[name]) === String(value));
  }

  /**
   * Put runs that have ended on the page, in place of those there, and their settings into the controls.
   * @param {Run[]} runs of one experiment
   */
  async openRuns(runs) {
    this.#forgetPendingRun();
    const [{ config: { encoding, seed, ...values }, text }] = runs;
    const takesText = values.corpus === "own" && text !== null && this.state.ownText.trim() === ""; // what the reader typed is nowhere else
    this.offer(runs.flatMap(({ encoding: name, code }) => (code === null ? [] : [{ encoding: name, code }])));
    this.changeSettings({
      values,
      encodings: this.encodings().map(({ value }) => value).filter((value) => runs.some((run) => run.encoding === value)),
      seeds: [...new Set(runs.map((run) => run.seed))].join(", "),
      ...(takesText ? { ownText: text, textName: null, textFacts: null } : {}),
    });
    await this.#experiment.show(this.#labelled(runs));
  }

  /**
   * Open a run that was saved as a file, in place of those on the page.
   * @param {Uint8Array} bytes of the file
   * @param {(found: {name: string, code: string}) => Promise<boolean>} ask the reader, who has not allowed this code yet,
   *   whether it may run; if not, nothing on the page changes
   * @throws {Error} the file is none of the lab's, and `message` says what it is, or an experiment began meanwhile.
   *   Nothing on the page has changed then.
   */
  async openFile(bytes, ask) {
    const isTheSame = this.#watch();
    const run = await this.#files.read(bytes, (found) => this.consent.allows(found) || this.#askFor(found, ask));
    if (run === null) return;
    if (!isTheSame()) throw new Error("It was not opened, since an experiment began meanwhile: stop that, then open it again.");
    await this.openRuns([run]);
  }

  /**
   * @param {{name: string, code: string}} found
   * @param {(found: {name: string, code: string}) => Promise<boolean>} ask
   */
  async #askFor(found, ask) {
    const isAllowed = await ask(found);
    if (isAllowed) this.consent.allow(found.code);
    return isAllowed;
  }

  /** @returns {() => boolean} whether the reader has since begun nothing else, and the runs are still those */
  #watch() {
    const turn = this.#turn;
    const { runs } = this.state;
    return () => turn === this.#turn && runs === this.state.runs;
  }

  /**
   * A run that has ended as a file that this lab and other programs can open.
   * @param {string} id
   * @returns {Promise<{name: string, bytes: Uint8Array<ArrayBuffer>}>}
   * @throws {Error} it is on the page no more
   */
  async fileOf(id) {
    const run = this.state.runs.find((each) => each.id === id);
    if (!run) throw new Error("This run is on the page no more: choose another one.");
    return this.#files.write(run);
  }

  /** @param {string} id a kept experiment, to be put on the page again with all that was found out about its runs */
  async openKept(id) {
    const isTheSame = this.#watch();
    const kept = await this.keeper?.read(id);
    if (!kept || !isTheSame() || kept.size === 0) return;
    const shown = this.openRuns([...kept.keys()]);
    for (const [run, findings] of kept) this.probes.adopt(run, findings);
    await shown;
  }

  /**
   * What was measured over many seeds with the settings of the experiment on the page. Before there is one it would give
   * the answer away.
   * @returns {Measured|null} lab-data's `measured`, or null for other settings
   */
  measured() {
    const { measured } = this.data;
    const [run] = this.state.runs;
    if (!measured || !run) return null;
    return Object.entries(measured.config).every(([name, value]) => run.config[name] === value) ? measured : null;
  }

  /** Pause what trains; a Run that still waits for its text is called off. */
  pause() {
    if (this.state.textLoading) this.#forgetPendingRun();
    this.#experiment.pause();
  }

  resume() {
    this.#experiment.resume();
  }

  stop() {
    this.#forgetPendingRun();
    this.#experiment.stop();
  }

  reset() {
    this.#forgetPendingRun();
    this.#experiment.reset();
  }

  #forgetPendingRun() {
    this.#turn += 1;
    this.store.set({ textLoading: false });
  }
}
