/** The cores of this machine, shared by the labs that stand in frames: no more workers train at a time than there are. */

import { locks } from "./training-lock.js";

/** A core is had by holding one of the locks with this name and a number; the browser gives them to all frames of the site. */
const NAME = "embedding-lab:core";

export class SharedCores {
  #names;
  #locks;

  /**
   * @param {number} count how many there are
   * @param {LockManager} [manager] the browser has none without a secure context
   */
  constructor(count, manager = locks()) {
    this.#names = Array.from({ length: count }, (_, index) => `${NAME} ${index}`);
    this.#locks = manager;
  }

  /**
   * Wait for a core, by asking for each and taking the first that is given; first come, first served. In a sandbox no lab
   * knows of another, and each takes what it wants.
   * @param {AbortSignal} [signal] calls it off while it waits
   * @returns {Promise<() => void>} gives the core back
   * @throws {any} the reason of the signal
   */
  take(signal) {
    const manager = this.#locks;
    if (!manager) return Promise.resolve(() => {});
    const settled = new AbortController();
    const either = signal ? AbortSignal.any([signal, settled.signal]) : settled.signal;
    return new Promise((resolve, reject) => {
      let isTaken = false;
      const hold = () => {
        if (isTaken) return undefined;
        isTaken = true;
        settled.abort();
        return new Promise((/** @type {(value: void) => void} */ giveBack) => resolve(giveBack));
      };
      for (const name of this.#names) {
        manager.request(name, { signal: either }, hold).catch((error) => {
          if (error.name === "SecurityError") resolve(() => {});
          else reject(error);
        });
      }
    });
  }
}
