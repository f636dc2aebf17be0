/** A Python beside the pool, for what the reader waits for while runs train: started when it is wanted, ended when it is not. */

import { afterAwake } from "./awake.js";
import { WorkerHungError } from "./worker-pool.js";
/** @import { Python } from "./kinds.js" */
/** @import { Handle } from "./python-worker.js" */

export class SideWorker {
  #start;
  #rest;
  #onPrinted;
  /** @type {Handle | null} */
  #handle = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /**
   * @param {object} options
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {number} [options.rest] milliseconds without a call after which it is ended
   * @param {(text: string) => void} [options.onPrinted] told what Python prints
   */
  constructor({ start, rest = Infinity, onPrinted = () => {} }) {
    this.#start = start;
    this.#rest = rest;
    this.#onPrinted = onPrinted;
  }

  /** Start Python, if it is not there, so that the next call need not wait for it. @returns {Handle} it */
  warm() {
    this.#handle ??= this.#start({ onProgress: () => {}, onPrinted: this.#onPrinted });
    clearTimeout(this.#timer);
    if (this.#rest < Infinity) this.#timer = setTimeout(() => this.end(), this.#rest);
    return this.#handle;
  }

  /**
   * Call a function of `embedding_lab.worker`. If it does not answer in time or raises, this Python is ended; the next
   * call starts another.
   *
   * @template {keyof Python} N
   * @param {number} limit milliseconds, from when Python is there
   * @param {N} name
   * @param {Parameters<Python[N]>} args
   * @returns {Promise<ReturnType<Python[N]>>}
   * @throws {WorkerHungError} the limit passed
   * @throws {Error} with the code "terminated": `end` was called meanwhile; otherwise Python did not start, or raised
   */
  async call(limit, name, ...args) {
    const handle = this.warm();
    clearTimeout(this.#timer);
    let answered = () => {};
    try {
      await handle.ready;
      /** @type {Promise<never>} */
      const hung = new Promise((_, reject) => (answered = afterAwake(limit, () => reject(new WorkerHungError(name, limit)))));
      return await Promise.race([handle.call(name, ...args), hung]);
    } catch (error) {
      if (handle === this.#handle) this.end();
      throw error;
    } finally {
      answered();
      if (handle === this.#handle) this.warm(); // from here on it rests
    }
  }

  /** Ask Python to stop what it does, and keep what it holds. @returns {boolean} whether there is one to ask */
  interrupt() {
    this.#handle?.interrupt();
    return this.#handle !== null;
  }

  /** End Python at once, whatever it is doing. */
  end() {
    clearTimeout(this.#timer);
    this.#handle?.terminate();
    this.#handle = null;
  }
}
