/** Every answer that Python gives to a check of an encoding is taken for one, and none of those that lack what is drawn. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isAnswer } from "../../web/lab/encoding-answer.js";
import { VIEWS } from "../../web/lab/probe-views/index.js";
import { UNITS } from "../../web/charts/units.js";

const { checks } = JSON.parse(readFileSync(process.env.LAB_TABLE));

test("what Python answers is an answer, and is drawn", () => {
  assert.ok(checks.filter(({ error }) => error).length >= 3 && checks.filter(({ error }) => !error).length >= 14);
  for (const answer of checks) assert.ok(isAnswer(answer), JSON.stringify(answer).slice(0, 300));
});

/** Copies of a value, each without one of its fields at any depth. */
function* lessened(value) {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    if (!Array.isArray(value)) {
      const copy = structuredClone(value);
      delete copy[key];
      yield [key, copy];
    }
    for (const [path, part] of lessened(value[key])) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      copy[key] = part;
      yield [`${key}.${path}`, copy];
    }
  }
}

test("an answer without a field is refused, or is drawn without it", () => {
  let refused = 0;
  for (const check of checks.filter(({ error }) => !error)) {
    for (const [path, answer] of lessened(check)) {
      if (!isAnswer(answer)) {
        refused += 1;
        continue;
      }
      for (const [probe, result] of Object.entries(answer.probes)) {
        if (result.defined) assert.doesNotThrow(() => VIEWS[probe](result, { unit: UNITS.nats, best: null }), path);
      }
    }
  }
  assert.ok(refused > 300, `${refused}`);
});
