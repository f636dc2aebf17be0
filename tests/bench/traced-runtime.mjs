/** The lab's own runtime, which leaves its Pyodide where the bench can ask it things. */
import { loadPyodide as loadLabPyodide, version } from "./lab-runtime.mjs";

export { version };

export async function loadPyodide(options) {
  const pyodide = await loadLabPyodide(options);
  // Defined like this they cannot be deleted, as lock-down.mjs would; Playwright asks by `eval`.
  Object.defineProperties(globalThis, { pyodide: { value: pyodide }, eval: { value: eval, configurable: false } });
  return pyodide;
}
