/**
 * New versions of the site that the browser keeps (../sw.js): how a page learns of one, and changes to it.
 *
 * No version takes the place of another by itself while a page is open. The reader asks for it, and it is held back while
 * an experiment is under way in any tab. The tab that asked is loaded anew; the others go on with the scripts that they
 * have and are told, since what they have not loaded yet is gone. No file is ever taken from another version: the names
 * of all that a page loads tell their content.
 */

import { scriptAddress, SERVICE_WORKER } from "./script-address.js";
import { isUnderWay, TRAINING_LOCK } from "./training-lock.js";

/** What holds a new version back. */
export const HELD = {
  here: "An experiment is under way on this page. Stop it or let it end, then press again.",
  elsewhere: "An experiment is under way in another tab of this site. Stop it or let it end, then press again.",
};

export class Updates {
  #container;
  #locks;
  #phase;
  #reload;
  #onChange;
  /** @type {ServiceWorkerRegistration | null} */
  #registration = null;
  #isSwitching = false;
  /** Whether a version answers for this page: the first one that does replaces none. */
  #isKept;

  /**
   * @param {object} options
   * @param {ServiceWorkerContainer} options.container where a course's own may answer for this page, too
   * @param {LockManager|undefined} options.locks
   * @param {() => string} options.phase of the experiment on this page
   * @param {() => void} options.reload loads the page anew
   * @param {() => void} options.onChange called when `news` or `held` has changed
   */
  constructor({ container, locks, phase, reload, onChange }) {
    this.#container = container;
    this.#locks = locks;
    this.#phase = phase;
    this.#reload = reload;
    this.#onChange = onChange;
    this.#isKept = this.#isOurs(container.controller);
    /** @type {"ready" | "gone" | null} "ready": a new version waits; "gone": the site has changed to one, and this page is of the old; or null. */
    this.news = null;
    /** Why it is not used although the reader asked for it, or null. @type {string | null} */
    this.held = null;
    container.addEventListener("controllerchange", () => this.#changed());
  }

  /**
   * Have the browser keep the site, and look out for new versions.
   * @returns {Promise<void>} once it is asked for; a browser that keeps nothing has said so, and nothing else is lost
   */
  async register() {
    // It fails where storage is blocked or the server has no such file; browsers that are driven may give nothing.
    const registration = (await this.#container.register(scriptAddress(SERVICE_WORKER)).catch(() => null)) ?? null;
    this.#registration = registration;
    if (!registration) return;
    this.#watch(registration.installing);
    registration.addEventListener("updatefound", () => this.#watch(registration.installing));
    this.#look();
  }

  /** Ask the server for a new version; the browser asks by itself only when a page is opened. */
  async ask() {
    await this.#registration?.update().catch(() => {}); // there is no network
  }

  /** @param {ServiceWorker | null} worker */
  #watch(worker) {
    worker?.addEventListener("statechange", () => this.#look());
  }

  /** @param {ServiceWorker | null | undefined} worker */
  #isOurs(worker) {
    return worker?.scriptURL === SERVICE_WORKER;
  }

  /** @returns {boolean} whether the browser has all of the site */
  get isComplete() {
    return this.#isOurs(this.#registration?.active);
  }

  #look() {
    if (this.isComplete) this.#onChange();
    if (this.#registration?.waiting && this.#isOurs(this.#container.controller) && this.news === null) this.#tell({ news: "ready" });
  }

  #changed() {
    if (!this.#isOurs(this.#container.controller)) return;
    if (this.#isSwitching) this.#reload();
    else if (this.#isKept) this.#tell({ news: "gone", held: null });
    this.#isKept = true;
  }

  /** @param {{news?: "ready" | "gone", held?: string | null}} changes */
  #tell(changes) {
    Object.assign(this, changes);
    this.#onChange();
  }

  /** Change to the new version, unless an experiment is under way: then `held` says where. */
  async use() {
    if (isUnderWay(this.#phase())) return this.#tell({ held: HELD.here });
    const waiting = this.#registration?.waiting;
    if (this.news === "gone" || !waiting) return this.#reload();
    if (!this.#locks) return this.#switch(waiting);
    await this.#locks.request(TRAINING_LOCK, { ifAvailable: true }, (lock) =>
      lock ? this.#switch(waiting) : this.#tell({ held: HELD.elsewhere }),
    );
  }

  /**
   * Other tabs go on with the scripts that they have, also those that begin to train now.
   * @param {ServiceWorker} waiting
   */
  #switch(waiting) {
    this.#isSwitching = true;
    this.#tell({ held: null });
    waiting.postMessage("use-now");
    return new Promise((resolve) => this.#container.addEventListener("controllerchange", resolve));
  }
}
