/** The reader's versions of the starting points, as long as they are written; they outlast a reload where the browser allows it. */

const KEY = "embedding-lab:encoding-drafts";

/** @typedef {{file: string, name: string, title: string, teaches: string, code: string}} StartingPoint what the build generates as lab-starting-points */

export class Drafts {
  #points;
  #storage;
  /** The reader's code by file, where it differs from the starting point. */
  #edited;
  /** Files whose draft was found in the browser and has not been touched since. */
  #untouched;
  /** The version that "back to the original" put aside: {file, code} or null. */
  #aside = null;
  /** Whether the browser keeps what is written. */
  isKept = true;

  /**
   * @param {StartingPoint[]} points
   * @param {() => Storage} [storage] gives localStorage; a browser may refuse at the asking
   */
  constructor(points, storage = () => globalThis.localStorage) {
    this.#points = points;
    this.#storage = storage;
    const { chosen, drafts } = this.#read();
    this.#edited = new Map(Object.entries(drafts));
    this.#untouched = new Set(this.#edited.keys());
    /** The file of the starting point in the editor. */
    this.chosen = this.choices().some(({ file }) => file === chosen) ? chosen : points[0].file;
  }

  /** @returns {(StartingPoint & {isEdited: boolean})[]} the starting points, and drafts of some that the lab no longer has */
  choices() {
    const known = this.#points.map((point) => ({ ...point, isEdited: this.#edited.has(point.file) }));
    const others = [...this.#edited].filter(([file]) => !this.#points.some((point) => point.file === file));
    return [...known, ...others.map(([file, code]) => ({ file, name: file, title: file, teaches: "", code, isEdited: true }))];
  }

  get #point() {
    return this.#points.find(({ file }) => file === this.chosen);
  }

  /** The code in the editor. */
  get code() {
    return this.#edited.get(this.chosen) ?? this.#point.code;
  }

  /** What the chosen starting point teaches. */
  get teaches() {
    return this.#point?.teaches ?? "";
  }

  /** Whether the code differs from the starting point, which the lab still has. */
  get canGoBack() {
    return this.#point !== undefined && this.#edited.has(this.chosen);
  }

  /** Whether there is a version that was put aside. */
  get canBringBack() {
    return this.#aside?.file === this.chosen;
  }

  /** Whether the code was found in the browser, and the reader has neither edited nor run it since. */
  get isFromBefore() {
    return this.#untouched.has(this.chosen);
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
    this.#keep(code);
  }

  #keep(code) {
    this.touch();
    if (code === this.#point?.code) this.#edited.delete(this.chosen);
    else this.#edited.set(this.chosen, code);
    this.#write();
  }

  /** Take the starting point as the lab has it; the reader's version is put aside until the next edit. */
  goBack() {
    this.#aside = { file: this.chosen, code: this.code };
    this.#keep(this.#point.code);
  }

  bringBack() {
    const { code } = this.#aside;
    this.#aside = null;
    this.#keep(code);
  }

  /** What the browser holds; what is no record of drafts counts as none. */
  #read() {
    try {
      const { chosen, drafts } = JSON.parse(this.#storage().getItem(KEY)) ?? {};
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
    if (this.#edited.has(this.chosen)) drafts[this.chosen] = this.#edited.get(this.chosen);
    try {
      this.#storage().setItem(KEY, JSON.stringify({ chosen: this.chosen, drafts }));
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
  }
}
