/** A reader's Python prompt: in a Python of its own, on one run, with all that was typed and answered. */

import { textOf } from "./corpus.js";
import { answered, asError } from "./errors.js";
import { NotAllowedError } from "./own.js";
import { parseSeeds, validate } from "./settings.js";
import { SideWorker } from "./side-worker.js";
/** @import { ConsoleAnswer, Data, Saved, State, Subject } from "./kinds.js" */

/** How long Python may take to open the run, in milliseconds. */
const OPENING = 60_000;
/** Milliseconds that an interrupted input has to end; then its Python is ended. */
const PATIENCE = 2_000;
/** The longest wait that a timer can hold: an input may take as long as the reader lets it. */
const NO_LIMIT = 2 ** 31 - 1;
/** Entries and characters that are kept; the oldest go first. */
const MOST_ENTRIES = 500;
const MOST_CHARACTERS = 200_000;

/**
 * @typedef {{kind: "in"|"out"|"value"|"error"|"note", text: string}} Entry
 * @typedef {{source: Subject & {saved: Saved|null}, words: string}} Opening what is opened, and what it is in words
 */

export class Console {
  #lab;
  #python;
  #onChange;
  /** What the run was opened from, to open it again. @type {Opening|null} */
  #subject = null;
  /** The code of an own encoding that this Python has run; it may have changed the lab there. @type {string|null} */
  #code = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #interrupting = null;

  /** @type {"closed"|"opening"|"idle"|"running"} */
  state = "closed";
  /** @type {Entry[]} */
  entries = [];
  /** How many entries were removed. */
  forgotten = 0;
  /** What was typed, for Up and Down. @type {string[]} */
  history = [];

  /**
   * @param {object} options
   * @param {{data: Data, state: State, consent: import("./own.js").Consent, encodingLabel: (encoding: string) => string}} options.lab `data`, `state`, `consent` and `encodingLabel` of it
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {() => void} options.onChange called when something of it has changed
   */
  constructor({ lab, start, onChange }) {
    this.#lab = lab;
    this.#onChange = onChange;
    this.#python = new SideWorker({ start, onPrinted: (text) => this.#add("out", text) });
  }

  /** What the run that is open is, in words; null before one is. */
  get about() {
    return this.#subject?.words ?? null;
  }

  /**
   * What would be opened now: the selected run if it has ended, else an untrained one with the settings of the controls.
   * @returns {Opening}
   */
  subject() {
    const { data, state } = this.#lab;
    const run = state.runs.find(({ id }) => id === state.selected);
    /** @type {(encoding: string, seed: number) => string} */
    const label = (encoding, seed) => `${this.#lab.encodingLabel(encoding)}, seed ${seed}`;
    if (run?.saved) {
      return { source: run, words: `run is ${label(run.encoding, run.seed)}, as it was after ${run.step} of ${run.steps} steps.` };
    }
    const { values, ownText } = state;
    const [encoding = data.experiment.encodings[0]] = state.encodings;
    const [seed = data.experiment.seeds[0]] = parseSeeds(data, state.seeds).seeds;
    const { config, errors } = validate(data, { ...values, encoding, seed });
    if (errors.length) throw new Error(`The settings at the top of the page need a correction first: ${errors[0].message}`);
    const code = state.own.find((own) => own.encoding === encoding)?.code ?? null;
    const why = run ? "the selected run has not ended" : "no run has ended";
    return {
      source: { config, code, text: config.corpus === "own" ? ownText : null, saved: null },
      words: `run is ${label(encoding, seed)}, untrained, with the settings of the controls, since ${why}.`,
    };
  }

  /** Open what `subject` says, with no variables but its own; on the reader's click. */
  async open() {
    try {
      await this.#open(this.subject());
    } catch (error) {
      this.#add("error", `${asError(error).message}\n`);
    }
  }

  /** @param {Opening} subject */
  async #open(subject) {
    const { source } = subject;
    if (!this.#lab.consent.allows(source)) throw new NotAllowedError();
    if (this.#code !== null && this.#code !== source.code) this.#python.end(); // the next call starts another
    this.#code = source.code;
    this.#become("opening");
    try {
      const text = await textOf(this.#lab.data, source);
      const opened = answered(await this.#python.call(OPENING, "console_open", source.config, text, source.saved, source.code));
      this.#subject = subject;
      this.#add("note", `${subject.words} E has the shape (${opened.shape.join(", ")}).\n`);
      this.#become("idle");
    } catch (error) {
      this.#become("closed");
      throw error;
    }
  }

  /**
   * Run an input, if it is complete.
   * @param {string} source
   * @returns {Promise<boolean>} whether it was
   */
  async run(source) {
    if (this.state !== "idle") return false;
    this.#become("running");
    /** @type {Entry} */
    const typed = { kind: "in", text: source };
    this.#push(typed);
    try {
      const answer = await this.#python.call(NO_LIMIT, "console_run", source);
      if (!answer.complete) {
        this.entries = this.entries.filter((entry) => entry !== typed);
        return false;
      }
      this.#remember(source);
      this.#tell(answer);
      return true;
    } catch (error) {
      this.#remember(source);
      await this.#openAgain(error);
      return true;
    } finally {
      clearTimeout(this.#interrupting ?? undefined);
      this.#interrupting = null;
      if (this.#isRunning) this.#become("idle");
    }
  }

  get #isRunning() {
    return this.state === "running";
  }

  /** @param {string} source */
  #remember(source) {
    if (source.trim() && this.history.at(-1) !== source) this.history.push(source);
  }

  /** @param {ConsoleAnswer} answer */
  #tell({ value, error, interrupted, leftOut }) {
    if (leftOut) this.#add("note", `… and ${leftOut.toLocaleString("en")} characters more were printed.\n`);
    if (error) this.#add("error", error);
    if (interrupted) this.#add("note", "Interrupted: your variables are as they were at that moment.\n");
    if (value !== null) this.#add("value", `${value}\n`);
  }

  /**
   * Python is gone, and the variables with it: say why, and open the same run in a fresh one.
   * @param {unknown} thrown
   */
  async #openAgain(thrown) {
    const error = asError(thrown);
    const why = error.code === "terminated"
      ? `Python did not stop within ${PATIENCE / 1000} s, so it was ended`
      : `Python broke down (${error.message.trim().split("\n").at(-1)})`;
    this.#add("note", `${why}: your variables are gone. The same run is opened in a fresh one.\n`);
    try {
      if (this.#subject) await this.#open(this.#subject);
    } catch (failure) {
      this.#add("error", `${asError(failure).message}\n`);
    }
  }

  /** Ask what runs to stop; if it does not, end its Python. */
  interrupt() {
    if (this.state !== "running" || this.#interrupting) return;
    this.#python.interrupt();
    this.#interrupting = setTimeout(() => this.#python.end(), PATIENCE);
    this.#onChange();
  }

  /** Whether what runs has been asked to stop. */
  get isInterrupting() {
    return this.#interrupting !== null;
  }

  /** Forget what was typed and answered; the variables stay. */
  clear() {
    this.entries = [];
    this.forgotten = 0;
    this.#onChange();
  }

  /** @param {Console["state"]} state */
  #become(state) {
    this.state = state;
    this.#onChange();
  }

  /** Add to what is shown; output goes on where output was. @param {Entry["kind"]} kind @param {string} text */
  #add(kind, text) {
    const last = this.entries.at(-1);
    if (kind === "out" && last?.kind === "out") last.text += text;
    else this.#push({ kind, text });
    this.#onChange();
  }

  /** @param {Entry} entry */
  #push(entry) {
    this.entries.push(entry);
    let characters = this.entries.reduce((sum, { text }) => sum + text.length, 0);
    while (this.entries.length > 1 && (this.entries.length > MOST_ENTRIES || characters > MOST_CHARACTERS)) {
      characters -= this.entries.shift()?.text.length ?? 0;
      this.forgotten += 1;
    }
  }
}
