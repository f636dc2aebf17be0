/** The files that Python starts from: each is loaded once for all workers, counted on its way, and checked to be whole. */
import data from "lab-data";

/** Where they lie; the bundle lies in a folder beside it. */
export const FOLDER = new URL(`../${data.runtime.folder}`, import.meta.url);
const SIZES = new Map(data.runtime.files.map(({ file, bytes }) => [file, bytes]));
const RUNTIME_FILES = data.runtime.files.filter(({ stage }) => stage === "runtime").map(({ file }) => file);
/** The memory that Python starts from (runtime.mjs), and the file that stands in for it: {file, bytes}. */
export const SNAPSHOT = "memory.bin";
export const FALLBACK = data.runtime.fallback;

/** A file that did not come, or not whole. */
class MissingFileError extends Error {
  code = "missing-file";

  constructor(file, reason) {
    super(`${file} could not be loaded: ${reason}.`);
    this.file = file;
  }
}

/** Whether the browser itself loads a file, for an import. */
const isModule = (file) => /\.m?js$/.test(file);

/** Which of the files that are loaded as modules is missing, if one is; `import` itself does not tell. */
export async function findMissingModule() {
  for (const [file, bytes] of SIZES) {
    if (!isModule(file)) continue;
    try {
      const response = await fetch(new URL(file, FOLDER));
      if (!response.ok) return new MissingFileError(file, `HTTP ${response.status}`);
      const { byteLength } = await response.arrayBuffer();
      if (byteLength !== bytes) return new MissingFileError(file, `${byteLength} of ${bytes} bytes came, HTTP ${response.status}`);
    } catch {
      return new MissingFileError(file, "the server does not answer");
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
      if (loaded !== bytes) throw onError(new MissingFileError(file, `${loaded} of ${bytes} bytes came, HTTP ${response.status}`));
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
    throw new MissingFileError(file, "the server does not answer");
  });
  if (!response.ok) throw new MissingFileError(file, `HTTP ${response.status}`);
  try {
    const opener = OPENERS[/\.\w+$/.exec(file)] ?? ((whole) => whole.arrayBuffer());
    return await opener(counted(file, response, (found) => (error = found)));
  } catch (reason) {
    throw error ?? new MissingFileError(file, `${reason.message}, after ${arrived.get(file) ?? 0} bytes, HTTP ${response.status}`);
  }
}

/** What a file was opened as, loaded once for all workers; asked for anew after a failure. There are no others to open. */
export function open(file) {
  if (!SIZES.has(file) && file !== FALLBACK.file) throw new MissingFileError(file, "it is none of the runtime's files");
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

/** Begin to load all that a start asks for; whoever opens a file is told of its failure. */
export function openAll() {
  for (const file of SIZES.keys()) if (!isModule(file)) open(file).catch(() => {});
}

/** Adds up what has been loaded and hands it on; never less than before. */
export class Progress {
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
