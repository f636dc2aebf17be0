/** Tries an encoding that the reader writes, in a Python of its own, which is ended afterwards: nothing it did there stays. */

import { SideWorker } from "./side-worker.js";

/** How long the code may take, in milliseconds. */
const LIMIT = 10_000;

/** A check that another one took the place of. */
class SupersededError extends Error {
  code = "superseded";
}

export class EncodingCheck {
  #start;
  #python = null;

  /** @param {{start: typeof import("./python-worker.js").startPythonWorker}} parts */
  constructor({ start }) {
    this.#start = start;
  }

  /** Start the Python of the next check. */
  warm() {
    this.#python ??= new SideWorker({ start: this.#start });
    this.#python.warm();
  }

  /**
   * @param {string} code
   * @param {Record<string, any>} config the settings to try it with
   * @returns {Promise<object>} what `check_encoding` answers
   * @throws {Error} Python did not start, or did not answer in time (`code` "hung"); `code` "superseded": another check began
   */
  async check(code, config) {
    if (this.#isBusy) this.#end();
    this.warm();
    const python = this.#python;
    this.#isBusy = true;
    try {
      return await python.call(LIMIT, "check_encoding", code, config);
    } catch (error) {
      throw python === this.#python ? error : new SupersededError();
    } finally {
      if (python === this.#python) this.#end();
    }
  }

  #isBusy = false;

  #end() {
    this.#python.end();
    this.#python = null;
    this.#isBusy = false;
  }
}
