/** The messages between the lab in a frame and the page around it: who is heard, what is obeyed, what is answered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEvents } from "../../web/lab/events.js";
import { ParentPage } from "../../web/lab/parent-page.js";

const COURSE = "https://course.example";

/**
 * A frame in a page, with a lab that notes what it is told to do.
 * @param {object} page what the browser tells of it: `ancestors`, the origins of the pages around, and `referrer`
 */
function frame({ ancestors = [COURSE], referrer = "" } = {}) {
  const told = [];
  const parent = { postMessage: (message, to) => told.push({ ...message, to }) };
  const document = Object.assign(new EventTarget(), { referrer });
  const clock = { now: 0 };
  const observed = [];
  const content = { height: 300.2, getBoundingClientRect: () => ({ height: content.height }) };
  const window = Object.assign(new EventTarget(), {
    parent, document,
    location: { ancestorOrigins: ancestors },
    performance: { now: () => clock.now },
    ResizeObserver: class {
      constructor(call) { observed.push(call); }
      observe() {}
    },
  });
  const done = [];
  const act = (name) => (...args) => done.push([name, ...args]);
  const lab = { state: { phase: "ready" }, ...Object.fromEntries(["run", "resume", "pause", "stop", "reset", "configure"].map((name) => [name, act(name)])) };
  const events = createEvents(document);
  new ParentPage({ window, content, lab, events });
  const hear = (event) => window.dispatchEvent(event);
  const say = (data, { source = parent, origin = COURSE } = {}) => hear(Object.assign(new Event("message"), { source, origin, data }));
  const resize = (height) => {
    content.height = height;
    for (const call of observed) call();
  };
  return { hear, parent, say, done, told, lab, events, resize, clock, errors: () => told.filter(({ type }) => type === "embedding-lab:error").map(({ detail }) => detail) };
}
const command = (name, detail) => ({ type: `embedding-lab:${name}`, ...(detail === undefined ? {} : { detail }) });

test("the first message is the height, to the parent's origin; then every other one, rounded up", () => {
  const { told, resize } = frame();
  assert.deepEqual(told, [{ type: "embedding-lab:size", detail: { height: 301 }, to: COURSE }]);
  for (const height of [300.9, 500, 500, 0, 500]) resize(height);
  assert.deepEqual(told.slice(1).map(({ detail }) => detail.height), [500]);
});

test("every event of the page is told, and the height again with the first, for who began to listen meanwhile", () => {
  const { told, events } = frame();
  events.ready({ backend: "numpy" });
  events.task({ passed: true });
  events.error("python", "words");
  assert.deepEqual(told.slice(1).map(({ type, detail, to }) => [type, detail, to]), [
    ["embedding-lab:ready", { backend: "numpy" }, COURSE],
    ["embedding-lab:size", { height: 301 }, COURSE],
    ["embedding-lab:task", { passed: true }, COURSE],
    ["embedding-lab:error", { code: "python", message: "words" }, COURSE],
  ]);
});

test("run begins, resumes what is paused, and changes nothing while it trains", () => {
  const { say, done, lab } = frame();
  for (const phase of ["loading", "ready", "running", "paused", "stopped", "finished"]) {
    lab.state.phase = phase;
    say(command("run"));
    done.push(phase);
  }
  assert.deepEqual(done.flat(), ["run", "loading", "run", "ready", "running", "resume", "paused", "run", "stopped", "run", "finished"]);
});

test("pause, stop, reset and configure are obeyed; values become what an address would say", () => {
  const { say, done, errors } = frame();
  for (const name of ["pause", "stop", "reset"]) say(command(name));
  say(command("configure", { steps: 300, tied: false, autorun: true, seeds: [1, 2], encodings: ["none", "rope"], theme: "dark", d: null }));
  assert.deepEqual(done, [
    ["pause"], ["stop"], ["reset"],
    ["configure", { steps: "300", tied: "0", autorun: "1", seeds: "1,2", encodings: "none,rope", theme: "dark", d: null }],
  ]);
  assert.deepEqual(errors(), []);
});

// Who is heard

test("another window and another origin are ignored in silence", () => {
  const { say, done, told } = frame();
  say(command("run"), { source: {} });
  say(command("run"), { origin: "https://evil.example" });
  say(command("nonsense"), { origin: "https://evil.example" });
  say(command("run"), { origin: "null" });
  assert.deepEqual(done, []);
  assert.equal(told.length, 1);
});

test("what a stranger sends is not even read", () => {
  const { hear, parent } = frame();
  let reads = 0;
  const event = (source, origin) => Object.defineProperty(Object.assign(new Event("message"), { source, origin }), "data", {
    get() {
      reads += 1;
      return command("stop");
    },
  });
  hear(event({}, COURSE));
  hear(event(parent, "https://evil.example"));
  assert.equal(reads, 0);
  hear(event(parent, COURSE));
  assert.equal(reads, 1);
});

test("without ancestors the referrer tells the origin", () => {
  const { say, done, told } = frame({ ancestors: null, referrer: `${COURSE}/lesson/1?x=2` });
  assert.equal(told[0].to, COURSE);
  say(command("run"), { origin: "https://evil.example" });
  say(command("stop"));
  assert.deepEqual(done, [["stop"]]);
});

test("where neither is known, the first command that is well formed tells it", () => {
  const { say, done, told, events } = frame({ ancestors: null });
  assert.equal(told[0].to, "*");
  say({ type: "other" }, { origin: "https://first.example" });
  say(command("nonsense"), { origin: "https://first.example" });
  say(command("run"), { origin: COURSE });
  say(command("stop"), { origin: "https://first.example" });
  assert.deepEqual(done, [["run"]]);
  events.ready({});
  assert.equal(told.at(-1).to, COURSE);
});

test("a parent without an origin of its own is told and obeyed", () => {
  const { say, done, told } = frame({ ancestors: ["null"] });
  say(command("run"), { origin: "null" });
  say(command("stop"), { origin: "null" });
  assert.deepEqual(done, [["run"], ["stop"]]);
  assert.equal(told[0].to, "*");
});

// What is answered

for (const data of [null, undefined, 7, "embedding-lab:run", {}, { type: 7 }, { type: "webpackOk" }, { type: "Embedding-Lab:run" }, [], { type: { startsWith: true } }]) {
  test(`${JSON.stringify(data)} is ignored in silence`, () => {
    const { say, done, told } = frame();
    say(data);
    assert.deepEqual(done, []);
    assert.equal(told.length, 1);
  });
}

const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`n${index}`, 1]));
for (const [what, message, words] of [
  ["an unknown command", command("train"), "embedding-lab:train is unknown: send embedding-lab:run, "],
  ["an event sent back", command("ready", {}), "embedding-lab:ready is unknown"],
  ["a name of Object's own", command("constructor"), "embedding-lab:constructor is unknown"],
  ["a command of great length", command("x".repeat(5000)), "embedding-lab:xxx"],
  ["configure without detail", command("configure"), "is no object"],
  ["configure with null", command("configure", null), "is no object"],
  ["configure with a list", command("configure", ["steps"]), "is no object"],
  ["configure with a text", command("configure", "steps=3"), "is no object"],
  ["configure with a map", command("configure", new Map([["steps", 3]])), "is no object"],
  ["a value that is an object", command("configure", { steps: { valueOf: 3 } }), "The value of steps is none that a setting can have"],
  ["an object with a length of its own", command("configure", { steps: { length: "9".repeat(5000) } }), "The value of steps is none"],
  ["a value that is undefined", command("configure", { steps: undefined }), "The value of steps is none"],
  ["a list of lists", command("configure", { seeds: [[1]] }), "The value of seeds is none"],
  ["more than 50 names", command("configure", many), "has 51 names: send at most 50"],
  ["a long value", command("configure", { corpus: "x".repeat(2001) }), "The value of corpus is 2001 long: send at most 2000"],
  ["a long list", command("configure", { seeds: Array(1e6).fill(1) }), "The value of seeds is 1000000 long"],
  ["a list that is long as a text", command("configure", { seeds: Array(1200).fill(1) }), "The value of seeds is 2399 long"],
  ["a long name", command("configure", { ["y".repeat(3000)]: 1 }), "is 3000 long"],
]) {
  test(`${what} is answered with one error event, and nothing of it is obeyed`, () => {
    const { say, done, errors } = frame();
    say(message);
    assert.deepEqual(done, []);
    assert.deepEqual(errors().map(({ code }) => code), ["message"]);
    assert.ok(errors()[0].message.includes(words), errors()[0].message);
    assert.ok(errors()[0].message.length < 300);
  });
}

test("of one message the names that fit are obeyed, and one error event tells of the others", () => {
  const { say, done, errors } = frame();
  say(command("configure", { steps: 300, corpus: "x".repeat(2001), seeds: [[1]], d: {}, width: null }));
  assert.deepEqual(done, [["configure", { steps: "300", width: null }]]);
  assert.deepEqual(errors().map(({ code }) => code), ["message"]);
  assert.match(errors()[0].message, /^The value of corpus is 2001 long: send at most 2000 characters\. 2 other names of this message were refused, too\.$/);
});

test("what is longest and still allowed is obeyed", () => {
  const { say, done } = frame();
  say(command("configure", { ...Object.fromEntries(Object.entries(many).slice(1)), n1: "x".repeat(2000) }));
  assert.equal(done.length, 1);
});

test("a flood: 50 commands in a second are obeyed, and one error event a second tells of the others", () => {
  const { say, done, errors, clock } = frame();
  for (let count = 0; count < 10_000; count += 1) {
    clock.now = count / 10; // all within one second
    say(command(count % 2 ? "stop" : "nonsense"));
  }
  assert.equal(done.length, 25);
  assert.equal(errors().length, 25 + 1);
  assert.match(errors().at(-1).message, /^More than 50 messages came within a second/);
  clock.now = 2500;
  say(command("stop"));
  assert.equal(done.length, 26, "then the lab hears again");
});

test("in no second, whenever it begins, are more than 50 commands obeyed", () => {
  const { say, done, clock, lab } = frame();
  const at = [];
  lab.stop = () => at.push(clock.now);
  for (let count = 0; count < 5000; count += 1) {
    clock.now = count;
    say(command("stop"));
  }
  assert.ok(at.length >= 240, `${at.length}`);
  for (const begin of at) assert.ok(at.filter((time) => time >= begin && time < begin + 1000).length <= 50);
  assert.deepEqual(done, []);
});
