/**
 * Keeps the runs of the page in this browser as soon as they have ended, and tells in the store what is kept.
 *
 * The runs on the page are one experiment, and so are what they are kept as: what is added later joins it. A run that
 * was stopped is kept, too, as it can go on. Whatever the browser refuses is told beside the list and costs nothing else.
 */

import { Archive } from "./archive.js";
import { asError } from "./errors.js";
import { counted } from "./format.js";
import { isOwn } from "./own.js";
import { readFindings, readSummary, toRow, toRun } from "./record.js";
import { isUnderWay } from "./run.js";
import { choiceSetting } from "./settings.js";
/** @import { Config, Data, Finding, Kept, KeptExperiment, Run, RunSummary, Saved, State } from "./kinds.js" */

/** Least time between two looks at what the chapter's labs have found out, in milliseconds. */
const NEWS_EVERY = 2000;

export class Keeper {
  #data;
  #store;
  #findings;
  #archive;
  /** @type {Promise<void> | null} */
  #opened = null;
  /** What is written and read, one after the other. @type {Promise<unknown>} */
  #work = Promise.resolve();
  /**
   * Run to what was saved of it when it was last written, refused or found deleted: that is not written by itself again.
   * @type {WeakMap<Run, Saved|null>}
   */
  #settled = new WeakMap();
  /** Runs that could not be written. @type {Set<Run>} */
  #refused = new Set();
  /** Run to the findings that were written with it. @type {WeakMap<Run, Finding[]>} */
  #written = new WeakMap();
  /** Keys of runs whose contents turned out to be unreadable, and why. @type {Map<IDBValidKey, string>} */
  #damaged = new Map();
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /**
   * @param {object} parts
   * @param {Data} parts.data lab-data
   * @param {import("./store.js").Store} parts.store `state.kept` is filled here
   * @param {(run: Run) => Finding[]} parts.findings what the chapter's labs found out about a run
   */
  constructor({ data, store, findings }) {
    this.#data = data;
    this.#store = store;
    this.#findings = findings;
    this.#archive = new Archive({
      change: () => this.#queue(() => this.#list()),
      trouble: (message) => {
        this.#change({ state: message ? "unavailable" : "loading", message, experiments: [], unreadable: [] });
        if (!message) this.#retry();
      },
    });
    store.subscribe(["runs", "probes", "phase"], () => this.look());
  }

  /** Open what is kept, the first time. */
  open() {
    this.#opened ??= this.#archive.open().then(
      () => void this.#queue(() => this.#list()),
      (error) => this.#change({ state: "unavailable", message: `Runs cannot be kept here: ${tell(error)}.` }),
    );
    return this.#opened;
  }

  /** Write what has ended and is not kept yet and, while nothing trains, what labs have found out about what is. */
  look() {
    this.#join();
    for (const run of this.#runs) {
      if (run.saved && run.facts && !isUnderWay(run)) this.keep(run);
    }
    if (this.#runs.some((run) => this.#hasNews(run))) this.#timer ??= setTimeout(() => this.#keepNews(), NEWS_EVERY);
  }

  /** Try once more to keep what could not be kept. */
  tryAgain() {
    this.#say(null);
    this.#retry();
  }

  #retry() {
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const run of refused) {
      this.#settled.delete(run);
      if (!this.#runs.includes(run)) this.keep(run);
    }
    this.look();
  }

  /**
   * @param {string} id of a kept experiment
   * @returns {Promise<Map<Run, Finding[]>>} its runs, each with what labs found out about it, where it was
   *   the Python of this page that they asked; empty if none can be read, which is told beside the list
   */
  read(id) {
    /** @type {Map<Run, Finding[]>} */
    const found = new Map();
    return this.#queue(async () => {
      const { runs } = this.#kept.experiments.find((experiment) => experiment.id === id) ?? gone();
      // Two tabs may have trained the same run: the one that has come furthest is opened.
      const each = [...new Map(runs.map((run) => [`${run.config.encoding}-${run.config.seed}`, run])).values()];
      const { rows, text } = await this.#archive.read(each.map(({ key }) => key), id);
      const codes = new Map();
      each.forEach((summary, index) => {
        try {
          const run = toRun(summary, rows[index].contents, text);
          if (!codes.has(run.encoding)) codes.set(run.encoding, run.code);
          if (codes.get(run.encoding) !== run.code) throw new Error("its encoding has other code than another run of the same name");
          const findings = readFindings(rows[index].findings, this.#build);
          found.set(run, findings);
          this.#settled.set(run, run.saved);
          this.#written.set(run, findings);
        } catch (error) {
          this.#damaged.set(summary.key, asError(error).message);
        }
      });
      if (found.size === each.length) return found;
      const keys = await this.#list();
      return each.some(({ key }) => keys.has(key)) ? found : gone();
    }).catch((error) => {
      this.#say(`It could not be opened: ${tell(error)}.`);
      return found;
    });
  }

  /**
   * @param {IDBValidKey[]} keys of runs to delete; those on the page stay there
   * @returns {Promise<boolean>} whether it was done; what went wrong is told beside the list
   */
  remove(keys) {
    return this.#delete(() => this.#archive.remove(keys));
  }

  removeAll() {
    return this.#delete(() => this.#archive.clear());
  }

  /** @param {() => Promise<unknown>} work */
  async #delete(work) {
    try {
      await this.#queue(async () => {
        await work();
        await this.#list();
      });
      this.tryAgain(); // there is room now
      return true;
    } catch (error) {
      this.#say(`It could not be deleted: ${tell(asError(error))}.`);
      return false;
    }
  }

  /**
   * Write a run that has ended, with its place in the archive, unless that is done.
   * @param {Run} run with `saved` and `facts`, on the page or replaced there meanwhile
   */
  async keep(run) {
    const { saved } = run;
    if (this.#settled.get(run) === saved) return;
    this.#settled.set(run, saved);
    this.#join();
    run.experiment ??= newKey();
    await this.open();
    if (this.#kept.state === "unavailable") return;
    try {
      await this.#queue(async () => {
        if (run.saved !== saved) return; // it goes on
        const findings = this.#findings(run);
        const place = { key: run.key ?? newKey(), keptAt: Date.now() };
        const row = toRow({ ...run, ...place }, findings, this.#build);
        const key = await this.#archive.put(row, run.key !== null, newKey());
        if (key !== null) Object.assign(run, place, { key });
        this.#written.set(run, findings);
        if (this.#kept.state !== "unavailable") await this.#list(); // it may have become so while it wrote this
      });
    } catch (error) {
      this.#refused.add(run);
      const { size } = this.#refused;
      const [which, are] = size > 1 ? [counted(size, "run"), "They are"] : [run.label, "It is"];
      this.#say(`${which} could not be kept: ${tell(asError(error))}. ${are} lost when this page is closed.`);
    }
  }

  /** What is on the page is one experiment, and stays one when its runs have left the page. */
  #join() {
    const id = this.#runs.map(({ experiment }) => experiment).find(Boolean) ?? newKey();
    for (const run of this.#runs) run.experiment ??= id;
  }

  #keepNews() {
    this.#timer = null;
    for (const run of this.#runs.filter((candidate) => this.#hasNews(candidate))) {
      const findings = this.#findings(run);
      this.#written.set(run, findings);
      this.#queue(async () => {
        if (run.key !== null && run.saved) await this.#archive.putFindings(toRow(run, findings, this.#build));
      }).catch((error) => this.#say(`What the labs found out could not be kept: ${tell(error)}.`));
    }
  }

  /**
   * Whether the labs have found out more about a kept run than is written, and no training would be disturbed.
   * @param {Run} run
   */
  #hasNews(run) {
    if (["running", "paused"].includes(this.#store.state.phase) || run.key === null || !run.saved) return false;
    const written = new Set((this.#written.get(run) ?? []).map(({ result }) => result));
    return this.#findings(run).some(({ result }) => !written.has(result));
  }

  /**
   * Tell what is kept. A run on the page that is not among it was deleted, here or in another tab.
   * @returns {Promise<Set<IDBValidKey>>} the keys of all records
   */
  async #list() {
    const records = await this.#archive.list();
    const keys = new Set(records.map(({ key }) => key));
    for (const run of this.#runs) {
      if (run.key !== null && !keys.has(run.key)) Object.assign(run, { key: null, keptAt: null });
    }
    const { quota } = (await globalThis.navigator?.storage?.estimate?.().catch(() => null)) ?? {};
    this.#change({ state: "ready", ...grouped(this.#data, records, this.#damaged), quota: quota ?? null });
    return keys;
  }

  /**
   * Carry out one thing after another, whether or not the one before could be done.
   * @template T
   * @param {() => Promise<T>} task
   * @returns {Promise<T>}
   */
  #queue(task) {
    const result = this.#work.then(task);
    this.#work = result.catch(() => {});
    return result;
  }

  get #runs() {
    return this.#store.state.runs;
  }

  get #kept() {
    return this.#store.state.kept;
  }

  /** Which Python the page has: a name that changes with any of its files. */
  get #build() {
    return this.#data.runtime.folder;
  }

  /**
   * Say what went wrong, or that it is over. Where nothing can be kept at all, the reason for that is told already.
   * @param {string | null} message
   */
  #say(message) {
    if (this.#kept.state !== "unavailable") this.#change({ message });
  }

  /** @param {Partial<Kept>} changes */
  #change(changes) {
    this.#store.set({ kept: { ...this.#kept, ...changes } });
  }
}

/**
 * @param {Data} data
 * @param {{key: IDBValidKey, value: unknown}[]} records
 * @param {Map<IDBValidKey, string>} damaged why a record cannot be read
 * @returns {Pick<Kept, "experiments" | "unreadable">} experiments from the latest on, their runs as `readSummary` gives
 *   them, in the order of their seeds, encodings and steps
 */
function grouped(data, records, damaged) {
  const names = choiceSetting(data, "encoding").choices.map(({ value }) => value);
  // Own encodings come after the lab's, by their names.
  /** @type {(a: string, b: string) => number} */
  const compare = (a, b) => (isOwn(a) && isOwn(b) ? (a < b ? -1 : Number(a > b)) : place(a) - place(b));
  /** @param {string} encoding */
  const place = (encoding) => (isOwn(encoding) ? names.length : names.indexOf(encoding));
  const unreadable = [];
  /** @type {Map<string, KeptExperiment>} */
  const experiments = new Map();
  for (const { key, value } of records) {
    try {
      const why = damaged.get(key);
      if (why !== undefined) throw new Error(why);
      const run = readSummary(data, key, value);
      const id = run.experiment;
      const experiment = experiments.get(id) ?? { id, config: run.config, runs: [], keptAt: 0, bytes: 0 };
      experiments.set(id, experiment);
      if (settingsOf(run) !== settingsOf(experiment)) throw new Error("its settings are not those of its experiment");
      experiment.runs.push(run);
    } catch (error) {
      unreadable.push({ key, why: asError(error).message });
    }
  }
  for (const experiment of experiments.values()) {
    const { runs } = experiment;
    runs.sort((a, b) =>
      a.config.seed - b.config.seed || compare(a.config.encoding, b.config.encoding) || a.step - b.step || a.keptAt - b.keptAt);
    experiment.keptAt = Math.max(...runs.map(({ keptAt }) => keptAt));
    experiment.bytes = runs.reduce((sum, { bytes }) => sum + bytes, runs[0].textBytes);
  }
  return { experiments: [...experiments.values()].sort((a, b) => b.keptAt - a.keptAt), unreadable };
}

/** @throws {Error} always: what was to be opened is there no more @returns {never} */
function gone() {
  throw new Error("it has been deleted");
}

/** What the runs of an experiment share. @param {{config: Config}} of */
const settingsOf = ({ config: { encoding, seed, ...settings } }) => JSON.stringify(settings);

/** A key that no other tab makes; randomUUID is there on secure pages alone. */
function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Why the browser refused something, as the end of a sentence. @param {Error} error */
function tell({ name, message }) {
  switch (name) {
    case "QuotaExceededError":
      return "this browser has no room left";
    case "VersionError":
      return "what is kept was written by a newer version of this page, so reload it";
    case "SecurityError":
    case "InvalidStateError":
      return `this browser lets the page store nothing, as in some private windows (${message.replace(/\.$/, "")})`;
    default:
      return message.replace(/\.$/, "");
  }
}
