/** The runs that this browser keeps, in IndexedDB: how they are written, read and deleted, and how other tabs hear of it. */

import { openDB } from "idb";
/** @import { IDBPDatabase, IDBPTransaction } from "idb" */
/** @import { Finding, RunSummary } from "./kinds.js" */

/** Name of the database, and of the channel on which tabs tell each other that it has changed. */
const NAME = "embedding-lab";
const VERSION = 1;
/**
 * By the key of a run: what a list shows of it; what it takes to look at it or to go on; and what labs found out, which
 * changes most often. By the id of an experiment: the text that all its runs train on, if it is the reader's own.
 */
const STORES = ["runs", "contents", "findings", "texts"];

/** @typedef {(name: string) => import("idb").IDBPObjectStore<unknown, string[], string, "readwrite">} WritableStores */

/**
 * @typedef {object} Row
 * @property {Omit<RunSummary, "state"> & {state: string}} summary all that a list shows (record.js)
 * @property {object} contents
 * @property {{build: string, found: Finding[]}} findings with what they hold for (record.js)
 * @property {string|null} text a reader's own
 */

export class Archive {
  #on;
  /** @type {IDBPDatabase | null} */
  #database = null;
  /** @type {BroadcastChannel | null} */
  #channel = null;
  /** What was closed by the browser is open again, or cannot be opened. @type {Promise<void>} */
  #reopened = Promise.resolve();

  /**
   * @param {object} on
   * @param {() => void} on.change another tab has changed what is kept
   * @param {(message: string|null) => void} on.trouble the database cannot be used for now, and why; null: it opens at last
   */
  constructor(on) {
    this.#on = on;
  }

  /** @throws {Error} this browser keeps nothing; `tell` says why */
  async open() {
    if (!globalThis.indexedDB) throw new Error("this browser has no IndexedDB");
    this.#database = await openDB(NAME, VERSION, {
      upgrade(database) {
        for (const name of STORES) database.createObjectStore(name);
      },
      blocked: () => this.#on.trouble("Another tab holds an older version of what is kept: close that tab."),
      blocking: () => this.#leave("A newer version of this page was opened in another tab: reload this one."),
      terminated: () => this.#reopen(),
    });
    this.#on.trouble(null);
    this.#channel = new BroadcastChannel(NAME);
    this.#channel.onmessage = () => this.#on.change();
  }

  close() {
    this.#database?.close();
    this.#database = null;
    this.#channel?.close();
    this.#channel = null;
  }

  /** Browsers close a database when the data of its site are deleted or the disk fails: what comes next finds a new one. */
  #reopen() {
    this.close();
    this.#reopened = this.open().then(
      () => void this.#on.change(),
      () => this.#on.trouble("The browser has closed what is kept: reload the page."),
    );
  }

  /** @param {string} message */
  #leave(message) {
    this.close();
    this.#on.trouble(message);
  }

  /** @returns {Promise<{key: IDBValidKey, value: any}[]>} the summary of every run as it is stored: not to be trusted */
  async list() {
    const { store, done } = await this.#begin(["runs"], "readonly");
    const [keys, values] = await Promise.all([store("runs").getAllKeys(), store("runs").getAll(), done]);
    return values.map((value, index) => ({ key: keys[index], value }));
  }

  /**
   * Write a run whole, or not at all. Its record is replaced, unless another tab has gone on with the same run and come
   * further: a longer run holds all of a shorter one, and never the other way round.
   * @param {Row} row
   * @param {boolean} isKept whether it has been kept before: then it is only written if it was not deleted meanwhile
   * @param {string} spare a new key, for the case that under its own there is more
   * @returns {Promise<IDBValidKey|null>} the key under which it was written, or null
   */
  put({ summary, contents, findings, text }, isKept, spare) {
    return this.#write(async (store) => {
      const before = await store("runs").get(summary.key);
      if (isKept && before === undefined) return null;
      const key = before?.step > summary.step ? spare : summary.key;
      await putAll(store, [["runs", { ...summary, key }, key], ["contents", contents, key], ["findings", findings, key]]);
      if (text !== null) await putAll(store, [["texts", text, summary.experiment]]);
      return key;
    });
  }

  /**
   * Write what labs have found out about a run, unless it was deleted or trained further meanwhile.
   * @param {Pick<Row, "summary" | "findings">} row with the size that the run has now
   * @returns {Promise<boolean>} whether it was written
   */
  putFindings({ summary, findings }) {
    return this.#write(async (store) => {
      if ((await store("runs").get(summary.key))?.step !== summary.step) return false;
      await putAll(store, [["runs", summary, summary.key], ["findings", findings, summary.key]]);
      return true;
    });
  }

  /**
   * @param {IDBValidKey[]} keys
   * @param {string} experiment theirs
   * @returns {Promise<{rows: {contents: any, findings: any}[], text: any}>} as they are stored: not to be trusted
   */
  async read(keys, experiment) {
    const { store, done } = await this.#begin(STORES, "readonly");
    /** @param {IDBValidKey} key */
    const row = async (key) => {
      const [contents, findings] = await Promise.all([store("contents").get(key), store("findings").get(key)]);
      return { contents, findings };
    };
    const [text, rows] = await Promise.all([store("texts").get(experiment), Promise.all(keys.map(row)), done]);
    return { rows, text };
  }

  /** @param {IDBValidKey[]} keys of runs */
  remove(keys) {
    return this.#write(async (store) => {
      await Promise.all(["runs", "contents", "findings"].flatMap((name) => keys.map((key) => store(name).delete(key))));
      const used = new Set((await store("runs").getAll()).map((summary) => summary?.experiment));
      const unused = (await store("texts").getAllKeys()).filter((experiment) => !used.has(experiment));
      await Promise.all(unused.map((experiment) => store("texts").delete(experiment)));
      return true;
    });
  }

  clear() {
    return this.#write(async (store) => {
      await Promise.all(STORES.map((name) => store(name).clear()));
      return true;
    });
  }

  /**
   * One transaction over all stores, which is carried out whole or not at all. If `work` gives something but null or
   * false, the other tabs are told, as long as this one listens to them, too.
   * @template T
   * @param {(store: WritableStores) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #write(work) {
    const { transaction, store, done } = await this.#begin(STORES, "readwrite");
    done.catch(() => {}); // what went wrong in `work` is thrown there
    try {
      const written = await work(store);
      await done;
      if (written) this.#channel?.postMessage("changed");
      return written;
    } catch (error) {
      abort(transaction);
      throw error;
    }
  }

  /**
   * @template {IDBTransactionMode} M
   * @param {string[]} names
   * @param {M} mode
   */
  async #begin(names, mode) {
    await this.#reopened;
    if (!this.#database) throw new Error("what is kept is not open");
    const transaction = this.#database.transaction(names, mode);
    /** @param {string} name */
    const store = (name) => transaction.objectStore(name);
    return { transaction, store, done: transaction.done };
  }
}

/**
 * A row that is refused at once is refused like one that is refused later, when all the others are settled with it.
 * @param {WritableStores} store
 * @param {[name: string, value: unknown, key: IDBValidKey][]} rows
 */
const putAll = (store, rows) => Promise.all(rows.map(async ([name, value, key]) => store(name).put(value, key)));

/**
 * Undo a transaction that still stands; one that was undone by its error has ended.
 * @param {{abort: () => void}} transaction
 */
function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    // it has ended
  }
}
