/** The editor of own encodings without a page: drafts that are not lost, checks when the reader pauses, what is said of them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { UNITS } from "../../web/charts/units.js";
import { CHECKED, clock, settle } from "./web_fakes.mjs";
import { CheckOnPause } from "../../web/lab/check-on-pause.js";
import { aboutTrainable, encodingCompletions, methodsOf } from "../../web/lab/encoding-completion.js";
import { Drafts } from "../../web/lab/encoding-drafts.js";
import { obstacle, report, told } from "../../web/lab/encoding-report.js";

const POINTS = ["one", "two", "three"].map((name) => ({ file: `${name}.py`, name, title: name, teaches: `teaches ${name}`, code: `# ${name}` }));

/** A localStorage of the test. */
function storage(held = {}) {
  const items = new Map(Object.entries(held));
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), items };
}

test("each starting point keeps what was written to it, and a reload finds it", () => {
  const browser = storage();
  const drafts = new Drafts(POINTS, () => browser);
  assert.equal(drafts.code, "# one");
  drafts.edit("# mine");
  drafts.choose("two.py");
  assert.equal(drafts.code, "# two");
  drafts.edit("# mine, too");
  drafts.choose("one.py");
  assert.equal(drafts.code, "# mine");
  assert.deepEqual(drafts.choices().map(({ isEdited }) => isEdited), [true, true, false]);

  const reloaded = new Drafts(POINTS, () => browser);
  assert.deepEqual([reloaded.chosen, reloaded.code], ["one.py", "# mine"]);
  reloaded.choose("two.py");
  assert.equal(reloaded.code, "# mine, too");
});

test("a draft of before waits until it is edited or asked for, each on its own; a starting point does not", () => {
  const browser = storage();
  const before = new Drafts(POINTS, () => browser);
  before.edit("# mine");
  assert.equal(before.waitsAs, null);
  before.choose("two.py");
  before.edit("# mine, too");
  const drafts = new Drafts(POINTS, () => browser);
  assert.equal(drafts.waitsAs, "your draft from before");
  drafts.touch();
  assert.equal(drafts.waitsAs, null);
  drafts.choose("one.py");
  assert.equal(drafts.waitsAs, "your draft from before");
  drafts.edit("# mine!");
  assert.equal(drafts.waitsAs, null);
  drafts.choose("three.py");
  assert.equal(drafts.waitsAs, null);
});

test("back to the original puts the reader's version aside, until the next edit", () => {
  const drafts = new Drafts(POINTS, () => storage());
  assert.equal(drafts.canGoBack, false);
  drafts.edit("# mine");
  assert.equal(drafts.canGoBack, true);
  drafts.goBack();
  assert.deepEqual([drafts.code, drafts.canGoBack, drafts.canBringBack], ["# one", false, true]);
  drafts.bringBack();
  assert.deepEqual([drafts.code, drafts.canGoBack, drafts.canBringBack], ["# mine", true, false]);
  drafts.goBack();
  drafts.edit("# another");
  assert.equal(drafts.canBringBack, false);
});

test("a draft of before that was put aside waits again when it is brought back, one that was run does not", () => {
  const browser = storage();
  new Drafts(POINTS, () => browser).edit("# mine");
  const drafts = new Drafts(POINTS, () => browser);
  drafts.goBack();
  assert.deepEqual([drafts.code, drafts.waitsAs], ["# one", null]);
  drafts.bringBack();
  assert.deepEqual([drafts.code, drafts.waitsAs], ["# mine", "your draft from before"]);
  drafts.touch();
  drafts.goBack();
  drafts.bringBack();
  assert.equal(drafts.waitsAs, null);
});

test("code that is brought along is a draft of its own that waits, and what was in the editor stays", () => {
  const browser = storage();
  const drafts = new Drafts(POINTS, () => browser);
  drafts.edit("# mine");
  drafts.add("found.py", "# found", "code from a file");
  assert.deepEqual([drafts.code, drafts.waitsAs, drafts.canGoBack, drafts.canBringBack], ["# found", "code from a file", false, false]);
  assert.deepEqual(drafts.choices().map(({ title, isEdited }) => title + (isEdited ? "!" : "")), ["one!", "two", "three", "found.py"]);
  drafts.edit("# found!");
  assert.equal(drafts.waitsAs, null);
  drafts.choose("one.py");
  assert.equal(drafts.code, "# mine");
  const reloaded = new Drafts(POINTS, () => browser);
  reloaded.choose("found.py");
  assert.deepEqual([reloaded.code, reloaded.waitsAs], ["# found!", "your draft from before"]);
});

test("code that is brought along takes the place of no other of its name, and of itself alone", () => {
  const browser = storage();
  const drafts = new Drafts(POINTS, () => browser);
  const there = new Drafts(POINTS, () => browser);
  there.add("found.py", "# in another tab", "code from a file");
  for (const [code, file] of [["# a", "found 2.py"], ["# b", "found 3.py"], ["# a", "found 2.py"]]) {
    drafts.add("found.py", code, "code from a file");
    assert.deepEqual([drafts.chosen, drafts.code], [file, code]);
  }
  drafts.add("one.py", "# other", "code from a file");
  assert.equal(drafts.chosen, "one 2.py");
  drafts.add("one.py", "# one", "code from a file");
  assert.deepEqual([drafts.chosen, drafts.waitsAs], ["one.py", null]);
  const reloaded = new Drafts(POINTS, () => browser);
  assert.deepEqual(reloaded.choices().map(({ file }) => file).sort(), ["found 2.py", "found 3.py", "found.py", "one 2.py", "one.py", "three.py", "two.py"]);
});

test("a draft of its own can be deleted, and brought back until the next edit", () => {
  const browser = storage();
  const drafts = new Drafts(POINTS, () => browser);
  assert.equal(drafts.canDelete, false);
  drafts.choose("two.py");
  drafts.add("found.py", "# found", "code from a file");
  assert.equal(drafts.canDelete, true);
  drafts.delete();
  assert.deepEqual([drafts.chosen, drafts.canBringBack, drafts.choices().length], ["one.py", true, 3]);
  assert.equal(new Drafts(POINTS, () => browser).choices().length, 3);
  drafts.bringBack();
  assert.deepEqual([drafts.chosen, drafts.code, drafts.waitsAs], ["found.py", "# found", "code from a file"]);
  drafts.delete();
  drafts.edit("# mine");
  assert.equal(drafts.canBringBack, false);
});

test("what was typed back to the original is no version of the reader's", () => {
  const drafts = new Drafts(POINTS, () => storage());
  drafts.edit("# one!");
  drafts.edit("# one");
  assert.equal(drafts.choices()[0].isEdited, false);
});

test("a second tab's drafts of other starting points stay", () => {
  const browser = storage();
  const [here, there] = [new Drafts(POINTS, () => browser), new Drafts(POINTS, () => browser)];
  here.edit("# here");
  there.choose("two.py");
  there.edit("# there");
  here.edit("# here again");
  const reloaded = new Drafts(POINTS, () => browser);
  assert.equal(reloaded.code, "# here again");
  reloaded.choose("two.py");
  assert.equal(reloaded.code, "# there");
});

test("the draft of a starting point that the lab no longer has can still be chosen", () => {
  const browser = storage();
  const drafts = new Drafts(POINTS, () => browser);
  drafts.edit("# mine");
  const later = new Drafts(POINTS.slice(1), () => browser);
  assert.deepEqual(later.choices().map(({ file }) => file), ["two.py", "three.py", "one.py"]);
  assert.equal(later.code, "# mine");
  assert.equal(later.canGoBack, false);
});

for (const [what, held] of Object.entries({ "no JSON": "{", "a list": "[]", "null": "null", "numbers": '{"drafts": {"one.py": 7}, "chosen": 3}' })) {
  test(`a record that is ${what} counts as none`, () => {
    const drafts = new Drafts(POINTS, () => storage({ "embedding-lab:encoding-drafts": held }));
    assert.equal(drafts.code, "# one");
  });
}

test("without a storage, or with a full one, drafts last as long as the page, and it is said", () => {
  const refused = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const full = () => ({ getItem: () => null, setItem: refused });
  for (const given of [refused, full, () => null]) {
    const drafts = new Drafts(POINTS, given);
    assert.equal(drafts.isKept, given === full, "what cannot even be read is told from the beginning");
    drafts.edit("# mine");
    drafts.choose("two.py");
    drafts.choose("one.py");
    assert.equal(drafts.code, "# mine");
    assert.equal(drafts.isKept, false);
  }
});

/** A lab whose checks the test answers. */
function fakeLab() {
  const asked = [];
  return {
    asked,
    warm: 0,
    settings: { d: 16, heads: 4, context: 16, steps: 40 },
    ownSettings() {
      return this.settings;
    },
    warmCheck() {
      this.warm += 1;
    },
    checkEncoding: (code) => new Promise((resolve, reject) => asked.push({ code, resolve, reject })),
  };
}

function checking() {
  const lab = fakeLab();
  let changes = 0;
  const check = new CheckOnPause(lab, () => (changes += 1));
  return { lab, check, changes: () => changes };
}

/** A check that did not come to an answer. */
const failed = (message, code = "hung") => Object.assign(new Error(message), { code });
const GOOD = { name: "mine", supplies: ["table"] };

test("code is checked when the reader has paused for 600 ms, once, and Python is called at the first key", () => {
  const { lab, check } = checking();
  check.typed("a");
  clock.pass(599);
  check.typed("ab");
  clock.pass(599);
  assert.deepEqual([lab.asked.length, lab.warm, check.phase], [0, 1, "pausing"]);
  clock.pass(1);
  assert.deepEqual(lab.asked.map(({ code }) => code), ["ab"]);
  assert.equal(check.phase, "checking");
});

test("each check ends its Python, so the next first key calls another", async () => {
  const { lab, check } = checking();
  check.typed("a");
  clock.pass(600);
  lab.asked[0].resolve(GOOD);
  await settle();
  check.typed("ab");
  check.typed("abc");
  assert.equal(lab.warm, 2);
});

test("an answer to code that was changed meanwhile is dropped, also an error", async () => {
  const { lab, check } = checking();
  check.now("a");
  check.typed("ab");
  lab.asked[0].reject(failed("superseded", "superseded"));
  await settle();
  assert.deepEqual([check.phase, check.failure, check.answer], ["pausing", null, null]);
  clock.pass(600);
  lab.asked[1].resolve(GOOD);
  await settle();
  assert.ok(check.isGood("ab"));
  assert.equal(check.isGood("a"), false);
});

test("after an error the last good answer stays, and is stale; the next good one takes the error away", async () => {
  const { lab, check } = checking();
  check.now("a");
  lab.asked[0].resolve(GOOD);
  await settle();
  assert.equal(check.isStale("a"), false);
  check.now("b");
  lab.asked[1].resolve({ error: { code: "encoding", message: "shape", line: 3, traceback: "Traceback", printed: "hello" } });
  await settle();
  assert.equal(check.answer.code, "a");
  assert.ok(check.isStale("b"));
  assert.ok(check.isCurrent("b"));
  const { settings, ...failure } = check.failure;
  assert.deepEqual(failure, { code: "b", message: "shape", line: 3, traceback: "Traceback", printed: "hello", all: null });
  assert.equal(told(check), "Checked. Line 3: shape");
  check.now("a");
  lab.asked[2].resolve(GOOD);
  await settle();
  assert.equal(check.failure, null);
  assert.equal(told(check), "Checked. It supplies a table.");
});

test("other settings that matter make a check old, also while it runs; the number of steps does not", async () => {
  const { lab, check } = checking();
  check.now("a");
  lab.settings = { ...lab.settings, steps: 50 };
  assert.ok(check.isCurrent("a"));
  lab.settings = { ...lab.settings, d: "32" };
  assert.equal(check.isCurrent("a"), false);
  lab.asked[0].resolve(GOOD);
  await settle();
  assert.equal(check.isGood("a"), false);
  lab.settings = { ...lab.settings, d: "16" };
  assert.ok(check.isGood("a"));
});

test("settings that cannot be are no fault of the code: it is checked again when any of them changes", async () => {
  const { lab, check } = checking();
  lab.settings = { ...lab.settings, steps: "abc" };
  check.now("a");
  lab.asked[0].reject(new Error("The settings at the top of the page need a correction first: steps"));
  await settle();
  assert.ok(check.isCurrent("a"), "not again and again");
  lab.settings = { ...lab.settings, steps: "40" };
  assert.equal(check.isCurrent("a"), false);
  check.now("a");
  lab.asked[1].reject(failed("did not answer"));
  await settle();
  lab.settings = { ...lab.settings, steps: "50" };
  assert.ok(check.isCurrent("a"), "what the code did is its own");
});

test("it is said with which settings it was checked, and whose they are", async () => {
  const { lab, check } = checking();
  check.now("a");
  lab.asked[0].resolve(CHECKED);
  await settle();
  const said = (hasRuns) => report({ check, fault: null, code: "a", waitsAs: null, hasRuns, unit: UNITS.nats, goTo: () => {} }).values[0];
  assert.equal(said(true), "Checked with d = 16, 4 heads and a context of 16, as the runs on the page have: it works.");
  assert.equal(said(false), "Checked with d = 16, 4 heads and a context of 16, as the controls say: it works.");
});

test("why code cannot be trained is said in words", async () => {
  const { lab, check } = checking();
  const why = (code, waitsAs = null) => obstacle({ check, code, waitsAs });
  assert.equal(why("a", "your draft from before"), "Check it first: it is your draft from before.");
  assert.equal(why("a"), "Check it first.");
  check.now("a");
  assert.match(why("a"), /when it has been checked/);
  lab.asked[0].reject(failed("no"));
  await settle();
  assert.match(why("a"), /has to be mended/);
  check.now("a");
  lab.asked[1].resolve(GOOD);
  await settle();
  assert.equal(why("a"), null);
  assert.equal(why("b"), "Check it first.");
});

const positions = readFileSync(new URL("../../py/embedding_lab/positions.py", import.meta.url), "utf8");

/** What each of the two sources offers where | stands. */
function offered(code, explicit = false) {
  const pos = code.indexOf("|");
  const text = code.replace("|", "");
  const line = text.slice(text.lastIndexOf("\n", pos - 1) + 1, pos);
  const context = {
    pos, explicit,
    matchBefore(expression) {
      const found = new RegExp(`(?:${expression.source})$`).exec(line);
      return found && { from: pos - line.length + found.index, to: pos, text: found[0] };
    },
  };
  const [definitions, names] = encodingCompletions(positions).map((source) => source(context));
  return { definitions, names };
}

test("the methods are offered with the signatures and the docstrings of Python", () => {
  const methods = methodsOf(positions);
  assert.deepEqual(methods.map(({ name, parameters }) => `${name}(${parameters})`),
    ["table(self, length, d)", "rotation(self, length, head_dim)", "bias(self, length, heads)"]);
  for (const { doc } of methods) assert.ok(positions.includes(doc.split("\n")[0]) && doc.length > 30, doc);
  for (const begun of ["ta", "d", "def", "def t", "def table"]) {
    const { from, options } = offered(`class Mine:\n    ${begun}|`).definitions;
    assert.equal(from, "class Mine:\n    ".length, begun);
    const table = options.find(({ label }) => label === "def table");
    assert.equal(table.apply, "def table(self, length, d):\n        ");
    assert.ok(table.info.startsWith(methods[0].doc));
  }
  const elsewhere = ["class Mine:\n    |", "def ta|", "class Mine:\n    x = ta|", "class Mine:\n    def other|"];
  for (const code of elsewhere) assert.equal(offered(code).definitions, null, code);
  assert.equal(offered("class Mine:\n    |", true).definitions.options.length, 3);
});

test("Trainable, np, its members and the parameters are offered where they can stand", () => {
  const labels = (code, explicit) => offered(code, explicit).names?.options.map(({ label }) => label) ?? null;
  assert.ok(labels("        return Tra|").includes("Trainable"));
  assert.ok(offered("        return Tra|").names.options.find(({ label }) => label === "Trainable").info.startsWith(aboutTrainable(positions)));
  for (const name of ["np", "length", "d", "head_dim", "heads"]) assert.ok(labels("        x = np.zeros(|", true).includes(name), name);
  assert.equal(labels("x = np.zeros(|"), null);
  assert.ok(labels("        x = np.ar|").includes("arange"));
  assert.ok(!labels("        x = np.ar|").includes("Trainable"));
  assert.equal(labels("        x = self.he|"), null);
  assert.equal(labels("    |"), null);
});
