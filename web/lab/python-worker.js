/** Starts one Python in a PyScript worker, with NumPy and the lab's wheel, and calls it; knows nothing of the page. */
import { PyWorker, hooks } from "@pyscript/core";
import data from "lab-data";
import startSource from "./start.py";

/** Where the workers load Python from; the bundle lies in a folder beside it. */
const FOLDER = new URL(`../${data.runtime.folder}`, import.meta.url);
const SIZES = new Map(data.runtime.files.map(({ file, bytes }) => [file, bytes]));
const RUNTIME_FILES = data.runtime.files.filter(({ stage }) => stage === "runtime").map(({ file }) => file);

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
const expected = [];
hooks.main.onWorker.add((_, worker) => expected.shift()?.(worker));

const START = URL.createObjectURL(new Blob([startSource]));

/** A worker that did not start, or was ended. */
class WorkerError extends Error {
  constructor(code, message, file) {
    super(message);
    this.code = code;
    if (file) this.file = file;
  }
}

function missingFile(file, reason) {
  return new WorkerError("missing-file", `${file} could not be loaded: ${reason}.`, file);
}

/** Which of the files that are loaded as modules is missing, if one is; `import` itself does not tell. */
async function findMissingModule() {
  for (const [file, bytes] of SIZES) {
    if (!/\.m?js$/.test(file)) continue;
    try {
      const response = await fetch(new URL(file, FOLDER));
      if (!response.ok) return missingFile(file, `HTTP ${response.status}`);
      const { byteLength } = await response.arrayBuffer();
      if (byteLength !== bytes) return missingFile(file, `${byteLength} of ${bytes} bytes came, HTTP ${response.status}`);
    } catch {
      return missingFile(file, "the server does not answer");
    }
  }
  return null;
}

/** Adds up what has been loaded and hands it on; never less than before. */
class Progress {
  #loaded = new Map();
  #done = new Set();
  #stage = "runtime";
  #onProgress;

  constructor(onProgress) {
    this.#onProgress = onProgress;
  }

  /** Take the news of one file: its bytes so far, and at its end whether they are as many as they should be. */
  count({ file, loaded, done }, onError) {
    const bytes = SIZES.get(file);
    if (done && loaded !== bytes) return onError(missingFile(file, `${loaded} of ${bytes} bytes came, HTTP 200`));
    if (done) this.#done.add(file);
    this.#loaded.set(file, Math.min(loaded, bytes));
    if (this.#stage === "runtime" && RUNTIME_FILES.every((name) => this.#done.has(name))) this.#stage = "packages";
    this.#tell(file);
  }

  enter(stage) {
    this.#stage = stage;
    for (const [file, bytes] of SIZES) this.#loaded.set(file, bytes); // no file is asked for after the packages
    this.#tell(null);
  }

  #tell(file) {
    const loadedBytes = [...this.#loaded.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.#onProgress({ stage: this.#stage, loadedBytes, totalBytes: data.runtime.totalBytes, file });
  }
}

/**
 * Start one Python worker.
 *
 * @param {object} options
 * @param {(progress: {stage: "runtime"|"packages"|"start"|"ready", loadedBytes: number, totalBytes: number,
 *   file: string|null}) => void} options.onProgress called as bytes arrive and stages begin; never goes back
 * @returns {{ready: Promise<{secondsToReady: number}>, call: (name: string, ...args: any[]) => Promise<any>,
 *   terminate: () => void}}
 *   `ready` rejects with an Error: `.code` "missing-file" and `.file` when a file did not come whole, "terminated" when
 *   the worker was ended first; without a code when Python raised, with its traceback as the message.
 *   `call` waits for `ready`, then calls a function of embedding_lab.worker; it rejects with the traceback in `.message`
 *   if Python raised, and with the code "terminated" if the worker is ended before it answers.
 *   `terminate` ends the worker at once, whatever it is doing.
 */
export function startPythonWorker({ onProgress }) {
  const startedAt = performance.now();
  const progress = new Progress(onProgress);
  const waiting = new Set(); // how to reject whoever waits for an answer
  let worker = null;
  let ending = null; // the error that ended the worker

  function end(error) {
    if (ending) return;
    ending = error;
    worker?.terminate();
    for (const reject of waiting) reject(error);
    waiting.clear();
  }

  /** The promise, or a rejection as soon as the worker is ended: an ended worker never answers. */
  function orEnded(promise) {
    return new Promise((resolve, reject) => {
      if (ending) throw ending;
      waiting.add(reject);
      promise.then(resolve, reject).finally(() => waiting.delete(reject));
    });
  }

  function adopt(newWorker) {
    worker = newWorker;
    if (ending) worker.terminate();
    worker.onerror = () => {}; // PyScript would write to the console what `ready` rejects with
    worker.addEventListener("message", ({ data: { embeddingLab: message } }) => {
      if (!message || ending) return;
      if (message.failed) end(missingFile(message.file, message.failed));
      else if (message.stage) progress.enter(message.stage);
      else if (message.imported) for (const file of message.imported) progress.count({ file, loaded: SIZES.get(file), done: true }, end);
      else progress.count(message, end);
    });
  }

  async function start() {
    await customElements.whenDefined("py-script"); // from here on PyScript tells of its workers
    expected.push(adopt);
    const version = new URL("runtime.mjs", FOLDER).href;
    await PyWorker(START, { type: "pyodide", version, async: true, config: CONFIG }).catch(async (error) => {
      end((await findMissingModule()) ?? error);
      throw ending;
    });
    if (!ending) progress.enter("ready");
    return { secondsToReady: (performance.now() - startedAt) / 1000 };
  }

  const ready = orEnded(start());
  ready.catch(() => {}); // whoever ends a worker on purpose need not watch `ready`

  return {
    ready,
    async call(name, ...args) {
      await ready;
      if (ending) throw ending;
      return orEnded(worker.sync[name](...args));
    },
    terminate: () => end(new WorkerError("terminated", "This Python worker was ended.")),
  };
}
