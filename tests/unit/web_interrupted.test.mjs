/** What a tab notes of an experiment that is under way, and says when the page is loaded again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { noteWhatTrains } from "../../web/lab/interrupted.js";
import { Store } from "../../web/lab/store.js";
import { makeRuns } from "./web_fakes.mjs";

globalThis.requestAnimationFrame = (draw) => queueMicrotask(draw) ?? 1;

/** A tab: what it keeps, and how its page is loaded, in turn. */
class Tab {
  items = new Map();

  load(type = "navigate", search = "") {
    const page = new EventTarget();
    page.location = { pathname: "/index.html", search };
    page.performance = { getEntriesByType: () => [{ type }] };
    page.sessionStorage = {
      getItem: (key) => this.items.get(key) ?? null,
      setItem: (key, value) => this.items.set(key, value),
      removeItem: (key) => this.items.delete(key),
    };
    const store = new Store();
    noteWhatTrains(store, page);
    return { page, store, leave: () => page.dispatchEvent(new Event("pagehide")) };
  }
}

/** A page that trains, with one run that has ended and one at step 7 of 20. */
function training(tab) {
  const loaded = tab.load();
  const [ended, open] = makeRuns(["none", "learned"]);
  loaded.store.set({ runs: [ended, open], phase: "running" });
  Object.assign(ended, { state: "finished", step: 20 });
  Object.assign(open, { state: "training", step: 7 });
  loaded.store.touch("runs");
  return loaded;
}

const LEFT = [{ label: "learned", step: 7, steps: 20 }];

for (const type of ["reload", "back_forward"]) {
  test(`a page that was left while it trained names the runs that had not ended, once (${type})`, () => {
    const tab = new Tab();
    training(tab).leave();
    assert.deepEqual(tab.load(type).store.state.interrupted, LEFT);
    assert.equal(tab.load(type).store.state.interrupted, null);
  });
}

test("a page that crashed names what had not ended; a tab that was duplicated was not interrupted", async () => {
  const tab = new Tab();
  training(tab);
  await Promise.resolve(); // the picture in which one run had ended
  const duplicate = new Tab();
  duplicate.items = new Map(tab.items);
  assert.equal(duplicate.load("back_forward").store.state.interrupted, null);
  assert.deepEqual(tab.load("reload").store.state.interrupted, [{ label: "learned", step: null, steps: 20 }]);
});

for (const phase of ["finished", "stopped", "ready"]) {
  test(`an experiment that is ${phase} leaves nothing to say`, () => {
    const tab = new Tab();
    const { store, leave } = training(tab);
    store.set({ phase });
    leave();
    assert.equal(tab.load("reload").store.state.interrupted, null);
  });
}

test("a pause is told as training is, the next experiment takes the words away, and another address has its own", () => {
  const tab = new Tab();
  const { store, leave } = training(tab);
  store.set({ phase: "paused" });
  leave();
  assert.equal(tab.load("reload", "?d=16").store.state.interrupted, null);
  const again = tab.load("reload").store;
  assert.deepEqual(again.state.interrupted, LEFT);
  again.set({ runs: makeRuns(["none"]), phase: "running" });
  assert.equal(again.state.interrupted, null);
});

for (const text of ["", "7", "{}", '{"left":true,"runs":[]}', '{"left":true,"runs":[null]}', '{"left":true,"runs":[{"label":3,"step":1,"steps":2}]}']) {
  test(`a note that is none is nothing to say: ${text || "an empty one"}`, () => {
    const tab = new Tab();
    tab.items.set("embedding-lab:under-way:/index.html", text);
    assert.equal(tab.load("reload").store.state.interrupted, null);
  });
}

test("a tab that keeps nothing, or has no room, trains all the same", () => {
  const page = new EventTarget();
  Object.defineProperty(page, "sessionStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } });
  noteWhatTrains(new Store(), page);
  const tab = new Tab();
  tab.items.set = () => { throw new DOMException("full", "QuotaExceededError"); };
  training(tab).leave();
});
