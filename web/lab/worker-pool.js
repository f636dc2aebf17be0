/**
 * The Python workers: as many as cores, started early, reused from run to run, replaced when one hangs or breaks.
 *
 * A reader's own code may change anything in the Python that it runs in. So a worker that was taken for some code serves
 * that code alone from then on, and is replaced when something else needs its place.
 */

import { NotAllowedError } from "./own.js";

/** A worker that did not answer within its deadline and was ended. */
export class WorkerHungError extends Error {
  code = "hung";

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

export class WorkerPool {
  #start;
  #size;
  #allows;
  #on;
  #workers = new Set();
  #waiting = [];

  /**
   * @param {object} options
   * @param {typeof import("./python-worker.js").startPythonWorker} options.start
   * @param {number} options.cores one worker for each, from 1 to 8
   * @param {(has: {code: string}) => boolean} options.allows whether a reader's code may run
   * @param {(progress: object) => void} options.onProgress how far the first worker has come
   * @param {(error: Error) => void} options.onFailure no worker could start; `begin` tries again
   */
  constructor({ start, cores, allows, ...on }) {
    this.#start = start;
    this.#allows = allows;
    this.#size = Math.min(Math.max(cores || 1, 1), MOST_WORKERS);
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
   * @param {(worker: object) => boolean} [options.prefers] which one to take if it is among those that are free now
   * @param {string|null} [options.code] a reader's code that is to run in it
   * @param {AbortSignal} [options.signal] calls it off while it waits
   * @returns {Promise<{secondsToReady: number}>} to hand to `call` and `release`
   * @throws {NotAllowedError} the reader has not allowed the code
   * @throws {any} the reason of the signal
   */
  async acquire({ prefers = () => false, code = null, signal } = {}) {
    if (!this.#allows({ code })) throw new NotAllowedError();
    return new Promise((resolve, reject) => {
      const waiting = { resolve, prefers, code };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      });
      this.#serve();
    });
  }

  /** Give a worker back. One that was replaced meanwhile is forgotten. */
  release(worker) {
    if (!this.#workers.has(worker)) return;
    worker.state = "free";
    this.#serve();
  }

  /** End a worker that can no longer be trusted, and start another in its place. */
  discard(worker) {
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
    const starting = [...this.#workers].filter(({ state }) => state === "starting").length;
    for (const worker of this.#free.slice(0, Math.max(0, this.#waiting.length - starting))) this.discard(worker);
  }

  get #free() {
    return [...this.#workers].filter(({ state }) => state === "free");
  }

  /**
   * Call a function of `embedding_lab.worker`. If it does not answer in time or raises, its worker is replaced: after
   * either, what that worker holds can no longer be trusted.
   *
   * @param {object} worker from `acquire`
   * @param {number} deadline in milliseconds
   * @param {string} name
   * @returns {Promise<any>}
   * @throws {WorkerHungError} the deadline passed
   * @throws {Error} Python raised; the message is its traceback
   */
  async call(worker, deadline, name, ...args) {
    if (!this.#workers.has(worker)) throw new Error("This worker was ended.");
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new WorkerHungError(name, deadline)), deadline);
    });
    try {
      return await Promise.race([worker.handle.call(name, ...args), late]);
    } catch (error) {
      this.discard(worker);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #fill() {
    while (this.#workers.size < this.#size) this.#launch(() => {});
  }

  #launch(onProgress) {
    let silence, fail;
    const silent = new Promise((_, reject) => (fail = reject));
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => fail(new WorkerSilentError()), LONGEST_SILENCE);
    };
    const handle = this.#start({
      onProgress: (progress) => {
        listen();
        onProgress(progress);
      },
    });
    listen();
    const worker = { handle, state: "starting", code: null };
    this.#workers.add(worker);
    Promise.race([handle.ready, silent]).finally(() => clearTimeout(silence)).then(
      ({ secondsToReady }) => {
        worker.secondsToReady = secondsToReady;
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
