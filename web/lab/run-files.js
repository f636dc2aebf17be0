/** Runs as files: Python reads and writes them, in a worker that has nothing else to do. */

import { textOf } from "./corpus.js";
import { deadline, PATIENCE } from "./deadline.js";
import { answered } from "./errors.js";
import { createRun, takeUp } from "./run.js";
/** @import { Data, Python, Run, Unpacked } from "./kinds.js" */

/** Deadline of reading or writing a file, in milliseconds: megabytes to pack and to check. */
const FILE_DEADLINE = 60_000;
/** @typedef {<N extends keyof Python>(limit: number, name: N, ...args: Parameters<Python[N]>) => Promise<ReturnType<Python[N]>>} Ask */

/** What a run is called in the worker that reads or writes it. */
const SAVED = "saved";

export class RunFiles {
  #data;
  #pool;

  /** @param {{data: Data, pool: import("./worker-pool.js").WorkerPool}} parts `data` is lab-data */
  constructor({ data, pool }) {
    this.#data = data;
    this.#pool = pool;
  }

  /**
   * @param {Uint8Array} bytes of a file
   * @param {(found: {name: string, code: string}) => boolean|Promise<boolean>} mayRun asked where the run has an encoding
   *   of its own, before anything of its code is run
   * @returns {Promise<Run|null>} the run in it, which has ended or was stopped; null if its code may not run
   * @throws {Error} the file holds none; `message` says what it is instead
   */
  async read(bytes, mayRun) {
    const { run, waits } = await this.#withPython(null, async (ask) => {
      const found = answered(await ask(FILE_DEADLINE, "read_checkpoint", bytes));
      return found.needsConsent ? { run: null, waits: found } : { run: await this.#open(ask, found), waits: null };
    });
    if (!waits) return run;
    if (!(await mayRun(waits))) return null; // no worker waits for the reader meanwhile
    return this.#withPython(waits.code, async (ask) => {
      const found = answered(await ask(FILE_DEADLINE, "read_checkpoint", bytes, true));
      return found.needsConsent ? null : this.#open(ask, found);
    });
  }

  /** Of what `read_checkpoint` gave, the run. @param {Ask} ask @param {Unpacked} unpacked */
  async #open(ask, { config, text, textHash, saved, version, code = null }) {
    const run = createRun(config, code);
    run.text = text ?? null;
    /** @type {Parameters<Python["open_run"]>} */
    const args = [SAVED, config, await textOf(this.#data, run), null, saved, textHash, code];
    const { frame, ...facts } = answered(await ask(deadline(run, args), "open_run", ...args));
    Object.assign(run, { facts, version, geometry: frame.geometry && { ...frame.geometry, step: frame.step } });
    takeUp(run, saved);
    return run;
  }

  /**
   * @param {Run} run one that has ended and is saved
   * @returns {Promise<{name: string, bytes: Uint8Array<ArrayBuffer>}>} the file, and what to call it
   */
  write(run) {
    return this.#withPython(run.code, async (ask) => {
      /** @type {Parameters<Python["open_run"]>} */
      const args = [SAVED, run.config, await textOf(this.#data, run), null, run.saved, null, run.code];
      answered(await ask(deadline(run, args), "open_run", ...args));
      return answered(await ask(FILE_DEADLINE, "checkpoint", SAVED, run.label));
    });
  }

  /**
   * A worker in which a reader's code failed is trusted no more.
   * @template T
   * @param {string|null} code
   * @param {(ask: Ask) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #withPython(code, work) {
    const worker = await this.#pool.acquire({ code });
    try {
      return await work((limit, name, ...args) => this.#pool.call(worker, limit, name, ...args));
    } catch (error) {
      if (code !== null) this.#pool.discard(worker);
      throw error;
    } finally {
      await this.#pool.call(worker, PATIENCE, "close_run", SAVED).catch(() => {}); // one that broke was replaced
      this.#pool.release(worker);
    }
  }
}
