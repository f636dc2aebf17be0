/**
 * The compiled kernels in Pyodide, under Node. `node in_pyodide.mjs relaxed-simd` runs compiled_checks.py on that build;
 * `node in_pyodide.mjs best simd` says which one is taken by an engine that refuses the builds named after "best".
 */
import { readFileSync, readdirSync } from "node:fs";
import { loadPyodide } from "../../web/node_modules/pyodide/pyodide.mjs";

const [build, ...refused] = process.argv.slice(2);
const root = new URL("../../", import.meta.url);
const pyodide = await loadPyodide();
const runtime = readdirSync(new URL("dist/", root)).find((name) => name.startsWith("python-"));
const folder = new URL(`dist/${runtime}/`, root);
for (const wheel of readdirSync(folder).filter((name) => name.endsWith(".whl"))) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(new URL(wheel, folder))), "wheel");
}
pyodide.FS.writeFile("/lib/python3.13/site-packages/compiled_checks.py", readFileSync(new URL("compiled_checks.py", import.meta.url)));
const ops = "/home/pyodide/embedding_lab/ops";
for (const name of refused) pyodide.FS.writeFile(`${ops}/kernels-${name}.wasm`, "no module");
try {
  if (build === "best") {
    console.log("best", pyodide.pyimport("embedding_lab.ops").best().NAME);
  } else {
    pyodide.pyimport("compiled_checks").check_all(build);
    console.log("checked", build);
  }
} catch (error) {
  console.error(error.message); // the traceback alone, without the lines of pyodide.asm.js
  process.exitCode = 1;
}
