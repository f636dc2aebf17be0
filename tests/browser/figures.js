/** A page of charts with made-up numbers, for test_figures.py: `charts` by name, and what saves them as files. */

import "../../web/charts/bar-list.js";
import { listEncodings } from "../../web/charts/encodings.js";
import { figurePng, figureSvg } from "../../web/charts/figure-file.js";
import "../../web/charts/geometry-chart.js";
import "../../web/charts/geometry-space.js";
import "../../web/charts/heat-map.js";
import "../../web/charts/interval-plot.js";
import "../../web/charts/line-plot.js";
import "../../web/charts/loss-chart.js";
import { UNITS } from "../../web/charts/units.js";
import data from "lab-data";

listEncodings(data);

const STEPS = 500;
const steps = (every) => Array.from({ length: STEPS / every + 1 }, (_, i) => i * every);
const lossAt = (final, step) => final + (4.29 - final) * Math.exp(-step / 60);
const record = (final, every, noise) => ({ steps: steps(every), loss: steps(every).map((step) => lossAt(final, step) + noise * Math.sin(step)) });

function run(encoding, label, seed, final) {
  return {
    id: `${encoding}-${seed}`, label: `${label}, seed ${seed}`, encoding, seed, state: "finished", visible: true, selected: seed === 1,
    train: record(final, 1, 0.05), validation: record(final, 25, 0),
  };
}

function measured(encoding, low, high) {
  const at = (final) => record(final, 25, 0).loss;
  return { encoding, seeds: 10, steps: steps(25), mean: at((low + high) / 2), low: at(low), high: at(high) };
}

const characters = [..." abcdefghijklmnopqrstuvwxyz<&"];
const classes = characters.map((character) => (character === " " ? "space" : "aeiou".includes(character) ? "vowel" : /\w/.test(character) ? "consonant" : "punctuation"));
const points = (dimensions) => Float32Array.from({ length: dimensions * characters.length }, (_, i) => Math.sin(i * i));

const properties = {
  loss: ["loss-chart", {
    steps: STEPS, baselines: { uniform: 4.29, unigram: 3.16, bigram: 2.45 },
    runs: [run("none", "None", 1, 2.36), run("none", "None", 2, 2.37), run("learned", "Learned", 1, 2.08), run("learned", "Learned", 2, 2.1),
      run("learned", "Learned", 3, 2.05), run("rope", "RoPE", 1, 2)],
    measured: [measured("none", 2.35, 2.38), measured("learned", 2.03, 2.12), measured("alibi", 2.1, 2.15)],
  }],
  gaps: ["interval-plot", {
    rows: [
      { name: "Learned", encoding: "learned", nats: -0.28, low: -0.33, high: -0.23, verdict: "matters" },
      { name: "RoPE", encoding: "rope", nats: -0.36, low: null, high: null, verdict: "matters, if more seeds agree" },
    ],
    measured: [{ name: "Learned", nats: -0.29, low: -0.3, high: -0.27 }],
  }],
  line: ["line-plot", {
    x: { label: "context" }, y: { label: "loss, nats" }, summary: "Loss against context.",
    series: [{ name: "Learned", x: [8, 16, 32], y: [2.3, 2.2, 2.1], low: [2.2, 2.1, 2], high: [2.4, 2.3, 2.2] }],
  }],
  bars: ["bar-list", {
    labels: "character", quantity: "share", summary: "Shares of characters.",
    bars: [{ label: "e", value: 0.12, color: "var(--encoding-2)" }, { label: "space", value: 0.2, chance: 0.1 }], compared: "chance",
  }],
  heat: ["heat-map", {
    panels: [{ name: "head 1", values: [[1, null], [-0.5, 0.25]] }], rowLabels: ["a", "b"], columnLabels: ["c", "d"], rowTitle: "from",
    columnTitle: "to", quantity: "attention", summary: "Who attends to whom.",
  }],
  plane: ["geometry-chart", { vocabulary: characters, classes, points: points(2), explained: [0.3, 0.2], label: "Learned", step: 500 }],
  space: ["geometry-space", { vocabulary: characters, classes, points: points(3), explained: [0.3, 0.2, 0.1], label: "Learned", step: 500 }],
};

window.charts = {};
for (const [name, [tag, values]] of Object.entries(properties)) {
  charts[name] = Object.assign(document.createElement(tag), values);
  document.body.append(charts[name]);
}

window.setUnit = (name) => {
  for (const chart of [charts.loss, charts.gaps]) chart.unit = UNITS[name];
};

window.svgOf = (name, title = "What position buys", notes = []) => figureSvg(charts[name], { title, notes });

/** The PNG of a chart: its bytes in base64, the colour of its corner, and how many pixels have a colour ("#0072b2"). */
window.pngOf = async (name, scale, color) => {
  const blob = await figurePng(svgOf(name), scale);
  const bitmap = await createImageBitmap(blob);
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const wanted = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  let pixels = 0;
  for (let i = 0; i < data.length; i += 4) pixels += wanted.every((channel, k) => data[i + k] === channel) ? 1 : 0;
  const bytes = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte));
  return { type: blob.type, bytes: btoa(bytes.join("")), corner: [...data.slice(0, 4)], pixels };
};
