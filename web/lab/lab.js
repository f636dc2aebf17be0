/** What a reader can do on the page, each as one function: the elements call these and nothing else. */

import { loadCorpus } from "./corpus.js";
import { Experiment } from "./experiment.js";
import { Probes } from "./probes.js";
import { fromQuery, toQuery } from "./query.js";
import { createRun } from "./run.js";
import { experimentConfigs, parseSeeds } from "./settings.js";
import { Store } from "./store.js";
import { WorkerPool } from "./worker-pool.js";

/** Deadline of the first call to a fresh Python, in milliseconds. */
const STATUS_DEADLINE = 30_000;

export class Lab {
  #pool;
  #experiment;
  #probes;
  #events;
  /** Counts what the reader asked for, so that a text which arrives late starts nothing. */
  #turn = 0;
  #greeting = false;

  /**
   * @param {object} options
   * @param {object} options.data what the build generates as lab-data: settings, rules, experiment, corpora
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {ReturnType<typeof import("./events.js").createEvents>} options.events
   * @param {URLSearchParams} options.params the query of the address
   */
  constructor({ data, start, events, params }) {
    this.data = data;
    this.store = new Store();
    this.#events = events;
    const { values, encodings, seeds, problems, autorun, theme } = fromQuery(data, params);
    this.autorun = autorun;
    this.theme = theme;
    this.store.set({ values, encodings, seeds, problems });
    this.#pool = new WorkerPool({
      start,
      cores: navigator.hardwareConcurrency,
      onProgress: (progress) => this.#changeLoading(progress),
      onFailure: (error) => this.#failLoading(error),
    });
    const { store } = this;
    this.#probes = new Probes({ data, store, pool: this.#pool, wake: () => this.#experiment.wake() });
    const visit = (run, worker) => this.#probes.visit(run, worker);
    this.#experiment = new Experiment({ store, pool: this.#pool, events, visit });
  }

  get state() {
    return this.store.state;
  }

  /** Start Python, and the experiment if the address asks for it. */
  begin() {
    if (this.autorun) this.run();
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
      this.#failLoading(error);
    } finally {
      this.#greeting = false;
      this.#pool.release(worker);
    }
  }

  #changeLoading(changes) {
    this.store.set({ loading: { ...this.state.loading, ...changes } });
  }

  #failLoading(error) {
    this.#changeLoading({ failure: { message: error.message, file: error.file ?? null } });
    this.#events.error(error.code ?? "python", error.message);
  }

  /** Run the experiment that the controls hold; if they hold something impossible, say so and show where. */
  async run() {
    const { values, ownText } = this.state;
    const { configs, errors } = experimentConfigs(this.data, this.state);
    this.#showErrors(errors);
    if (errors.length) {
      this.store.set({ blocked: { field: errors[0].field } });
      return;
    }
    const turn = (this.#turn += 1);
    try {
      this.store.set({ textLoading: values.corpus !== "own" });
      const text = values.corpus === "own" ? ownText : await loadCorpus(this.data, values.corpus);
      if (turn !== this.#turn) return; // meanwhile there was another Run, Stop or Reset
      const seeds = new Set(configs.map(({ seed }) => seed));
      const label = ({ encoding, seed }) => this.encodingLabel(encoding) + (seeds.size > 1 ? `, seed ${seed}` : "");
      this.store.set({ textLoading: false });
      await this.#experiment.start(configs.map((config) => createRun(config, label(config))), text);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.store.set({ textLoading: false });
      this.#showErrors([{ field: error.field, message: error.message }]);
      this.store.set({ blocked: { field: error.field } });
      this.#events.error(error.code, error.message);
    }
  }

  pause() {
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

  /** @param {string} name a setting @param {any} raw as typed */
  setValue(name, raw) {
    this.#changeSettings({ values: { ...this.state.values, [name]: raw } });
  }

  /** @param {string} text seeds, such as "1, 2, 3" */
  setSeeds(text) {
    this.#changeSettings({ seeds: text });
  }

  /** @param {string} text what to train on when the corpus is "own" */
  setOwnText(text) {
    this.#changeSettings({ ownText: text });
  }

  /** @param {string} encoding @param {boolean} takesPart */
  setEncoding(encoding, takesPart) {
    const all = this.choices("encoding").map(({ value }) => value);
    const chosen = new Set(this.state.encodings);
    if (takesPart) chosen.add(encoding);
    else chosen.delete(encoding);
    this.#changeSettings({ encodings: all.filter((value) => chosen.has(value)) });
  }

  /** Take the experiment that the page opens on by itself; the reader's own text stays. */
  restoreDefaults() {
    const { values, encodings, seeds } = fromQuery(this.data, new URLSearchParams());
    this.#changeSettings({ values, encodings, seeds });
  }

  #changeSettings(changes) {
    this.store.set(changes);
    this.#showErrors(experimentConfigs(this.data, this.state).errors);
  }

  #showErrors(errors) {
    // The first message of a field wins, as in a list read from the top.
    this.store.set({ errors: Object.fromEntries(errors.map(({ field, message }) => [field, message]).reverse()) });
  }

  /** @param {string} id the run whose table is shown large */
  select(id) {
    this.store.set({ selected: id });
  }

  /** @param {string} id a run to hide in the curves, or to show again */
  toggleVisible(id) {
    const run = this.state.runs.find((candidate) => candidate.id === id);
    run.visible = !run.visible;
    this.store.touch("runs");
  }

  /** @param {string} name a probe @param {object} place an element that shows it @param {boolean} isNear to the screen */
  nearProbe(name, place, isNear) {
    this.#probes.near(name, place, isNear);
  }

  /** @param {string} name a probe @param {string} argument one of its own @param {string} raw as typed */
  setProbeArgument(name, argument, raw) {
    this.#probes.change(name, { args: { ...this.state.probes[name].args, [argument]: raw } });
  }

  /** @param {string} name a probe @param {{encoding?: string|null, untrained?: boolean}} choice of the model */
  chooseProbeModel(name, choice) {
    this.#probes.change(name, { choice: { ...this.state.probes[name].choice, ...choice } });
  }

  /** @param {string} name a probe that trains models of its own */
  startProbe(name) {
    this.#probes.start(name);
  }

  stopProbe(name) {
    this.#probes.stop(name);
  }

  /** @param {string} name a probe that failed */
  retryProbe(name) {
    this.#probes.askAgain(name);
  }

  showProbeCode(name) {
    this.#probes.showCode(name);
  }

  /** @returns {import("./probes.js").Question|null} what a probe would be asked now */
  probeQuestion(name) {
    return this.#probes.question(name);
  }

  /** @returns {"settings"|"encoding"|"ending"|null} why a probe would be asked nothing now */
  probeObstacle(name) {
    return this.#probes.obstacle(name);
  }

  /** @returns {import("./probes.js").Answer|undefined} what the lab of a probe shows */
  probeAnswer(name) {
    return this.#probes.shown(name);
  }

  /** @returns {{field: string|null, message: string}|undefined} what was wrong with what a probe is asked now */
  probeError(name) {
    return this.#probes.failed(name);
  }

  /** @returns {{value: string, label: string, help: string}[]} what a setting may be */
  choices(name) {
    return this.data.settings.find((setting) => setting.name === name).choices;
  }

  /** @returns {string} the label of an encoding */
  encodingLabel(encoding) {
    return this.choices("encoding").find(({ value }) => value === encoding)?.label ?? encoding;
  }

  /** @returns {number} how many seeds the controls name; 0 if they name none that can be used */
  seedCount() {
    return parseSeeds(this.data, this.state.seeds).seeds.length;
  }

  /** @returns {string} the query of an address that opens on what the controls hold */
  query() {
    return toQuery(this.data, this.state);
  }
}
