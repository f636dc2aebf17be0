/**
 * The Python workers: as many as cores, started early, reused from run to run, replaced when one hangs or breaks.
 *
 * A reader's own code may change anything in the Python that it runs in. So a worker that was taken for some code serves
 * that code alone from then on, and is replaced when something else needs its place.
 */

import { afterAwake } from "./awake.js";
import { NotAllowedError } from "./own.js";
/** @import { Progress, Python } from "./kinds.js" */
/** @import { Handle } from "./python-worker.js" */

/**
 * @typedef {object} PoolWorker
 * @property {Handle} handle
 * @property {"starting"|"free"|"taken"} state
 * @property {string|null} code of a reader's, which alone it may run
 * @property {number|null} secondsToReady null while it starts
 *
 * @typedef {object} Waiting
 * @property {(worker: PoolWorker) => void} resolve
 * @property {(worker: PoolWorker) => boolean} prefers
 * @property {string|null} code
 */

/** A worker that did not answer within its deadline and was ended. */
export class WorkerHungError extends Error {
  code = "hung";

  /** @param {string} name @param {number} deadline */
  constructor(name, deadline) {
    super(`Python did not answer within ${Math.round(deadline / 1000)} s (${name}), so its worker was ended.`);
  }
}

/** A worker that began to start and then told nothing more. */
class WorkerSilentError extends Error {
  code = "silent";

  constructor() {
    super(`Python told nothing for ${LONGEST_SILENCE / 1000} s while it was loading: check the connection and try again.`);
  }
}

/** How long a worker that is starting may tell nothing, in milliseconds; the longest it computes on its own is seconds. */
const LONGEST_SILENCE = 60_000;

/** The most workers; each is a Python of its own and takes memory. */
const MOST_WORKERS = 8;

/** @param {number} cores @returns {number} how many workers a machine with so many cores may have, from 1 to 8 */
export const poolSize = (cores) => Math.min(Math.max(cores || 1, 1), MOST_WORKERS);

export class WorkerPool {
  #start;
  #size;
  #allows;
  #on;
  /** @type {Set<PoolWorker>} */
  #workers = new Set();
  /** @type {Waiting[]} */
  #waiting = [];
  #cores;
  /** How a worker that trains gives its core back. @type {WeakMap<PoolWorker, () => void>} */
  #heldCores = new WeakMap();
  /** Whether a worker has been ready, so that others may follow. */
  #isOpen = false;

  /**
   * @param {object} options
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {number} options.cores of this machine: one worker for each (`poolSize`)
   * @param {(has: {code: string|null}) => boolean} options.allows whether a reader's code may run
   * @param {(progress: Progress) => void} options.onProgress how far the first worker has come
   * @param {(error: Error) => void} options.onFailure no worker could start; `begin` tries again
   * @param {import("./cores.js").SharedCores|null} [options.shared] the cores, if other labs train on them too: then a
   *   worker is started when it is wanted, and trains when a core is free
   */
  constructor({ start, cores, allows, shared = null, ...on }) {
    this.#start = start;
    this.#allows = allows;
    this.#cores = shared;
    this.#size = poolSize(cores);
    this.#on = on;
  }

  /** How many workers there are once all have started. */
  get size() {
    return this.#size;
  }

  /**
   * Start the first worker; also the way to try again after `onFailure`. The others follow when it is ready: until then
   * they would only take processors from it.
   */
  begin() {
    if (this.#workers.size >= this.#size) return;
    this.#launch(this.#on.onProgress);
  }

  /**
   * A worker of one's own, as soon as one is free; first come, first served.
   * @param {object} [options]
   * @param {(worker: PoolWorker) => boolean} [options.prefers] which one to take if it is among those that are free now
   * @param {string|null} [options.code] a reader's code that is to run in it
   * @param {AbortSignal} [options.signal] calls it off while it waits
   * @returns {Promise<PoolWorker>} to hand to `call` and `release`
   * @throws {NotAllowedError} the reader has not allowed the code
   * @throws {any} the reason of the signal
   */
  async acquire({ prefers = () => false, code = null, signal } = {}) {
    if (!this.#allows({ code })) throw new NotAllowedError();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      /** @type {Waiting} */
      const waiting = { resolve, prefers, code };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      });
      this.#serve();
      if (this.#cores) this.#fill();
    });
  }

  /** Whether a worker may compute for long. @param {PoolWorker} worker */
  hasCore(worker) {
    return !this.#cores || this.#heldCores.has(worker);
  }

  /**
   * Wait for a core, before a worker computes for long. Whoever waits has a worker already, and whoever has a core waits for
   * nothing: so each comes to an end.
   * @param {PoolWorker} worker
   * @param {AbortSignal} signal calls it off while it waits
   * @throws {any} the reason of the signal
   */
  async takeCore(worker, signal) {
    if (this.#cores && !this.hasCore(worker)) this.#heldCores.set(worker, await this.#cores.take(signal));
  }

  /** Leave a worker's core to other labs, for as long as it does not train. @param {PoolWorker} worker */
  rest(worker) {
    this.#heldCores.get(worker)?.();
    this.#heldCores.delete(worker);
  }

  /** Give a worker back. One that was replaced meanwhile is forgotten. @param {PoolWorker} worker */
  release(worker) {
    this.rest(worker);
    if (!this.#workers.has(worker)) return;
    worker.state = "free";
    this.#serve();
  }

  /** End a worker that can no longer be trusted, and start another in its place. @param {PoolWorker} worker */
  discard(worker) {
    this.rest(worker);
    this.#workers.delete(worker);
    worker.handle.terminate();
    this.#fill();
  }

  /** Give free workers to those who wait, and replace ones that no one who waits can use. */
  #serve() {
    this.#waiting = this.#waiting.filter(({ resolve, prefers, code }) => {
      const fitting = this.#free.filter((worker) => worker.code === null || worker.code === code);
      const taken = fitting.find(prefers) ?? fitting.find((worker) => worker.code === code) ?? fitting[0];
      if (!taken) return true;
      Object.assign(taken, { state: "taken", code });
      resolve(taken);
      return false;
    });
    for (const worker of this.#free.slice(0, Math.max(0, this.#waiting.length - this.#starting))) this.discard(worker);
  }

  get #starting() {
    return [...this.#workers].filter(({ state }) => state === "starting").length;
  }

  get #free() {
    return [...this.#workers].filter(({ state }) => state === "free");
  }

  /**
   * Call a function of `embedding_lab.worker`. If it does not answer in time or raises, its worker is replaced: after
   * either, what that worker holds can no longer be trusted.
   *
   * @template {keyof Python} N
   * @param {PoolWorker} worker from `acquire`
   * @param {number} deadline in milliseconds
   * @param {N} name
   * @param {Parameters<Python[N]>} args
   * @returns {Promise<ReturnType<Python[N]>>}
   * @throws {WorkerHungError} the deadline passed
   * @throws {Error} Python raised; the message is its traceback
   */
  async call(worker, deadline, name, ...args) {
    if (!this.#workers.has(worker)) throw new Error("This worker was ended.");
    let answered = () => {};
    /** @type {Promise<never>} */
    const late = new Promise((_, reject) => {
      answered = afterAwake(deadline, () => reject(new WorkerHungError(name, deadline)));
    });
    try {
      return await Promise.race([worker.handle.call(name, ...args), late]);
    } catch (error) {
      this.discard(worker);
      throw error;
    } finally {
      answered();
    }
  }

  /** Start workers, once one has been ready: all that there may be or, where cores are shared, those that are waited for. */
  #fill() {
    const isWanted = () => !this.#cores || this.#waiting.length > this.#starting;
    while (this.#isOpen && this.#workers.size < this.#size && isWanted()) this.#launch(() => {});
  }

  /** @param {(progress: Progress) => void} onProgress */
  #launch(onProgress) {
    /** @type {(reason: Error) => void} */
    let fail = () => {};
    let heard = () => {};
    /** @type {Promise<never>} */
    const silent = new Promise((_, reject) => (fail = reject));
    const listen = () => {
      heard();
      heard = afterAwake(LONGEST_SILENCE, () => fail(new WorkerSilentError()));
    };
    const handle = this.#start({
      onProgress: (progress) => {
        listen();
        onProgress(progress);
      },
    });
    listen();
    /** @type {PoolWorker} */
    const worker = { handle, state: "starting", code: null, secondsToReady: null };
    this.#workers.add(worker);
    Promise.race([handle.ready, silent]).finally(() => heard()).then(
      ({ secondsToReady }) => {
        worker.secondsToReady = secondsToReady;
        this.#isOpen = true;
        this.release(worker);
        this.#fill();
      },
      (error) => {
        handle.terminate();
        this.#workers.delete(worker);
        if (this.#workers.size === 0) this.#on.onFailure(error);
      },
    );
  }
}
