/** What the charts decide before they draw: places of labels, names of characters, the window of the geometry. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { characterLabel, characterName, glyph, spelled } from "../../web/charts/characters.js";
import { pointRows } from "../../web/charts/geometry-rows.js";
import { GeometryView } from "../../web/charts/geometry-view.js";
import { stackLabels } from "../../web/charts/label-stack.js";
import { encodingNames, listEncodings } from "../../web/charts/encodings.js";
import { CLASS_COLOR, encodingColor, encodingSign } from "../../web/charts/palette.js";
import { signPath } from "../../web/charts/signs.js";

// Labels

const stacked = (at, height = 10, top = 0, bottom = 100) => stackLabels(at.map((centre) => ({ at: centre, height })), top, bottom);

test("labels with room stand at their values", () => {
  assert.deepEqual(stacked([20, 80, 50]), [20, 80, 50]);
});

test("labels at one value share the way evenly", () => {
  assert.deepEqual(stacked([50, 50]), [45, 55]);
});

test("labels never overlap, keep their order and stay inside", () => {
  for (const wanted of [[0, 1, 2, 50], [99, 98, 97], [50, 50, 50, 50, 50, 50], [0, 0, 100, 100], [40, 49, 58, 10]]) {
    const centres = stacked(wanted);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
    order.forEach((label, k) => {
      if (k) assert.ok(centres[label] - centres[order[k - 1]] >= 10 - 1e-9, `${wanted} became ${centres}`);
    });
    assert.ok(Math.min(...centres) >= 5 && Math.max(...centres) <= 95, `${wanted} became ${centres}`);
  }
});

test("labels that cannot all fit start at the top", () => {
  assert.deepEqual(stacked([10, 20, 30], 50, 0, 100), [25, 75, 125]);
});

// Characters

test("a character is its own mark, a blank has a stand-in", () => {
  assert.deepEqual(["a", "é", "ж", "字", "'"].map((c) => glyph(c).text), ["a", "é", "ж", "字", "'"]);
  assert.deepEqual([" ", "\n", "\t"].map((c) => glyph(c).text), ["␣", "⏎", "⇥"]);
});

test("what leaves no ink is shown by its code point", () => {
  for (const character of ["\u0000", "\u200b", "\u00a0", "\u2028", "\ud800"]) {
    assert.match(glyph(character).text, /^U\+[0-9A-F]{4}$/);
    assert.ok(glyph(character).long);
  }
});

test("a combining mark stands on a circle, in every script", () => {
  for (const mark of ["\u0301", "\u05b7", "\u064e", "\u093f", "\u0e31", "\u20e3"]) assert.deepEqual(glyph(mark), { text: `◌${mark}`, long: false });
});

test("a character beyond the first plane is one mark", () => {
  assert.deepEqual(["😀", "🏽", "𝔘", "𠮷"].map((c) => glyph(c).text), ["😀", "🏽", "𝔘", "𠮷"]);
});

test("joiners, selectors and fillers leave no ink, so they are drawn by their short names", () => {
  const drawn = ["\u200c", "\u200d", "\ufe0e", "\ufe0f", "\u{e0100}", "\u034f", "\u3164", "\u180b"].map(glyph);
  assert.deepEqual(drawn.map(({ text }) => text), ["ZWNJ", "ZWJ", "VS15", "VS16", "VS17", "U+034F", "U+3164", "U+180B"]);
  assert.ok(drawn.every(({ long }) => long));
  assert.deepEqual(["\u200d", "\ufe0f", "\u3000"].map(characterName), ["zero-width joiner", "variation selector 16", "ideographic space"]);
});

test("what stands for all rare characters has a mark of its own and is named in words", () => {
  assert.deepEqual(glyph("\ufffd"), { text: "◈", long: false });
  assert.equal(characterName("\ufffd"), "rare or unknown character");
  assert.equal(characterLabel("\ufffd"), "◈ rare or unknown character");
});

test("a row is named by its mark, and in words where the mark does not say it", () => {
  assert.deepEqual(["a", "ש", "\u0301", " ", "\u200d", "\u200b"].map(characterLabel), ["a", "ש", "◌\u0301", "␣ space", "ZWJ zero-width joiner", "U+200B"]);
});

test("a spelled text shows its blanks, and keeps what belongs together", () => {
  assert.equal(spelled("the bank\n"), "the␣bank⏎");
  for (const text of ["नमस्ते", "שָׁלוֹם", "مُحَمَّد", "👩‍💻❤️", "می‌خواهم"]) assert.equal(spelled(text), text);
  assert.equal(spelled("\u0301 \u0301e\u0301"), "◌\u0301␣◌\u0301e\u0301", "a mark without a letter before it stands on a circle");
  assert.equal(spelled("a\u202eb"), "aU+202Eb", "what would turn the sentence around is written out");
});

test("a character written right to left stays within its quotes", () => {
  assert.equal(characterName("ש"), "“\u2068ש\u2069”");
});

// Colours of classes

const TOKENS = readFileSync(new URL("../../web/styles/tokens.css", import.meta.url), "utf8");
const token = (name) => new RegExp(`${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS).slice(1);
const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, each, i) => sum + each * vector[i], 0));
const luminance = (hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0];
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
/** Machado, Oliveira and Fernandes (2009): what is seen without one kind of cone; and with all. */
const VISION = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
/** Oklab (Ottosson, 2020), in which equal distances look about equally large. */
const oklab = (rgb) => {
  const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
    rgb.map((c) => Math.min(1, Math.max(0, c))));
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], cones.map(Math.cbrt));
};
const apart = (a, b, vision) => Math.hypot(...oklab(times(VISION[vision], linear(a))).map((c, i) => c - oklab(times(VISION[vision], linear(b)))[i]));

test("every class of character has a colour that can be read on the paper", () => {
  for (const name of Object.keys(CLASS_COLOR)) {
    token(`--class-${name}`).forEach((color, dark) => {
      assert.ok(contrast(color, token("--paper")[dark]) >= 4.5, `${name} ${color}`);
    });
  }
});

test("letters, marks and symbols are told from every other class in each kind of colour vision", () => {
  for (const name of ["letter", "mark", "symbol"]) {
    for (const other of Object.keys(CLASS_COLOR).filter((each) => each !== name)) {
      for (const dark of [0, 1]) {
        for (const vision of Object.keys(VISION)) {
          const distance = apart(token(`--class-${name}`)[dark], token(`--class-${other}`)[dark], vision);
          assert.ok(distance > 0.07, `${name} and ${other}, ${dark ? "dark" : "light"}, ${vision}: ${distance}`);
        }
      }
    }
  }
});

// Colours and marks of encodings

/** A list of as many encodings as the palette has colours for, and one more. */
const MANY = Array.from({ length: 9 }, (_, at) => ({ value: `encoding ${at}`, label: `Encoding ${at}`, supplies: at ? ["bias"] : [] }));
const OWN = ["own:a", "own:b", "own:c", "own:d"];
const colorsOf = (names) => names.map((name) => token(/var\((.+)\)/.exec(encodingColor(name))[1]));

test("encodings have the colours and marks of their places, and one beyond the last begins again at another mark", () => {
  listEncodings({ settings: [{ name: "d" }, { name: "encoding", choices: MANY }] });
  const names = encodingNames();
  assert.deepEqual(encodingNames("bias"), names.slice(1));
  assert.equal(encodingColor(names[0]), "var(--encoding-1)");
  assert.equal(new Set([...names.slice(0, 8), ...OWN].map(encodingColor)).size, 12);
  const marks = [...names.slice(0, 8), ...OWN].map(encodingSign);
  assert.equal(new Set(marks.map((mark) => signPath(mark, 0, 0, 4))).size, 12);
  assert.equal(encodingColor(names[8]), encodingColor(names[0]));
  assert.notEqual(encodingSign(names[8]), encodingSign(names[0]));
});

test("a curve of every encoding stands out from the page, and those after the fifth from each other in each kind of colour vision", () => {
  listEncodings({ settings: [{ name: "encoding", choices: MANY }] });
  const [lab, own] = [colorsOf(encodingNames().slice(0, 8)), colorsOf(OWN)];
  for (const dark of [0, 1]) {
    for (const color of [...lab, ...own]) {
      for (const paper of ["--paper", "--paper-raised"]) assert.ok(contrast(color[dark], token(paper)[dark]) >= 3, `${color[dark]} on ${paper}`);
    }
    for (const color of lab.slice(5)) {
      for (const other of [...lab, ...own].filter((each) => each !== color)) {
        for (const vision of Object.keys(VISION)) {
          const distance = apart(color[dark], other[dark], vision);
          assert.ok(distance > 0.07, `${color[dark]} and ${other[dark]}, ${vision}: ${distance}`);
        }
      }
    }
  }
});

test("every character has a name in running text", () => {
  assert.deepEqual([" ", "\n", "\t", "\u200b"].map(characterName), ["space", "line break", "tab", "U+200B"]);
  assert.match(characterName("a"), /a/);
});

// Geometry

const BOX = { left: 0, top: 0, width: 300, height: 200 };
const placed = (view, points) => {
  const { x, y } = view.scales(BOX);
  return Array.from({ length: points.length / 2 }, (_, i) => [x(points[2 * i]), y(points[2 * i + 1])]);
};

test("every point lies in the plot, up is up, and a unit is as long both ways", () => {
  const view = new GeometryView();
  const points = Float32Array.of(-3, 0, 3, 0, 0, 1, 0, -1);
  view.follow(points);
  const [left, right, top, bottom] = placed(view, points);
  for (const [x, y] of [left, right, top, bottom]) assert.ok(x >= 0 && x <= 300 && y >= 0 && y <= 200);
  assert.ok(left[0] < right[0] && top[1] < bottom[1]);
  assert.ok(Math.abs((right[0] - left[0]) / 6 - (bottom[1] - top[1]) / 2) < 1e-9);
});

test("the window follows points that leave it at once, and shrinks slowly", () => {
  const view = new GeometryView();
  view.follow(Float32Array.of(-1, -1, 1, 1));
  const far = Float32Array.of(-10, -10, 10, 10);
  view.follow(far);
  for (const [x, y] of placed(view, far)) assert.ok(x >= 0 && x <= 300 && y >= 0 && y <= 200);
  const near = Float32Array.of(-9, -9, 9, 9);
  const [before] = placed(view, near);
  view.follow(near);
  const [after] = placed(view, near);
  assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) < 3);
});

test("a point that is not a number does not move the window", () => {
  const view = new GeometryView();
  const points = Float32Array.of(-1, -1, 1, 1);
  view.follow(points);
  const before = placed(view, points);
  view.follow(Float32Array.of(-1, -1, 1, 1, NaN, 5));
  assert.deepEqual(placed(view, points), before);
});

test("the table of a picture names every character, with its class and its place on each axis", () => {
  const points = Float32Array.of(0.125, -2, 0, 0.5, 1, -0.25);
  assert.deepEqual(pointRows([" ", "a"], ["space", "vowel"], points, 3), {
    head: ["character", "class", "axis 1", "axis 2", "axis 3"],
    rows: [["space", "space", "0.125", "−2.00", "0.000"], [characterName("a"), "vowel", "0.500", "1.00", "−0.250"]],
  });
  assert.deepEqual(pointRows(["a"], ["vowel"], null, 2).rows, []);
});
