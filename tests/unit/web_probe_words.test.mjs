/** What a lab says of its model, of its waiting and of what came: never more than is so at this moment. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastLine, lookedAt, measured, pending } from "../../web/lab/probe-words.js";
import { listEncodings } from "../../web/charts/encodings.js";
import { encodingName } from "../../web/lab/probe-views/words.js";

const probe = { name: "order", needsModel: true, arguments: [{ name: "first" }] };
const training = { name: "width", needsModel: false, arguments: [{ name: "updates" }] };
const run = (state, more = {}) => ({ state, steps: 400, encoding: "learned", seed: 1, ...more });
const question = (more = {}) => ({ source: run("training"), place: "own", untrained: false, args: {}, ...more });

test("a lab looks at a run now only while it trains", () => {
  const at = (state, which, step = 120) => lookedAt(probe, { which, step, source: run(state), untrained: false }, "Learned, seed 1");
  assert.equal(at("training", "now"), "Looks at Learned, seed 1, now, at step 120 of 400.");
  assert.equal(at("stopped", "now"), "Looks at Learned, seed 1, at step 120 of 400.");
  assert.equal(at("finished", "now"), "Looks at Learned, seed 1, at step 120 of 400.");
  assert.equal(at("stopped", "trained"), "Looks at Learned, seed 1, stopped, at step 120 of 400.");
  assert.equal(at("finished", "trained", 400), "Looks at Learned, seed 1, trained, at step 400.");
});

test("an untrained model is called so, and why where there is a reason", () => {
  const at = (source, untrained) => lookedAt(probe, { which: "untrained", step: 0, source, untrained }, "None, seed 1");
  assert.equal(at({ encoding: "none" }, false), "Looks at None, seed 1, untrained.");
  assert.equal(at(run("training"), true), "Looks at None, seed 1, untrained, as it was at step 0.");
  assert.equal(at(run("stopped", { lost: true }), false), "Looks at None, seed 1, untrained: what it had learned was lost with its worker.");
});

test("another model or argument that was asked for is said to come, from the first moment on", () => {
  const asked = question();
  const words = (entry, wanted, error, obstacle = null) =>
    pending({ probe, task: null, ...entry }, wanted, obstacle, { ...asked, which: "now" }, error);
  assert.equal(words({}, asked), null, "the answer is there");
  assert.equal(words({ task: asked }, asked), null, "what is measured again by itself stays unsaid");
  const other = question({ source: run("finished"), place: "idle", args: asked.args });
  assert.equal(words({}, other), "waits for a free core …");
  assert.equal(words({ task: question({ place: "idle" }) }, other), "waits for a free core …", "it is another one that is measured");
  assert.equal(words({ task: { ...other, progress: 0.5 } }, other), "measuring …");
  assert.equal(words({}, { ...asked, args: {} }), "waits for its run …");
  assert.equal(words({}, { ...asked, args: {} }, { message: "wrong" }), null);
  assert.equal(words({ probe: training }, other), null, "it waits for the reader");
  assert.match(words({}, null, undefined, "consent"), /code that waits for you to allow it/, "the answer is another model's");
  assert.match(words({}, null, undefined, "settings"), /need a correction first/);
  assert.equal(words({ probe: training }, null, undefined, "settings"), null, "its button says so");
  assert.equal(words({}, null, undefined, "ending"), null, "it passes in a moment");
});

test("what is told of an answer differs from what was told before", () => {
  const number = { value: "exactly 0", unit: "", caption: "largest difference" };
  const first = measured({ result: {} }, () => ({ number }), "");
  assert.equal(first, "Measured. exactly 0, largest difference");
  const second = measured({ result: {} }, () => ({ number }), first);
  assert.equal(second, "Measured again. exactly 0, largest difference");
  assert.equal(measured({ result: {} }, () => ({ number }), second), first);
  assert.equal(measured({ result: {} }, () => ({ number: null, notes: ["80 characters at temperature 1."] }), ""), "Measured. 80 characters at temperature 1.");
  assert.equal(measured({ result: { defined: false, why: "No." } }, () => assert.fail("nothing is drawn"), ""), "Measured. No.");
});

test("of a traceback the line is told that says what happened", () => {
  assert.equal(lastLine('Traceback (most recent call last):\n  File "x.py"\nKeyError: 3\n'), "KeyError: 3");
  assert.equal(lastLine("Give 2 or more."), "Give 2 or more.");
});

test("an encoding of the reader's own is called as they call it", () => {
  listEncodings({ settings: [{ name: "encoding", choices: [{ value: "none", label: "None" }, { value: "rope", label: "RoPE" }] }] });
  assert.deepEqual(["none", "rope", "own:δ عداد", "own:binary counter"].map(encodingName), ["None", "RoPE", "δ عداد", "binary counter"]);
});
