/**
 * Takes from a worker all that its Python has no use for, so that a reader's code reaches neither the network, nor what
 * the browser keeps for this site, nor other workers. Python reaches JavaScript through Pyodide's module `js`.
 *
 * What may stay is listed, not what must go: whatever browsers add later goes too.
 */

/** The language, without `eval`. */
const LANGUAGE = `
  globalThis undefined NaN Infinity isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Number BigInt Math Date String RegExp Array Map Set
  WeakMap WeakSet WeakRef FinalizationRegistry Iterator Promise Proxy Reflect JSON Intl Atomics DataView ArrayBuffer
  SharedArrayBuffer Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array
  BigUint64Array Float16Array Float32Array Float64Array Error AggregateError EvalError RangeError ReferenceError
  SuppressedError SyntaxError TypeError URIError DisposableStack AsyncDisposableStack WebAssembly
`;

/** Of the platform: what Pyodide, PyScript's channel and runtime.mjs call. None of it reads or sends anything. */
const PLATFORM = `
  self console performance crypto TextDecoder TextEncoder setTimeout clearTimeout setInterval clearInterval
  queueMicrotask scheduler MessageChannel addEventListener postMessage
`;

const STAYS = new Set(`${LANGUAGE} ${PLATFORM}`.trim().split(/\s+/));

/** The prototypes of the four kinds of functions; the constructor of each makes code from text, and such code can import. */
const FUNCTIONS = [() => {}, async () => {}, function* () {}, async function* () {}].map(Object.getPrototypeOf);

/** Stands in for Function, which Pyodide looks for in `instanceof`. */
function NoFunction() {
  throw new TypeError("JavaScript cannot be made from text here");
}

/** Take it away, from the global object and from the interfaces that it inherits from. */
export function lockDown() {
  const { prototype: last } = EventTarget;
  for (let scope = globalThis; scope !== last; scope = Object.getPrototypeOf(scope)) {
    const names = Reflect.ownKeys(scope).filter((name) => typeof name === "string" && !STAYS.has(name));
    for (const name of names) Reflect.deleteProperty(scope, name);
  }
  // The page's policy forbids it too, where a browser holds the worker to that.
  for (const prototype of FUNCTIONS) Reflect.deleteProperty(prototype, "constructor");
  NoFunction.prototype = FUNCTIONS[0];
  Object.assign(globalThis, { Function: NoFunction });
}
