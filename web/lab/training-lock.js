/** Tells the other tabs of the site that an experiment is under way in this one. */

/** The lock that each tab shares in while it trains; a site in another folder of the same origin has another. */
export const TRAINING_LOCK = `embedding-lab:training:${new URL("..", import.meta.url)}`;

/** @returns {LockManager|undefined} undefined in a frame without an origin, and in a browser that has none */
export function locks() {
  try {
    return navigator.locks;
  } catch {
    return undefined;
  }
}

/** @param {string} phase of the store */
export const isUnderWay = (phase) => phase === "running" || phase === "paused";

/**
 * Hold the lock from the beginning of each experiment to its end. Training does not wait for it.
 * @param {import("./store.js").Store} store
 * @param {LockManager} [manager]
 */
export function holdWhileTraining(store, manager = locks()) {
  /** @type {((value?: unknown) => void) | null} */
  let end = null;
  store.observe(({ phase }) => {
    if (phase === undefined || isUnderWay(phase) === (end !== null)) return;
    if (end) {
      end();
      end = null;
    } else {
      const ended = new Promise((resolve) => (end = resolve));
      manager?.request(TRAINING_LOCK, { mode: "shared" }, () => ended).catch(() => {});
    }
  });
}
