/**
 * Makes what a Python worker starts from, for build.py: `node snapshot.mjs FOLDER SNAPSHOT`
 *
 * It starts Pyodide with the wheels that the lock file in FOLDER names and trains a model, and so learns what a start
 * needs. To SNAPSHOT it writes, compressed, the memory of a Python that has imported all that from the standard library;
 * lab/runtime.mjs tells what the tab does with it. It prints the paths in site-packages of the modules that were imported
 * from the wheels, as JSON.
 *
 * Pyodide's snapshots are internal to it: this is written for the version that package.json pins.
 */
import crypto from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [folder, out] = process.argv.slice(2);
process.argv[1] = "snapshot.mjs"; // Python's memory would keep the path of the folder in which the site was built
const lockFile = resolve(folder, "pyodide-lock.json");

const REPEATABLE = { PYTHONHASHSEED: "0" };
const PYSCRIPT_NEEDS = ["html"]; // which PyScript's own modules import when it starts a worker

/**
 * Starts the lab once, as a tab does, and compiles what that imported from the standard library. The snapshot holds no
 * source for tracebacks to quote and readers look names up elsewhere, so docstrings and columns would only be weight.
 *
 * @returns {Promise<{standard: string[], installed: string[], archive: Uint8Array}>} the modules of the standard library
 *   that were imported, an archive of them, and the files that were imported from the wheels
 */
async function tryStart() {
  const python = await loadPyodide({ lockFileURL: lockFile, env: { ...REPEATABLE, PYTHONNODEBUGRANGES: "1" } });
  python.runPython("import sys; started = set(sys.modules)");
  await python.loadPackage(["numpy", "embedding-lab"], { messageCallback() {} });
  const found = python.runPython(`
from embedding_lab import worker
assert worker.status()["backend"] != "numpy"
assert "error" not in worker.open_run("run", {"steps": 2}, "to be or not to be, that is the question. " * 400)
worker.advance("run", 1000, True)
worker.compare([])

import importlib, sys
for name in """${PYSCRIPT_NEEDS.join(" ")}""".split():
    importlib.import_module(name)
origins = {name: str(module.__spec__.origin) for name, module in sorted(sys.modules.items()) if module.__spec__}
site = next(path for path in sys.path if path.endswith("/site-packages")) + "/"
zipped = "/lib/python313.zip/"

import json, pathlib, py_compile, tempfile, zipfile
with (
    zipfile.ZipFile("/lib/python313.zip") as sources,
    zipfile.ZipFile("/compiled.zip", "w") as compiled,
    tempfile.TemporaryDirectory() as folder,
):
    for name in sorted({origin.removeprefix(zipped) for origin in origins.values() if origin.startswith(zipped)}):
        source = sources.extract(name, folder)
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        code = py_compile.compile(source, source + "c", zipped + name, optimize=2, invalidation_mode=unchecked, doraise=True)
        compiled.writestr(zipfile.ZipInfo(name + "c"), pathlib.Path(code).read_bytes())  # dated 1980

json.dumps({
    "standard": [name for name, origin in origins.items() if name not in started and not origin.startswith(site)],
    "installed": sorted({origin.removeprefix(site) for origin in origins.values() if origin.startswith(site)}),
})
`);
  return { ...JSON.parse(found), archive: python.FS.readFile("/compiled.zip") };
}

/**
 * @typedef {object} Allocator what Pyodide's module has of its own memory
 * @property {(more: number) => number} _sbrk
 * @property {(size: number) => number} _emscripten_builtin_malloc
 * @property {(start: number) => void} _emscripten_builtin_free
 * @property {Uint8Array} HEAPU8
 */

/** Overwrites what the allocator holds free, so that it compresses to nothing. @param {Allocator} module */
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

/**
 * The memory of a Python that has imported these modules from this archive of the standard library, as the difference to
 * what pyodide.asm.wasm itself puts there.
 * @param {string[]} modules
 * @param {string} archive
 */
async function makeSnapshot(modules, archive) {
  const { instantiate } = WebAssembly;
  /** @type {Uint8Array | undefined} */
  let initial;
  // @ts-expect-error: of the two forms Pyodide calls the one that takes bytes
  WebAssembly.instantiate = async (/** @type {BufferSource} */ source, /** @type {WebAssembly.Imports | undefined} */ imports) => {
    const result = await instantiate(source, imports);
    const memory = imports?.env?.memory;
    if (memory instanceof WebAssembly.Memory) initial = new Uint8Array(memory.buffer).slice();
    return result;
  };
  const { info } = JSON.parse(readFileSync(lockFile, "utf8"));
  const python = await loadPyodide({
    lockFileContents: JSON.stringify({ info, packages: {} }),
    stdLibURL: archive,
    env: REPEATABLE,
    _makeSnapshot: true,
  });
  WebAssembly.instantiate = instantiate;
  python.runPython(`
import gc, importlib, random, sys, zipimport
for name in """${modules.join(" ")}""".split():
    importlib.import_module(name)
# The tab has no archive of the standard library until it needs more of it, so that is the last place to look into.
sys.path.append(sys.path.pop(sys.path.index("/lib/python313.zip")))
sys.meta_path.sort(key=lambda finder: type(finder).__name__ != "JsFinder")
zipimport._zip_directory_cache.clear()
random.seed(0)
gc.collect()
`);
  clearFreeMemory(/** @type {typeof python & {_module: Allocator}} */ (python)._module);
  const snapshot = python.makeMemorySnapshot();
  const start = new Uint32Array(snapshot.buffer, 4, 1)[0];
  if (!initial) throw new Error("Pyodide has started without a memory of its own: see how this version makes one.");
  for (let at = 0; at < initial.length; at++) snapshot[start + at] ^= initial[at];
  return snapshot;
}

const { standard, installed, archive } = await tryStart();
// Memory keeps times and random numbers, used or not: the same sources give the same site.
Date.now = performance.now = () => 0;
crypto.randomFillSync = (view) => {
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(0);
  return view;
};
syncBuiltinESMExports();
const temporary = mkdtempSync(join(tmpdir(), "snapshot-"));
try {
  writeFileSync(join(temporary, "stdlib.zip"), archive);
  writeFileSync(out, gzipSync(await makeSnapshot(standard, join(temporary, "stdlib.zip")), { level: 9 }));
} finally {
  rmSync(temporary, { recursive: true });
}
console.log(JSON.stringify(installed));
