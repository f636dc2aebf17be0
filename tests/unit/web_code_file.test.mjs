/** A file that the reader drops on the editor: what becomes code, and why other files do not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCodeFile } from "../../web/lab/code-file.js";

const file = (content, name = "mine.py") => new File([content], name);

test("a file of Python becomes code under its name, without a byte order mark and without what would not be seen of the name", async () => {
  assert.deepEqual(await readCodeFile(file("# ä\n")), { name: "mine.py", code: "# ä\n" });
  assert.equal((await readCodeFile(file(new Uint8Array([0xef, 0xbb, 0xbf, 0x23])))).code, "#");
  assert.equal((await readCodeFile(file("#", "mi\u202ene.py"))).name, "mine.py");
});

test("what is no code is refused with its name and what is allowed", async () => {
  await assert.rejects(readCodeFile(file("")), /^Error: mine\.py has 0 characters; the code of an encoding has 1 to 100,000 characters\.$/);
  await assert.rejects(readCodeFile(file("#".repeat(100_001))), /has 100,001 characters; /);
  await assert.rejects(readCodeFile(file(new Uint8Array([0x50, 0x4b, 0xff, 0xfe]), "run.zip")), /^Error: run\.zip is no Python: /);
});

test("a file that is too large is refused unread, and the widest code is none", async () => {
  const large = file("#".repeat(400_001));
  large.arrayBuffer = () => assert.fail("it was read");
  await assert.rejects(readCodeFile(large), /^Error: mine\.py has 0\.4 MB; /);
  assert.equal((await readCodeFile(file("😀".repeat(100_000)))).code.length, 200_000);
});
