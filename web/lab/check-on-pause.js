/** Checks the code in the editor when the reader pauses, and holds what came of it: the last that worked, and what is wrong now. */

import { asError } from "./errors.js";

/** @import { Answer as Answered, Examined, Told, Values } from "./kinds.js" */

/** How long the reader must have paused, in milliseconds. */
const PAUSE = 600;

/** The settings that decide what an encoding is asked for. */
const SETTINGS = ["d", "heads", "context"];

/**
 * @typedef {{code: string, settings: Record<string, string>}} About what was checked
 * @typedef {About & {result: Examined}} Answer `result` as `check_encoding` gives it
 * @typedef {About & {message: string, line: number|null, traceback: string|null, printed: string, all: string|null}} Failure
 *   `all`: every setting, if they may be what is wrong
 */

export class CheckOnPause {
  #lab;
  #tell;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  #turn = 0;
  /** What is being checked. @type {About|null} */
  #about = null;
  /** Whether Python was told to come since the last check. */
  #isWarm = false;
  /** @type {"idle"|"pausing"|"checking"} */
  phase = "idle";
  /** @type {Answer|null} the latest check that found nothing wrong */
  answer = null;
  /** @type {Failure|null} what the latest check found wrong */
  failure = null;

  /**
   * @param {{checkEncoding: (code: string) => Promise<Answered<Examined>>, warmCheck: () => void, ownSettings: () => Values}} lab
   * @param {() => void} tell called after every change
   */
  constructor(lab, tell) {
    this.#lab = lab;
    this.#tell = tell;
  }

  /** @param {string} code as it is while the reader types: it is checked when there was no other for a while */
  typed(code) {
    if (!this.#isWarm) this.#lab.warmCheck();
    this.#isWarm = true;
    this.cancel();
    this.phase = "pausing";
    this.#timer = setTimeout(() => this.now(code), PAUSE);
    this.#tell();
  }

  /** What is under way no longer matters. */
  cancel() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.phase = "idle";
  }

  /** @param {string} code to be checked at once, with the settings that it would train with */
  async now(code) {
    this.cancel();
    const turn = this.#turn;
    const about = { code, settings: this.#settings() };
    const all = this.#all();
    this.#about = about;
    this.phase = "checking";
    this.#isWarm = false; // each check ends its Python
    this.#tell();
    try {
      const result = await this.#lab.checkEncoding(code);
      if (turn !== this.#turn) return;
      this.failure = result.error ? failureOf(about, result.error) : null;
      if (!result.error) this.answer = { ...about, result };
    } catch (thrown) {
      if (turn !== this.#turn) return;
      const error = asError(thrown);
      // What has no code is of the settings, or of a Python that did not start: another setting may mend it.
      this.failure = { ...failureOf(about, error), all: error.code === undefined ? all : null };
    }
    this.phase = "idle";
    this.#tell();
  }

  #settings() {
    const values = this.#lab.ownSettings();
    return Object.fromEntries(SETTINGS.map((name) => [name, String(values[name])]));
  }

  #all() {
    return JSON.stringify(this.#lab.ownSettings());
  }

  /**
   * Whether an answer or a failure is of this code and of the settings that it would train with.
   * @param {(About & {all?: string|null})|null} outcome
   * @param {string} code
   */
  #isOf(outcome, code) {
    if (outcome === null || outcome.code !== code) return false;
    if (typeof outcome.all === "string" && outcome.all !== this.#all()) return false;
    return JSON.stringify(outcome.settings) === JSON.stringify(this.#settings());
  }

  /**
   * @param {string} code
   * @returns {boolean} whether this code was found to work with the settings that it would train with
   */
  isGood(code) {
    return this.failure === null && this.#isOf(this.answer, code);
  }

  /**
   * @param {string} code
   * @returns {boolean} whether this code was checked with the settings that it would train with, or is or will be without a word
   */
  isCurrent(code) {
    if (this.phase === "pausing") return true;
    return this.#isOf(this.phase === "checking" ? this.#about : (this.failure ?? this.answer), code);
  }

  /** @param {string} code @returns {boolean} whether what is shown of the answer is of other code or other settings */
  isStale(code) {
    return this.answer !== null && !this.#isOf(this.answer, code);
  }
}

/**
 * What is wrong, as Python or the page says it, where it could not even be checked.
 * @param {About} about
 * @param {Pick<Told, "message"> & Partial<Told>} error
 * @returns {Failure}
 */
const failureOf = (about, { message, line = null, traceback = null, printed = "" }) =>
  ({ ...about, message, line, traceback, printed, all: null });
