/**
 * The module that a PyScript worker takes for Pyodide: it starts the real one, which lies beside it, from files that the
 * page has loaded, and imports the lab, so that a failure of either reaches the page.
 *
 * Python starts from a snapshot of its memory, made when the site was built (../snapshot.mjs), with the standard library
 * in it as far as the lab needs it. If that fails, it starts as Pyodide does by itself, from python_stdlib.zip.
 * Snapshots are internal to Pyodide: this is written for the version that package.json pins.
 *
 * Each message to the page is `{embeddingLab: ...}` of one of these: `{imported: [file]}` files that came as modules;
 * `{wanted: file}` with a port, on which the page answers with the opened file; `{stage: "start"}` the imports begin.
 */
import { loadPyodide as loadPlainPyodide, version } from "./pyodide.mjs";

export { version };

const STDLIB = "python_stdlib.zip";
const HERE = new URL(".", import.meta.url);

function tell(message, transfer = []) {
  postMessage({ embeddingLab: message }, transfer);
}

/** What the page made of a file; if it cannot have it, it ends this worker. */
function ask(file) {
  const { port1, port2 } = new MessageChannel();
  tell({ wanted: file }, [port2]);
  return new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
}

/** Files whose content is fetched when Python first reads it, and not before. */
function addLazyFile(FS, path, url) {
  const cut = path.lastIndexOf("/");
  FS.mkdirTree(path.slice(0, cut));
  FS.createLazyFile(path.slice(0, cut), path.slice(cut + 1), new URL(url, HERE).href, true, false);
}

/**
 * What packages.bin holds: a line of JSON, {lock, files: [[name, size]], later: [name]}, and the files after it. `lock` is
 * Pyodide's lock file, `later` names files of site-packages that are fetched when they are needed.
 */
function readPackages(packages) {
  const bytes = new Uint8Array(packages);
  const start = bytes.indexOf(10) + 1;
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(0, start))), content: bytes.subarray(start) };
}

function installPackages(FS, sitePackages, { files, later, content }) {
  let start = 0;
  for (const [name, size] of files) {
    const path = `${sitePackages}/${name}`;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, content.subarray(start, (start += size)), { canOwn: true });
  }
  for (const name of later) addLazyFile(FS, `${sitePackages}/${name}`, `later/${name}`);
}

/** Turn what was stored, the difference to the memory that the module itself begins with, into the memory. */
function addInitialMemory(snapshot, memory) {
  const words = new Uint32Array(snapshot);
  const initial = new Uint32Array(memory.buffer);
  const start = words[1] / 4;
  for (let at = 0; at < initial.length && start + at < words.length; at++) words[start + at] ^= initial[at];
}

/** Pyodide's own `loadPyodide`, except that whatever it would fetch is given to it. */
async function loadFrom({ module, packages, snapshot, stdlib }, options) {
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = async (url) => new Response(String(url).endsWith(STDLIB) ? stdlib : null);
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(module, imports);
    if (snapshot) addInitialMemory(snapshot, imports.env.memory);
    return { instance, module };
  };
  try {
    const pyodide = await loadPlainPyodide({
      ...options,
      lockFileContents: packages.lock,
      fsInit: (FS, { sitePackages }) => installPackages(FS, sitePackages, packages),
      ...(snapshot && { _loadSnapshot: snapshot }),
    });
    if (snapshot) {
      const [archive] = pyodide.FS.readdir("/lib").filter((name) => name.endsWith(".zip"));
      pyodide.FS.unlink(`/lib/${archive}`);
      addLazyFile(pyodide.FS, `/lib/${archive}`, STDLIB);
      pyodide.runPython("import random; random.seed()"); // else every tab would draw the same
    }
    return pyodide;
  } finally {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * Start Python and import the lab.
 * @param {object} options as Pyodide takes them
 * @returns {Promise<object>} Pyodide
 * @throws {Error} Pyodide did not start, or Python could not import the lab (the message is the traceback)
 */
export async function loadPyodide(options) {
  tell({ imported: ["runtime.mjs", "pyodide.mjs"] });
  import("./pyodide.asm.js").then(
    () => tell({ imported: ["pyodide.asm.js"] }),
    () => {}, // Pyodide imports it too, and fails with it
  );
  const [module, packed, snapshot] = await Promise.all(["pyodide.asm.wasm", "packages.bin", "memory.bin"].map(ask));
  const packages = readPackages(packed);
  const plainly = async () => loadFrom({ module, packages, stdlib: await ask(STDLIB) }, options);
  const pyodide = snapshot ? await loadFrom({ module, packages, snapshot }, options).catch(plainly) : await plainly();
  tell({ stage: "start" });
  pyodide.pyimport("embedding_lab.worker").destroy();
  return pyodide;
}
