/** What the lab's start is compared with: stock Pyodide in a worker, which loads its stock NumPy and imports it. */
import { loadPyodide } from "./pyodide.mjs";

try {
  const pyodide = await loadPyodide();
  await pyodide.loadPackage("numpy");
  pyodide.runPython("import numpy");
  postMessage({});
} catch (error) {
  postMessage({ failed: error.message });
}
