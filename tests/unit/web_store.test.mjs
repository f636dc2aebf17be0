/** The state of the page and who hears of its changes, with frames of the screen at the test's command. */

import assert from "node:assert/strict";
import { test } from "node:test";

let frame = null;
globalThis.requestAnimationFrame = (draw) => (frame = draw) && 1;
const { Store } = await import("../../web/lab/store.js");

test("a listener that fails is reported, and those after it and later changes are told all the same", () => {
  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  const store = new Store();
  const told = [];
  store.subscribe(["unit"], () => {
    throw new Error("no picture of this");
  });
  store.subscribe(["unit"], () => told.push(store.state.unit));
  for (const unit of ["bits", "perplexity"]) {
    store.set({ unit });
    frame();
  }
  assert.deepEqual(told, ["bits", "perplexity"]);
  assert.deepEqual(reported, ["no picture of this", "no picture of this"]);
});
