/** The lab's own runtime, which leaves its Pyodide where the bench can ask it things. */
import { loadPyodide as loadLabPyodide, version } from "./lab-runtime.mjs";

export { version };

export async function loadPyodide(options) {
  const pyodide = await loadLabPyodide(options);
  Object.defineProperty(globalThis, "pyodide", { value: pyodide }); // it cannot be deleted, as lock-down.mjs would
  return pyodide;
}
