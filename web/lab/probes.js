/**
 * Asks the probes of the chapter's labs, and keeps what they answered.
 *
 * What is asked follows from the state: every lab near the screen has an answer for its model and its arguments, or it
 * is asked. A run that trains is asked in its own worker, between two frames, and asked again now and then; all else is
 * asked in a worker that has nothing to do, one probe after another. Probes that train models of their own run when the
 * reader says so, in a worker each.
 */

import { textOf } from "./corpus.js";
import { deadline, PATIENCE } from "./deadline.js";
import { answered, asError } from "./errors.js";
import { createEntry, Plan } from "./probe-plan.js";
import { isRun, isSame, trainsItself } from "./probe-subject.js";
/** @import { Data, Finding, Python, Result, Run, Saved, Value, Which } from "./kinds.js" */
/** @import { LabError } from "./errors.js" */
/** @import { Answer, Entry, Question, Task, Wrong } from "./probe-plan.js" */
/** @import { Source } from "./probe-subject.js" */
/** @import { PoolWorker } from "./worker-pool.js" */

/** How long one call works, in milliseconds: as long as one of a run. */
const BUDGET = 100;
/** A run that trains rests from probes for so many times what the last answer took: they cost it less than 5 %. */
const REST = 20;
/** Least rest, in milliseconds. */
const SHORTEST_REST = 1000;
/** How many models' answers a lab keeps, and errors. */
const MOST_ANSWERS = 20;
/** What the model of a probe is called in a worker that has nothing else to do. */
const LOOKED_AT = "looked-at";

export class Probes {
  #data;
  #store;
  #pool;
  #wake;
  #plan;
  #isServing = false;
  /** When a run may be asked again, on the clock of performance.now(). @type {WeakMap<Source, number>} */
  #rests = new WeakMap();
  /** What is open in a worker that has nothing else to do. @type {WeakMap<PoolWorker, {source: Source, saved: Saved|null}>} */
  #open = new WeakMap();

  /**
   * @param {object} parts
   * @param {Data} parts.data lab-data
   * @param {import("./store.js").Store} parts.store `state.probes` is filled here
   * @param {import("./worker-pool.js").WorkerPool} parts.pool
   * @param {(source: {code: string|null}) => boolean} parts.allows whether its encoding may run
   * @param {() => void} parts.wake lets `visit` come to runs that are paused
   */
  constructor({ data, store, pool, allows, wake }) {
    this.#data = data;
    this.#store = store;
    this.#pool = pool;
    this.#wake = wake;
    this.#plan = new Plan(data, store.state, allows);
    store.set({ probes: Object.fromEntries(data.probes.map((probe) => [probe.name, createEntry(probe)])) });
    const whatMatters = ["probes", "runs", "selected", "phase", "values", "encodings", "own", "seeds", "ownText"];
    store.subscribe(whatMatters, () => this.look());
  }

  /** @param {string} name @returns {import("./probe-plan.js").Question|null} what a lab would be asked now */
  question(name) {
    return this.#plan.question(this.#entries[name]);
  }

  /**
   * @param {string} name
   * @param {import("./probe-plan.js").Answer} answer the one that its lab shows
   * @returns {import("./probe-subject.js").Obstacle|null} why none is to come that is of the model chosen
   */
  obstacleBeside(name, answer) {
    return this.#plan.obstacleBeside(this.#entries[name], answer);
  }

  /** @param {string} name @returns {import("./probe-subject.js").Obstacle|null} why a lab has no question now */
  obstacle(name) {
    return this.#plan.obstacle(this.#entries[name]);
  }

  /**
   * @param {string} name
   * @returns {import("./probe-plan.js").Answer|undefined} what a lab shows
   */
  shown(name) {
    return this.#plan.shown(this.#entries[name]);
  }

  /**
   * @param {string} name
   * @returns {Wrong|undefined} what was wrong with what a lab is asked now
   */
  failed(name) {
    return this.#plan.failed(this.#entries[name], this.question(name));
  }

  /**
   * Change what a lab is asked.
   * @param {string} name
   * @param {Partial<Pick<Entry, "args" | "choice" | "errors">>} changes
   */
  #change(name, changes) {
    const entry = this.#entries[name];
    Object.assign(entry, changes);
    if (changes.args || changes.choice) entry.expected = true;
    this.#store.set({ probes: this.#entries });
    this.look();
  }

  /** @param {string} name @param {string} argument one of its own @param {Value} raw as typed */
  setArgument(name, argument, raw) {
    this.#change(name, { args: { ...this.#entries[name].args, [argument]: raw } });
  }

  /** @param {string} name @param {{encoding?: string|null, untrained?: boolean}} choice of the model */
  chooseModel(name, choice) {
    this.#change(name, { choice: { ...this.#entries[name].choice, ...choice } });
  }

  /** @param {string} name @param {Element} place an element that shows it @param {boolean} isNear to the screen */
  near(name, place, isNear) {
    const { near } = this.#entries[name];
    if (near.has(place) === isNear) return;
    if (isNear) near.add(place);
    else near.delete(place);
    this.#change(name, {});
  }

  /**
   * What the labs found out about a run, to be kept with it.
   * @param {Run} run
   * @returns {Finding[]}
   */
  findings(run) {
    return this.#all.flatMap(({ probe: { name }, answers }) =>
      answers
        .filter(({ source }) => source === run)
        .map(({ args, untrained, which, step, result, took }) => ({ name, args, untrained, which, step, result, took })));
  }

  /**
   * Take in what was kept with a run that has ended, where a lab would be asked the same now.
   * @param {Run} run
   * @param {Finding[]} findings
   */
  adopt(run, findings) {
    for (const { name, args, ...finding } of findings) {
      const entry = this.#entries[name];
      if (!entry || JSON.stringify(entry.args) !== JSON.stringify(args)) continue;
      /** @type {Answer} */
      const answer = { ...finding, source: run, place: "idle", args: entry.args };
      entry.answers = [...entry.answers, answer].slice(-MOST_ANSWERS);
    }
    this.#store.set({ probes: this.#entries });
  }

  /** Ask once more what failed. @param {string} name */
  askAgain(name) {
    this.#change(name, { errors: [] });
  }

  /** See who has to be asked, and ask; called whenever something changed that matters. */
  look() {
    const { runs } = this.#store.state;
    for (const entry of this.#all) {
      /** @param {Question} question */
      const isOnPage = ({ source }) => !isRun(source) || runs.includes(source);
      if (!entry.answers.every(isOnPage)) entry.answers = entry.answers.filter(isOnPage);
      if (!entry.errors.every(isOnPage)) entry.errors = entry.errors.filter(isOnPage);
      if (entry.task && !this.#plan.isCurrent(entry, entry.task)) this.#drop(entry);
    }
    this.#serve();
    if (this.#plan.unanswered("own")) this.#wake();
  }

  /**
   * Ask something of a run that trains, as `Experiment` lets it.
   * @param {Run} run
   * @param {PoolWorker} worker
   * @returns {Promise<boolean>} whether there is more
   */
  async visit(run, worker) {
    const next = this.#next(run);
    if (!next) return false;
    const { entry, question } = next;
    await this.#askOnce(entry, this.#begin(entry, question), worker, run.id);
    return Boolean(this.#next(run));
  }

  /** Run a probe that trains models of its own. @param {string} name */
  async start(name) {
    const entry = this.#entries[name];
    const question = this.#plan.question(entry);
    if (entry.task || !question) return;
    entry.errors = [];
    entry.expected = true;
    const task = this.#begin(entry, question);
    task.calledOff = new AbortController();
    const { signal } = task.calledOff;
    this.#store.set({ probes: this.#entries }); // the reader waits for the button that takes this one's place
    /** @type {PoolWorker | null} */
    let worker = null;
    try {
      worker = await this.#pool.acquire({ code: question.source.code, signal });
      await this.#pool.takeCore(worker, signal);
    } catch (error) {
      if (worker) this.#pool.release(worker);
      if (error !== signal.reason) throw error;
      return;
    }
    await this.#ask(entry, task, worker);
  }

  /** Stop it; what it had answered before stays. @param {string} name */
  stop(name) {
    this.#drop(this.#entries[name]);
  }

  /** Fetch the code of a probe. @param {string} name */
  async showCode(name) {
    const entry = this.#entries[name];
    if (entry.code?.code) return;
    const worker = await this.#pool.acquire();
    try {
      const told = await this.#pool.call(worker, PATIENCE, "source", name);
      entry.code = told.error ? { message: told.error.message } : told;
    } catch (error) {
      entry.code = { message: asError(error).message };
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

  /** @param {Run} run */
  #next(run) {
    const rests = this.#store.state.phase !== "paused" && performance.now() < (this.#rests.get(run) ?? 0);
    return this.#plan.next(run, !rests);
  }

  /**
   * A question as a task, the one under way if it is the same.
   * @param {Entry} entry
   * @param {Question} question
   * @returns {Task}
   */
  #begin(entry, question) {
    const task = entry.task && isSame(entry.task, question) ? entry.task : { ...question, progress: 0, took: 0 };
    entry.task = task;
    this.#store.touch("probes");
    return task;
  }

  /** @param {Entry} entry */
  #drop(entry) {
    entry.task?.calledOff?.abort();
    entry.task = null;
    this.#store.set({ probes: this.#entries });
  }

  /** Ask in idle workers until all is answered: one question at a time, so that runs find workers too. */
  async #serve() {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let next; (next = this.#plan.unanswered("idle")); ) {
        const { source } = next.question;
        /** @param {PoolWorker} candidate */
        const prefers = (candidate) => this.#open.get(candidate)?.source === source;
        const worker = await this.#pool.acquire({ prefers, code: source.code });
        next = this.#plan.unanswered("idle"); // meanwhile it may be another one
        if (next?.question.source.code === source.code) await this.#ask(next.entry, this.#begin(next.entry, next.question), worker);
        else this.#pool.release(worker);
      }
    } finally {
      this.#isServing = false;
    }
  }

  /**
   * A question from its beginning to its end in a worker of its own, which is given back.
   * @param {Entry} entry
   * @param {Task} task
   * @param {PoolWorker} worker
   */
  async #ask(entry, task, worker) {
    try {
      if (this.#plan.isCurrent(entry, task)) await this.#prepare(task, worker);
      while (this.#plan.isCurrent(entry, task)) await this.#askOnce(entry, task, worker, LOOKED_AT);
      if (trainsItself(entry.probe) && task.progress < 1) await this.#close(worker);
    } catch (error) {
      if (entry.task === task) this.#refuse(entry, task, asError(error));
    } finally {
      this.#pool.release(worker);
    }
  }

  /**
   * Open the model of a question in a worker, unless it is the one that is open there.
   * @param {Question} question
   * @param {PoolWorker} worker
   */
  async #prepare({ source }, worker) {
    const saved = source.saved ?? null;
    const open = this.#open.get(worker);
    if (open?.source === source && open.saved === saved) return;
    this.#open.delete(worker);
    const text = await textOf(this.#data, source);
    /** @type {Parameters<Python["open_run"]>} */
    const args = [LOOKED_AT, source.config, text, null, saved, null, source.code];
    answered(await this.#pool.call(worker, deadline(source, args), "open_run", ...args));
    this.#open.set(worker, { source, saved });
  }

  /** @param {PoolWorker} worker */
  async #close(worker) {
    this.#open.delete(worker);
    await this.#pool.call(worker, PATIENCE, "close_run", LOOKED_AT);
  }

  /**
   * One call. A task that is no longer current when the answer comes is dropped with it.
   * @param {Entry} entry
   * @param {Task} task
   * @param {PoolWorker} worker
   * @param {string} id
   * @returns {Promise<void>}
   */
  async #askOnce(entry, task, worker, id) {
    const { name } = entry.probe;
    const { args, source, untrained } = task;
    const began = performance.now();
    let answer;
    try {
      answer = await this.#pool.call(worker, deadline(source, []), "probe", name, id, args, BUDGET, untrained);
    } catch (error) {
      if (this.#plan.isCurrent(entry, task)) this.#refuse(entry, task, asError(error));
      throw error;
    } finally {
      task.took += performance.now() - began;
    }
    if (entry.task !== task) return;
    if (!this.#plan.isCurrent(entry, task)) return this.#drop(entry);
    if (answer.error) return this.#refuse(entry, task, answer.error);
    const { progress, which, step, result } = answer;
    task.progress = progress;
    if (progress === 1 && result) this.#take(entry, task, { which, step, result });
    else this.#store.touch("probes");
  }

  /**
   * Take in the answer to the task that is under way.
   * @param {Entry} entry
   * @param {Task} task
   * @param {{which: Which, step: number, result: Result}} answer
   */
  #take(entry, task, { which, step, result }) {
    const { question, took } = this.#end(entry, task);
    const others = entry.answers.filter((answer) => answer.source !== question.source || answer.untrained !== question.untrained);
    entry.answers = [{ ...question, which, step, result, took }, ...others].slice(0, MOST_ANSWERS);
    this.#tell(entry);
  }

  /**
   * Take in what was wrong with the task that is under way. What was drawn before stays.
   * @param {Entry} entry
   * @param {Task} task
   * @param {{field?: string|null, message: string}} error
   */
  #refuse(entry, task, { field, message }) {
    const { question } = this.#end(entry, task);
    entry.errors = [{ ...question, field: field ?? null, message }, ...entry.errors].slice(0, MOST_ANSWERS);
    this.#tell(entry);
  }

  /** @param {Entry} entry @param {Task} task @returns {{question: Question, took: number}} */
  #end(entry, { args, source, place, untrained, took }) {
    const question = { args, source, place, untrained };
    this.#rests.set(source, performance.now() + Math.max(SHORTEST_REST, REST * took));
    entry.task = null;
    entry.errors = entry.errors.filter((other) => other.args === args && !isSame(other, question));
    return { question, took };
  }

  /** @param {Entry} entry */
  #tell(entry) {
    if (entry.expected) entry.told += 1;
    entry.expected = false;
    this.#store.set({ probes: this.#entries });
  }
}
