/** web/lab/console.js and code-lines.js: what the prompt opens, tells and forgets, and where a statement stands. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { clock, settle } from "./web_fakes.mjs";
import { linesOf } from "../../web/lab/code-lines.js";
import { Console } from "../../web/lab/console.js";
import { defaults } from "../../web/lab/settings.js";

const data = JSON.parse(readFileSync(process.env.LAB_TABLE));
const DONE = { complete: true, value: null, error: null, interrupted: false, leftOut: 0 };
let pythons, lab, prompt;

/** Takes the place of startPythonWorker: each call waits until the test answers it. */
function start({ onPrinted }) {
  const python = { calls: [], onPrinted, interrupted: 0, isEnded: false };
  pythons.push(python);
  return {
    ready: Promise.resolve({}),
    call: (name, ...args) => new Promise((resolve, reject) => python.calls.push({ name, args, resolve, reject })),
    interrupt: () => (python.interrupted += 1),
    terminate: () => {
      python.isEnded = true;
      for (const { reject } of python.calls) reject(Object.assign(new Error("ended"), { code: "terminated" }));
    },
  };
}

const lastCall = () => pythons.at(-1).calls.at(-1);
const texts = (kind) => prompt.entries.filter((entry) => entry.kind === kind).map(({ text }) => text);

/** Opens the prompt, as a reader's click does. */
async function open() {
  const opened = prompt.open();
  await settle();
  assert.equal(lastCall().name, "console_open");
  lastCall().resolve({ run: "console", step: 0, shape: [73, 48] });
  await opened;
}

beforeEach(() => {
  pythons = [];
  const values = { ...defaults(data), corpus: "own" };
  const state = { runs: [], selected: null, values, encodings: ["rope"], seeds: "7", ownText: "some text", own: [] };
  lab = { data, state, consent: { allows: ({ code }) => code === null }, encodingLabel: (name) => name.toUpperCase() };
  prompt = new Console({ lab, start, onChange() {} });
});

test("nothing starts before the reader opens it", async () => {
  await settle();
  assert.equal(pythons.length, 0);
});

test("without a run that ended it opens an untrained one with the settings of the controls, and says so", async () => {
  await open();
  const [config, text, saved, code] = lastCall().args;
  assert.deepEqual([config.encoding, config.seed, text, saved, code], ["rope", 7, "some text", null, null]);
  assert.match(texts("note")[0], /ROPE, seed 7, untrained, .* since no run has ended. E has the shape \(73, 48\)/);
});

test("it opens the selected run as it was saved", async () => {
  const saved = { step: 40 };
  const run = { id: "a", encoding: "none", seed: 1, step: 40, steps: 40, config: { encoding: "none" }, text: "its text", saved, code: null };
  lab.state.runs = [{ id: "b", saved: null }, run];
  lab.state.selected = "a";
  await open();
  assert.deepEqual(lastCall().args, [run.config, "its text", saved, null]);
  assert.match(texts("note")[0], /NONE, seed 1, as it was after 40 of 40 steps/);
});

test("a run with an own encoding is opened with its code, and its Python serves no other", async () => {
  const config = { encoding: "own:x" };
  const own = { id: "a", encoding: "own:x", seed: 1, step: 4, steps: 4, config, text: "t", saved: { step: 4 }, code: "class X: ..." };
  const other = { ...own, id: "b", encoding: "none", config: { encoding: "none" }, code: null };
  lab.consent.allows = () => true;
  Object.assign(lab.state, { runs: [own, other], selected: "a" });
  await open();
  assert.deepEqual(lastCall().args, [config, "t", own.saved, "class X: ..."]);
  await open();
  assert.equal(pythons.length, 1);
  lab.state.selected = "b";
  await open();
  assert.deepEqual(pythons.map(({ isEnded }) => isEnded), [true, false]);
  assert.equal(lastCall().args[3], null);
  lab.state.selected = "a";
  await open();
  assert.equal(pythons.length, 2, "code may run where none has run");
});

test("a run whose code the reader has not allowed is not opened", async () => {
  const run = { id: "a", encoding: "own:x", seed: 1, step: 1, steps: 1, config: {}, text: "t", saved: {}, code: "print(1)" };
  Object.assign(lab.state, { runs: [run], selected: "a" });
  await prompt.open();
  assert.equal(pythons.length, 0);
  assert.match(texts("error")[0], /not allowed to run/);
});

test("settings that cannot be are named, and nothing starts", async () => {
  lab.state.values = { ...lab.state.values, d: "7" };
  await prompt.open();
  assert.equal(pythons.length, 0);
  assert.match(texts("error")[0], /need a correction first: d/);
});

test("an incomplete input leaves no trace; a complete one its output, in order", async () => {
  await open();
  let ran = prompt.run("for i in E:");
  await settle();
  lastCall().resolve({ complete: false });
  assert.equal(await ran, false);
  assert.deepEqual([texts("in"), prompt.history], [[], []]);
  ran = prompt.run("print(1); 2");
  await settle();
  pythons[0].onPrinted("1");
  pythons[0].onPrinted("\n");
  lastCall().resolve({ ...DONE, value: "2", leftOut: 1234 });
  assert.equal(await ran, true);
  const shown = prompt.entries.slice(1).map(({ kind, text }) => [kind, text]);
  const note = "… and 1,234 characters more were printed.\n";
  assert.deepEqual(shown, [["in", "print(1); 2"], ["out", "1\n"], ["note", note], ["value", "2\n"]]);
  assert.deepEqual([prompt.history, prompt.state], [["print(1); 2"], "idle"]);
});

test("an interrupt that is heard keeps Python; one that is not ends it, and the same run is opened again", async () => {
  await open();
  let ran = prompt.run("while True: pass");
  await settle();
  prompt.interrupt();
  prompt.interrupt();
  assert.equal(pythons[0].interrupted, 1);
  lastCall().resolve({ ...DONE, error: "KeyboardInterrupt\n", interrupted: true });
  await ran;
  clock.pass(5000);
  assert.equal(pythons[0].isEnded, false);
  assert.match(texts("note").at(-1), /Interrupted: your variables are as they were/);

  ran = prompt.run("E @ E.T");
  await settle();
  prompt.interrupt();
  clock.pass(1999);
  assert.equal(pythons[0].isEnded, false);
  clock.pass(1);
  assert.equal(pythons[0].isEnded, true);
  await settle();
  assert.match(texts("note").at(-1), /did not stop within 2 s, so it was ended: your variables are gone/);
  assert.equal(lastCall().name, "console_open");
  lastCall().resolve({ run: "console", step: 0, shape: [73, 48] });
  assert.equal(await ran, true);
  assert.deepEqual([pythons.length, prompt.state, prompt.isInterrupting], [2, "idle", false]);
  assert.equal(prompt.history.at(-1), "E @ E.T");
});

test("what is kept has an end, and Clear forgets it", async () => {
  await open();
  for (let i = 0; i < 12; i += 1) {
    const ran = prompt.run(`print(${i})`);
    await settle();
    pythons[0].onPrinted("x".repeat(20_000));
    lastCall().resolve(DONE);
    await ran;
  }
  assert.ok(prompt.entries.reduce((sum, { text }) => sum + text.length, 0) <= 220_000);
  assert.ok(prompt.forgotten > 0);
  prompt.clear();
  assert.deepEqual([prompt.entries.length, prompt.forgotten, prompt.history.length], [0, 0, 12]);
});

test("a function is shown whole, a statement as its line", () => {
  const code = "import x\n\nclass A(B):\n    y = 1\n\n    def f(\n        self,\n    ):\n        return 2\n\n\ndef g():\n    pass\n";
  assert.deepEqual(linesOf(code, "class A("), { from: 3, to: 9 });
  assert.deepEqual(linesOf(code, "def f("), { from: 6, to: 9 });
  assert.deepEqual(linesOf(code, "y = 1"), { from: 4, to: 4 });
  assert.deepEqual(linesOf(code, "def g("), { from: 12, to: 13 });
});
