/** Starts one Python in a PyScript worker, with NumPy and the lab's wheel, and calls it; knows nothing of the page. */
import { PyWorker, hooks } from "@pyscript/core";
import { FALLBACK, FOLDER, Progress, SNAPSHOT, findMissingModule, open, openAll } from "./runtime-files.js";
import startSource from "./start.py";

/** @import { Call, Progress as Loaded } from "./kinds.js" */

/** @typedef {Worker & {sync: Record<string, (...args: unknown[]) => Promise<any>>}} PyScriptWorker */

/**
 * @typedef {object} Handle of a Python worker
 * @property {Promise<{secondsToReady: number}>} ready rejects with an Error: `.code` "missing-file" and `.file` when a file did
 *   not come whole, "terminated" when the worker was ended first; without a code when Python raised, with its traceback as
 *   the message
 * @property {Call} call waits for `ready`, then calls a function of embedding_lab.worker; it rejects with the traceback in
 *   `.message` if Python raised, and with the code "terminated" if the worker is ended before it answers
 * @property {() => void} interrupt raises KeyboardInterrupt in a call of "console_run", as soon as Python runs its own
 *   instructions
 * @property {() => void} terminate ends the worker at once, whatever it is doing
 */

const CONFIG = {
  packages: ["numpy", "embedding-lab"],
  packages_cache: "passthrough", // Pyodide's own lock file says where they are, beside it
  index_urls: [], // so nothing else is asked, not even PyScript's list of known packages
  sync_main_only: true, // no SharedArrayBuffer: the page calls Python, never the other way round
};

// PyScript sends this hook to its workers as text made with Function(), which the page's policy forbids; it serves
// only pyscript.fs.
hooks.worker.onBeforeRunAsync.clear();

// PyWorker resolves only when Python is ready, but a worker that is still loading must be ended too; PyScript tells of
// each new worker here, in the order of the calls.
/** @type {((worker: PyScriptWorker) => void)[]} */
const expected = [];
hooks.main.onWorker.add((/** @type {unknown} */ _, /** @type {PyScriptWorker} */ worker) => expected.shift()?.(worker));

const START = URL.createObjectURL(new Blob([startSource]));

/** A worker that was ended. */
class WorkerEndedError extends Error {
  code = "terminated";

  constructor() {
    super("This Python worker was ended.");
  }
}

/**
 * Start one Python worker.
 *
 * @param {object} options
 * @param {(text: string) => void} [options.onPrinted] called with what a call of "console_run" prints, before it resolves
 * @param {(progress: Loaded) => void} options.onProgress called as bytes arrive and stages begin; never goes back
 * @returns {Handle}
 */
export function startPythonWorker({ onProgress, onPrinted = () => {} }) {
  const startedAt = performance.now();
  const progress = new Progress(onProgress);
  /** @type {Set<(reason: unknown) => void>} */
  const waiting = new Set(); // how to reject whoever waits for an answer
  /** @type {PyScriptWorker | null} */
  let worker = null;
  /** @type {unknown} */
  let ending = null; // the error that ended the worker
  let isReady = false; // from here on a reader's code may run in it
  let signal = ""; // the URL whose end interrupts
  /** @type {(value?: unknown) => void} */
  let endOfOutput = () => {};

  /** @param {unknown} error */
  function end(error) {
    if (ending) return;
    ending = error;
    progress.close();
    worker?.terminate();
    for (const reject of waiting) reject(error);
    waiting.clear();
  }

  /**
   * The promise, or a rejection as soon as the worker is ended: an ended worker never answers.
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  function orEnded(promise) {
    return new Promise((resolve, reject) => {
      if (ending) throw ending;
      waiting.add(reject);
      promise.then(resolve, reject).finally(() => waiting.delete(reject));
    });
  }

  /** @param {PyScriptWorker} newWorker */
  function adopt(newWorker) {
    worker = newWorker;
    if (ending) newWorker.terminate();
    newWorker.onerror = () => {}; // PyScript would write to the console what `ready` rejects with
    newWorker.addEventListener("message", ({ data, ports }) => {
      const message = data?.embeddingLab;
      if (!message || ending) return;
      if (isReady) hear(message.printed);
      else if (message.stage) progress.enter(message.stage);
      else if (message.imported) progress.imported(message.imported);
      else if (message.wanted) answer(message.wanted, ports[0]);
    });
  }

  /** All that the page takes from a worker unasked in which a reader's code may run. @param {unknown} printed */
  function hear(printed) {
    if (typeof printed === "string") onPrinted(printed);
    else if (printed === null) endOfOutput();
  }

  /**
   * Take back what PyScript lets a worker ask the page for, which no worker of the lab needs: by a message alone it could
   * have the page import a script, open the folder of a reader, or evaluate and change anything.
   */
  function seal() {
    if (!worker) return;
    for (const name of Reflect.ownKeys(worker.sync)) Reflect.deleteProperty(worker.sync, name);
    Object.preventExtensions(worker.sync);
    isReady = true;
  }

  /**
   * Give the worker a file; without the snapshot it does, without any other it is ended.
   * @param {string} file
   * @param {MessagePort} port
   */
  async function answer(file, port) {
    if (file === FALLBACK.file) progress.fallBack();
    try {
      port.postMessage(await open(file));
    } catch (error) {
      if (file === SNAPSHOT) port.postMessage(null);
      else end(error);
    }
  }

  async function start() {
    openAll();
    await customElements.whenDefined("py-script"); // from here on PyScript tells of its workers
    expected.push(adopt);
    const version = new URL("runtime.mjs", FOLDER).href;
    const options = { type: "pyodide", version, async: true, config: CONFIG };
    await PyWorker(START, options).catch(async (error) => {
      end((await findMissingModule()) ?? error);
      throw ending;
    });
    if (!ending) {
      seal();
      progress.enter("ready");
    }
    return { secondsToReady: (performance.now() - startedAt) / 1000 };
  }

  const ready = orEnded(start());
  ready.catch(() => {}); // whoever ends a worker on purpose need not watch `ready`

  /** @param {string} name @param {unknown[]} args */
  async function call(name, ...args) {
    await ready;
    if (ending || !worker) throw ending;
    return orEnded(worker.sync[name](...args));
  }

  /** @param {string} name @param {unknown[]} args */
  async function callInterruptibly(name, ...args) {
    const url = URL.createObjectURL(new Blob([], { type: "text/plain" })); // of no type, Firefox would read it as XML and complain
    signal = url;
    const told = new Promise((resolve) => (endOfOutput = resolve)); // it may come after the answer, on a port of its own
    try {
      const answer = await call(name, url, ...args);
      await orEnded(told);
      return answer;
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  return {
    ready,
    call: (name, ...args) => (name === "console_run" ? callInterruptibly : call)(name, ...args),
    interrupt: () => URL.revokeObjectURL(signal),
    terminate: () => end(new WorkerEndedError()),
  };
}
