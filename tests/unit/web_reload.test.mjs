/** A part of the page whose scripts did not arrive says so and can be tried again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { offerReload } from "../../web/lab/reload.js";

test("a lab without its scripts says what is missing, and Retry loads the page anew", () => {
  let reloads = 0;
  globalThis.document = { createElement: (tag) => ({ tag, addEventListener(type, act) { this[type] = act; } }) };
  globalThis.location = { reload: () => (reloads += 1) };
  const place = { replaceChildren: (...children) => (place.children = children) };
  offerReload(place, "The scripts could not be loaded.");
  const [message, retry] = place.children;
  assert.deepEqual([message.tag, message.textContent], ["p", "The scripts could not be loaded."]);
  assert.deepEqual([retry.tag, retry.type, retry.textContent], ["button", "button", "Retry"]);
  retry.click();
  assert.equal(reloads, 1);
});
