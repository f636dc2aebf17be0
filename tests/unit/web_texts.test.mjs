/** What is said of a text of the reader's own, and what becomes of files that nothing takes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCorpus } from "../../web/lab/corpus.js";
import { refuseStrayFiles } from "../../web/lab/stray-files.js";
import { rareList, rareNotice, textNotices } from "../../web/lab/text-notices.js";

const notices = (changed) => textNotices({ changed: { encoding: "UTF-8", undefined: 0, bom: false, cut: 0, lineEnds: 0, nfc: false, ...changed } });

test("a text that is trained on as it was given has no notice", () => {
  assert.deepEqual(notices({}), []);
});

test("every change has its own notice", () => {
  const changes = [{ bom: true }, { cut: 2 }, { lineEnds: 1200 }, { nfc: true }, { encoding: "Windows-1252" }, { encoding: "UTF-16" }];
  const words = [/byte order mark/, /its last 2 bytes were left out/, /^1,200 line ends/, /\(NFC\)/, /no UTF-8.*Windows-1252: check/, /UTF-16/];
  changes.forEach((change, i) => {
    assert.equal(notices(change).length, 1);
    assert.match(notices(change)[0], words[i]);
  });
  assert.equal(notices(Object.assign({}, ...changes)).length, 5);
  assert.match(notices({ lineEnds: 1 })[0], /^1 line end /);
  assert.match(notices({ cut: 1 })[0], /its last byte was left out\.$/);
  assert.match(notices({ encoding: "Windows-1252", undefined: 3 })[0], /3 bytes of it stand for nothing/);
});

test("rare characters are counted, with their share of the text", () => {
  const characters = Array.from({ length: 4745 }, (_, i) => [String.fromCodePoint(0x4e00 + i), 9]);
  assert.match(rareNotice({ threshold: 9, characters, share: 0.0123 }), /^The 4,745 rarest characters, which occur at most 9 times each, .* ◈, stands for them all, 1\.23\u00a0% of the text\.$/);
  assert.match(rareNotice({ threshold: 1, characters: characters.slice(0, 1), share: 0.3 }), /^The rarest character, which occurs once, has no row of its own.* stands for it, 30\u00a0%/);
});

test("a list of rare characters keeps each in its place, whichever way it is written", () => {
  assert.equal(rareList([["字", 1200], ["ש", 2], ["\u200d", 1]]), "“\u2068字\u2069” 1,200, “\u2068ש\u2069” 2, zero-width joiner 1");
});

/** An element, of which the page asks nothing but what is around it. */
globalThis.Element = class {
  constructor(around) {
    this.closest = () => around;
  }
};

/** What happens to a drag event: whether the page refused it, and the sign that the pointer shows. */
function dragged({ types = ["Files"], taken = false, target = null }) {
  const listeners = {};
  refuseStrayFiles({ addEventListener: (type, listener) => (listeners[type] = listener) });
  return ["dragover", "drop"].map((type) => {
    const event = {
      defaultPrevented: taken, dataTransfer: { types, dropEffect: "copy" }, target: new Element(target),
      preventDefault() {
        event.refused = true;
      },
    };
    listeners[type](event);
    return [event.refused ?? false, event.dataTransfer.dropEffect];
  });
}

test("a file beside everything that takes one is refused", () => {
  assert.deepEqual(dragged({}), [[true, "none"], [true, "none"]]);
});

test("what is taken, what takes files by itself, and what is no file are left alone", () => {
  for (const event of [{ taken: true }, { target: {} }, { types: ["text/plain"] }]) {
    assert.deepEqual(dragged(event), [[false, "copy"], [false, "copy"]]);
  }
});

test("a text that the page does not have is refused by its name", () => {
  const data = { corpora: [{ name: "alice29", file: "alice29.txt", integrity: "" }] };
  assert.throws(() => loadCorpus(data, "bob"), /The page has no text bob: choose alice29\./);
});
