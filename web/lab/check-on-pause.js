/** Checks the code in the editor when the reader pauses, and holds what came of it: the last that worked, and what is wrong now. */

/** How long the reader must have paused, in milliseconds. */
const PAUSE = 600;

/** The settings that decide what an encoding is asked for. */
const SETTINGS = ["d", "heads", "context"];

/**
 * @typedef {{code: string, settings: Record<string, string>, result: object}} Answer `result` as `check_encoding` gives it
 * @typedef {{code: string, settings: Record<string, string>, message: string, line: number|null, traceback: string|null,
 *   printed: string}} Failure
 */

export class CheckOnPause {
  #lab;
  #tell;
  #timer = null;
  #turn = 0;
  /** What is being checked: {code, settings}. */
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
   * @param {{checkEncoding: (code: string) => Promise<object>, warmCheck: () => void, state: object}} lab
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

  /** @param {string} code to be checked at once, with the settings in the controls */
  async now(code) {
    this.cancel();
    const turn = this.#turn;
    const about = { code, settings: this.#settings() };
    this.#about = about;
    this.phase = "checking";
    this.#isWarm = false; // each check ends its Python
    this.#tell();
    try {
      const result = await this.#lab.checkEncoding(code);
      if (turn !== this.#turn) return;
      this.failure = result.error ? failureOf(about, result.error) : null;
      if (!result.error) this.answer = { ...about, result };
    } catch (error) {
      if (turn !== this.#turn) return;
      this.failure = failureOf(about, error);
    }
    this.phase = "idle";
    this.#tell();
  }

  #settings() {
    return Object.fromEntries(SETTINGS.map((name) => [name, String(this.#lab.state.values[name])]));
  }

  /** Whether an answer or a failure is of this code and of the settings in the controls. */
  #isOf(outcome, code) {
    return outcome !== null && outcome.code === code && JSON.stringify(outcome.settings) === JSON.stringify(this.#settings());
  }

  /** @returns {boolean} whether this code was found to work with the settings in the controls */
  isGood(code) {
    return this.failure === null && this.#isOf(this.answer, code);
  }

  /** @returns {boolean} whether this code was checked with the settings in the controls, or is or will be without a word */
  isCurrent(code) {
    if (this.phase === "pausing") return true;
    return this.#isOf(this.phase === "checking" ? this.#about : (this.failure ?? this.answer), code);
  }

  /** @returns {boolean} whether what is shown of the answer is of other code or other settings */
  isStale(code) {
    return this.answer !== null && !this.#isOf(this.answer, code);
  }
}

/** What is wrong, as Python or the page says it, where it could not even be checked. */
const failureOf = (about, { message, line = null, traceback = null, printed = "" }) => ({ ...about, message, line, traceback, printed });
