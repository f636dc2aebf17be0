/** The bench's page: one Python worker of the lab that trains what it is told, and the FMA peak of a core. */
import { startPythonWorker } from "../../web/lab/python-worker.js";

/** Milliseconds of training that are thrown away before each measurement. */
const WARM_UP = 100;

let worker;
let text;

async function called(name, ...args) {
  const answer = await worker.call(name, ...args);
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

/** Start the worker. @param {string} ownText what it trains on @returns {Promise<object>} its status */
window.startWorker = async (ownText) => {
  text = ownText;
  worker = startPythonWorker({ onProgress: () => {} });
  await worker.ready;
  return called("status");
};

/** @returns {Promise<number[]>} the loss at the starting weights, and after each of the first updates */
window.firstLosses = async (config, backend, updates) => {
  const losses = [];
  await called("open_run", "bench", config, text, backend);
  while (losses.length <= updates) losses.push(...(await called("advance", "bench", 0, false)).trainLoss);
  return losses.slice(0, updates + 1);
};

/**
 * Train a fresh run for a while, as the page does: from the call to its answer.
 * @returns {Promise<{secondsPerStep: number, flopsPerStep: number, parameters: number}>}
 */
window.measureSteps = async (config, backend, seconds) => {
  const { flopsPerStep, parameters } = await called("open_run", "bench", config, text, backend);
  const before = (await called("advance", "bench", WARM_UP, false)).step;
  const startedAt = performance.now();
  const frame = await called("advance", "bench", 1000 * seconds, false);
  const took = performance.now() - startedAt;
  await called("close_run", "bench");
  if (frame.validationSteps.length) throw new Error("an evaluation fell into what was measured");
  return { secondsPerStep: took / 1000 / (frame.step - before), flopsPerStep, parameters };
};

/** Train a run until this step. @returns {Promise<number>} the seconds it took */
window.trainUntil = async (config, step) => {
  const startedAt = performance.now();
  await called("open_run", "long", config, text, null);
  while ((await called("advance", "long", 200, false)).step < step);
  return (performance.now() - startedAt) / 1000;
};

let peak;

/** @returns {Promise<number>} floating-point operations a second; the calls are short, so that V8 can replace the code */
window.measurePeak = async (seconds) => {
  peak ??= (await WebAssembly.instantiateStreaming(fetch("fma_peak.wasm"))).instance.exports;
  const turns = 2000;
  let calls = 0;
  const startedAt = performance.now();
  let took = 0;
  while ((took = performance.now() - startedAt) < 1000 * seconds) {
    for (let i = 0; i < 20; i++) peak.turn(turns, 0.5);
    calls += 20;
  }
  return (calls * turns * peak.flops_per_turn()) / (took / 1000);
};
