/** The address: every name that course pages rely on, there and back. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromQuery, toQuery } from "../../web/lab/query.js";

const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
const read = (query) => fromQuery(table, new URLSearchParams(query));

/** Name in the address, a value that is not the default, and what it must come to. */
const CONTRACT = [
  ["encodings", "none,rope,alibi", ({ encodings }) => encodings, ["none", "rope", "alibi"]],
  ["d", "64", ({ values }) => values.d, 64],
  ["layers", "2", ({ values }) => values.layers, 2],
  ["heads", "8", ({ values }) => values.heads, 8],
  ["context", "64", ({ values }) => values.context, 64],
  ["batch", "8", ({ values }) => values.batch, 8],
  ["steps", "40", ({ values }) => values.steps, 40],
  ["seeds", "1,2,3", ({ seeds }) => seeds.replaceAll(" ", ""), "1,2,3"],
  ["corpus", "plrabn12", ({ values }) => values.corpus, "plrabn12"],
  ["tied", "0", ({ values }) => values.tied, false],
  ["lr", "0.01", ({ values }) => values.lr, 0.01],
  ["position-scale", "0.5", ({ values }) => values.position_scale, 0.5],
  ["init-std", "0.1", ({ values }) => values.init_std, 0.1],
];
const OPENING = [
  ["theme", "dark", ({ theme }) => theme, "dark"],
  ["autorun", "1", ({ autorun }) => autorun, true],
];

for (const [name, text, pick, expected] of [...CONTRACT, ...OPENING]) {
  test(`${name}=${text} is taken`, () => {
    assert.notDeepEqual(pick(read("")), expected, "the example differs from the default");
    const answer = read(`${name}=${text}`);
    assert.deepEqual(answer.problems, []);
    assert.deepEqual(pick(answer), expected);
  });
}

for (const [name, text] of CONTRACT) {
  test(`${name}=${text} is written as it is read`, () => {
    assert.equal(toQuery(table, read(`${name}=${text}`)), `${name}=${text}`);
  });
}

test("all settings at once are read back as they were", () => {
  const query = CONTRACT.map(([name, text]) => `${name}=${text}`).join("&");
  const answer = read(query);
  assert.deepEqual(answer.problems, []);
  const again = read(toQuery(table, answer));
  assert.deepEqual(again, answer);
});

test("the defaults are the empty address", () => {
  assert.equal(toQuery(table, read("")), "");
});

const WRONG = { encodings: "none,rotary", corpus: "bible", tied: "maybe", theme: "sepia", autorun: "yes" };
for (const [name] of [...CONTRACT, ...OPENING]) {
  test(`${name} with a value that cannot be had is reported by that name alone, and the default used`, () => {
    const answer = read(`${name}=${WRONG[name] ?? "abc"}`);
    assert.deepEqual(answer.problems.map((problem) => problem.name), [name]);
    assert.deepEqual({ ...answer, problems: [] }, read(""));
  });
}

test("a name given twice counts as its last", () => {
  assert.equal(read("d=32&d=64").values.d, 64);
});
