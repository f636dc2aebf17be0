/**
 * The module that a PyScript worker takes for Pyodide: it starts the real one, which lies beside it, from files that the
 * page has loaded, and imports the lab, so that a failure of either reaches the page.
 *
 * Python starts from a snapshot of its memory, made when the site was built (../snapshot.mjs), with the standard library
 * in it as far as the lab needs it. If that fails, it starts as Pyodide does by itself, from python_stdlib.zip.
 * Snapshots are internal to Pyodide: this is written for the version that package.json pins.
 *
 * Each message to the page is `{embeddingLab: ...}` of one of these: `{imported: [file]}` files that came as modules;
 * `{wanted: file}` with a port, on which the page answers with the opened file; `{stage: "start"}` the imports begin;
 * `{printed: text}` what a call that can be interrupted has printed since the last; `{printed: null}` that call prints no
 * more.
 */
import { lockDown } from "./lock-down.mjs";
// @ts-expect-error: the build puts Pyodide beside it
import { loadPyodide as loadPlainPyodide, version } from "./pyodide.mjs";

/** @import { PyodideAPI, PyodideConfig } from "pyodide" */

export { version };

const WASM = "pyodide.asm.wasm";
const SNAPSHOT = "memory.bin";
const STDLIB = "python_stdlib.zip";

/** The number of the signal that Python raises as KeyboardInterrupt. */
const SIGINT = 2;
/** Milliseconds between two looks at whether the page interrupts, and between two messages of what was printed. */
const LOOK_EVERY = 200;
const SEND_EVERY = 50;

// A reader's code may change every object that it reaches, so what asks the network is kept here and rests on nothing else.

/**
 * What Python fetches by itself, when it first imports what is in them; without a prototype, nothing can be added.
 * @type {Readonly<Record<string, string>>}
 */
const LATER = Object.freeze(Object.assign(Object.create(null), {
  [STDLIB]: new URL(STDLIB, import.meta.url).href,
  "numpy-later.zip": new URL("numpy-later.zip", import.meta.url).href,
}));
const { postMessage, XMLHttpRequest } = globalThis;
const now = performance.now.bind(performance);
const startsWith = Function.prototype.call.bind(String.prototype.startsWith);

/**
 * PyScript's worker opens IndexedDB and waits for it, to keep packages that the lab never lets it install. A frame without an
 * origin of its own has none, and a browser may refuse it to others: so it gets a database that is always empty.
 */
Object.defineProperty(globalThis, "indexedDB", {
  configurable: true,
  value: { open: () => granted({ transaction: () => ({ objectStore: () => EMPTY }), close() {} }) },
});
const EMPTY = { getAllKeys: () => granted([]), clear: () => granted() };

/** A request of IndexedDB that succeeds. @param {unknown} [result] */
function granted(result) {
  /** @type {{onsuccess?: (event: {target: {result: unknown}}) => void}} */
  const request = {};
  queueMicrotask(() => request.onsuccess?.({ target: { result } }));
  return request;
}

/** @param {object} message @param {Transferable[]} [transfer] */
function tell(message, transfer = []) {
  postMessage({ embeddingLab: message }, transfer);
}

/**
 * What the page made of a file; if it cannot have it, it ends this worker.
 * @param {string} file
 * @returns {Promise<any>}
 */
function ask(file) {
  const { port1, port2 } = new MessageChannel();
  tell({ wanted: file }, [port2]);
  return new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
}

/**
 * The content of one of those archives; for Python, which cannot wait for a promise while it imports.
 * @param {string} file
 */
function fetchNow(file) {
  const url = LATER[file];
  if (!url) throw new Error(`${file} is no archive of this site`);
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch {
    throw new Error(`the server does not answer for ${file}`);
  }
  if (request.status !== 200) throw new Error(`${file}: HTTP ${request.status}`);
  return request.response;
}

/**
 * Turn what was stored, the difference to the memory that the module itself begins with, into the memory.
 * @param {ArrayBuffer} snapshot
 * @param {WebAssembly.Memory} memory
 */
function addInitialMemory(snapshot, memory) {
  const words = new Uint32Array(snapshot);
  const initial = new Uint32Array(memory.buffer);
  const start = words[1] / 4;
  for (let at = 0; at < initial.length && start + at < words.length; at++) words[start + at] ^= initial[at];
}

/**
 * Pyodide's own `loadPyodide`, except that the page gives it whatever it would fetch, and a snapshot if there is one.
 * @param {{module: WebAssembly.Module, snapshot?: ArrayBuffer | null}} files
 * @param {PyodideConfig} options
 * @returns {Promise<PyodideAPI>}
 */
async function loadFrom({ module, snapshot }, options) {
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  const unneeded = snapshot ? [WASM, STDLIB] : [WASM];
  globalThis.fetch = async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const file = pathname.slice(pathname.lastIndexOf("/") + 1);
    return new Response(unneeded.includes(file) ? null : await ask(file));
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(module, imports);
    const memory = imports?.env.memory;
    if (snapshot && memory instanceof WebAssembly.Memory) addInitialMemory(snapshot, memory);
    return { instance, module };
  };
  try {
    return await loadPlainPyodide({ ...options, ...(snapshot && { _loadSnapshot: snapshot }) });
  } finally {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * What start.py takes as the module `lab_runtime`: a call that the page can interrupt, and what it prints. Without
 * SharedArrayBuffer a worker that computes hears nothing, but it can look: the page gives the call a blob: URL and revokes
 * it to interrupt.
 * @param {PyodideAPI} pyodide
 */
function talkWithPage(pyodide) {
  /** @type {string | null} */
  let signal = null;
  let lookedAt = 0;
  let unsent = "";
  let sentAt = 0;

  function send() {
    if (unsent) tell({ printed: unsent });
    unsent = "";
    sentAt = now();
  }

  /** @param {string} url */
  function isRevoked(url) {
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    try {
      request.send();
      return false;
    } catch {
      return true;
    }
  }

  /** Where Python, every few hundred instructions, looks for a signal; the least time between two requests bounds their cost. */
  const buffer = {
    get 0() {
      if (now() - lookedAt < LOOK_EVERY) return 0;
      lookedAt = now();
      send();
      if (signal === null || !isRevoked(signal)) return 0;
      signal = null;
      return SIGINT;
    },
    set 0(_) {}, // Pyodide clears it
  };

  return {
    lockDown,
    /** A call begins that is interrupted when this URL is revoked. */
    /** @param {unknown} url */
    begin(url) {
      if (typeof url !== "string" || !startsWith(url, "blob:")) throw new Error("a call is interrupted by revoking a blob: URL");
      [signal, lookedAt] = [url, now()];
      // @ts-expect-error: it need not be an array of numbers, since Pyodide reads and clears its entry 0 and nothing else
      pyodide.setInterruptBuffer(buffer);
    },
    /** @param {string} text */
    print(text) {
      unsent += text;
      if (now() - sentAt >= SEND_EVERY) send();
    },
    end() {
      signal = null;
      // @ts-expect-error: Pyodide takes that for none
      pyodide.setInterruptBuffer(undefined);
      send();
      tell({ printed: null });
    },
  };
}

/**
 * Start Python and import the lab.
 * @param {PyodideConfig} options
 * @returns {Promise<PyodideAPI>}
 * @throws {Error} Pyodide did not start, or Python could not import the lab (the message is the traceback)
 */
export async function loadPyodide(options) {
  tell({ imported: ["runtime.mjs", "lock-down.mjs", "pyodide.mjs"] });
  // Pyodide imports it by itself, but tries `importScripts` first, which Firefox holds against the page's policy.
  // @ts-expect-error: as above
  const imported = import("./pyodide.asm.js").then(() => tell({ imported: ["pyodide.asm.js"] }));
  const [module, snapshot] = await Promise.all([ask(WASM), ask(SNAPSHOT), imported]);
  const restored = snapshot && (await loadFrom({ module, snapshot }, options).catch(() => null));
  const pyodide = restored ?? (await loadFrom({ module }, options));
  tell({ stage: "start" });
  if (restored) pyodide.runPython("import random; random.seed()"); // else every tab would draw the same
  pyodide.pyimport("embedding_lab.worker").destroy();
  const later = pyodide.pyimport("embedding_lab.later");
  later.install(fetchNow, !restored);
  later.destroy();
  pyodide.registerJsModule("lab_runtime", talkWithPage(pyodide));
  return pyodide;
}
