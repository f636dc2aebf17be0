/** Tries an encoding that the reader writes, in a Python of its own, which is ended afterwards: nothing it did there stays. */

import { isAnswer } from "./encoding-answer.js";
import { asError } from "./errors.js";
import { SideWorker } from "./side-worker.js";
/** @import { Answer, Config, Examined } from "./kinds.js" */

/** How long Python may take to answer at all, and then the code, in milliseconds. */
const START_LIMIT = 30_000;
const LIMIT = 10_000;
/** How long a Python that was started waits for its check, in milliseconds. */
const REST = 60_000;

/** A check that another one took the place of. */
class SupersededError extends Error {
  code = "superseded";
}

/** The code left its Python unable to answer, or with an answer that is none. */
class BrokenPythonError extends Error {
  code = "broken";

  constructor() {
    super("The code broke its Python, so there is no answer to show: leave out what reaches into Python itself. Each check has a Python of its own.");
  }
}

export class EncodingCheck {
  #start;
  /** @type {SideWorker | null} */
  #python = null;
  #isBusy = false;

  /** @param {{start: typeof import("./python-worker.js").startPythonWorker}} parts */
  constructor({ start }) {
    this.#start = start;
  }

  /** Start the Python of the next check. @returns {SideWorker} it */
  warm() {
    this.#python ??= new SideWorker({ start: this.#start, rest: REST });
    this.#python.warm();
    return this.#python;
  }

  /**
   * @param {string} code
   * @param {Config} config the settings to try it with
   * @returns {Promise<Answer<Examined>>} what `check_encoding` answers
   * @throws {Error} Python did not start, or did not answer in time (`code` "hung"); `code` "superseded": another check began;
   *   `code` "broken": the code broke the Python
   */
  async check(code, config) {
    if (this.#isBusy) this.#end();
    const python = this.warm();
    this.#isBusy = true;
    let wasThere = false;
    try {
      await python.call(START_LIMIT, "status");
      if (python !== this.#python) throw new SupersededError(); // another call would start a Python that nobody ends
      wasThere = true; // so what fails from here on, the code has done
      const answer = await python.call(LIMIT, "check_encoding", code, config);
      if (!isAnswer(answer)) throw new BrokenPythonError();
      return answer;
    } catch (error) {
      if (python !== this.#python) throw new SupersededError();
      throw wasThere && asError(error).code !== "hung" ? new BrokenPythonError() : error;
    } finally {
      if (python === this.#python) this.#end();
    }
  }

  #end() {
    this.#python?.end();
    this.#python = null;
    this.#isBusy = false;
  }
}
