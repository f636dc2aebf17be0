/** The lab's own runtime, which leaves its Pyodide where the bench can ask it things. */
import { loadPyodide as loadLabPyodide, version } from "./lab-runtime.mjs";

export { version };

export async function loadPyodide(options) {
  globalThis.pyodide = await loadLabPyodide(options);
  return globalThis.pyodide;
}
