/**
 * The module that a PyScript worker takes for Pyodide: it starts the real one, which lies beside it, tells the page of
 * every byte that arrives, and imports the lab, so that a failure of either reaches the page.
 *
 * Each message to the page is `{embeddingLab: ...}` of one of these:
 * `{file, loaded, done}` the bytes of a file so far, and whether these are all that came; `{imported: [file]}` files that
 * came as modules, whose bytes cannot be counted on the way;
 * `{file, failed}` why a file did not come, with the HTTP status; `{stage: "start"}` the imports begin.
 */
import { loadPyodide as loadPlainPyodide, version } from "./pyodide.mjs";

export { version };

function tell(message) {
  postMessage({ embeddingLab: message });
}

function nameOf(url) {
  return new URL(url, import.meta.url).pathname.split("/").pop();
}

/**
 * The same response, telling the page of its bytes as they pass; whoever asked still reads it as a stream.
 * WebAssembly is named as such, since Pyodide would wait for ever if a server gave it another type.
 */
function counted(file, response) {
  const reader = response.body.getReader();
  let loaded = 0;
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
        loaded += value?.byteLength ?? 0;
        tell({ file, loaded, done });
      } catch (error) {
        tell({ file, failed: `the connection broke after ${loaded} bytes, HTTP ${response.status}` });
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const type = file.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(body, { headers: { "content-type": type } });
}

/**
 * `fetch`, counted. It leaves out the hash that Pyodide asks the browser to check: for that the browser would hold back
 * the whole file, and nothing could be counted. The size is checked by the page, and a wheel's files have checksums.
 */
function countingFetch(plainFetch) {
  return async (resource, { integrity, ...options } = {}) => {
    const file = nameOf(resource.url ?? resource);
    const response = await plainFetch(resource, options).catch((error) => {
      tell({ file, failed: "the server does not answer" });
      throw error;
    });
    if (response.ok) return counted(file, response);
    tell({ file, failed: `HTTP ${response.status}` });
    return response;
  };
}

/** `WebAssembly.instantiateStreaming`, but its failure reaches the page: Pyodide only warns of it and waits for ever. */
function tellingInstantiate(plainInstantiate) {
  return (source, imports) =>
    plainInstantiate(source, imports).catch((error) => {
      tell({ file: "pyodide.asm.wasm", failed: `this browser cannot start it (${error.message})` });
      throw error;
    });
}

/**
 * Pyodide's own `loadPyodide`, followed by the import of the lab.
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
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = countingFetch(fetch);
  WebAssembly.instantiateStreaming = tellingInstantiate(instantiateStreaming);
  try {
    const pyodide = await loadPlainPyodide(options);
    tell({ stage: "start" });
    pyodide.pyimport("embedding_lab.worker").destroy();
    return pyodide;
  } finally {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}
