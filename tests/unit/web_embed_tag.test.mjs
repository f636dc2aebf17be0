/** The HTML that a course author copies: which lab it opens, and what it does with what a reader typed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { embedTag } from "../../web/lab/embed-tag.js";

test("the tag opens the same experiment, from the folder that the page is in", () => {
  const page = "https://course.example/lab/index.html?d=24#gaps";
  assert.equal(
    embedTag("encodings=none,rope&d=24", { page }),
    '<script async src="https://course.example/lab/embedding-lab.js"></script>'
      + '<embedding-lab encodings="none,rope" d="24"><a href="https://course.example/lab/?encodings=none,rope&amp;d=24">Open the lab</a></embedding-lab>',
  );
});

test("a lab of the chapter alone leads to its place in the chapter", () => {
  const tag = embedTag("", { panels: "probe:order", anchor: "order", page: "http://127.0.0.1:8000/" });
  assert.match(tag, /<embedding-lab panels="probe:order"><a href="http:\/\/127\.0\.0\.1:8000\/#order">/);
});

test("nothing that was typed leaves its attribute", () => {
  const query = new URLSearchParams({ d: '"><script>alert(1)</script>', seeds: "1&2" }).toString();
  const tag = embedTag(query, { page: "https://course.example/" });
  assert.equal(tag.match(/<script/g).length, 1);
  assert.match(tag, / d="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;" seeds="1&amp;2">/);
});
