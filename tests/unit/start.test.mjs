/** web/lab/start.py in Pyodide, under Node: what the page gives and gets, typed arrays above all, arrives as it was. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { loadPyodide } from "../../web/node_modules/pyodide/pyodide.mjs";

const SMALL = { d: 8, heads: 2, context: 8, batch: 4, steps: 20 };
const TEXT = "The quick brown Fox 9 jumps over the lazy dog.\n".repeat(40);
const printed = [];
let pyodide, python;

before(async () => {
  pyodide = await loadPyodide();
  pyodide.unpackArchive(new Uint8Array(readFileSync(process.env.NUMPY_WHEEL)), "wheel");
  const root = new URL("../../", import.meta.url);
  pyodide.FS.mkdir("/py");
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: new URL("py", root).pathname }, "/py");
  pyodide.runPython("import sys; sys.path.append('/py'); sys.dont_write_bytecode = True");
  pyodide.registerJsModule("lab_runtime", { begin() {}, print: (text) => printed.push(text), end() {}, lockDown() {} });
  pyodide.runPython(readFileSync(new URL("web/lab/start.py", root), "utf8"));
  const names = pyodide.globals.get("__export__").toJs();
  python = Object.fromEntries(names.map((name) => [name, pyodide.globals.get(name)]));
});

function trainTo(id, step) {
  let frame;
  do frame = python.advance(id, 0);
  while (frame.step < step);
  return frame;
}

test("a run that is saved is a plain object of typed arrays, each of its kind of number", () => {
  python.open_run("a", SMALL, TEXT);
  trainTo("a", 10);
  const saved = python.save_run("a");
  for (const name of ["vector", "mean", "square"]) assert.ok(saved[name] instanceof Float32Array, name);
  for (const name of ["trainLoss", "validationLoss"]) assert.ok(saved[name] instanceof Float64Array, name);
  assert.ok(saved.validationSteps instanceof Int32Array);
  assert.deepEqual([...saved.validationSteps], [0, 10]);
  assert.deepEqual([saved.step, saved.state, saved.message], [10, "training", null]);
  assert.equal(saved.trainLoss.length, 10);
});

test("it travels back bit for bit, and goes on as the other does", () => {
  const saved = structuredClone(python.save_run("a"));
  const opened = python.open_run("b", SMALL, TEXT, null, saved);
  assert.equal(opened.error, undefined);
  assert.deepEqual({ ...python.save_run("b"), seconds: 0 }, { ...saved, seconds: 0 });
  trainTo("a", 20);
  trainTo("b", 20);
  assert.deepEqual({ ...python.save_run("b"), seconds: 0 }, { ...python.save_run("a"), seconds: 0 });
});

test("a file of a run is a Uint8Array, and comes back as a typed array or as a buffer", () => {
  python.open_run("a", { ...SMALL, corpus: "own" }, TEXT);
  trainTo("a", 10);
  const { name, bytes } = python.checkpoint("a", "Learned");
  assert.equal(name, "learned-seed1-10.zip");
  assert.ok(bytes instanceof Uint8Array);
  const saved = { ...python.save_run("a"), seconds: 0 };
  for (const content of [bytes, structuredClone(bytes).buffer]) {
    const found = python.read_checkpoint(content);
    assert.equal(found.error, undefined);
    assert.equal(found.text, TEXT);
    assert.deepEqual({ ...found.saved, seconds: 0 }, saved);
    const opened = python.open_run("b", found.config, found.text, null, found.saved);
    assert.deepEqual([opened.frame.step, opened.frame.state], [10, "training"]);
  }
});

test("a file that is no run is told in words, however deep it is nested and however large it says it is", () => {
  const { bytes } = python.checkpoint("a", "Learned");
  const message = (content) => python.read_checkpoint(content).error.message;
  assert.match(message(new Uint8Array(0)), /an empty file/);
  assert.match(message(bytes.slice(0, 2000)), /cut off or changed/);
  assert.match(message(new Uint8Array(60_000_000)), /has 60,000,000 bytes; a saved run has at most/);
  const deep = pyodide.runPython(`
from embedding_lab import checkpoint
checkpoint.pack({checkpoint.FILES[5]: b"[" * 60_000})`);
  assert.match(message(deep.toJs()), /run.json is nested too deeply/);
  // Offsets that a signed number of 32 bits cannot hold, such as Python has here.
  const [own, directory] = [bytes.slice(), bytes.slice()];
  const entry = bytes.findLastIndex((_, at) => [0x50, 0x4b, 1, 2].every((value, more) => bytes[at + more] === value));
  new DataView(own.buffer).setUint32(entry + 42, 0x80000000, true);
  new DataView(directory.buffer).setUint32(bytes.length - 6, 0xffffffff, true);
  assert.match(message(own), /text.txt begins 2,147,483,648 bytes into the zip/);
  assert.match(message(directory), /its directory begins at byte 4,294,967,295/);
  assert.equal(python.advance("a", 0).step, 11);
});

test("the console answers in plain values, prints to the page, and sleeps as long as it is told", () => {
  assert.deepEqual(python.console_run("signal", "1").error.code, "console");
  assert.deepEqual(python.console_open(SMALL, TEXT), { run: "console", step: 0, shape: [31, 8] });
  assert.deepEqual(python.console_run("signal", "print('é')\nE.shape"), {
    complete: true, value: "(31, 8)", error: null, interrupted: false, leftOut: 0,
  });
  assert.equal(printed.join(""), "é\n");
  assert.deepEqual(python.console_run("signal", "for i in E:"), { complete: false });
  const slept = python.console_run("signal", "import time; t = time.perf_counter(); time.sleep(0.05); time.perf_counter() - t");
  assert.ok(Number(slept.value) >= 0.049, slept.value);
  assert.match(python.console_run("signal", "time.sleep(-1)").error, /ValueError/);
});

test("the files that the page shows come whole, and no others", () => {
  assert.match(python.source_file("ops/reference.py").code, /def attention\(/);
  assert.equal(python.source_file("../start.py").error.code, "source");
});
