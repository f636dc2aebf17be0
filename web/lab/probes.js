/**
 * Asks the probes of the chapter's labs, and keeps what they answered.
 *
 * What is asked follows from the state: every lab near the screen has an answer for its model and its arguments, or it
 * is asked. A run that trains is asked in its own worker, between two frames, and asked again now and then; all else is
 * asked in a worker that has nothing to do, one probe after another. Probes that train models of their own run when the
 * reader says so, in a worker each.
 */

import { loadCorpus } from "./corpus.js";
import { deadline, PATIENCE } from "./deadline.js";
import { isSame, Subjects, trainsItself } from "./probe-subject.js";

/** How long one call works, in milliseconds: as long as one of a run. */
const BUDGET = 100;
/** A run that trains rests from probes for so many times what the last answer took: they cost it less than 5 %. */
const REST = 20;
/** Least rest, in milliseconds. */
const SHORTEST_REST = 1000;
/** How many models' answers a lab keeps. */
const MOST_ANSWERS = 20;
/** What the model of a probe is called in a worker that has nothing else to do. */
const LOOKED_AT = "looked-at";

/**
 * @typedef {import("./probe-subject.js").Source} Source
 * @typedef {{source: Source, place: string, untrained: boolean, args: Record<string, any>}} Question
 * @typedef {Question & {which: "untrained"|"now"|"trained", step: number, result: object}} Answer
 */

/** A lab that has not been asked. */
function createEntry(probe) {
  return {
    probe,
    /** Whether the reader can see it, or soon will. */
    near: false,
    /** Its arguments as typed, by name; a new object with every change. */
    args: Object.fromEntries(probe.arguments.map(({ name, default: value }) => [name, Array.isArray(value) ? value.join(", ") : value])),
    /** Which model the reader chose: that of an encoding instead of the selected run; before its training. */
    choice: { encoding: null, untrained: false },
    /** The question that is being asked, with its progress from 0 to 1 and the milliseconds that it took so far. */
    task: null,
    /** @type {Answer[]} the latest of each model, the latest of all first */
    answers: [],
    /** What was wrong with a question: it, with {field, message}. */
    error: null,
    /** The code of the probe: {file, code}, {message}, or null while no one asked. */
    code: null,
    /** Counts what the reader asked for and got, for those who do not see it appear. */
    told: 0,
    /** Whether the reader waits for the next answer. */
    expected: false,
  };
}

export class Probes {
  #data;
  #store;
  #pool;
  #wake;
  #subjects;
  #isServing = false;
  /** When a run may be asked again, on the clock of performance.now(). */
  #rests = new WeakMap();
  /** What is open in a worker that has nothing else to do: {source, weights}. */
  #open = new WeakMap();

  /**
   * @param {object} parts
   * @param {object} parts.data lab-data
   * @param {import("./store.js").Store} parts.store `state.probes` is filled here
   * @param {import("./worker-pool.js").WorkerPool} parts.pool
   * @param {() => void} parts.wake lets `visit` come to runs that are paused
   */
  constructor({ data, store, pool, wake }) {
    this.#data = data;
    this.#store = store;
    this.#pool = pool;
    this.#wake = wake;
    this.#subjects = new Subjects(data, store.state);
    store.set({ probes: Object.fromEntries(data.probes.map((probe) => [probe.name, createEntry(probe)])) });
    const whatMatters = ["probes", "runs", "selected", "phase", "values", "encodings", "seeds", "ownText"];
    store.subscribe(whatMatters, () => this.look());
  }

  /** @returns {Question|null} what a lab would be asked now */
  question(name) {
    return this.#question(this.#entries[name]);
  }

  /** @returns {Answer|undefined} what a lab shows: the answer to its question, or else its latest */
  shown(name) {
    const entry = this.#entries[name];
    return this.#answered(entry, this.#question(entry)) ?? entry.answers[0];
  }

  /**
   * Change what a lab is asked.
   * @param {string} name
   * @param {{near?: boolean, args?: Record<string, any>, choice?: object}} changes
   */
  change(name, changes) {
    const entry = this.#entries[name];
    Object.assign(entry, changes);
    if (changes.args || changes.choice) entry.expected = true;
    this.#store.set({ probes: this.#entries });
    this.look();
  }

  /** Ask once more what failed. */
  askAgain(name) {
    this.change(name, { error: null });
  }

  /** See who has to be asked, and ask; called whenever something changed that matters. */
  look() {
    const { runs } = this.#store.state;
    for (const entry of this.#all) {
      const isOnPage = ({ source }) => !source.state || runs.includes(source);
      if (!entry.answers.every(isOnPage)) entry.answers = entry.answers.filter(isOnPage);
      if (entry.task && !this.#isCurrent(entry, entry.task)) this.#drop(entry);
    }
    this.#serve();
    if (this.#all.some((entry) => this.#isUnanswered(entry, "own"))) this.#wake();
  }

  /** Ask something of a run that trains, as `Experiment` lets it. @returns {Promise<boolean>} whether there is more */
  async visit(run, worker) {
    const entry = this.#next(run);
    if (!entry) return false;
    await this.#askOnce(entry, this.#begin(entry), worker, run.id);
    return Boolean(this.#next(run));
  }

  /** Run a probe that trains models of its own. */
  async start(name) {
    const entry = this.#entries[name];
    if (entry.task || !this.#question(entry)) return;
    entry.error = null;
    entry.expected = true;
    const task = this.#begin(entry);
    const worker = await this.#pool.acquire();
    await this.#ask(entry, task, worker);
  }

  /** Stop it; what it had answered before stays. */
  stop(name) {
    this.#drop(this.#entries[name]);
  }

  /** Fetch the code of a probe. */
  async showCode(name) {
    const entry = this.#entries[name];
    if (entry.code?.code) return;
    const worker = await this.#pool.acquire();
    try {
      entry.code = await this.#pool.call(worker, PATIENCE, "source", name);
    } catch (error) {
      entry.code = { message: error.message };
    } finally {
      this.#pool.release(worker);
    }
    this.#store.set({ probes: this.#entries });
  }

  get #entries() {
    return this.#store.state.probes;
  }

  get #all() {
    return Object.values(this.#entries);
  }

  #question(entry) {
    const subject = this.#subjects.find(entry.probe, entry.choice);
    return subject && { ...subject, args: entry.args };
  }

  #answered({ answers }, question) {
    return question ? answers.find((answer) => isSame(answer, question)) : undefined;
  }

  /** Whether a lab near the screen has a question in this place, without an answer and without an error. */
  #isUnanswered(entry, place) {
    if (!entry.near || trainsItself(entry.probe)) return false;
    const question = this.#question(entry);
    if (question?.place !== place || this.#answered(entry, question)) return false;
    return !(entry.error && isSame(entry.error, question));
  }

  #unanswered(place, run) {
    return this.#all.find(
      (entry) => this.#isUnanswered(entry, place) && (!run || this.#question(entry).source === run),
    );
  }

  /** What to ask a run that trains: what is new first, then, if it has had its rest, the answer of the earliest step. */
  #next(run) {
    const unanswered = this.#unanswered("own", run);
    if (unanswered) return unanswered;
    const underWay = this.#all.find(({ task }) => task?.place === "own" && task.source === run);
    if (underWay) return underWay;
    const rests = this.#store.state.phase !== "paused" && performance.now() < (this.#rests.get(run) ?? 0);
    if (rests) return undefined;
    const step = (entry) => this.#answered(entry, this.#question(entry)).step;
    return this.#all.filter((entry) => this.#isOld(entry, run)).sort((a, b) => step(a) - step(b))[0];
  }

  /** Whether a lab near the screen shows an earlier step of a run that trains. */
  #isOld(entry, run) {
    if (!entry.near || trainsItself(entry.probe)) return false;
    const question = this.#question(entry);
    if (question?.source !== run || question.place !== "own" || question.untrained) return false;
    if (entry.error && isSame(entry.error, question)) return false;
    return this.#answered(entry, question)?.step < run.step;
  }

  /** The question as a task, the one under way if it is the same. */
  #begin(entry) {
    const question = this.#question(entry);
    if (!entry.task || !isSame(entry.task, question)) entry.task = { ...question, progress: 0, took: 0 };
    this.#store.touch("probes");
    return entry.task;
  }

  #drop(entry) {
    entry.task = null;
    this.#store.set({ probes: this.#entries });
  }

  /** Whether the answer to a task would still be one to what is asked. */
  #isCurrent(entry, task) {
    if (entry.task !== task) return false;
    if (trainsItself(entry.probe)) return !task.source.state || this.#store.state.runs.includes(task.source);
    const question = this.#question(entry);
    return entry.near && question !== null && isSame(task, question);
  }

  /** Ask in idle workers until all is answered: one question at a time, so that runs find workers too. */
  async #serve() {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let entry; (entry = this.#unanswered("idle")); ) {
        const { source } = this.#question(entry);
        const worker = await this.#pool.acquire((candidate) => this.#open.get(candidate)?.source === source);
        const first = this.#unanswered("idle"); // meanwhile it may be another one
        if (first) await this.#ask(first, this.#begin(first), worker);
        else this.#pool.release(worker);
      }
    } finally {
      this.#isServing = false;
    }
  }

  /** A question from its beginning to its end in a worker of its own, which is given back. */
  async #ask(entry, task, worker) {
    try {
      if (this.#isCurrent(entry, task)) await this.#prepare(task, worker);
      while (this.#isCurrent(entry, task)) await this.#askOnce(entry, task, worker, LOOKED_AT);
      if (trainsItself(entry.probe) && task.progress < 1) await this.#close(worker);
    } catch (error) {
      if (entry.task === task) this.#settle(entry, { error });
    } finally {
      this.#pool.release(worker);
    }
  }

  /** Open the model of a question in a worker, unless it is the one that is open there. */
  async #prepare({ source }, worker) {
    const weights = source.weights ?? null;
    const open = this.#open.get(worker);
    if (open?.source === source && open.weights === weights) return;
    this.#open.delete(worker);
    const text = source.text ?? (await loadCorpus(this.#data, source.config.corpus));
    const args = [LOOKED_AT, source.config, text, null, weights];
    const answer = await this.#pool.call(worker, deadline(source, args), "open_run", ...args);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    this.#open.set(worker, { source, weights });
  }

  async #close(worker) {
    this.#open.delete(worker);
    await this.#pool.call(worker, PATIENCE, "close_run", LOOKED_AT);
  }

  /** One call. A task that is no longer current when the answer comes is dropped with it. */
  async #askOnce(entry, task, worker, id) {
    const { name } = entry.probe;
    const { args, source, untrained } = task;
    const began = performance.now();
    let answer;
    try {
      answer = await this.#pool.call(worker, deadline(source, []), "probe", name, id, args, BUDGET, untrained);
    } catch (error) {
      if (this.#isCurrent(entry, task)) this.#settle(entry, { error });
      throw error;
    } finally {
      task.took += performance.now() - began;
    }
    if (entry.task !== task) return;
    if (!this.#isCurrent(entry, task)) return this.#drop(entry);
    task.progress = answer.progress ?? 0;
    if (answer.error || answer.progress === 1) this.#settle(entry, answer);
    else this.#store.touch("probes");
  }

  /** Take in an answer to the task that is under way. What was drawn before an error stays. */
  #settle(entry, { error, which, step, result }) {
    const { args, source, place, untrained, took } = entry.task;
    const question = { args, source, place, untrained };
    this.#rests.set(source, performance.now() + Math.max(SHORTEST_REST, REST * took));
    entry.task = null;
    entry.error = null;
    if (error) {
      entry.error = { ...question, field: error.field ?? null, message: error.message };
    } else {
      const others = entry.answers.filter((answer) => answer.source !== source || answer.untrained !== untrained);
      entry.answers = [{ ...question, which, step, result }, ...others].slice(0, MOST_ANSWERS);
    }
    if (entry.expected) entry.told += 1;
    entry.expected = false;
    this.#store.set({ probes: this.#entries });
  }
}
