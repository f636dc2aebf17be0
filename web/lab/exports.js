/** An experiment as text for elsewhere: CSV, JSON, the command that trains it again, names of files, small print. */

import { count } from "../charts/numbers.js";
import { isOwn, ownName } from "./own.js";
import { codeFiles, codes, fileStem } from "./own-code.js";
import { trainLoss, validationLoss } from "./run.js";
import { choiceSetting, defaults, LISTS } from "./settings.js";
/** @import { Config, Experiment, Gap, Run, Setting, Summary, Table, Value } from "./kinds.js" */

/** What a reader's own text is called where a command reads it from a file. */
export const TEXT_FILE = "text.txt";
/** The most characters that the encodings take in the name of a file: file systems take 255 bytes for all of it. */
const LONGEST_NAMES = 100;

/**
 * @param {Run[]} runs of one experiment
 * @returns {Experiment} it as the controls hold one
 */
export function experimentOf(runs) {
  const { encoding, seed, ...values } = runs[0].config;
  const encodings = [...new Set(runs.map((run) => run.encoding))];
  return { values, encodings, seeds: [...new Set(runs.map((run) => run.seed))].join(", ") };
}

/**
 * @param {Table} table
 * @param {Config} config of a run
 * @returns {Setting[]} the settings in which its experiment differs from the defaults
 */
export function changedSettings(table, config) {
  const standard = defaults(table);
  return table.settings.filter(({ name }) => !Object.hasOwn(LISTS, name) && config[name] !== standard[name]);
}

/**
 * How a setting reads: "Alice in Wonderland", "yes", "0.006"; an own encoding by the name that its reader gave it.
 * @param {Setting} setting
 * @param {Value} value
 */
export function settingValue(setting, value) {
  if (setting.kind === "boolean") return value ? "yes" : "no";
  const text = String(value);
  if (setting.kind !== "choice") return text;
  if (setting.own && isOwn(text)) return ownName(text);
  return setting.choices.find((choice) => choice.value === value)?.label ?? text;
}

/**
 * The command that trains a run again, with what differs from the defaults. No part of it needs quotes: a setting is a
 * number, yes or no, or a name from a list, a text has a fixed name, and an own encoding that of a file.
 *
 * @param {Table} table
 * @param {Config} config of the run
 * @param {Run[]} runs of its experiment, whose own encodings share out the names of files
 * @returns {string} for a shell
 */
export function trainCommand(table, config, runs) {
  const encoding = codeFiles(runs).get(config.encoding) ?? config.encoding;
  return ["python -m embedding_lab train", `--encoding ${encoding}`, `--seed ${config.seed}`, ...options(table, config)].join(" ");
}

/**
 * The command that trains every encoding of an experiment with each of its seeds.
 *
 * @param {Table} table
 * @param {Run[]} runs of the experiment
 * @returns {string} for a shell
 */
export function sweepCommand(table, runs) {
  const { encodings, seeds } = experimentOf(runs);
  const files = codeFiles(runs);
  const lists = [`--encodings ${encodings.map((encoding) => files.get(encoding) ?? encoding).join()}`, `--seeds ${seeds.replaceAll(" ", "")}`];
  return ["python -m embedding_lab sweep", ...lists, ...options(table, runs[0].config), "--out results.json"].join(" ");
}

/** @param {Table} table @param {Config} config */
function options(table, config) {
  return changedSettings(table, config).map(({ name, kind }) => {
    const value = kind === "boolean" ? (config[name] ? "yes" : "no") : config[name];
    return `--${name.replaceAll("_", "-")} ${name === "corpus" && value === "own" ? TEXT_FILE : value}`;
  });
}

/**
 * @param {Run[]} runs
 * @returns {Promise<Blob>} every point of every curve: encoding, seed, step, part, nats per character
 */
export async function curvesCsv(runs) {
  const parts = await runByRun(runs, ({ encoding, seed, train, validation }) =>
    csv(Object.entries({ training: train, validation }).flatMap(([part, { steps, loss }]) =>
      steps.map((step, index) => [encoding, seed, step, part, loss[index]]))));
  return new Blob([csv([["encoding", "seed", "step", "part", "nats"]]), ...parts]);
}

/**
 * @param {Table} table
 * @param {Run[]} runs
 * @returns {string} a row for each run: its settings, its state, what it reached
 */
export function resultsCsv(table, runs) {
  const settings = table.settings.map(({ name }) => name);
  const baselines = Object.keys(runs.find(({ facts }) => facts)?.facts?.baselines ?? {});
  const measured = ["state", "step", "validation_nats", "training_nats", "parameters", "seconds", "steps_per_second"];
  const rows = runs.map((run) => [
    ...settings.map((name) => run.config[name]),
    run.state, run.step, validationLoss(run), trainLoss(run), run.facts?.parameters, run.seconds, run.stepsPerSecond,
    ...baselines.map((name) => run.facts?.baselines[name]),
    run.version,
  ]);
  return csv([[...settings, ...measured, ...baselines.map((name) => `${name}_nats`), "version"], ...rows]);
}

/**
 * @param {object} experiment
 * @param {Table} experiment.table
 * @param {Run[]} experiment.runs
 * @param {Gap[]} experiment.gaps and
 * @param {Summary[]} experiment.summaries as `compare` gives them
 * @param {string} experiment.version of the lab
 * @param {string} experiment.link the address that opens on the same settings
 * @returns {Promise<Blob>} all of it as JSON, with the code of each own encoding and the name of the file that the
 *   commands read it from; losses in nats per character, null where one is not finite
 */
export async function experimentJson({ table, runs, gaps, summaries, version, link }) {
  const { encodings, seeds, values } = experimentOf(runs);
  const config = { ...values, encodings, seeds: seeds.split(", ").map(Number) };
  const baselines = runs.find(({ facts }) => facts)?.facts?.baselines ?? null;
  const files = codeFiles(runs);
  const own = [...codes(runs)].map(([encoding, code]) => ({ encoding, file: files.get(encoding), code }));
  const whole = { version, link, unit: "nats per character", config, ownEncodings: own, gaps, summaries, baselines };
  const head = JSON.stringify(whole, null, 1);
  // A curve is thousands of numbers: each run is a line.
  const lines = await runByRun(runs, (run) => JSON.stringify({
    encoding: run.encoding,
    seed: run.seed,
    state: run.state,
    message: run.message ?? null,
    step: run.step,
    seconds: run.seconds,
    version: run.version,
    parameters: run.facts?.parameters ?? null,
    validationLoss: validationLoss(run) ?? null,
    trainLoss: trainLoss(run) ?? null,
    curves: { training: run.train, validation: run.validation },
    command: trainCommand(table, run.config, runs),
  }));
  const separated = lines.flatMap((line, index) => (index ? [",\n", line] : [line]));
  return new Blob([head.slice(0, -"\n}".length), ',\n "runs": [\n', ...separated, "\n]}\n"]);
}

/**
 * Write runs as they are now, a run at a time: the page answers between two, however long all of them take.
 *
 * @param {Run[]} runs which may train on meanwhile
 * @param {(run: Run) => string} write
 * @returns {Promise<string[]>} what came of each
 */
async function runByRun(runs, write) {
  const parts = [];
  for (const run of runs.map((each) => ({ ...each, train: curve(each.train), validation: curve(each.validation) }))) {
    parts.push(write(run));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return parts;
}

/** @param {Run["train"]} points */
const curve = ({ steps, loss }) => ({ steps: steps.slice(), loss: loss.slice() });

/**
 * What decides the runs of a figure, for its small print.
 *
 * @param {Table} table
 * @param {Run[]} runs of one experiment
 * @returns {string} "Encodings: None, Learned. Seeds: 1, 2. Width d 48. Layers 1. …"
 */
export function smallPrint(table, runs) {
  const { encodings, seeds, values } = experimentOf(runs);
  const encoding = choiceSetting(table, "encoding");
  const lists = [`Encodings: ${encodings.map((name) => settingValue(encoding, name)).join(", ")}`, `Seeds: ${seeds}`];
  const settings = table.settings
    .filter(({ name }) => !Object.hasOwn(LISTS, name))
    .map((setting) => `${setting.label}: ${settingValue(setting, values[setting.name])}`);
  const characters = runs.find(({ facts }) => facts)?.facts?.characters;
  const own = values.corpus === "own" && characters ? ` (${count(characters.train + characters.validation)} characters)` : "";
  return `${[...lists, ...settings].join(". ")}${own}.`;
}

/**
 * @param {string} what "loss", "curves"
 * @param {Run[]} runs of one experiment; none before a run
 * @returns {string} a file's name without its ending, such as "loss-none-learned-d48-500steps"
 */
export function fileName(what, runs) {
  if (runs.length === 0) return what;
  const { encodings, seeds, values } = experimentOf(runs);
  const several = seeds.split(", ");
  const seed = several.length > 1 ? `${several.length}seeds` : `seed${several[0]}`;
  const names = encodings.map((encoding) => (isOwn(encoding) ? fileStem(encoding) : encoding)).join("-");
  const which = names.length <= LONGEST_NAMES ? names : `${encodings.length}encodings`;
  return [what, which, `d${values.d}`, `${values.steps}steps`, seed].join("-");
}

/**
 * RFC 4180: lines end in CR LF. A number is written so that reading it gives the same number; what is missing is an
 * empty cell.
 * @param {unknown[][]} rows
 */
const csv = (rows) => rows.map((row) => `${row.map(cell).join()}\r\n`).join("");

/**
 * A text is a name from a list, the version of a lab, or the name of an own encoding, none of which needs more than
 * itself. Should one ever need it, it gets its quotes, and stays a text where a spreadsheet would calculate it.
 * @param {unknown} value
 */
function cell(value) {
  if (typeof value !== "string") return value;
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
