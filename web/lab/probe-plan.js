/** What the chapter's labs have to be asked next, as it follows from the state: their entries, questions and answers. */

import { comparesRuns, isAsGood, isSame, looksAtText, Subjects, trainsItself } from "./probe-subject.js";

/**
 * @typedef {import("./probe-subject.js").Source} Source
 * @typedef {{source: Source, place: string, untrained: boolean, args: Record<string, any>}} Question
 * @typedef {Question & {which: "untrained"|"now"|"trained", step: number, result: object, took: number}} Answer
 *   `took`: the milliseconds that its calls took
 */

/** A lab that has not been asked. */
export function createEntry(probe) {
  return {
    probe,
    /** Which elements that show it the reader can see, or soon will. */
    near: new Set(),
    /** Its arguments as typed, by name; a new object with every change. */
    args: Object.fromEntries(probe.arguments.map(({ name, default: value }) => [name, Array.isArray(value) ? value.join(", ") : value])),
    /** Which model the reader chose: that of an encoding instead of the selected run; before its training. */
    choice: { encoding: null, untrained: false },
    /** The question that is being asked, with its progress from 0 to 1 and the milliseconds that it took so far. */
    task: null,
    /** @type {Answer[]} the latest of each model, the latest of all first */
    answers: [],
    /** @type {(Question & {field: string|null, message: string})[]} what was wrong with a question, the latest first */
    errors: [],
    /** The code of the probe: {file, code}, {message}, or null while no one asked. */
    code: null,
    /** Counts what the reader asked for and got, for those who do not see it appear. */
    told: 0,
    /** Whether the reader waits for the next answer. */
    expected: false,
  };
}

export class Plan {
  #state;
  #subjects;

  /**
   * @param {object} data lab-data
   * @param {object} state of the store
   * @param {(source: {code: string|null}) => boolean} allows whether its encoding may run
   */
  constructor(data, state, allows) {
    this.#state = state;
    this.#subjects = new Subjects(data, state, allows);
  }

  /** @returns {Question|null} what a lab would be asked now */
  question(entry) {
    const subject = this.#subjects.find(entry.probe, entry.choice);
    return subject && { ...subject, args: entry.args };
  }

  /** @returns {"settings"|"encoding"|"ending"|"consent"|null} why a lab has no question */
  obstacle(entry) {
    return this.#subjects.obstacle(entry.probe, entry.choice);
  }

  /** @returns {Answer|undefined} the answer that a lab has to a question */
  answered({ probe, answers }, question) {
    return question ? answers.find((answer) => isAsGood(probe, answer, question)) : undefined;
  }

  /**
   * What was wrong with a question; with one that trains models of its own, which the reader asked, whatever it was.
   * @returns {(Question & {field: string|null, message: string})|undefined}
   */
  failed({ probe, errors }, question) {
    if (trainsItself(probe)) return errors[0];
    return question ? errors.find((error) => isAsGood(probe, error, question)) : undefined;
  }

  /** What a lab near the screen is asked by itself: its question, and one that compares runs then the others, too. */
  #questions(entry) {
    const question = this.question(entry);
    if (entry.near.size === 0 || !question || trainsItself(entry.probe)) return [];
    if (!comparesRuns(entry.probe)) return [question];
    const { source, args } = question;
    const others = this.#state.runs.filter((run) => run.saved && run !== source && run.seed === source.seed && this.#subjects.allows(run));
    return [question, ...others.map((other) => ({ source: other, place: "idle", untrained: false, args }))];
  }

  /**
   * A question that has neither an answer nor an error, with its lab.
   * @param {"own"|"idle"} place where it is to be asked
   * @param {object} [run] the one to ask
   * @returns {{entry: object, question: Question}|undefined}
   */
  unanswered(place, run) {
    for (const entry of this.#all) {
      if (place === "idle" && entry.task?.place === "own") continue; // one task a lab: neither would ever end
      const question = this.#questions(entry).find((each) => !this.answered(entry, each) && !this.failed(entry, each));
      if (question?.place === place && (!run || question.source === run)) return { entry, question };
    }
    return undefined;
  }

  /**
   * What to ask a run that trains: what is new first, then the answer that is of the earliest step.
   * @param {object} run
   * @param {boolean} isRested whether it may be asked again what it was asked before
   * @returns {{entry: object, question: Question}|undefined}
   */
  next(run, isRested) {
    const unanswered = this.unanswered("own", run);
    if (unanswered) return unanswered;
    const isAsked = ({ task }) => task?.place === "own" && task.source === run;
    const step = (entry) => this.answered(entry, this.question(entry)).step;
    const old = this.#all.filter((entry) => this.#isOld(entry, run)).sort((a, b) => step(a) - step(b));
    const entry = old.find(isAsked) ?? (isRested ? old[0] : undefined);
    return entry && { entry, question: this.question(entry) };
  }

  /** Whether a lab near the screen shows an earlier step of a run that trains. */
  #isOld(entry, run) {
    if (entry.near.size === 0 || trainsItself(entry.probe) || looksAtText(entry.probe) || entry.task?.place === "idle") return false;
    const question = this.question(entry);
    if (question?.source !== run || question.place !== "own" || question.untrained) return false;
    if (this.failed(entry, question)) return false;
    return this.answered(entry, question)?.step < run.step;
  }

  /** Whether the answer to a task would still be one to what is asked. */
  isCurrent(entry, task) {
    if (entry.task !== task) return false;
    if (trainsItself(entry.probe)) return !task.source.state || this.#state.runs.includes(task.source);
    return this.#questions(entry).some((question) => isSame(task, question));
  }

  get #all() {
    return Object.values(this.#state.probes);
  }
}
