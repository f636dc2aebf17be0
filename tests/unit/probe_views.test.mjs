/** How the result of each lab is shown: every view says the numbers of its result, and where they contradict the claim. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listEncodings } from "../../web/charts/encodings.js";
import { nats, significant } from "../../web/charts/numbers.js";
import { UNITS } from "../../web/charts/units.js";
import { VIEWS as VIEWS_OF_THE_PAGE } from "../../web/lab/probe-views/index.js";
import { momentOf } from "../../web/lab/probe-views/table.js";

const { settings, results: samples } = JSON.parse(readFileSync(process.env.LAB_PROBES));
listEncodings({ settings });
const of = (probe, which = "trained", encoding = null) =>
  structuredClone(samples.find((each) => each.probe === probe && each.which === which && (encoding === null || each.encoding === encoding)).result);

/** The views, in nats unless a test says otherwise. */
const VIEWS = Object.fromEntries(Object.entries(VIEWS_OF_THE_PAGE).map(
  ([name, view]) => [name, (result, args) => view(result, { unit: UNITS.nats, best: null, ...args })]));

/** Everything that a template says or hands to its elements, as one text. */
function told(value) {
  if (value === null || value === undefined || typeof value === "boolean" || typeof value === "function" || ArrayBuffer.isView(value)) return "";
  if (typeof value !== "object") return `${value} `;
  if (Array.isArray(value)) return value.map(told).join("");
  if (value.strings) return value.strings.map((part, i) => part + told(value.values[i])).join("");
  return Object.values(value).map(told).join("");
}

/** What a template hands to the first of its elements that has such a property. */
function valueOf(value, property) {
  if (Array.isArray(value)) return value.map((each) => valueOf(each, property)).find(Boolean);
  if (!value?.strings) return undefined;
  const place = value.strings.findIndex((part) => part.endsWith(`.${property}=`));
  return place < 0 ? valueOf(value.values, property) : value.values[place];
}
const barsOf = (value) => valueOf(value, "bars");

/** What a reader can read of a view. */
const words = ({ number, figure, notes = [] }) => [number && `${number.value} ${number.unit} ${number.caption}`, told(figure), ...notes].join("\n");
const notes = (view) => view.notes.join("\n");

test("every lab of the curriculum has a view, and a sample", () => {
  const names = ["lookup", "sparse-gradient", "geometry", "case-offset", "relabel", "merges", "residual-stream", "width", "order",
    "position-table", "rotation", "distance-bias", "extrapolation", "context-free", "cosine-cone", "tying", "amplitude", "compressors", "generate"];
  assert.deepEqual(Object.keys(VIEWS).sort(), names.toSorted());
  assert.deepEqual([...new Set(samples.map(({ probe }) => probe))].sort(), names.toSorted());
});

for (const [{ probe, encoding, which, result }, unit] of samples.flatMap((sample) => Object.values(UNITS).map((unit) => [sample, unit]))) {
  test(`${probe} of ${encoding}, ${which}, in ${unit.title}, is shown without a hole`, () => {
    const view = VIEWS[probe](result, { unit });
    if (view.number) {
      assert.deepEqual(Object.keys(view.number), ["value", "unit", "caption"]);
      for (const part of Object.values(view.number)) assert.equal(typeof part, "string");
      assert.notEqual(view.number.value, "–");
    }
    for (const note of view.notes ?? []) assert.match(note, /^[^a-z].*[.!?]$/su);
    assert.doesNotMatch(words(view), /\b(NaN|undefined|null|Infinity|false)\b|\[object/);
  });
}

test("a loss or a gap in a view is in the unit, and in no other", () => {
  const inNats = new Set(["relabel", "generate"]); // the agreement of two computations; the entropies of single draws
  for (const { probe, result } of samples.filter(({ which }) => which === "trained")) {
    const [bits, perplexity] = [UNITS.bits, UNITS.perplexity].map((unit) => words(VIEWS[probe](structuredClone(result), { unit })));
    if (!inNats.has(probe)) assert.doesNotMatch(bits + perplexity, /\bnats\b/, probe);
    if (["width", "tying", "amplitude", "extrapolation", "relabel", "compressors"].includes(probe)) {
      assert.match(bits, /bits per character/, probe);
      assert.doesNotMatch(perplexity, /\bbits\b/, probe);
    }
  }
});

test("the curves of a view are drawn in the unit", () => {
  const result = of("extrapolation", "trained", "sinusoidal");
  const drawn = (unit) => JSON.stringify(VIEWS.extrapolation(result, { unit }).figure);
  const [loss] = result.contexts.at(-1).losses;
  assert.ok(drawn(UNITS.nats).includes(String(loss)));
  assert.ok(drawn(UNITS.perplexity).includes(String(Math.exp(loss))));
});

test("a view sets only what its elements have", async () => {
  globalThis.HTMLElement = class {};
  const elements = new Map();
  globalThis.customElements = { get: (tag) => elements.get(tag), define: (tag, element) => elements.set(tag, element) };
  await import("../../web/lab/probe-views/elements.js");
  const check = (value) => {
    if (Array.isArray(value)) return value.forEach(check);
    if (!value?.strings) return undefined;
    const tags = [...value.strings.join("\u0000").matchAll(/<([a-z]+-[a-z]+)((?:[^>]|\u0000)*)>/g)];
    for (const [, tag, attributes] of tags) {
      assert.ok(elements.has(tag), `<${tag}> is not defined`);
      for (const [, name] of attributes.matchAll(/\.(\w+)=/g)) {
        assert.ok(name in elements.get(tag).properties, `<${tag}> has no property ${name}`);
      }
    }
    return value.values.forEach(check);
  };
  for (const { probe, result } of samples) check(VIEWS[probe](result, {}).figure);
});

// Each view says what it is about

test("the lookup is exactly 0, and a difference is called a contradiction", () => {
  const result = of("lookup");
  assert.equal(VIEWS.lookup(result).number.value, "exactly 0");
  const view = VIEWS.lookup({ ...result, largestDifference: 1e-7 });
  assert.equal(view.number.value, "1.0 × 10⁻⁷");
  assert.match(notes(view), /contradicts/);
});

test("the gradient counts the rows, and names what should not be", () => {
  const result = of("sparse-gradient");
  const view = VIEWS["sparse-gradient"](result);
  assert.equal(view.number.value, String(result.input.rows));
  assert.match(words(view), new RegExp(`both together ${result.both.rows}`));
  result.input.strangers = ["q"];
  assert.match(notes(VIEWS["sparse-gradient"](result)), /contradicts.*q/);
});

test("classes that lie no more together than shuffled ones are said to", () => {
  const result = of("geometry");
  const measure = (value, p) => ({ value, p, shuffled: { mean: -0.1, low: -0.2, high: -0.05 } });
  const view = (value, p) => VIEWS.geometry({ ...result, separation: { ...result.separation, silhouette: measure(value, p), purity: measure(value, p) } });
  assert.match(notes(view(-0.09, 0.43)), /no more together than shuffled labels do \(p = 0\.43\)/);
  assert.match(notes(view(0.02, 0.02)), /every one of 49 shuffles/);
  assert.match(view(0.0228, 0.02).number.value, /^0\.023$/);
  assert.equal(view(null, null).number.value, "–");
  const unshuffled = { value: 0.1, p: null, shuffled: null };
  assert.match(notes(VIEWS.geometry({ ...result, separation: { ...result.separation, silhouette: unshuffled, purity: unshuffled } })), /nothing was compared/);
});

test("the table is shown at the moments that were kept, else at that of the result", () => {
  const result = of("geometry");
  const moments = [momentOf(result, 0), momentOf(result, 30)];
  assert.equal(moments[1].points3.length, 3 * result.characters.length);
  const given = (args) => JSON.stringify(VIEWS.geometry(result, args).figure);
  assert.match(given({ moments }), /"step":30/);
  assert.doesNotMatch(given({}), /"step":30/);
});

test("the case offset tells hits, trials and chance, and when they are no more than chance", () => {
  const result = of("case-offset");
  const offset = { ...result.oneOffset, hits: 0, trials: 25, p: 1 };
  const view = VIEWS["case-offset"]({ ...result, oneOffset: offset });
  assert.equal(view.number.value, "0 of 25");
  assert.match(notes(view), /No better than chance/);
  assert.match(notes(VIEWS["case-offset"]({ ...result, oneOffset: { ...offset, hits: 6, p: 1e-6 } })), /Better than chance.*wrong for 19 of 25/);
});

test("shuffled ids give exactly 0, or a contradiction", () => {
  const result = of("relabel");
  assert.equal(VIEWS.relabel(result).number.value, "exactly 0");
  assert.match(notes(VIEWS.relabel({ ...result, largestDifference: 0.01 })), /contradicts/);
});

test("merges tell their rank correlation", () => {
  const result = of("merges");
  assert.equal(VIEWS.merges(result).number.value, significant(result.rankCorrelation, 2));
});

test("the stream tells the shape and what each part adds", () => {
  const result = of("residual-stream");
  const said = words(VIEWS["residual-stream"](result));
  assert.match(said, new RegExp(`${result.text.characters.length} × 16`));
  for (const { meanWrite } of result.depths) if (meanWrite !== null) assert.ok(said.includes(significant(meanWrite)));
});

test("two orders: rounding without mask and encoding, a difference with one, and what contradicts", () => {
  const result = of("order", "trained", "learned");
  const view = VIEWS.order(result);
  assert.match(view.number.value, /10⁻|exactly 0/);
  assert.match(words(view), /untrained, as your run has fewer/);
  for (const each of result.cases) Object.assign(each, { equivarianceError: 0.5, lastDifference: 0.25 });
  assert.match(notes(VIEWS.order(result)), /contradicts.*contradicts/s);
});

test("positions: the cosines, and the refusal in its own words", () => {
  const learned = of("position-table", "trained", "learned");
  const view = VIEWS["position-table"](learned);
  assert.equal(view.number.value, significant(learned.subspaces.meanSquaredCosine, 2));
  assert.ok(notes(view).includes(learned.beyond.message));
  const sharing = (times) => notes(VIEWS["position-table"]({ ...learned, subspaces: { ...learned.subspaces, meanSquaredCosine: times * learned.subspaces.chance } }));
  assert.match(sharing(0.5), /less than random directions do, by this measure\./);
  assert.match(sharing(0.95), /no separation is shown/);
  assert.match(sharing(1.5), /more than random directions do.*no separation is shown/);
  assert.doesNotMatch(sharing(0.5), /apart/, "the rows below may share more than chance");
  const bars = barsOf(VIEWS["position-table"]({ ...learned, subspaces: { ...learned.subspaces, randomLargest: 0.43 } }).figure);
  assert.deepEqual(bars.map(({ chance }) => chance), [0.43, ...bars.slice(1).map(() => undefined)]);
  assert.match(words(view), /largest of random subspaces, on average/);
});

test("a rotation that sees more than the distance is said to", () => {
  const result = of("rotation");
  assert.match(notes(VIEWS.rotation(result)), /distance alone, up to rounding/);
  assert.match(notes(VIEWS.rotation({ ...result, shiftDifference: 0.5 })), /contradicts/);
});

test("a straight bias tells its slopes, and how far heads look", () => {
  const result = of("distance-bias");
  const view = VIEWS["distance-bias"](result);
  assert.deepEqual([view.number.value, view.number.unit], ["0.25", "per character"]);
  assert.match(view.number.caption, /steepest head takes off.*shallowest 0\.0039$/);
  assert.deepEqual(view.notes, ["For ALiBi the bias depends on the distance alone, and is a straight line in it."]);
  assert.match(words(view), /Slope of each head/);
  assert.ok(words(view).includes(significant(result.attention[0].meanDistance[0], 3)));
  const raised = VIEWS["distance-bias"]({ ...result, slopes: result.slopes.map(Math.abs) });
  assert.match(raised.number.caption, /steepest head adds to a score/);
});

test("a bent bias is told by its ends, of the head that does most at the first, and has no slope", () => {
  const result = of("distance-bias", "trained", "kerple");
  const first = result.byDistance.map((row) => -row[1]);
  const head = first.indexOf(Math.max(...first));
  const view = VIEWS["distance-bias"](result);
  assert.deepEqual([view.number.value, view.number.unit], [significant(first[head]), ""]);
  assert.equal(view.number.caption, `is what head ${head + 1}, the strongest there, takes off a score at distance 1; at 15, the longest, it takes ${significant(-result.byDistance[head][15])} off`);
  assert.deepEqual(view.notes, [`For KERPLE the bias depends on the distance alone, but is no straight line in it: the nearest ones miss it by up to ${significant(result.departure, 2)}.`]);
  assert.doesNotMatch(words(view), /slope|per character/i);
  const raised = { ...result, byDistance: [[0, 0.5, -2]] };
  assert.match(VIEWS["distance-bias"](raised).number.caption, /^is what head 1 adds to a score at distance 1; at 2, the longest, it takes 2\.00 off$/);
});

test("a bias is drawn by distance, a line for each head, whether it is straight or not", () => {
  for (const encoding of ["alibi", "kerple"]) {
    const result = of("distance-bias", "trained", encoding);
    const series = valueOf(VIEWS["distance-bias"](result).figure, "series");
    assert.deepEqual(series.map(({ name, y }) => [name, y]), result.byDistance.map((row, at) => [`head ${at + 1}`, row]));
    assert.deepEqual(series[0].x, result.byDistance[0].map((_, distance) => distance));
  }
});

test("a bias that more than the distance decides has no slope, however straight its mean", () => {
  const view = VIEWS["distance-bias"]({ ...of("distance-bias"), spread: 0.3 });
  assert.match(view.number.caption, /^is what head 1, the strongest there, takes off a score at distance 1, on average;/);
  assert.deepEqual(view.notes, ["At one distance the bias differs by up to 0.30, so it does not depend on the distance alone; by distance, its means are drawn."]);
  assert.doesNotMatch(words(view), /slope/i);
});

test("a bias that rises with distance contradicts the claim, in the heads where it does", () => {
  const result = of("distance-bias");
  const later = result.byDistance.map((row, at) => (at % 2 ? row.with(5, row[4] + 0.1) : row));
  assert.match(notes(VIEWS["distance-bias"]({ ...result, byDistance: later, departure: 0.4 })), /farther one \(head 2 and head 4\), which contradicts the claim/);
});

test("past the training length: the change with its sign, or the refusal", () => {
  const result = of("extrapolation", "trained", "sinusoidal");
  const { losses } = result.contexts.at(-1);
  const view = VIEWS.extrapolation(result);
  assert.ok(Math.abs(Number(view.number.value.replace("−", "-")) - (losses.at(-1) - losses[1])) < 0.006, view.number.value);
  const learned = of("extrapolation", "trained", "learned");
  const refused = VIEWS.extrapolation(learned);
  assert.equal(refused.number.value, "refused");
  assert.match(words(refused), /positions 16 to 31 have no vector/);
});

test("a row knows nothing of its sentence: exactly 0, or a contradiction", () => {
  const result = of("context-free", "trained", "learned");
  const view = VIEWS["context-free"](result);
  assert.equal(view.number.value, "exactly 0");
  assert.match(notes(view), /enters differently/);
  assert.match(notes(VIEWS["context-free"](of("context-free", "trained", "rope"))), /enters the same here too/);
  assert.match(notes(VIEWS["context-free"]({ ...result, bitIdentical: false })), /contradicts/);
});

test("a cone that is none is called none", () => {
  const result = of("cosine-cone");
  const at = (raw) => notes(VIEWS["cosine-cone"]({ ...result, depths: result.depths.map((each) => ({ ...each, raw, centred: 0 })) }));
  assert.match(at(0.9), /narrow cone/);
  assert.match(at(0.3), /mild cone/);
  assert.match(at(0.05), /not borne out/);
  const share = (centred) => notes(VIEWS["cosine-cone"]({ ...result, depths: result.depths.map((each) => ({ ...each, raw: 0.9, centred, meanShare: 0.7654 })) }));
  assert.match(share(0.01), /near 0, as it must be where lengths are alike; how much was common is the mean vector’s share, 0\.77 of a length\./);
  assert.match(share(0.3), /it is 0\.300; .*share, 0\.77 of a length\./);
});

test("the widths tell the best with its loss, and whether the sweep went past it", () => {
  const result = of("width");
  const view = VIEWS.width(result);
  assert.equal(view.number.value, `d = ${result.best}`);
  assert.ok(view.number.caption.includes(nats(result.widths.find(({ d }) => d === result.best).mean)));
  assert.match(notes(view), /widest is the best|narrowest is the best/);
  const lost = { ...result.widths[0], mean: null, low: null, high: null, losses: [null, 2] };
  assert.match(notes(VIEWS.width({ ...result, widths: [lost, result.widths[1]], best: result.widths[1].d })), /diverged/);
});

test("tying is told as tied minus untied, as the chapter has it", () => {
  const result = of("tying");
  result.gap = { ...result.gap, nats: 0.05, low: -0.1, high: 0.2, verdict: "run more seeds" };
  const view = VIEWS.tying(result);
  assert.equal(view.number.value, "−0.050");
  assert.match(view.number.caption, /from −0\.20 to \+0\.10: run more seeds/);
  assert.equal(VIEWS.tying({ ...result, gap: null }).number, null);
});

test("a loud sinusoid that does no harm is not made out to do some", () => {
  const result = of("amplitude");
  const rows = (means) => result.amplitudes.map((each, i) => ({ ...each, mean: means[i], low: means[i], high: means[i] }));
  const said = (means, best) => notes(VIEWS.amplitude({ ...result, amplitudes: rows(means), best }));
  assert.match(said([2.5, 2.4, 3.15], 0.05), /drowns/);
  assert.match(said([2.5, 2.4, 2.6], 0.05), /slowed down/);
  assert.match(said([2.5, 2.4, 2.41], 0.05), /does not bear the claim out/);
  assert.match(said([2.4, 2.5, 3.15], 0), /no sinusoid at all/);
});

test("compressors stand between the baselines and the best run, with the least of them large", () => {
  const result = of("compressors");
  const best = { label: "RoPE, seed 2", encoding: "rope", nats: 1.99 };
  const view = VIEWS.compressors(result, { unit: UNITS.bits, best });
  const [least] = result.compressors.toSorted((a, b) => a.nats - b.nats);
  assert.equal(view.number.value, UNITS.bits.loss(least.nats));
  assert.match(view.number.caption, new RegExp(`is what ${least.name} needs`));
  const bars = barsOf(view.figure);
  assert.deepEqual(bars.map(({ label }) => label), ["uniform", "unigram", "bigram", "zlib", "bz2", "xz", "RoPE, seed 2"]);
  assert.deepEqual(bars.filter(({ marked }) => marked).map(({ label }) => label), [least.name]);
  assert.equal(bars.at(-1).text, "2.871");
  assert.ok(Math.abs(bars[3].value - (8 * result.compressors[0].bytes) / result.characters) < 1e-12);
  assert.match(notes(view), /pays for learning it.*measured on the last tenth/);
  assert.match(notes(VIEWS.compressors(result, {})), /when one has finished/);
});

test("a compressor that the runtime lacks is named with the reason", () => {
  const result = of("compressors");
  const lacking = (names) => result.compressors.map((each) =>
    (names.includes(each.name) ? { ...each, nats: null, bytes: null, missing: "Python cannot load its module lzma here." } : each));
  const view = VIEWS.compressors({ ...result, compressors: lacking(["xz"]) }, {});
  assert.match(notes(view), /Not measured: xz\. Python cannot load its module lzma here\./);
  const bars = barsOf(view.figure);
  assert.deepEqual(bars.filter(({ value }) => value === null).map(({ label, text }) => [label, text]), [["xz", "not there"]]);
  const none = VIEWS.compressors({ ...result, compressors: lacking(["zlib", "bz2", "xz"]) }, {});
  assert.equal(none.number, null);
  assert.equal(none.notes.length, 3);
});

test("a text that was not read as given is told", () => {
  const result = of("lookup");
  Object.assign(result.text, { leftOut: ["é", "\t"], cut: 3 });
  assert.match(notes(VIEWS.lookup(result)), /does not have them: “.*é.*” and tab/);
  assert.match(notes(VIEWS.lookup(result)), /3 characters of your text did not fit/);
});
