/**
 * What the reader writes: their versions of the starting points, and code that they brought along, each a draft of its own.
 * Drafts outlast a reload where the browser allows it.
 */

/** @import { StartingPoint } from "./kinds.js" */

const KEY = "embedding-lab:encoding-drafts";


export class Drafts {
  #points;
  #storage;
  /** The reader's code by file, where it differs from the starting point. @type {Map<string, string>} */
  #edited;
  /** Drafts that the reader has neither written here nor asked to run, by file: what they are, in words. @type {Map<string, string>} */
  #untouched;
  /**
   * What "back to the original" or "delete" put aside, and at which file it is offered.
   * @type {{file: string, code: string, waitsAs: string|null, at: string}|null}
   */
  #aside = null;
  /** Whether the browser keeps what is written. */
  isKept;

  /**
   * @param {StartingPoint[]} points
   * @param {() => Storage} [storage] gives localStorage; a browser may refuse at the asking
   */
  constructor(points, storage = () => globalThis.localStorage) {
    this.#points = points;
    this.#storage = storage;
    this.isKept = this.#canRead();
    const { chosen, drafts } = this.#read();
    this.#edited = new Map(Object.entries(drafts));
    this.#untouched = new Map([...this.#edited.keys()].map((file) => [file, "your draft from before"]));
    /** The file of the starting point in the editor. */
    this.chosen = this.choices().find(({ file }) => file === chosen)?.file ?? points[0].file;
  }

  /** @returns {(StartingPoint & {isEdited: boolean})[]} the starting points, whether the reader has changed them, and then all other drafts */
  choices() {
    const known = this.#points.map((point) => ({ ...point, isEdited: this.#edited.has(point.file) }));
    const others = [...this.#edited].filter(([file]) => !this.#points.some((point) => point.file === file));
    return [...known, ...others.map(([file, code]) => ({ file, name: file, title: file, teaches: "", code, isEdited: false }))];
  }

  get #point() {
    return this.#points.find(({ file }) => file === this.chosen);
  }

  /** The code in the editor. */
  get code() {
    return this.#edited.get(this.chosen) ?? this.#point?.code ?? "";
  }

  /** What the chosen starting point teaches. */
  get teaches() {
    return this.#point?.teaches ?? "";
  }

  /** Whether the code differs from the starting point, which the lab still has. */
  get canGoBack() {
    return this.#point !== undefined && this.#edited.has(this.chosen);
  }

  /** Whether the draft is of no starting point, so that nothing would be left where it was. */
  get canDelete() {
    return this.#point === undefined;
  }

  /** Whether there is a version that was put aside. */
  get canBringBack() {
    return this.#aside?.at === this.chosen;
  }

  /** Why the code may not run by itself: what it is, such as "your draft from before"; null where it may. */
  get waitsAs() {
    return this.#untouched.get(this.chosen) ?? null;
  }

  /** @param {string} file whose code the editor is to hold; what was written to another stays with that */
  choose(file) {
    this.chosen = file;
    this.#write();
  }

  /** The reader wants this code run. */
  touch() {
    this.#untouched.delete(this.chosen);
  }

  /** @param {string} code as the reader has written it */
  edit(code) {
    this.#aside = null;
    this.touch();
    this.#keep(code);
  }

  /** @param {string} code */
  #keep(code) {
    if (code === this.#point?.code) this.#edited.delete(this.chosen);
    else this.#edited.set(this.chosen, code);
    this.#write();
  }

  /**
   * Take code that was not written here as a draft of its own; what was in the editor stays where it was.
   *
   * @param {string} file what to call it; it is numbered if another draft has the name
   * @param {string} code
   * @param {string} waitsAs what it is, in words: it waits for the reader before it runs
   */
  add(file, code, waitsAs) {
    const taken = new Map(this.choices().map((choice) => [choice.file, this.#edited.get(choice.file) ?? choice.code]));
    const kept = Object.keys(this.#read().drafts); // another tab may have written some
    /** @param {string} name */
    const isFree = (name) => taken.get(name) === code || (!taken.has(name) && !kept.includes(name));
    const [, stem, end] = /^(.*?)(\.[^.]*)?$/s.exec(file) ?? [];
    let name = file;
    for (let number = 2; !isFree(name); number += 1) name = `${stem} ${number}${end ?? ""}`;
    this.choose(name);
    if (taken.has(name)) return; // it is there already
    this.#aside = null;
    this.#untouched.set(name, waitsAs);
    this.#keep(code);
  }

  /** Take the starting point as the lab has it; the reader's version is put aside until the next edit. */
  goBack() {
    const point = this.#point;
    if (!point) return;
    this.#putAside(this.chosen);
    this.#keep(point.code);
  }

  /** Remove a draft of no starting point; it is put aside until the next edit. */
  delete() {
    const { chosen } = this;
    this.#putAside(this.#points[0].file);
    this.#edited.delete(chosen);
    this.#write();
    this.choose(this.#points[0].file);
  }

  /** @param {string} at */
  #putAside(at) {
    this.#aside = { file: this.chosen, code: this.code, waitsAs: this.waitsAs, at };
    this.touch();
  }

  bringBack() {
    if (!this.#aside) return;
    const { file, code, waitsAs } = this.#aside;
    this.#aside = null;
    this.chosen = file;
    if (waitsAs) this.#untouched.set(file, waitsAs);
    this.#keep(code);
  }

  /** A frame without an origin of its own has no storage. */
  #canRead() {
    try {
      this.#storage().getItem(KEY);
      return true;
    } catch {
      return false;
    }
  }

  /** What the browser holds; what is no record of drafts counts as none. @returns {{chosen?: unknown, drafts: Record<string, string>}} */
  #read() {
    try {
      const { chosen, drafts } = JSON.parse(this.#storage().getItem(KEY) ?? "null") ?? {};
      const texts = Object.entries(drafts ?? {}).filter(([, code]) => typeof code === "string");
      return { chosen, drafts: Object.fromEntries(texts) };
    } catch {
      return { drafts: {} };
    }
  }

  /** Only the chosen one is written: another tab may have written to the others. */
  #write() {
    const { drafts } = this.#read();
    delete drafts[this.chosen];
    const edited = this.#edited.get(this.chosen);
    if (edited !== undefined) drafts[this.chosen] = edited;
    try {
      this.#storage().setItem(KEY, JSON.stringify({ chosen: this.chosen, drafts }));
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }
}
