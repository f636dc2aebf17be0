/**
 * Makes what a Python worker starts from, for build.py: `node snapshot.mjs PACKAGES SNAPSHOT`
 *
 * In PACKAGES, a folder as it will lie in site-packages, NumPy's sources become byte code, which loads faster (the lab's
 * stay: tracebacks quote them). To SNAPSHOT it writes the memory of a Python that has imported every module of the
 * standard library that NumPy and the lab import. It prints the files of PACKAGES that a start reads, as JSON. What the
 * tab does with all this is in lab/runtime.mjs.
 *
 * Pyodide's snapshots are internal to it: this is written for the version that package.json pins.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [folder, out] = process.argv.slice(2);
const { info } = JSON.parse(readFileSync(createRequire(import.meta.url).resolve("pyodide/pyodide-lock.json")));
const options = { lockFileContents: JSON.stringify({ info, packages: {} }), env: { PYTHONHASHSEED: "0" } };

const PYSCRIPT_NEEDS = ["html"]; // which PyScript's own modules import when it starts a worker
const SITE = "/lib/python3.13/site-packages";

/**
 * Compiles NumPy and starts the lab once.
 * @returns {{modules: string[], files: string[]}} what that imported: of the standard library, and in PACKAGES
 */
async function compileAndTry() {
  const python = await loadPyodide(options);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, SITE);
  return JSON.parse(
    python.runPython(`
import compileall, importlib, json, pathlib, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("${SITE}/numpy", quiet=2, legacy=True, invalidation_mode=unchecked, stripdir="${SITE}")
for source in pathlib.Path("${SITE}/numpy").rglob("*.py"):
    source.unlink()
before = set(sys.modules)
from embedding_lab import worker
assert worker.status()["backend"] != "numpy"
opened = worker.open_run("run", {"steps": 2}, "to be or not to be, that is the question. " * 400)
worker.advance("run", 1000, True)
worker.compare([])
new = {name: module.__spec__.origin for name, module in sys.modules.items() if name not in before and module.__spec__}
json.dumps({
    "modules": [name for name, origin in new.items() if not str(origin).startswith("${SITE}")],
    "files": [origin.removeprefix("${SITE}/") for origin in new.values() if str(origin).startswith("${SITE}")],
})
`),
  );
}

/** Overwrites what the allocator holds free, so that it compresses to nothing. */
function clearFreeMemory({ _sbrk, _emscripten_builtin_malloc: malloc, _emscripten_builtin_free: free, HEAPU8 }) {
  const end = _sbrk(0);
  const held = [];
  for (let size = 2 ** 18; size >= 8; size /= 2) {
    for (;;) {
      const start = malloc(size);
      held.push(start);
      if (start + size > end) break;
      HEAPU8.fill(0, start, start + size);
    }
  }
  held.forEach((start) => free(start));
  HEAPU8.fill(0, _sbrk(0));
}

/** The memory of a Python that has imported these modules, as the difference to what pyodide.asm.wasm itself puts there. */
async function makeSnapshot(modules) {
  const { instantiate } = WebAssembly;
  let initial;
  WebAssembly.instantiate = async (source, imports) => {
    const result = await instantiate(source, imports);
    if (imports?.env?.memory) initial = new Uint8Array(imports.env.memory.buffer).slice();
    return result;
  };
  const python = await loadPyodide({ ...options, _makeSnapshot: true });
  WebAssembly.instantiate = instantiate;
  python.runPython(`
import gc, importlib, random, sys, zipimport
for name in """${modules.join(" ")}""".split():
    importlib.import_module(name)
# The tab fetches the standard library's archive when a module is found nowhere else, so it has to be looked into last.
sys.path.append(sys.path.pop(sys.path.index("/lib/python313.zip")))
sys.meta_path.sort(key=lambda finder: type(finder).__name__ != "JsFinder")
zipimport._zip_directory_cache.clear()
random.seed(0)
gc.collect()
`);
  clearFreeMemory(python._module);
  const snapshot = python.makeMemorySnapshot();
  const start = new Uint32Array(snapshot.buffer, 4, 1)[0];
  for (let at = 0; at < initial.length; at++) snapshot[start + at] ^= initial[at];
  return snapshot;
}

const { modules, files } = await compileAndTry();
Date.now = performance.now = () => 0; // some modules keep the time of their import: the same sources give the same site
writeFileSync(out, gzipSync(await makeSnapshot([...modules, ...PYSCRIPT_NEEDS]), { level: 9 }));
console.log(JSON.stringify(files));
