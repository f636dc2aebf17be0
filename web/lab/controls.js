/** What the reader has chosen: the settings, encodings, seeds and text that the next Run takes, and how the page shows what ran. */

import { listEncodings } from "../charts/encodings.js";
import { UNITS } from "../charts/units.js";
import { answered } from "./errors.js";
import { experimentOf } from "./exports.js";
import { unlocked } from "./locks.js";
import { isOwn, ownName } from "./own.js";
import { fromQuery, queryName, toQuery } from "./query.js";
import { choiceSetting, experimentConfigs, parseSeeds } from "./settings.js";
import { SideWorker } from "./side-worker.js";
import { Store } from "./store.js";
/** @import { Choice, Data, FieldError, Own, State, TextRead, Value, Values } from "./kinds.js" */
/** @import { UnitName } from "../charts/units.js" */

/** Deadline of reading a text, in milliseconds: the longest takes seconds. */
const READING_DEADLINE = 60_000;
/** How long the Python that reads texts is kept for the next one, in milliseconds. */
const READER_RESTS = 60_000;
/** The most names that are asked for; there are fewer that mean something, and the others are told and forgotten. */
const MOST_NAMES = 50;

export class Controls {
  /** Counts the texts that were given, so that one which is read late replaces none. */
  #texts = 0;
  /** What the address asks for, and since then the page that holds the lab. */
  #asked;

  /**
   * @param {object} options
   * @param {Data} options.data what the build generates as lab-data: settings, rules, experiment, corpora
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {URLSearchParams} options.params the query of the address
   * @param {boolean} [options.isEmbedded] whether the lab stands alone in a frame
   */
  constructor({ data, start, params, isEmbedded = false }) {
    this.data = data;
    listEncodings(data);
    this.isEmbedded = isEmbedded;
    this.store = new Store();
    /** A Python beside those that train, for what the reader waits for. */
    this.reader = new SideWorker({ start, rest: READER_RESTS });
    this.#asked = params;
    const { autorun, ...opening } = this.#read(params);
    this.autorun = autorun;
    this.store.set(opening);
  }

  /** @param {URLSearchParams} params */
  #read(params) {
    return fromQuery(this.data, params, this.isEmbedded);
  }

  get state() {
    return this.store.state;
  }

  /** "light" or "dark" where the page has chosen, else "auto". */
  get theme() {
    return this.state.theme;
  }

  /** @param {string} name a setting @param {Value} raw as typed */
  setValue(name, raw) {
    this.changeSettings({ values: { ...this.state.values, [name]: raw } });
  }

  /** @param {string} text seeds, such as "1, 2, 3" */
  setSeeds(text) {
    this.changeSettings({ seeds: text });
  }

  /** @param {string} text what to train on when the corpus is "own", as it is typed */
  setOwnText(text) {
    this.#texts += 1;
    this.changeSettings({ ownText: text, textName: null, textFacts: null, textReading: false });
  }

  /**
   * Let Python read a text, and find out what it is made of.
   * @param {string|Uint8Array} source what was typed, which is the text already, or a file, which becomes it when it is read
   * @param {string|null} [name] of the file
   * @returns {Promise<TextRead|null>} what `read_text` of the worker answers; null if another text came meanwhile
   * @throws {Error} it is no text to train on, and `message` says why; the text before stays
   */
  async readText(source, name = null) {
    // What Run has said of a text stays beside it while Python reads the same text.
    if (typeof source === "string" && source !== this.state.ownText) this.setOwnText(source);
    const turn = (this.#texts += 1);
    const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
    this.store.set({ textReading: true });
    try {
      const told = await this.reader.call(READING_DEADLINE, "read_text", bytes);
      if (turn !== this.#texts) return null;
      const answer = answered(told);
      if (typeof source !== "string") this.changeSettings({ ownText: answer.text, textName: name });
      this.store.set({ textFacts: answer.facts });
      return answer;
    } catch (error) {
      if (turn !== this.#texts) return null;
      throw error;
    } finally {
      if (turn === this.#texts) this.store.set({ textReading: false });
    }
  }

  /** @param {string} encoding @param {boolean} takesPart */
  setEncoding(encoding, takesPart) {
    const all = this.encodings().map(({ value }) => value);
    const chosen = new Set(this.state.encodings);
    if (takesPart) chosen.add(encoding);
    else chosen.delete(encoding);
    this.changeSettings({ encodings: all.filter((value) => chosen.has(value)) });
  }

  /** Take the experiment that the page opens on by itself, or the author of the page around a frame; the reader's own text stays. */
  restoreDefaults() {
    const { values, encodings, seeds } = this.#read(this.isEmbedded ? this.#asked : new URLSearchParams());
    this.changeSettings({ values, encodings, seeds });
  }

  /** Take what the reader typed or chose, and say what of it cannot be. @param {Partial<State>} changes of the store's state */
  changeSettings(changes) {
    const { locks, values } = this.state;
    this.#take(unlocked(changes, locks, values));
  }

  /** @param {Partial<State>} changes */
  #take(changes) {
    this.store.set(changes);
    this.showErrors(experimentConfigs(this.data, this.state).errors);
  }

  /**
   * Change what the page that holds the lab asks for. What the reader has changed since stays where this names it not, and
   * what the reader cannot change can be changed by this.
   *
   * @param {Record<string, string|null>} changes names of the query to their values; null goes back to the lab's default
   * @returns {{name: string, message: string}[]} what of it cannot be had
   */
  configure(changes) {
    const asked = new URLSearchParams(this.#asked);
    /** @type {{name: string, message: string}[]} */
    const refused = [];
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) asked.delete(name);
      else if (asked.has(name) || asked.size < MOST_NAMES) asked.set(name, text);
      else refused.push({ name, message: `${name} is not taken: ${MOST_NAMES} names are asked for already.` });
    }
    const [before, after] = [this.#read(this.#asked), this.#read(asked)];
    this.#asked = asked;
    // A rule may give up a setting for one that is named, or give it back.
    /** @type {(name: string, of: (read: typeof before) => unknown) => boolean} */
    const isMeant = (name, of) => Object.hasOwn(changes, name) || String(of(before)) !== String(of(after));
    const meant = Object.entries(after.values).filter(([name]) => isMeant(queryName(name), ({ values }) => values[name]));
    const { panels, locks, expect, theme, problems } = after;
    this.#take({
      values: { ...this.state.values, ...Object.fromEntries(meant) },
      ...(isMeant("encodings", ({ encodings }) => encodings) && { encodings: after.encodings }),
      ...(isMeant("seeds", ({ seeds }) => seeds) && { seeds: after.seeds }),
      panels, locks, expect, theme, problems,
    });
    /** @param {typeof problems[0]} problem */
    const isOld = (problem) => before.problems.some(({ name, message }) => name === problem.name && message === problem.message);
    return [...problems.filter((problem) => Object.hasOwn(changes, problem.name) || !isOld(problem)), ...refused];
  }

  /** @param {string} name a setting, "encodings" or "seeds" @returns {boolean} whether the page has fixed it for its reader */
  isLocked(name) {
    return this.state.locks.includes(name);
  }

  /** Whether the reader has a place to write an encoding. */
  get offersEditor() {
    return this.state.panels.includes("controls") && !this.isLocked("encodings");
  }

  /**
   * Show what is wrong where it can be mended: two settings that do not fit are told at the second if the first is fixed.
   * @param {FieldError[]} errors
   * @returns {string|undefined} the field of the first
   */
  showErrors(errors) {
    const { locks } = this.state;
    const told = errors.map(({ field, message }) => {
      const free = locks.includes(field) && this.data.rules.find((rule) => rule.field === field && !locks.includes(rule.of))?.of;
      return free ? [free, `${message} This page has fixed ${field}, so change ${free}.`] : [field, message];
    });
    // The first message of a field wins, as in a list read from the top.
    this.store.set({ errors: Object.fromEntries([...told].reverse()) });
    return told[0]?.[0];
  }

  /** @param {string} encoding @returns {string|null} the code of an encoding, if it is one of the reader's own */
  codeOf(encoding) {
    return this.state.own.find((own) => own.encoding === encoding)?.code ?? null;
  }

  /** Put own encodings among those that can be chosen; one of the same name gives way. @param {Own[]} encodings */
  offer(encodings) {
    const others = this.state.own.filter((own) => !encodings.some(({ encoding }) => encoding === own.encoding));
    this.store.set({ own: [...others, ...encodings] });
  }

  /** @returns {Values} the settings that `trainOwn` trains with: of the experiment on the page, else of the controls */
  ownSettings() {
    const { runs, values, seeds } = this.state;
    if (runs.length) return runs[0].config;
    const [seed = this.data.experiment.seeds[0]] = parseSeeds(this.data, seeds).seeds;
    return { ...values, seed };
  }

  /** @param {UnitName} unit a name of UNITS, in which the whole page writes losses */
  setUnit(unit) {
    this.store.set({ unit });
  }

  /** The unit in which losses are written: an entry of UNITS. */
  get unit() {
    return UNITS[this.state.unit];
  }

  /** @param {boolean} shown whether what was measured over many seeds is drawn too */
  showMeasured(shown) {
    this.store.set({ showMeasured: shown });
  }

  /** @param {string} id the run whose table is shown large */
  select(id) {
    this.store.set({ selected: id });
  }

  /** @param {string[]} ids runs to hide in the curves or, if they all are hidden, to show again */
  toggleVisible(ids) {
    const runs = this.state.runs.filter(({ id }) => ids.includes(id));
    const visible = runs.every((run) => !run.visible);
    for (const run of runs) run.visible = visible;
    this.store.touch("runs");
  }

  /** @param {string} name @returns {Choice[]} what a setting may be */
  choices(name) {
    return choiceSetting(this.data, name).choices;
  }

  /** @returns {Choice[]} the encodings that can be chosen: the lab's, then the reader's own */
  encodings() {
    const own = this.state.own.map(({ encoding }) => ({ value: encoding, label: ownName(encoding), help: "an encoding that you wrote" }));
    return [...this.choices("encoding"), ...own];
  }

  /** @param {string} encoding @returns {string} the label of an encoding */
  encodingLabel(encoding) {
    return isOwn(encoding) ? ownName(encoding) : this.choices("encoding").find(({ value }) => value === encoding)?.label ?? encoding;
  }

  /** @returns {number} how many seeds the controls name; 0 if they name none that can be used */
  seedCount() {
    return parseSeeds(this.data, this.state.seeds).seeds.length;
  }

  /** @returns {string} the query of an address that opens on what the controls hold */
  query() {
    return toQuery(this.data, this.state);
  }

  /** @returns {string} the query of an address that opens on the experiment on the page or, before a run, on the controls */
  sharedQuery() {
    const { runs } = this.state;
    return runs.length ? toQuery(this.data, experimentOf(runs)) : this.query();
  }
}
