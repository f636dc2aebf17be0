/** The files that Python starts from: each is loaded once for all workers, counted on its way, and checked by its hash. */
import data from "lab-data";
import { asError } from "./errors.js";

/** @import { Progress as Loaded } from "./kinds.js" */

/** Where they lie; the bundle lies in a folder beside it. */
export const FOLDER = new URL(`../${data.runtime.folder}`, import.meta.url);
const SIZES = new Map(data.runtime.files.map(({ file, bytes }) => [file, bytes]));
const RUNTIME_FILES = data.runtime.files.filter(({ stage }) => stage === "runtime").map(({ file }) => file);
/** The memory that Python starts from (runtime.mjs), and the file that stands in for it: {file, bytes}. */
export const SNAPSHOT = "memory.bin";
export const FALLBACK = data.runtime.fallback;
const INTEGRITY = new Map([...data.runtime.files, FALLBACK].map(({ file, integrity }) => [file, integrity]));

/** A file that did not come, or not whole. */
class MissingFileError extends Error {
  code = "missing-file";

  /** @param {string} file @param {string} reason */
  constructor(file, reason) {
    super(`${file} could not be loaded: ${reason}.`);
    this.file = file;
  }
}

/**
 * Why these bytes are not the file, or null if they are. The browser's own check of a hash would hand out nothing before all
 * has come, and nothing could be counted. On an insecure page there is no hash to be had: there the length has to do.
 * @param {string} file
 * @param {ArrayBuffer} bytes
 * @param {number} status
 */
async function damage(file, bytes, status) {
  const size = sizeOf(file);
  if (bytes.byteLength !== size) return new MissingFileError(file, `${bytes.byteLength} of ${size} bytes came, HTTP ${status}`);
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes);
  if (!digest || INTEGRITY.get(file) === `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`) return null;
  return new MissingFileError(file, "it was changed on its way, since its hash is not that of the file this page was built with");
}

/** Whether the browser itself loads a file, for an import. @param {string} file */
const isModule = (file) => /\.m?js$/.test(file);

/** Which of the files that are loaded as modules is missing or damaged, if one is; `import` itself does not tell. */
export async function findMissingModule() {
  for (const file of SIZES.keys()) {
    if (!isModule(file)) continue;
    try {
      const response = await fetch(new URL(file, FOLDER));
      if (!response.ok) return new MissingFileError(file, `HTTP ${response.status}`);
      const found = await damage(file, await response.arrayBuffer(), response.status);
      if (found) return found;
    } catch {
      return new MissingFileError(file, "the server does not answer");
    }
  }
  return null;
}

/**
 * How a file that a worker asks the page for is opened, by the end of its name; any other is handed over as it is.
 * @type {Record<string, (response: Response) => Promise<WebAssembly.Module | ArrayBuffer>>}
 */
const OPENERS = {
  ".wasm": (response) => WebAssembly.compileStreaming(response),
  ".bin": (response) => new Response(response.body?.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
};

/** @type {Map<string, number>} */
const arrived = new Map(); // the bytes of each of these files so far
/** @type {Set<(file: string) => void>} */
const watchers = new Set(); // who is told of more
/** @type {Map<string, Promise<WebAssembly.Module | ArrayBuffer>>} */
const opened = new Map(); // the promise of each file, for all workers; one that failed is forgotten
/** @type {Set<string>} */
const failed = new Set();

/** The bytes of a file as the build counted them; 0 of one that it does not know. @param {string} file */
const sizeOf = (file) => (file === FALLBACK.file ? FALLBACK.bytes : (SIZES.get(file) ?? 0));

/** Counts what passes. @param {string} file @returns {TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>} */
function counter(file) {
  const bytes = sizeOf(file);
  let loaded = 0;
  return new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      arrived.set(file, Math.min(loaded, bytes));
      for (const watch of watchers) watch(file);
      controller.enqueue(chunk);
    },
  });
}

/**
 * Fetch and open a file, the second while the first goes on; its error says what was wrong with it.
 * @param {string} file
 */
async function load(file) {
  arrived.delete(file);
  // What the browser keeps of a file that failed is not to be trusted.
  const response = await fetch(new URL(file, FOLDER), failed.has(file) ? { cache: "reload" } : {}).catch(() => {
    throw new MissingFileError(file, "the server does not answer");
  });
  if (!response.ok || !response.body) throw new MissingFileError(file, `HTTP ${response.status}`);
  const [body, copy] = response.body.tee();
  // WebAssembly is named as such, whatever the server calls it.
  const type = file.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  const opener = OPENERS[file.slice(file.lastIndexOf("."))] ?? ((/** @type {Response} */ whole) => whole.arrayBuffer());
  const opening = opener(new Response(body, { headers: { "content-type": type } }));
  opening.catch(() => {}); // what is damaged cannot be opened either, and is told as damaged
  let found;
  try {
    found = await damage(file, await new Response(copy.pipeThrough(counter(file))).arrayBuffer(), response.status);
    if (!found) return await opening;
  } catch (reason) {
    found = new MissingFileError(file, `${asError(reason).message}, after ${arrived.get(file) ?? 0} bytes, HTTP ${response.status}`);
  }
  throw found;
}

/**
 * What a file was opened as, loaded once for all workers; asked for anew after a failure. There are no others to open.
 * @param {string} file
 */
export function open(file) {
  if (!SIZES.has(file) && file !== FALLBACK.file) throw new MissingFileError(file, "it is none of the runtime's files");
  const known = opened.get(file);
  if (known) return known;
  const promise = load(file);
  opened.set(file, promise);
  promise.catch(() => {
    failed.add(file);
    opened.delete(file);
  });
  return promise;
}

/** Begin to load all that a start asks for; whoever opens a file is told of its failure. */
export function openAll() {
  for (const file of SIZES.keys()) if (!isModule(file)) open(file).catch(() => {});
}

/** Adds up what has been loaded and hands it on; never less than before. */
export class Progress {
  #sizes = new Map(SIZES);
  /** @type {Set<string>} */
  #modules = new Set();
  #stage = "runtime";
  #onProgress;

  /** @param {(progress: Loaded) => void} onProgress */
  constructor(onProgress) {
    this.#onProgress = onProgress;
    watchers.add(this.tell);
  }

  /** Take the news of files that came as modules, whose bytes cannot be counted on the way. @param {string[]} files */
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

  /** @param {string} stage */
  enter(stage) {
    this.#stage = stage;
    watchers.delete(this.tell); // all has been loaded
    this.tell(null);
  }

  close() {
    watchers.delete(this.tell);
  }

  /** @param {string | null} file */
  tell = (file) => {
    /** @param {string} name */
    const size = (name) => this.#sizes.get(name) ?? 0;
    /** @param {string} name */
    const loadedOf = (name) => (this.#modules.has(name) ? size(name) : (arrived.get(name) ?? 0));
    /** @param {Iterable<number>} numbers */
    const sum = (numbers) => [...numbers].reduce((total, number) => total + number, 0);
    /** @param {string} name */
    const isWhole = (name) => loadedOf(name) >= size(name);
    if (this.#stage === "runtime" && RUNTIME_FILES.every(isWhole)) this.#stage = "packages";
    const totalBytes = sum(this.#sizes.values());
    this.#onProgress({ stage: this.#stage, loadedBytes: sum([...this.#sizes.keys()].map(loadedOf)), totalBytes, file });
  };
}
