/** What a figure's file may hold of the texts that it shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedInXml } from "../../web/charts/xml.js";

test("what XML forbids is replaced, in every plane of Unicode", () => {
  // Production Char of XML 1.0, fifth edition: #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]
  const allowed = (code) => [0x9, 0xa, 0xd].includes(code) || (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000;
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const expected = allowed(code) ? character : "\uFFFD";
    if (allowedInXml(character) !== expected) assert.fail(`U+${code.toString(16)} became ${JSON.stringify(allowedInXml(character))}`);
  }
});

test("half of a surrogate pair is replaced, a whole one stays", () => {
  assert.equal(allowedInXml("a\ud83d\ude00b\ud83dc\ude00d"), "a\u{1f600}b\ufffdc\ufffdd");
});
