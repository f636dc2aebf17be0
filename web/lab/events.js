/** What the page tells the outside: CustomEvents named `embedding-lab:*` on a target. */

import { trainLoss, validationLoss } from "./run.js";
/** @import { Gap, Run } from "./kinds.js" */

/** Least time between two progress events of one run, in milliseconds; its first steps and its last are told at once. */
const PROGRESS_EVERY = 500;

/** @typedef {ReturnType<typeof createEvents>} Events one function an event */

/** @param {EventTarget} target */
export function createEvents(target) {
  /** @type {WeakMap<Run, {at: number, step: number}>} */
  const told = new WeakMap();
  /** @type {(name: string, detail: object) => void} */
  const send = (name, detail) => target.dispatchEvent(new CustomEvent(`embedding-lab:${name}`, { detail }));

  return {
    /** @param {{backend: string, version: string, secondsToReady: number|null}} detail */
    ready: (detail) => send("ready", detail),

    /** @param {Run} run */
    progress(run) {
      const { id, encoding, seed, step, steps, stepsPerSecond } = run;
      const now = performance.now();
      const last = told.get(run);
      if (run.state === "training" && last && last.step > 0 && now - last.at < PROGRESS_EVERY) return;
      told.set(run, { at: now, step });
      const losses = { trainLoss: trainLoss(run) ?? null, validationLoss: validationLoss(run) ?? null };
      send("progress", { run: id, encoding, seed, step, steps, ...losses, stepsPerSecond });
    },

    /**
     * @param {Run[]} runs those that finished are told; where none did, there is no result
     * @param {Gap[]} gaps as `compare` gives them
     */
    result(runs, gaps) {
      const finished = runs.filter(({ state }) => state === "finished");
      if (finished.length === 0) return;
      const { encoding, seed, ...config } = finished[0].config;
      send("result", {
        runs: finished.map((run) => ({
          encoding: run.encoding,
          seed: run.seed,
          validationLoss: validationLoss(run),
          trainLoss: trainLoss(run),
          parameters: run.facts?.parameters,
          seconds: run.seconds,
          stepsPerSecond: run.stepsPerSecond,
        })),
        gaps: gaps.map(({ a, b, nats, low, high, seeds, verdict }) => ({ a, b, nats, low, high, seeds, verdict })),
        baselines: finished[0].facts?.baselines,
        config,
      });
    },

    /** @param {ReturnType<typeof import("./task.js").judge>} detail */
    task: (detail) => send("task", detail),

    /** @param {string} code @param {string} message */
    error: (code, message) => send("error", { code, message }),
  };
}
