/** An experiment as CSV, JSON and commands: what is read back is what the page holds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as exports from "../../web/lab/exports.js";
import { codeFiles, fileStem, isCode, LONGEST_CODE } from "../../web/lab/own-code.js";
import { createRun } from "../../web/lab/run.js";
import { defaults } from "../../web/lab/settings.js";

const table = JSON.parse(readFileSync(process.env.LAB_TABLE));

function runs(settings = {}, seeds = [1]) {
  return seeds.flatMap((seed) => ["none", "rope"].map((encoding) => {
    const run = createRun({ ...defaults(table), ...settings, encoding, seed });
    return Object.assign(run, {
      state: "finished", step: 2, seconds: 1.25, stepsPerSecond: 1.6, version: "0.1.0",
      train: { steps: [1, 2], loss: [Math.fround(4.1), Math.fround(1 / 3)] },
      validation: { steps: [0, 2], loss: [Math.fround(4.3), Math.fround(0.1)] },
      facts: { parameters: 1234, baselines: { uniform: Math.log(73), unigram: 3.162 } },
    });
  }));
}

/** One finished run of each own encoding, its code a line that differs. */
function ownRuns(names) {
  return names.map((name, index) => {
    const run = createRun({ ...defaults(table), encoding: `own:${name}`, seed: 1 }, `class Own${index}: pass\n`);
    return Object.assign(run, { state: "finished", step: 1, train: { steps: [1], loss: [1] }, validation: { steps: [1], loss: [1] } });
  });
}

/** Names that the rule allows, from every corner of it. */
const NAMES = ["binary counter", "Binary-Counter", "δυαδικός μετρητής", "عداد ثنائي", "गणक", "Zähler (2)", "x".repeat(40), "random", "1.5 + 2", "con", "own"];

/** Rows of a CSV file without quotes. */
function parse(text) {
  assert.ok(text.endsWith("\r\n") && !text.includes('"'));
  return text.slice(0, -2).split("\r\n").map((row) => row.split(","));
}

test("curves read back as the numbers of the page, digit for digit", async () => {
  const [head, ...rows] = parse(await (await exports.curvesCsv(runs())).text());
  assert.deepEqual(head, ["encoding", "seed", "step", "part", "nats"]);
  assert.equal(rows.length, 8);
  for (const run of runs()) {
    for (const [part, { steps, loss }] of Object.entries({ training: run.train, validation: run.validation })) {
      const own = rows.filter(([encoding, , , name]) => encoding === run.encoding && name === part);
      assert.deepEqual(own.map(([, , step, , nats]) => [Number(step), Number(nats)]), steps.map((step, i) => [step, loss[i]]));
    }
  }
});

test("results have a row for each run, with every setting", () => {
  const [head, ...rows] = parse(exports.resultsCsv(table, runs({ d: 24 }, [1, 2])));
  assert.equal(rows.length, 4);
  const row = Object.fromEntries(head.map((name, index) => [name, rows[3][index]]));
  for (const { name } of table.settings) assert.ok(Object.hasOwn(row, name), name);
  assert.deepEqual([row.encoding, row.seed, row.d, row.lr, row.tied], ["rope", "2", "24", "0.006", "true"]);
  assert.equal(Number(row.validation_nats), Math.fround(0.1));
  assert.equal(Number(row.uniform_nats), Math.log(73));
  assert.equal(row.version, "0.1.0");
});

test("a run that never began has empty cells", () => {
  const run = createRun({ ...defaults(table), encoding: "rope", seed: 1 });
  const [head, row, ...others] = parse(exports.resultsCsv(table, [run]));
  assert.deepEqual(others, []);
  assert.equal(row.length, head.length);
  for (const name of ["validation_nats", "training_nats", "parameters", "version"]) assert.equal(row[head.indexOf(name)], "", name);
});

test("many long runs are written without holding the page, as they were when that began", async () => {
  const steps = Array.from({ length: 2000 }, (_, index) => index + 1);
  const many = runs({}, Array.from({ length: 20 }, (_, seed) => seed));
  for (const run of many) run.train = { steps: [...steps], loss: steps.map((step) => 1 / step) };
  const writers = {
    csv: async () => parse(await (await exports.curvesCsv(many)).text()).length - 1,
    json: async () => {
      const blob = await exports.experimentJson({ table, runs: many, gaps: [], summaries: [], version: "0.1.0", link: "" });
      return JSON.parse(await blob.text()).runs.reduce((sum, { curves }) => sum + curves.training.steps.length + curves.validation.steps.length, 0);
    },
  };
  for (const [name, write] of Object.entries(writers)) {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      many.at(-1).train.steps.push(2001); // it trains on
      many.at(-1).train.loss.push(0.1);
    });
    const points = many.reduce((sum, { train, validation }) => sum + train.steps.length + validation.steps.length, 0);
    assert.equal(await write(), points, name);
    clearInterval(timer);
    assert.ok(turns >= many.length / 2, `${name}: ${turns} turns of the page`);
  }
});

test("JSON holds the whole experiment, and null for what is not finite", async () => {
  const all = runs({}, [1, 2]);
  all[0].train.loss[1] = NaN;
  const gaps = [{ a: "rope", b: "none", nats: -0.1, low: null, high: null, seeds: 2, verdict: "matters", more: null }];
  const summaries = [{ encoding: "none", seeds: 2, mean: 2.1 }];
  const link = "https://example.org/lab/?encodings=none,rope&seeds=1,2";
  const json = await exports.experimentJson({ table, runs: all, gaps, summaries, version: "0.1.0", link });
  const read = JSON.parse(await json.text());
  assert.deepEqual([read.gaps, read.summaries, read.link, read.version], [gaps, summaries, link, "0.1.0"]);
  assert.deepEqual([read.config.encodings, read.config.seeds, read.config.d], [["none", "rope"], [1, 2], 48]);
  assert.deepEqual(read.runs[0].curves.training, { steps: [1, 2], loss: [Math.fround(4.1), null] });
  assert.deepEqual(read.runs[1].curves.validation, all[1].validation);
  assert.deepEqual(read.baselines, all[0].facts.baselines);
  assert.equal(read.runs[1].command, "python -m embedding_lab train --encoding rope --seed 1");
});

test("a command names what differs from the defaults and nothing else", () => {
  const command = (settings) => exports.trainCommand(table, { ...defaults(table), encoding: "none", seed: 3, ...settings }, runs());
  assert.equal(command({}), "python -m embedding_lab train --encoding none --seed 3");
  assert.equal(
    command({ d: 16, lr: 0.003, position_scale: 0, tied: false, corpus: "asyoulik" }),
    "python -m embedding_lab train --encoding none --seed 3 --d 16 --lr 0.003 --position-scale 0 --tied no --corpus asyoulik",
  );
  assert.match(command({ corpus: "own" }), /--corpus text\.txt$/);
  assert.equal(
    exports.sweepCommand(table, runs({ steps: 40 }, [1, 2, 5])),
    "python -m embedding_lab sweep --encodings none,rope --seeds 1,2,5 --steps 40 --out results.json",
  );
});

test("a file's name and a figure's small print say what they show", () => {
  assert.equal(exports.fileName("loss", runs()), "loss-none-rope-d48-500steps-seed1");
  assert.equal(exports.fileName("loss", runs({ d: 16 }, [1, 2])), "loss-none-rope-d16-500steps-2seeds");
  assert.equal(exports.fileName("loss", []), "loss");
  const words = exports.smallPrint(table, runs({ steps: 40 }, [1, 2]));
  assert.match(words, /^Encodings: None, RoPE\. Seeds: 1, 2\. Width d: 48\. /);
  for (const { name, label } of table.settings) {
    if (name !== "encoding" && name !== "seed") assert.ok(words.includes(`${label}: `), label);
  }
  assert.match(words, /Steps: 40\..*Tied output: yes\..*Text: Alice in Wonderland\./);
});

test("a text is counted in characters as Python read it", () => {
  const own = (facts) => exports.smallPrint(table, runs({ corpus: "own" }).map((run) => ({ ...run, facts })));
  assert.match(own({ characters: { train: 1800, validation: 200 } }), /\(2,000 characters\)/);
  assert.match(own(null), /Text: Your own text\./);
});

test("each own encoding has a file of its own, whose name a shell takes as it is and Python cannot import", () => {
  const all = ownRuns(NAMES);
  const files = codeFiles([...runs(), ...all, ...all]);
  assert.deepEqual([...files.keys()], all.map(({ encoding }) => encoding));
  for (const file of files.values()) assert.match(file, /^encoding-[a-z0-9_-]+\.py$/);
  assert.equal(new Set([...files.values()].map((file) => file.toLowerCase())).size, NAMES.length);
  assert.deepEqual(
    ["binary counter", "Binary-Counter", "δυαδικός μετρητής", "عداد ثنائي", "Zähler (2)", "1.5 + 2", "own"].map((name) => files.get(`own:${name}`)),
    ["encoding-binary-counter.py", "encoding-binary-counter-2.py", "encoding-own.py", "encoding-own-2.py", "encoding-zahler-2.py", "encoding-1-5-2.py", "encoding-own-4.py"],
  );
  for (const name of NAMES) assert.match(fileStem(`own:${name}`), /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/);
});

test("the commands name the files of own encodings, and JSON carries their code beside them", async () => {
  const all = [...runs(), ...ownRuns(["δυαδικός", "عداد", "random"])];
  const command = "python -m embedding_lab train --encoding encoding-own-2.py --seed 1";
  assert.equal(exports.trainCommand(table, all[3].config, all), command);
  assert.match(exports.sweepCommand(table, all), / --encodings none,rope,encoding-own\.py,encoding-own-2\.py,encoding-random\.py --seeds 1 /);
  const json = await exports.experimentJson({ table, runs: all, gaps: [], summaries: [], version: "0.1.0", link: "" });
  const read = JSON.parse(await json.text());
  assert.deepEqual(read.ownEncodings, [
    { encoding: "own:δυαδικός", file: "encoding-own.py", code: "class Own0: pass\n" },
    { encoding: "own:عداد", file: "encoding-own-2.py", code: "class Own1: pass\n" },
    { encoding: "own:random", file: "encoding-random.py", code: "class Own2: pass\n" },
  ]);
  assert.deepEqual(read.runs.map(({ encoding }) => encoding), read.config.encodings);
  assert.equal(read.runs[3].command, command);
});

test("the names of own encodings need no quotes in CSV, and what needs them would get them", async () => {
  const all = ownRuns(NAMES);
  const [, ...rows] = parse(await (await exports.curvesCsv(all)).text());
  assert.deepEqual(rows.filter((row, index) => index % 2 === 0).map(([encoding]) => encoding), NAMES.map((name) => `own:${name}`));
  assert.deepEqual(parse(exports.resultsCsv(table, all)).slice(1).map(([encoding]) => encoding), NAMES.map((name) => `own:${name}`));
  const [run] = ownRuns(["x"]);
  const written = (encoding) => exports.curvesCsv([{ ...run, encoding }]).then((blob) => blob.text()).then((text) => text.split("seed,step,part,nats\r\n")[1]);
  assert.ok((await written('a,"b"\nc')).startsWith('"a,""b""\nc",1,1,training,1\r\n'));
  for (const start of ["=", "+", "-", "@", "\t"]) assert.ok((await written(`${start}1+1`)).startsWith(`'${start}1+1,1,1,training,1\r\n`));
  const losses = await exports.curvesCsv([{ ...run, train: { steps: [1], loss: [-0.5] } }]);
  assert.match(await losses.text(), /own:x,1,1,training,-0\.5\r\n/);
});

test("files and small print of own encodings say their names, and a file's name stays short", () => {
  const all = [...runs(), ...ownRuns(["Zähler (2)", "عداد"])];
  assert.equal(exports.fileName("loss", all), "loss-none-rope-zahler-2-own-d48-500steps-seed1");
  assert.match(exports.smallPrint(table, all), /^Encodings: None, RoPE, Zähler \(2\), عداد\. Seeds: 1\. /);
  const many = ownRuns(["x".repeat(40), "y".repeat(40), "z".repeat(40)]);
  assert.equal(exports.fileName("loss", many), "loss-3encodings-d48-500steps-seed1");
});

test("code that is kept is text of a bounded length, counted as Python counts it", () => {
  for (const code of ["x", "é\n", "😀".repeat(LONGEST_CODE)]) assert.ok(isCode(code));
  for (const code of [undefined, null, "", 7, ["x"], { length: 1 }, "x".repeat(LONGEST_CODE + 1), "\ud83d"]) assert.ok(!isCode(code), String(code).slice(0, 20));
});
