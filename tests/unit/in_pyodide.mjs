/** Runs compiled_checks.py on one build of the kernels in Pyodide, under Node: `node in_pyodide.mjs relaxed-simd`. */
import { readFileSync, readdirSync } from "node:fs";
import { loadPyodide } from "../../web/node_modules/pyodide/pyodide.mjs";

const build = process.argv[2];
const root = new URL("../../", import.meta.url);
const pyodide = await loadPyodide();
const runtime = readdirSync(new URL("dist/", root)).find((name) => name.startsWith("python-"));
const folder = new URL(`dist/${runtime}/`, root);
for (const wheel of readdirSync(folder).filter((name) => name.endsWith(".whl"))) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(new URL(wheel, folder))), "wheel");
}
pyodide.FS.writeFile("/lib/python3.13/site-packages/compiled_checks.py", readFileSync(new URL("compiled_checks.py", import.meta.url)));
try {
  pyodide.pyimport("compiled_checks").check_all(build);
  console.log("checked", build);
} catch (error) {
  console.error(error.message); // the traceback alone, without the lines of pyodide.asm.js
  process.exitCode = 1;
}
