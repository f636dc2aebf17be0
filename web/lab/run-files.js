/** Runs as files: Python reads and writes them, in a worker that has nothing else to do. */

import { textOf } from "./corpus.js";
import { deadline, PATIENCE } from "./deadline.js";
import { createRun, takeUp } from "./run.js";

/** Deadline of reading or writing a file, in milliseconds: megabytes to pack and to check. */
const FILE_DEADLINE = 60_000;
/** What a run is called in the worker that reads or writes it. */
const SAVED = "saved";

export class RunFiles {
  #data;
  #pool;

  /** @param {{data: object, pool: import("./worker-pool.js").WorkerPool}} parts `data` is lab-data */
  constructor({ data, pool }) {
    this.#data = data;
    this.#pool = pool;
  }

  /**
   * @param {Uint8Array} bytes of a file
   * @returns {Promise<object>} the run in it (run.js), which has ended or was stopped
   * @throws {Error} the file holds none; `message` says what it is instead
   */
  read(bytes) {
    return this.#withPython(async (ask) => {
      const { config, text, textHash, saved, version } = await ask(FILE_DEADLINE, "read_checkpoint", bytes);
      const run = createRun(config);
      run.text = text ?? null;
      const args = [SAVED, config, await textOf(this.#data, run), null, saved, textHash];
      const { frame, ...facts } = await ask(deadline(run, args), "open_run", ...args);
      Object.assign(run, { facts, version, geometry: frame.geometry && { ...frame.geometry, step: frame.step } });
      takeUp(run, saved);
      return run;
    });
  }

  /**
   * @param {object} run one that has ended and is saved
   * @returns {Promise<{name: string, bytes: Uint8Array}>} the file, and what to call it
   */
  write(run) {
    return this.#withPython(async (ask) => {
      const args = [SAVED, run.config, await textOf(this.#data, run), null, run.saved];
      await ask(deadline(run, args), "open_run", ...args);
      return ask(FILE_DEADLINE, "checkpoint", SAVED, run.label);
    });
  }

  /** What Python reports as an expected failure is thrown. */
  async #withPython(work) {
    const worker = await this.#pool.acquire();
    try {
      return await work(async (limit, name, ...args) => {
        const answer = await this.#pool.call(worker, limit, name, ...args);
        if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
        return answer;
      });
    } finally {
      await this.#pool.call(worker, PATIENCE, "close_run", SAVED).catch(() => {}); // one that broke was replaced
      this.#pool.release(worker);
    }
  }
}
