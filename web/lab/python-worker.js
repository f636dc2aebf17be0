/** Starts one Python in a PyScript worker, with NumPy and the lab's wheel, and calls it; knows nothing of the page. */
import { PyWorker, hooks } from "@pyscript/core";
import data from "lab-data";
import startSource from "./start.py";

/** Where the workers load Python from; the bundle lies in a folder beside it. */
const FOLDER = new URL(`../${data.runtime.folder}`, import.meta.url);
const SIZES = new Map(data.runtime.files.map(({ file, bytes }) => [file, bytes]));
const RUNTIME_FILES = data.runtime.files.filter(({ stage }) => stage === "runtime").map(({ file }) => file);
const SNAPSHOT = "memory.bin";
const FALLBACK = data.runtime.fallback; // the file that stands in for the snapshot

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

/** Whether the browser itself loads a file, for an import. */
const isModule = (file) => /\.m?js$/.test(file);

/** Which of the files that are loaded as modules is missing, if one is; `import` itself does not tell. */
async function findMissingModule() {
  for (const [file, bytes] of SIZES) {
    if (!isModule(file)) continue;
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

/** How a file that a worker asks the page for is opened, by the end of its name; any other is handed over as it is. */
const OPENERS = {
  ".wasm": (response) => WebAssembly.compileStreaming(response),
  ".bin": (response) => new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
};

const arrived = new Map(); // the bytes of each of these files so far
const watchers = new Set(); // who is told of more
const opened = new Map(); // the promise of each file, for all workers; one that failed is forgotten
const failed = new Set();

/** The same response, counted as it passes, which fails unless it is whole; WebAssembly is named as such. */
function counted(file, response, onError) {
  const bytes = file === FALLBACK.file ? FALLBACK.bytes : SIZES.get(file);
  let loaded = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      arrived.set(file, Math.min(loaded, bytes));
      for (const watch of watchers) watch(file);
      controller.enqueue(chunk);
    },
    flush() {
      if (loaded !== bytes) throw onError(missingFile(file, `${loaded} of ${bytes} bytes came, HTTP ${response.status}`));
    },
  });
  const type = file.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(response.body.pipeThrough(count), { headers: { "content-type": type } });
}

/** Fetch and open a file; its error says what was wrong with it. */
async function load(file) {
  let error = null;
  arrived.delete(file);
  // What the browser keeps of a file that failed is not to be trusted.
  const response = await fetch(new URL(file, FOLDER), failed.has(file) ? { cache: "reload" } : {}).catch(() => {
    throw missingFile(file, "the server does not answer");
  });
  if (!response.ok) throw missingFile(file, `HTTP ${response.status}`);
  try {
    const opener = OPENERS[/\.\w+$/.exec(file)] ?? ((whole) => whole.arrayBuffer());
    return await opener(counted(file, response, (found) => (error = found)));
  } catch (reason) {
    throw error ?? missingFile(file, `${reason.message}, after ${arrived.get(file) ?? 0} bytes, HTTP ${response.status}`);
  }
}

/** What a file was opened as, loaded once for all workers; asked for anew after a failure. */
function open(file) {
  if (!opened.has(file)) {
    const promise = load(file);
    opened.set(file, promise);
    promise.catch(() => {
      failed.add(file);
      opened.delete(file);
    });
  }
  return opened.get(file);
}

/** Adds up what has been loaded and hands it on; never less than before. */
class Progress {
  #sizes = new Map(SIZES);
  #modules = new Set();
  #stage = "runtime";
  #onProgress;

  constructor(onProgress) {
    this.#onProgress = onProgress;
    watchers.add(this.tell);
  }

  /** Take the news of files that came as modules, whose bytes cannot be counted on the way. */
  imported(files) {
    for (const file of files) {
      this.#modules.add(file);
      this.tell(file);
    }
  }

  /** Count the file that stands in for the snapshot, too. */
  fallBack() {
    this.#sizes.set(SNAPSHOT, arrived.get(SNAPSHOT) ?? 0).set(FALLBACK.file, FALLBACK.bytes);
  }

  enter(stage) {
    this.#stage = stage;
    watchers.delete(this.tell); // all has been loaded
    this.tell(null);
  }

  close() {
    watchers.delete(this.tell);
  }

  tell = (file) => {
    const loadedOf = (name) => (this.#modules.has(name) ? this.#sizes.get(name) : (arrived.get(name) ?? 0));
    const sum = (numbers) => [...numbers].reduce((total, number) => total + number, 0);
    const isWhole = (name) => loadedOf(name) >= this.#sizes.get(name);
    if (this.#stage === "runtime" && RUNTIME_FILES.every(isWhole)) this.#stage = "packages";
    const totalBytes = sum(this.#sizes.values());
    this.#onProgress({ stage: this.#stage, loadedBytes: sum([...this.#sizes.keys()].map(loadedOf)), totalBytes, file });
  };
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
    progress.close();
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
    worker.addEventListener("message", ({ data: { embeddingLab: message }, ports }) => {
      if (!message || ending) return;
      if (message.stage) progress.enter(message.stage);
      else if (message.imported) progress.imported(message.imported);
      else answer(message.wanted, ports[0]);
    });
  }

  /** Give the worker a file; without the snapshot it does, without any other it is ended. */
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
    for (const file of SIZES.keys()) if (!isModule(file)) open(file).catch(() => {}); // whoever asks is told
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
