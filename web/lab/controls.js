/** What the reader has chosen: the settings, encodings, seeds and text that the next Run takes, and how the page shows what ran. */

import { UNITS } from "../charts/units.js";
import { experimentOf } from "./exports.js";
import { isOwn, ownName } from "./own.js";
import { fromQuery, toQuery } from "./query.js";
import { experimentConfigs, parseSeeds } from "./settings.js";
import { SideWorker } from "./side-worker.js";
import { Store } from "./store.js";

/** Deadline of reading a text, in milliseconds: the longest takes seconds. */
const READING_DEADLINE = 60_000;
/** How long the Python that reads texts is kept for the next one, in milliseconds. */
const READER_RESTS = 60_000;

export class Controls {
  /** Counts the texts that were given, so that one which is read late replaces none. */
  #texts = 0;

  /**
   * @param {object} options
   * @param {object} options.data what the build generates as lab-data: settings, rules, experiment, corpora
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {URLSearchParams} options.params the query of the address
   */
  constructor({ data, start, params }) {
    this.data = data;
    this.store = new Store();
    /** A Python beside those that train, for what the reader waits for. */
    this.reader = new SideWorker({ start, rest: READER_RESTS });
    const { values, encodings, seeds, problems, autorun, theme } = fromQuery(data, params);
    this.autorun = autorun;
    this.theme = theme;
    this.store.set({ values, encodings, seeds, problems });
  }

  get state() {
    return this.store.state;
  }

  /** @param {string} name a setting @param {any} raw as typed */
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
   * @returns {Promise<object|null>} what `read_text` of the worker answers; null if another text came meanwhile
   * @throws {Error} it is no text to train on, and `message` says why; the text before stays
   */
  async readText(source, name = null) {
    // What Run has said of a text stays beside it while Python reads the same text.
    if (typeof source === "string" && source !== this.state.ownText) this.setOwnText(source);
    const turn = (this.#texts += 1);
    const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
    this.store.set({ textReading: true });
    try {
      const answer = await this.reader.call(READING_DEADLINE, "read_text", bytes);
      if (turn !== this.#texts) return null;
      if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
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

  /** Take the experiment that the page opens on by itself; the reader's own text stays. */
  restoreDefaults() {
    const { values, encodings, seeds } = fromQuery(this.data, new URLSearchParams());
    this.changeSettings({ values, encodings, seeds });
  }

  /** Take what the reader typed or chose, and say what of it cannot be. @param {object} changes of the store's state */
  changeSettings(changes) {
    this.store.set(changes);
    this.showErrors(experimentConfigs(this.data, this.state).errors);
  }

  /** @param {import("./settings.js").FieldError[]} errors */
  showErrors(errors) {
    // The first message of a field wins, as in a list read from the top.
    this.store.set({ errors: Object.fromEntries(errors.map(({ field, message }) => [field, message]).reverse()) });
  }

  /** @returns {string|null} the code of an encoding, if it is one of the reader's own */
  codeOf(encoding) {
    return this.state.own.find((own) => own.encoding === encoding)?.code ?? null;
  }

  /** Put own encodings among those that can be chosen; one of the same name gives way. */
  offer(encodings) {
    const others = this.state.own.filter((own) => !encodings.some(({ encoding }) => encoding === own.encoding));
    this.store.set({ own: [...others, ...encodings] });
  }

  /** @returns {Record<string, any>} the settings that `trainOwn` trains with: of the experiment on the page, else of the controls */
  ownSettings() {
    const { runs, values, seeds } = this.state;
    if (runs.length) return runs[0].config;
    const [seed = this.data.experiment.seeds[0]] = parseSeeds(this.data, seeds).seeds;
    return { ...values, seed };
  }

  /** @param {string} unit a name of UNITS, in which the whole page writes losses */
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

  /** @returns {{value: string, label: string, help: string}[]} what a setting may be */
  choices(name) {
    return this.data.settings.find((setting) => setting.name === name).choices;
  }

  /** @returns {{value: string, label: string, help: string}[]} the encodings that can be chosen: the lab's, then the reader's own */
  encodings() {
    const own = this.state.own.map(({ encoding }) => ({ value: encoding, label: ownName(encoding), help: "an encoding that you wrote" }));
    return [...this.choices("encoding"), ...own];
  }

  /** @returns {string} the label of an encoding */
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
