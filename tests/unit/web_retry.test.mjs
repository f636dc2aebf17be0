/** A part of the page whose scripts did not arrive says so and can be tried again, without a reload. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isReplaced, Part, REPLACED } from "../../web/lab/retry.js";

globalThis.document = { documentElement: { dataset: { version: "aaaa" } } };
globalThis.location = { pathname: "/lab/index.html" };

/** What the server answers for the page: its text, or null for no answer at all. */
let page = '<html data-version="aaaa">';
globalThis.fetch = async (url, { cache }) => {
  assert.deepEqual([url, cache], ["/lab/index.html", "no-cache"]);
  if (page === null) throw new TypeError("Failed to fetch");
  return { ok: page !== "", text: async () => page };
};

function part(answers) {
  const problems = [];
  const made = new Part({
    load: async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    words: "The editor",
    onChange: () => problems.push(made.problem),
  });
  return { made, problems };
}

test("a part that fails says why, and the next time it is there", async () => {
  page = '<html data-version="aaaa">';
  const { made, problems } = part([new Error("no answer"), { answer: 42 }]);
  assert.equal(await made.get(), null);
  assert.equal(made.problem, "The editor could not be loaded (no answer).");
  assert.equal(made.offersReload, false, "to try again comes first");
  assert.deepEqual(await made.get(), { answer: 42 });
  assert.equal(made.problem, null);
  assert.deepEqual(problems, [null, "The editor could not be loaded (no answer).", null]);
});

test("where to try again has not helped, a reload is offered beside it", async () => {
  const { made } = part([new Error("no answer"), new Error("no answer")]);
  await made.get();
  await made.get();
  assert.equal(made.offersReload, true);
});

test("on a page of an older version than the server's, only a reload can help, and that is said at once", async () => {
  page = '<html data-version="bbbb">';
  const { made } = part([new Error("HTTP 404")]);
  await made.get();
  assert.equal(made.problem, `The editor could not be loaded (HTTP 404). ${REPLACED}`);
  assert.equal(made.offersReload, true);
});

test("a server that does not answer, or not with the page, has not replaced it", async () => {
  for (const answer of [null, ""]) {
    page = answer;
    assert.equal(await isReplaced(), false);
  }
});
