/** What the chapter's labs have to be asked next, as it follows from the state: their entries, questions and answers. */

import { comparesRuns, isAsGood, isRun, isSame, looksAtText, Subjects, trainsItself } from "./probe-subject.js";
/** @import { Data, Probe, Result, Run, State, Value, Values, Which } from "./kinds.js" */
/** @import { Arguments, Obstacle, Source } from "./probe-subject.js" */

/**
 * @typedef {import("./probe-subject.js").Subject & {args: Arguments}} Question
 * @typedef {Question & {which: Which, step: number, result: Result, took: number}} Answer `took`: the milliseconds that its
 *   calls took
 * @typedef {Question & {progress: number, took: number, calledOff?: AbortController}} Task
 * @typedef {Question & {field: string|null, message: string}} Wrong
 * @typedef {{file: string, code: string, message?: undefined} | {message: string, file?: undefined, code?: undefined}} Code
 * @typedef {ReturnType<typeof createEntry>} Entry
 */

/** A lab that has not been asked. @param {Probe} probe */
export function createEntry(probe) {
  return {
    probe,
    /** Which elements that show it the reader can see, or soon will. @type {Set<Element>} */
    near: new Set(),
    /** Its arguments as typed, by name; a new object with every change. @type {Arguments} */
    args: Object.fromEntries(probe.arguments.map(({ name, default: value }) => [name, Array.isArray(value) ? value.join(", ") : value])),
    /** Which model the reader chose: that of an encoding instead of the selected run; before its training. */
    choice: { encoding: /** @type {string | null} */ (null), untrained: false },
    /** @type {Task|null} the question that is being asked, with its progress from 0 to 1 and the milliseconds that it took so far */
    task: null,
    /** @type {Answer[]} the latest of each model, the latest of all first */
    answers: [],
    /** @type {Wrong[]} what was wrong with a question, the latest first */
    errors: [],
    /** The code of the probe, or null while no one asked. @type {Code|null} */
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
   * @param {Data} data lab-data
   * @param {State} state of the store
   * @param {(source: {code: string|null}) => boolean} allows whether its encoding may run
   */
  constructor(data, state, allows) {
    this.#state = state;
    this.#subjects = new Subjects(data, state, allows);
  }

  /** @param {Entry} entry @returns {Question|null} what a lab would be asked now */
  question(entry) {
    const subject = this.#subjects.find(entry.probe, entry.choice);
    return subject && { ...subject, args: entry.args };
  }

  /** @param {Entry} entry @returns {Obstacle|null} why a lab has no question */
  obstacle(entry) {
    return this.#subjects.obstacle(entry.probe, entry.choice);
  }

  /**
   * @param {Pick<Entry, "probe" | "answers">} entry
   * @param {Question|null} question
   * @returns {Answer|undefined} the answer that a lab has to a question
   */
  answered({ probe, answers }, question) {
    return question ? answers.find((answer) => isAsGood(probe, answer, question)) : undefined;
  }

  /**
   * Whether an answer is one to what a lab is about, whether or not that can be asked now.
   * @param {Entry} entry
   * @param {Answer} answer
   */
  #isAbout({ probe, choice, args }, answer) {
    const source = this.#subjects.source(probe, choice.encoding);
    const { place } = answer; // where an answer was found out says nothing of its model
    return source !== null && isAsGood(probe, answer, { source, place, args, untrained: choice.untrained });
  }

  /**
   * What a lab shows: the answer to its question; where it has none, what was found out about the same model; or its latest.
   * @param {Entry} entry
   * @returns {Answer|undefined}
   */
  shown(entry) {
    const question = this.question(entry);
    const found = question ? this.answered(entry, question) : entry.answers.find((answer) => this.#isAbout(entry, answer));
    return found ?? entry.answers[0];
  }

  /**
   * Why there is no other answer to come beside the one that a lab shows.
   * @param {Entry} entry
   * @param {Answer} answer the one
   * @returns {Obstacle|null} null where none is needed, or where one can come
   */
  obstacleBeside(entry, answer) {
    return this.#isAbout(entry, answer) ? null : this.obstacle(entry);
  }

  /**
   * What was wrong with a question; with one that trains models of its own, which the reader asked, whatever it was.
   * @param {Pick<Entry, "probe" | "errors">} entry
   * @param {Question|null} question
   * @returns {Wrong|undefined}
   */
  failed({ probe, errors }, question) {
    if (trainsItself(probe)) return errors[0];
    return question ? errors.find((error) => isAsGood(probe, error, question)) : undefined;
  }

  /**
   * What a lab near the screen is asked by itself: its question, and one that compares runs then the others, too.
   * @param {Entry} entry
   * @returns {Question[]}
   */
  #questions(entry) {
    const question = this.question(entry);
    if (entry.near.size === 0 || !question || trainsItself(entry.probe)) return [];
    if (!comparesRuns(entry.probe)) return [question];
    const { source, args } = question;
    const others = this.#state.runs.filter((run) => run.saved && run !== source && run.seed === source.seed && this.#subjects.allows(run));
    return [question, ...others.map(/** @returns {Question} */ (other) => ({ source: other, place: "idle", untrained: false, args }))];
  }

  /**
   * A question that has neither an answer nor an error, with its lab.
   * @param {"own"|"idle"} place where it is to be asked
   * @param {Run} [run] the one to ask
   * @returns {{entry: Entry, question: Question}|undefined}
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
   * @param {Run} run
   * @param {boolean} isRested whether it may be asked again what it was asked before
   * @returns {{entry: Entry, question: Question}|undefined}
   */
  next(run, isRested) {
    const unanswered = this.unanswered("own", run);
    if (unanswered) return unanswered;
    /** @param {Entry} entry */
    const isAsked = ({ task }) => task?.place === "own" && task.source === run;
    /** @param {Entry} entry */
    const step = (entry) => this.answered(entry, this.question(entry))?.step ?? 0;
    const old = this.#all.filter((entry) => this.#isOld(entry, run)).sort((a, b) => step(a) - step(b));
    const entry = old.find(isAsked) ?? (isRested ? old[0] : undefined);
    const question = entry && this.question(entry);
    return entry && question ? { entry, question } : undefined;
  }

  /** Whether a lab near the screen shows an earlier step of a run that trains. @param {Entry} entry @param {Run} run */
  #isOld(entry, run) {
    if (entry.near.size === 0 || trainsItself(entry.probe) || looksAtText(entry.probe) || entry.task?.place === "idle") return false;
    const question = this.question(entry);
    if (question?.source !== run || question.place !== "own" || question.untrained) return false;
    if (this.failed(entry, question)) return false;
    const answer = this.answered(entry, question);
    return answer !== undefined && answer.step < run.step;
  }

  /** Whether the answer to a task would still be one to what is asked. @param {Entry} entry @param {Task} task */
  isCurrent(entry, task) {
    if (entry.task !== task) return false;
    if (trainsItself(entry.probe)) return !isRun(task.source) || this.#state.runs.includes(task.source);
    return this.#questions(entry).some((question) => isSame(task, question));
  }

  get #all() {
    return Object.values(this.#state.probes);
  }
}
