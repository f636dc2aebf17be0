/** What is said of an experiment to those who do not see it: each thing once, and true of what trains now. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { News } from "../../web/lab/news.js";
import { makeRuns } from "./web_fakes.mjs";

const status = {};

/** Everything that is said while an experiment goes through some states; losses are said as "L". */
const said = (news, states) => states.map((state) => news.tell({ status, ...state }, () => "L"));

/** Takes runs so many steps on. */
function train(runs, steps) {
  for (const run of runs) Object.assign(run, { step: run.step + steps, state: run.step + steps >= run.steps ? "finished" : "training" });
}

test("an experiment from its beginning to its end, each quarter once", () => {
  const news = new News();
  const runs = makeRuns(["none", "rope"]);
  assert.deepEqual(said(news, [{ phase: "ready", runs: [] }, { phase: "running", runs }]), ["Python is ready.", "Training 2 models."]);
  const heard = [];
  for (let step = 0; step < 20; step += 1) {
    train(runs, 1);
    heard.push(...said(news, [{ phase: "running", runs }]));
  }
  heard.push(...said(news, [{ phase: "finished", runs }, { phase: "finished", runs }]));
  assert.deepEqual(heard.filter((words) => words !== null), ["25 percent done. L", "50 percent done. L", "75 percent done. L", "Finished. L"]);
});

test("an experiment that is opened over another of its size and phase is told", () => {
  for (const [phase, words] of [["finished", "Finished. L"], ["stopped", "Stopped. L"]]) {
    const news = new News();
    assert.deepEqual(said(news, [{ phase, runs: makeRuns(["none"]) }, { phase, runs: makeRuns(["rope"]) }]), [words, words]);
  }
});

test("runs that go on or are added are counted alone, and their quarters begin where they were", () => {
  const news = new News();
  const [finished, stopped] = makeRuns(["none", "rope"]);
  Object.assign(finished, { state: "finished", step: 20 });
  Object.assign(stopped, { state: "stopped", step: 12 });
  said(news, [{ phase: "stopped", runs: [finished, stopped] }]);
  stopped.state = "queued";
  const runs = [finished, stopped];
  assert.deepEqual(said(news, [{ phase: "running", runs }]), ["Training 1 model."]);
  train([stopped], 1);
  assert.deepEqual(said(news, [{ phase: "running", runs }]), [null]);
  train([stopped], 3);
  assert.deepEqual(said(news, [{ phase: "running", runs }]), ["50 percent done. L"]);
  train([stopped], 4);
  said(news, [{ phase: "finished", runs }]);
  const more = [...runs, ...makeRuns(["none", "rope"], { seed: 2 })];
  assert.deepEqual(said(news, [{ phase: "running", runs: more }]), ["Training 2 models."]);
  train(more.slice(2), 5);
  assert.deepEqual(said(news, [{ phase: "running", runs: more }]), ["25 percent done. L"]);
});
