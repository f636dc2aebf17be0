/** Notes in this tab what trains, so that the page, when it is loaded again, can say which runs that has cost. */

import { isUnderWay as hasStepsLeft } from "./run.js";
import { isUnderWay } from "./training-lock.js";
/** @import { Interrupted } from "./kinds.js" */

/**
 * Tell in the store what an earlier load of this page had under way, and note from here on what this one has.
 *
 * The note is written when an experiment begins and when a run of it ends, since a page that crashes tells nothing, and once
 * more when the page is left: only then it is known at which steps the runs were. A browser copies it into a tab that is
 * duplicated, where nothing was interrupted: so it only counts where the page was left, or this load is a reload.
 *
 * @param {import("./store.js").Store} store `state.interrupted` is filled here
 * @param {Window & typeof globalThis} [page]
 */
export function noteWhatTrains(store, page = window) {
  const storage = storageOf(page);
  if (!storage) return;
  // Several labs may stand on one page of a course; two that begin alike share a note.
  const key = `embedding-lab:under-way:${page.location.pathname}${page.location.search}`;
  const before = read(storage.getItem(key));
  storage.removeItem(key);
  const [navigation] = page.performance.getEntriesByType("navigation");
  const isReload = navigation !== undefined && "type" in navigation && navigation.type === "reload";
  if (before && (before.left || isReload)) store.set({ interrupted: before.runs });

  let noted = 0;
  /** @param {boolean} left whether the page is left now */
  const write = (left) => {
    const open = store.state.runs.filter(hasStepsLeft);
    if (!left && open.length === noted) return;
    noted = open.length;
    const runs = open.map(({ label, step, steps }) => ({ label, step: left ? step : null, steps }));
    try {
      storage.setItem(key, JSON.stringify({ left, runs }));
    } catch {
      // there is no room: then it is not said
    }
  };
  store.observe(({ phase }) => {
    if (phase === undefined) return;
    if (isUnderWay(phase)) {
      write(false);
      if (store.state.interrupted) store.set({ interrupted: null });
    } else {
      noted = 0;
      storage.removeItem(key);
    }
  });
  store.subscribe(["runs"], () => isUnderWay(store.state.phase) && write(false));
  page.addEventListener("pagehide", () => isUnderWay(store.state.phase) && write(true));
}

/** @param {Window} page @returns {Storage|null} a frame without an origin has none, and a browser may refuse it */
function storageOf(page) {
  try {
    return page.sessionStorage;
  } catch {
    return null;
  }
}

/** @param {string|null} text @returns {{left: boolean, runs: Interrupted[]}|null} null if it is none of these notes */
function read(text) {
  try {
    const { left, runs } = JSON.parse(text ?? "null");
    /** @param {Interrupted} run */
    const isRun = ({ label, step, steps }) =>
      typeof label === "string" && (step === null || Number.isInteger(step)) && Number.isInteger(steps);
    return runs.length && runs.every(isRun) ? { left: left === true, runs } : null;
  } catch {
    return null;
  }
}
