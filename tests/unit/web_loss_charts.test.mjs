/** What the loss chart decides before it draws: ranges, columns, ticks, seeds drawn as one, shapes, and what it says. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LossColumns, valueAt } from "../../web/charts/loss-columns.js";
import { LossGroups, bandAt, meanAndBand } from "../../web/charts/loss-groups.js";
import { lossNumbers } from "../../web/charts/loss-numbers.js";
import { lossRange } from "../../web/charts/loss-range.js";
import { drawBand, drawEdges, drawHatch, drawLine } from "../../web/charts/loss-shapes.js";
import { measuredElsewhere, outOfPicture, spoken, summary } from "../../web/charts/loss-words.js";
import { nats } from "../../web/charts/numbers.js";
import { PathData } from "../../web/charts/path-data.js";
import { unitTicks } from "../../web/charts/unit-ticks.js";
import { UNITS } from "../../web/charts/units.js";

const BASELINES = { uniform: 4.29, unigram: 3.16, bigram: 2.45 };

// Range of the losses

test("the range holds the baselines before there is a run", () => {
  const [low, high] = lossRange(BASELINES, []);
  assert.ok(low < BASELINES.bigram && high > BASELINES.uniform, [low, high]);
});

test("the range stands still while a run moves within it", () => {
  assert.deepEqual(lossRange(BASELINES, [{ low: 2.2, high: 4.29 }]), lossRange(BASELINES, []));
});

test("the range goes down with a run that learns more", () => {
  const [low] = lossRange(BASELINES, [{ low: 0.9, high: 4.3 }]);
  assert.ok(low <= 0.9 && low >= 0.5, low);
  assert.equal(lossRange(BASELINES, [{ low: 0.001, high: 4.3 }])[0], 0);
});

test("a run that diverges is clipped, so that the others can still be read", () => {
  const [, high] = lossRange(BASELINES, [{ low: 2.2, high: 1e6 }]);
  assert.ok(high > BASELINES.uniform + 1 && high < 7, high);
});

test("a curve without a finite value has no say", () => {
  assert.deepEqual(lossRange(BASELINES, [{ low: Infinity, high: -Infinity }]), lossRange(BASELINES, []));
});

test("without baselines the data decide", () => {
  const [low, high] = lossRange(null, [{ low: 1, high: 1.6 }]);
  assert.ok(low <= 1 && high >= 1.6 && high < 3, [low, high]);
  assert.deepEqual(lossRange(null, []), [0, 5]);
});

// Columns of the loss curves

const record = (loss, from = 1) => ({ steps: loss.map((_, i) => from + i), loss });
const NOTHING = { steps: [], loss: [] };
const read = (columns, train, validation = NOTHING) => columns.read({ id: "a", train, validation });

test("with room for every step each has its own column", () => {
  const columns = new LossColumns(90, 100);
  assert.deepEqual(columns.x, Array.from({ length: 91 }, (_, i) => i));
  const { train } = read(columns, record([4, 3, 2]));
  assert.deepEqual(train.highs.slice(0, 5), [undefined, 4, 3, 2, undefined]);
  assert.deepEqual(train.lows.slice(0, 5), [undefined, 4, 3, 2, undefined]);
});

test("a spike of one step among thousands is kept", () => {
  const columns = new LossColumns(20_000, 300);
  const losses = new Array(20_000).fill(2);
  losses[7_777] = 9;
  losses[12_345] = 0.5;
  const { train } = read(columns, record(losses));
  assert.ok(columns.x.length <= 300);
  assert.equal(Math.max(...train.highs), 9);
  assert.equal(Math.min(...train.lows), 0.5);
  assert.deepEqual([train.low, train.high, train.highStep], [0.5, 9, 7_778]);
});

test("a curve that grows is the same as one that came at once", () => {
  const losses = Array.from({ length: 900 }, (_, i) => 2 + Math.sin(i));
  Object.assign(losses, { 1: 9, 10: 8, 500: 0.5 }); // where it grows
  const growing = new LossColumns(1000, 200);
  const { steps, loss } = record(losses);
  for (const length of [1, 10, 500, 900]) read(growing, { steps: steps.slice(0, length), loss: loss.slice(0, length) });
  const { highs, lows } = read(growing, { steps, loss }).train;
  const once = read(new LossColumns(1000, 200), { steps, loss }).train;
  assert.deepEqual([highs, lows], [once.highs, once.lows]);
});

test("a run that starts again leaves nothing of the earlier one", () => {
  const columns = new LossColumns(10, 100);
  read(columns, record([9, 9, 9, 9, 9]));
  const { train } = read(columns, record([1, 1]));
  assert.deepEqual(train.highs.slice(0, 6), [undefined, 1, 1, undefined, undefined, undefined]);
  assert.equal(train.high, 1);
  const longer = read(columns, record([3, 3, 3, 3])).train;
  assert.equal(longer.low, 3);
});

test("a loss that is not a number breaks the line and is told with its step", () => {
  const { train } = read(new LossColumns(10, 100), record([4, 3, NaN, NaN]));
  assert.deepEqual(train.highs.slice(1, 5), [4, 3, null, null]);
  assert.equal(train.brokenStep, 3);
  assert.deepEqual([train.low, train.high], [3, 4]);
  const curve = { label: "None" };
  assert.match(outOfPicture([{ curve, train, validation: read(new LossColumns(10, 100), NOTHING).train }], 5, UNITS.nats), /None has no loss from step 3/);
});

test("a number and NaN in one column show the number", () => {
  const { train } = read(new LossColumns(1000, 100), record([NaN, 3, NaN, 2, NaN]));
  const shown = (values) => values.filter((value) => value !== undefined);
  assert.deepEqual([shown(train.highs), shown(train.lows), train.marks], [[3], [2], [0]]);
});

test("the value at a step is the last one measured", () => {
  const validation = { steps: [0, 10, 20], loss: [4, 3, 2] };
  assert.deepEqual(valueAt(validation, 14), { step: 10, loss: 3 });
  assert.deepEqual(valueAt(validation, 20), { step: 20, loss: 2 });
  assert.equal(valueAt(record([1]), 0), null);
});

test("the chart in words names each curve's latest loss, the baselines and the bands, in the unit that is chosen", () => {
  const [curve] = new LossGroups().of([run("RoPE", 1, { losses: [4, 2.0149] })]);
  const measured = [{ encoding: "rope", seeds: 10, steps: [0, 25], mean: [4, 2], low: [3.9, 1.9], high: [4.1, 2.1] }];
  const words = summary([curve], BASELINES, 500, UNITS.nats, measured);
  assert.match(words, /^Loss in nats per character against training step/);
  assert.match(words, /RoPE, seed 1 2\.01 at step 25/);
  assert.match(words, /uniform 4\.29, unigram 3\.16, bigram 2\.45/);
  assert.match(words, /Measured elsewhere: 10 seeds, least to greatest; at step 25: rope 2\.00 \(from 1\.90 to 2\.10\)/);
  const factors = summary([curve], BASELINES, 500, UNITS.perplexity, measured);
  assert.match(factors, /^Perplexity per character against training step/);
  assert.match(factors, /RoPE, seed 1 7\.50 at step 25.* uniform 73\.0, .* rope 7\.39 \(from 6\.69 to 8\.17\)/);
});

test("bands of different numbers of seeds are said to be so", () => {
  assert.equal(measuredElsewhere([{ seeds: 10 }, { seeds: 8 }]), "Measured elsewhere: 8 to 10 seeds, least to greatest");
});

test("losses are written at three digits, what is none or not finite as such", () => {
  assert.deepEqual([nats(2.0834), nats(undefined), nats(NaN), nats(Infinity)], ["2.083", "–", "NaN", "NaN"]);
});

// Seeds drawn as one

/** A run with a validation loss every 25 steps. */
function run(name, seed, { losses = [4, 3, 2], state = "finished", visible = true, selected = false, steps } = {}) {
  const encoding = name.toLowerCase();
  return {
    id: `${encoding}-${seed}`, label: `${name}, seed ${seed}`, encoding, seed, state, visible, selected,
    train: record(losses), validation: { steps: steps ?? losses.map((_, i) => 25 * i), loss: losses },
  };
}
const grouped = (...runs) => new LossGroups().of(runs);

test("finished seeds of an encoding are one curve with their mean and the range of their losses", () => {
  const curves = grouped(
    run("Learned", 1, { losses: [4, 3, 2] }), run("None", 1), run("Learned", 2, { losses: [5, 3, 2.5] }),
    run("Learned", 3, { losses: [4.5, 3, 1.5], selected: true }));
  assert.deepEqual(curves.map(({ label }) => label), ["Learned, mean of 3 seeds", "None, seed 1"]);
  const [learned, none] = curves;
  assert.deepEqual(learned.ids, ["learned-1", "learned-2", "learned-3"]);
  assert.deepEqual(learned.validation, { steps: [0, 25, 50], loss: [4.5, 3, 2] });
  assert.deepEqual([learned.band.low, learned.band.high], [[4, 3, 1.5], [5, 3, 2.5]]);
  assert.equal(learned.train.steps.length, 0);
  assert.deepEqual([learned.selected, learned.chosen.loss], [true, [4.5, 3, 1.5]]);
  assert.deepEqual(none.ids, ["none-1"]);
  assert.deepEqual([none.band, none.train.loss], [null, [4, 3, 2]]);
});

test("what trains, was stopped, diverged or is hidden is not part of a mean", () => {
  const [mean, ...others] = grouped(
    run("RoPE", 1), run("RoPE", 2), run("RoPE", 3, { state: "training", losses: [9] }),
    run("RoPE", 4, { state: "stopped", losses: [9] }), run("RoPE", 5, { visible: false, losses: [9, 9, 9] }),
    run("RoPE", 6, { state: "diverged", losses: [9, NaN] }));
  assert.deepEqual(mean.ids, ["rope-1", "rope-2"]);
  assert.deepEqual(mean.validation.loss, [4, 3, 2]);
  assert.deepEqual(others.map(({ ids }) => ids), [["rope-3"], ["rope-4"], ["rope-5"], ["rope-6"]]);
});

test("a hidden mean stays one row, so that its button shows it again", () => {
  const [mean, ...others] = grouped(run("RoPE", 1, { visible: false }), run("RoPE", 2, { visible: false }));
  assert.deepEqual([mean.ids, mean.visible, others], [["rope-1", "rope-2"], false, []]);
});

test("a single finished run among hidden ones is drawn alone", () => {
  const curves = grouped(run("RoPE", 1), run("RoPE", 2, { visible: false }));
  assert.deepEqual(curves.map(({ ids, band }) => [ids, band]), [[["rope-1"], null], [["rope-2"], null]]);
});

test("a mean stands only where every seed was measured", () => {
  const { validation, band } = meanAndBand([
    { steps: [0, 10, 20, 30], loss: [4, 3, 2, 1] }, { steps: [0, 20, 25, 30], loss: [6, 4, 9, 3] }]);
  assert.deepEqual(validation, { steps: [0, 20, 30], loss: [5, 3, 2] });
  assert.deepEqual(band, { steps: [0, 20, 30], low: [4, 2, 1], high: [6, 4, 3] });
});

test("a mean is computed once, and anew with another seed", () => {
  const groups = new LossGroups();
  const runs = [run("RoPE", 1), run("RoPE", 2)];
  const [first] = groups.of(runs);
  const [again] = groups.of(runs);
  assert.equal(again.validation, first.validation);
  assert.equal(again.band, first.band);
  const [more] = groups.of([...runs, run("RoPE", 3, { losses: [7, 6, 5] })]);
  assert.deepEqual(more.validation.loss, [5, 4, 3]);
});

test("reading a mean at a step gives the range at the last measurement", () => {
  const [mean] = grouped(run("Learned", 1, { losses: [4, 3, 2] }), run("Learned", 2, { losses: [5, 3, 2.5] }));
  assert.deepEqual([bandAt(mean, 49), bandAt(mean, 60)], [{ low: 3, high: 3 }, { low: 2, high: 2.5 }]);
  assert.equal(bandAt(run("None", 1), 49), null);
  assert.equal(spoken([mean], 60, UNITS.nats), "Step 60. Learned, mean of 2 seeds: validation 2.250 (from 2.00 to 2.50) at step 50.");
});

// Shapes, on a plot of 100 by 100 px for 10 steps and 0 to 10 nats

const SCENE = { width: 130, height: 132, gutter: 0, ticks: [], steps: 10, range: [0, 10] };
const drawn = (draw, ...args) => {
  const pen = new PathData();
  draw(pen, SCENE, ...args);
  return String(pen).replaceAll(".00", "");
};

test("a line is broken by what is no number and passes over what is not measured", () => {
  assert.equal(drawn(drawLine, [0, 1, 2, 3, 4], [10, undefined, 0, NaN, 5]), "M0 0L20 100M40 50");
});

test("a band goes along its greatest values and back along its least", () => {
  assert.equal(drawn(drawBand, { steps: [0, 5], low: [2, 1], high: [4, 3] }), "M0 60L50 70L50 90L0 80Z");
  assert.equal(drawn(drawEdges, { steps: [0, 5], low: [2, 1], high: [4, 3] }), "M0 80L50 90M0 60L50 70");
});

test("every stroke of a hatched band goes from its lower to its upper edge", () => {
  const strokes = drawn(drawHatch, { steps: [0, 5, 10], low: [2, 1, 1], high: [4, 3, 3] }).split("M").slice(1)
    .map((stroke) => stroke.split("L").map((point) => point.split(" ").map(Number)));
  assert.ok(strokes.length > 10);
  const edge = (from, left) => from + 10 * Math.min(left / 50, 1);
  for (const [[left, bottom], [right, top]] of strokes) {
    assert.ok(right > left && right <= 100);
    assert.ok(Math.abs(bottom - edge(80, left)) < 0.02 && Math.abs(top - edge(60, right)) < 0.02, [left, bottom, right, top]);
  }
});

// Ticks

const ROUND = /^[\d,]+(\.\d+)?$/;

test("ticks are round numbers of the unit, at their places in nats, with room between them", () => {
  for (const unit of Object.values(UNITS)) {
    for (const range of [[1.75, 4.5], [1.75, 5.5], [0, 4.5], [0.25, 10], [1.75, 2.75]]) {
      for (const length of [120, 180, 350]) {
        const ticks = unitTicks(unit, range, length);
        const where = `${unit.name} ${range} ${length}: ${ticks.map(({ text }) => text)}`;
        assert.ok(ticks.length >= 2, where);
        ticks.forEach(({ at, text }, i) => {
          assert.match(text, ROUND, where);
          const value = Number(text.replaceAll(",", ""));
          assert.ok(Math.abs(unit.of(at) - value) < 1e-9 * Math.max(1, value), where);
          assert.ok(at >= range[0] - 1e-9 && at <= range[1] + 1e-9, where);
          if (i) assert.ok(((at - ticks[i - 1].at) / (range[1] - range[0])) * length >= 28 - 1e-9, where);
        });
      }
    }
  }
});

test("the ticks of a perplexity are those of a logarithmic axis", () => {
  assert.deepEqual(unitTicks(UNITS.perplexity, [1.75, 4.5], 350).map(({ text }) => text), ["6", "8", "10", "15", "20", "30", "40", "60", "80"]);
});

// The table

const finished = (seed, loss) => ({
  id: `none-${seed}`, label: `None, seed ${seed}`, encoding: "none", state: "finished", train: record([4, 3, 2]),
  validation: { steps: [0, 2], loss },
});

test("a row of the table is a step with a validation loss, and holds what was measured at it and nowhere else", () => {
  const curves = new LossGroups().of([{ ...finished(1, [4.25, 3]), state: "training", label: "None" }]);
  assert.deepEqual(lossNumbers(curves, UNITS.nats), {
    head: ["training step", "None, training", "None, validation"],
    rows: [["0", "–", "4.250"], ["2", "3.000", "3.000"]],
  });
});

test("seeds that are drawn as one have their mean in the table, with the least and the greatest", () => {
  const curves = new LossGroups().of([finished(1, [4, 3]), finished(2, [4.5, 2])]);
  assert.deepEqual(lossNumbers(curves, UNITS.nats), {
    head: ["training step", "None, mean of 2 seeds, validation", "None, mean of 2 seeds, least", "None, mean of 2 seeds, greatest"],
    rows: [["0", "4.250", "4.000", "4.500"], ["2", "2.500", "2.000", "3.000"]],
  });
});

test("of a long run the table has evenly chosen steps, the last among them", () => {
  const steps = Array.from({ length: 801 }, (_, i) => 25 * i);
  const curves = new LossGroups().of([{ ...finished(1, []), validation: { steps, loss: steps.map(() => 2) } }]);
  const { rows } = lossNumbers(curves, UNITS.nats);
  assert.ok(rows.length <= 200, rows.length);
  assert.equal(rows.at(-1)[0], "20,000");
  assert.equal(new Set(rows.slice(1).map(([step], i) => Number(step.replace(",", "")) - Number(rows[i][0].replace(",", "")))).size, 1);
});
