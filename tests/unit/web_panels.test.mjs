/** The panels of an address: which a page shows, in which order, and what it says of those that it cannot show. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sideBySide } from "../../web/lab/panels.js";
import { fromQuery } from "../../web/lab/query.js";

const table = JSON.parse(readFileSync(process.env.LAB_TABLE));
const read = (panels, isEmbedded) => fromQuery(table, new URLSearchParams(panels === null ? "" : { panels }), isEmbedded);
const frame = (panels) => read(panels, true);
const chapter = (panels) => read(panels, false);
const messages = ({ problems }) => problems.map(({ name, message }) => `${name}: ${message}`);

test("a frame shows what its author asks for, in that order, every lab of the chapter among it", () => {
  const probes = table.probes.map(({ name }) => `probe:${name}`);
  const all = ["gaps", "code", ...probes, "controls", "geometry", "loss"];
  const { panels, problems } = frame(all.join());
  assert.deepEqual(panels, all);
  assert.deepEqual(problems, []);
  assert.deepEqual(frame("generate, loss").panels, ["probe:generate", "loss"]);
});

test("without panels each page shows its usual ones", () => {
  assert.deepEqual(frame(null).panels, ["loss", "geometry", "gaps", "controls"]);
  assert.deepEqual(chapter(null).panels, ["controls", "loss", "geometry", "gaps"]);
});

test("the chapter page keeps its order, and says of the chapter's labs that they are there anyway", () => {
  const { panels, problems } = chapter("gaps,loss");
  assert.deepEqual(panels, ["loss", "gaps"]);
  assert.deepEqual(problems, []);
  const mixed = chapter("loss,generate,code");
  assert.deepEqual(mixed.panels, ["loss"]);
  assert.deepEqual(messages(mixed), ["panels: panels = generate,code is in the chapter of this page anyway."]);
  const none = chapter("probe:order");
  assert.deepEqual(none.panels, chapter(null).panels);
  assert.deepEqual(messages(none), ["panels: panels = probe:order is in the chapter of this page anyway. The default is used."]);
});

for (const [panels, wrong] of [
  ["loss,curves", "panels = curves is unknown"],
  ["probe:nothing", "panels = probe:nothing is unknown"],
  ["", "panels is empty"],
  [" , ", "panels is empty"],
  ["loss,gaps,loss", "panels names loss twice"],
  ["generate,probe:generate", "panels names probe:generate twice"],
]) {
  test(`panels=${panels} is reported by name with what is allowed, and the default used`, () => {
    const answer = frame(panels);
    const [message, ...others] = messages(answer);
    assert.deepEqual(others, []);
    assert.ok(message.startsWith(`panels: ${wrong}`), message);
    assert.ok(message.endsWith("The default is used."), message);
    if (!wrong.endsWith("generate twice")) for (const name of ["loss", "code", "probe:NAME", "order"]) assert.ok(message.includes(name), message);
    assert.deepEqual(answer.panels, frame(null).panels);
  });
}

test("loss and geometry stand side by side where they follow each other, and nothing else does", () => {
  assert.deepEqual(sideBySide(["gaps", "geometry", "loss", "code"]), [["gaps"], ["geometry", "loss"], ["code"]]);
  assert.deepEqual(sideBySide(["loss", "gaps", "geometry"]), [["loss"], ["gaps"], ["geometry"]]);
  assert.deepEqual(sideBySide(["probe:geometry", "geometry"]), [["probe:geometry"], ["geometry"]]);
});
