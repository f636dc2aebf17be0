/** What code can hide from who reads it is drawn as signs and counted; what is there to be seen stays as it is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignCode } from "../../web/lab/elements/foreign-code.js";
import { hiddenIn, revealed } from "../../web/lab/hidden-characters.js";

const shown = (code) => revealed(code).map(({ text, isSign }) => (isSign ? `[${text}]` : text)).join("");

test("what turns text around, leaves no ink or begins a line for Python alone is a sign", () => {
  const cases = {
    "# \u202e evil \u2066": "# [U+202E] evil [U+2066]",
    "pass\u200b\u200d": "pass[U+200B ZWJ]",
    "# safe\rimport os": "# safe[↵]import os",
    "a\u0000\u0008\u001b[2K": "a[U+0000 U+0008 U+001B][2K",
    "\ufeffx\u00a0=\u3000\u00ad1\u2028\u2029": "[U+FEFF]x[U+00A0]=[U+3000 U+00AD]1[U+2028 U+2029]",
    "\u{e0041}\u3164\u{f0000}": "[U+E0041 U+3164 U+F0000]",
  };
  for (const [code, expected] of Object.entries(cases)) assert.equal(shown(code), expected);
});

test("all that can be seen, line ends, tabs and spaces are as they are written", () => {
  const code = 'def table(self):\r\n\treturn "עברית ä 😀 é"  # ok\n';
  assert.deepEqual(revealed(code), [{ text: code, isSign: false }]);
  assert.equal(hiddenIn(code), null);
});

test("how many are hidden is said, and which", () => {
  assert.equal(hiddenIn("a\u200bb"), "1 character of it would not be seen, or would turn text around, and is drawn as a sign: U+200B.");
  assert.match(hiddenIn("\u202e\u2066\u202e"), /^3 characters .* and are drawn as signs: U\+202E and U\+2066\.$/);
  assert.match(hiddenIn(String.fromCharCode(...Array(20).keys())), /^18 characters .*U\+0007 and 10 others\.$/);
});

/** Everything that a template puts on the page, with its own markup. */
const markup = (value) => {
  if (Array.isArray(value)) return value.map(markup).join("");
  if (typeof value === "symbol") return "";
  return value?.strings ? value.strings.map((part, i) => part + (i < value.values.length ? markup(value.values[i]) : "")).join("") : String(value);
};

test("code that waits for leave is shown with its signs and their number, and without words where there are none", () => {
  const text = markup(foreignCode(["mine"], `# \u202e evil \u2066\nx = 1${" ".repeat(3000)}; import js`));
  assert.match(text, /class="error">2 characters of it/);
  assert.match(text, /# <span class="sign">U\+202E<\/span> evil <span class="sign">U\+2066<\/span>\nx = 1 {3000}; import js/);
  assert.doesNotMatch(markup(foreignCode(["mine"], "x = 1")), /error|sign/);
});
