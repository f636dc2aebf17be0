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
import { createEntry, Plan } from "./probe-plan.js";
import { isSame, trainsItself } from "./probe-subject.js";

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
  /** When a run may be asked again, on the clock of performance.now(). */
  #rests = new WeakMap();
  /** What is open in a worker that has nothing else to do: {source, saved}. */
  #open = new WeakMap();

  /**
   * @param {object} parts
   * @param {object} parts.data lab-data
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

  /** @returns {import("./probe-plan.js").Question|null} what a lab would be asked now */
  question(name) {
    return this.#plan.question(this.#entries[name]);
  }

  /** @returns {"settings"|"encoding"|"ending"|"consent"|null} why a lab has no question now */
  obstacle(name) {
    return this.#plan.obstacle(this.#entries[name]);
  }

  /** @returns {import("./probe-plan.js").Answer|undefined} what a lab shows: the answer to its question, or its latest */
  shown(name) {
    const entry = this.#entries[name];
    return this.#plan.answered(entry, this.question(name)) ?? entry.answers[0];
  }

  /** @returns {{field: string|null, message: string}|undefined} what was wrong with what a lab is asked now */
  failed(name) {
    return this.#plan.failed(this.#entries[name], this.question(name));
  }

  /**
   * Change what a lab is asked.
   * @param {string} name
   * @param {{args?: Record<string, any>, choice?: object, errors?: object[]}} changes
   */
  #change(name, changes) {
    const entry = this.#entries[name];
    Object.assign(entry, changes);
    if (changes.args || changes.choice) entry.expected = true;
    this.#store.set({ probes: this.#entries });
    this.look();
  }

  /** @param {string} name @param {string} argument one of its own @param {string} raw as typed */
  setArgument(name, argument, raw) {
    this.#change(name, { args: { ...this.#entries[name].args, [argument]: raw } });
  }

  /** @param {string} name @param {{encoding?: string|null, untrained?: boolean}} choice of the model */
  chooseModel(name, choice) {
    this.#change(name, { choice: { ...this.#entries[name].choice, ...choice } });
  }

  /** @param {string} name @param {object} place an element that shows it @param {boolean} isNear to the screen */
  near(name, place, isNear) {
    const { near } = this.#entries[name];
    if (near.has(place) === isNear) return;
    if (isNear) near.add(place);
    else near.delete(place);
    this.#change(name, {});
  }

  /**
   * What the labs found out about a run, to be kept with it.
   * @returns {{name: string, args: object, untrained: boolean, which: string, step: number, result: object, took: number}[]}
   */
  findings(run) {
    return this.#all.flatMap(({ probe: { name }, answers }) =>
      answers
        .filter(({ source }) => source === run)
        .map(({ args, untrained, which, step, result, took }) => ({ name, args, untrained, which, step, result, took })));
  }

  /** Take in what was kept with a run that has ended, where a lab would be asked the same now. */
  adopt(run, findings) {
    for (const { name, args, ...finding } of findings) {
      const entry = this.#entries[name];
      if (!entry || JSON.stringify(entry.args) !== JSON.stringify(args)) continue;
      entry.answers = [...entry.answers, { ...finding, source: run, place: "idle", args: entry.args }].slice(-MOST_ANSWERS);
    }
    this.#store.set({ probes: this.#entries });
  }

  /** Ask once more what failed. */
  askAgain(name) {
    this.#change(name, { errors: [] });
  }

  /** See who has to be asked, and ask; called whenever something changed that matters. */
  look() {
    const { runs } = this.#store.state;
    for (const entry of this.#all) {
      const isOnPage = ({ source }) => !source.state || runs.includes(source);
      for (const kept of ["answers", "errors"]) {
        if (!entry[kept].every(isOnPage)) entry[kept] = entry[kept].filter(isOnPage);
      }
      if (entry.task && !this.#plan.isCurrent(entry, entry.task)) this.#drop(entry);
    }
    this.#serve();
    if (this.#plan.unanswered("own")) this.#wake();
  }

  /** Ask something of a run that trains, as `Experiment` lets it. @returns {Promise<boolean>} whether there is more */
  async visit(run, worker) {
    const next = this.#next(run);
    if (!next) return false;
    const { entry, question } = next;
    await this.#askOnce(entry, this.#begin(entry, question), worker, run.id);
    return Boolean(this.#next(run));
  }

  /** Run a probe that trains models of its own. */
  async start(name) {
    const entry = this.#entries[name];
    const question = this.#plan.question(entry);
    if (entry.task || !question) return;
    entry.errors = [];
    entry.expected = true;
    const task = this.#begin(entry, question);
    this.#store.set({ probes: this.#entries }); // the reader waits for the button that takes this one's place
    const worker = await this.#pool.acquire({ code: question.source.code });
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

  #next(run) {
    const rests = this.#store.state.phase !== "paused" && performance.now() < (this.#rests.get(run) ?? 0);
    return this.#plan.next(run, !rests);
  }

  /** A question as a task, the one under way if it is the same. */
  #begin(entry, question) {
    if (!entry.task || !isSame(entry.task, question)) entry.task = { ...question, progress: 0, took: 0 };
    this.#store.touch("probes");
    return entry.task;
  }

  #drop(entry) {
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

  /** A question from its beginning to its end in a worker of its own, which is given back. */
  async #ask(entry, task, worker) {
    try {
      if (this.#plan.isCurrent(entry, task)) await this.#prepare(task, worker);
      while (this.#plan.isCurrent(entry, task)) await this.#askOnce(entry, task, worker, LOOKED_AT);
      if (trainsItself(entry.probe) && task.progress < 1) await this.#close(worker);
    } catch (error) {
      if (entry.task === task) this.#settle(entry, { error });
    } finally {
      this.#pool.release(worker);
    }
  }

  /** Open the model of a question in a worker, unless it is the one that is open there. */
  async #prepare({ source }, worker) {
    const saved = source.saved ?? null;
    const open = this.#open.get(worker);
    if (open?.source === source && open.saved === saved) return;
    this.#open.delete(worker);
    const text = await textOf(this.#data, source);
    const args = [LOOKED_AT, source.config, text, null, saved, null, source.code];
    const answer = await this.#pool.call(worker, deadline(source, args), "open_run", ...args);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    this.#open.set(worker, { source, saved });
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
      if (this.#plan.isCurrent(entry, task)) this.#settle(entry, { error });
      throw error;
    } finally {
      task.took += performance.now() - began;
    }
    if (entry.task !== task) return;
    if (!this.#plan.isCurrent(entry, task)) return this.#drop(entry);
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
    entry.errors = entry.errors.filter((other) => other.args === args && !isSame(other, question));
    if (error) {
      const wrong = { ...question, field: error.field ?? null, message: error.message };
      entry.errors = [wrong, ...entry.errors].slice(0, MOST_ANSWERS);
    } else {
      const others = entry.answers.filter((answer) => answer.source !== source || answer.untrained !== untrained);
      entry.answers = [{ ...question, which, step, result, took }, ...others].slice(0, MOST_ANSWERS);
    }
    if (entry.expected) entry.told += 1;
    entry.expected = false;
    this.#store.set({ probes: this.#entries });
  }
}
