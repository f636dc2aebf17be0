/** The one state of the page: everything that an element may show is declared in this table. */

/** @import { State } from "./kinds.js" */

/** @type {State} */
const STATE = {
  /** "loading" until Python is there, then "ready"; then what the experiment does: "running", "paused", "stopped", "finished". */
  phase: "loading",
  /** What the page is fetching; `failure` is {message, file} when a part could not be loaded. */
  loading: { stage: "runtime", file: null, loadedBytes: 0, totalBytes: 0, secondsToReady: null, failure: null },
  /** What `status()` of the worker says: {version, python, numpy, backend}; null until it is ready. */
  status: null,
  /** What the controls hold, as typed: settings by name, without encoding and seed, which are lists in an experiment. */
  values: {},
  encodings: [],
  seeds: "",
  /** The encodings of the reader's own that can be chosen: [{encoding, code}]. */
  own: [],
  /** Set, to a new object each time, when the reader wants to write one. */
  editing: null,
  ownText: "",
  /** The name of the file that it came from; null if the reader typed it. */
  textName: null,
  /** What `read_text` of the worker says of it, null while that is not known, and whether that is being found out. */
  textFacts: null,
  textReading: false,
  /** Message by field: a setting's name, "encodings" or "seeds". */
  errors: {},
  /** The field that kept Run from starting, as a new object each time, for the controls to show: {field}. */
  blocked: null,
  /** What the address asked for and did not get: [{name, message}]. */
  problems: [],
  /** What the address, or the page that holds the lab, asks for beside settings: panels (panels.js), names of fixed settings, */
  panels: [],
  locks: [],
  /** a task (task.js) or null, and a theme. */
  expect: null,
  theme: "auto",
  /** The runs that an earlier load of this page had under way (interrupted.js): [{label, step, steps}], or null. */
  interrupted: null,
  /** The runs of the experiment (run.js), changed in place while they train. */
  runs: [],
  /** Id of the run whose table is shown large. */
  selected: null,
  /** What `compare` said of the finished runs, its gaps and its rows of single encodings, and how many runs they were. */
  gaps: [],
  summaries: [],
  runsCompared: 0,
  /** In which unit losses are written: a name of UNITS. */
  unit: "nats",
  /** Whether what was measured over many seeds is drawn beside the reader's runs. */
  showMeasured: true,
  /**
   * The runs that this browser keeps (keeper.js): whether they can be had ("loading", "ready", "unavailable"), what went
   * wrong, the experiments, the records that are none, and how many bytes the browser allows, if it tells.
   */
  kept: { state: "loading", message: null, experiments: [], unreadable: [], quota: null },
  /** The chapter's labs by the name of their probe (probes.js), changed in place. */
  probes: {},
  /** Whether Run waits for the text to arrive. */
  textLoading: false,
};

/** Least time between two renderings of what only moves on by itself, in milliseconds: the processor is for training. */
const CALM = 200;

/**
 * Holds the state and tells who watches. Any number of changes lead to one call of each listener, just before the
 * screen is next drawn. Where nothing is drawn, as in a hidden tab, the listeners wait; the state does not.
 */
export class Store {
  /** @type {Map<() => void, string[]>} */
  #listeners = new Map();
  /** @type {((changes: Partial<State>) => void)[]} */
  #observers = [];
  /** @type {Set<string>} */
  #changed = new Set();
  #flushed = -CALM;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** @type {number | null} */
  #frame = null;

  constructor() {
    this.state = structuredClone(STATE);
  }

  /**
   * Changes that someone made and waits to see.
   * @param {Partial<State>} changes
   */
  set(changes) {
    Object.assign(this.state, changes);
    this.#mark(Object.keys(changes), 0);
    for (const observer of this.#observers) observer(changes);
  }

  /** @param {(changes: Partial<State>) => void} observer called by each `set`, in a hidden tab too: for what draws nothing */
  observe(observer) {
    this.#observers.push(observer);
  }

  /** Says that entries changed in place, as runs do while they train. @param {(keyof State)[]} names */
  touch(...names) {
    this.#mark(names, CALM);
  }

  /**
   * @param {string[]} names entries of the state
   * @param {() => void} listener called at most once per frame in which one of them changed
   * @returns {() => void} ends the subscription
   */
  subscribe(names, listener) {
    this.#listeners.set(listener, names);
    return () => this.#listeners.delete(listener);
  }

  /** @param {string[]} names @param {number} pause */
  #mark(names, pause) {
    for (const name of names) this.#changed.add(name);
    const wait = this.#flushed + pause - performance.now();
    if (this.#frame !== null) return;
    if (wait > 0) {
      this.#timer ??= setTimeout(() => this.#request(), wait);
    } else {
      this.#request();
    }
  }

  #request() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#frame = requestAnimationFrame(() => this.#flush());
  }

  #flush() {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#frame = null;
    this.#flushed = performance.now();
    for (const [listener, names] of [...this.#listeners]) {
      if (!names.some((name) => changed.has(name))) continue;
      try {
        listener();
      } catch (error) {
        reportError(error); // it is the fault of one: the others are told all the same
      }
    }
  }
}
