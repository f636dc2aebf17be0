/**
 * The records that the modules of the page hand on to each other, and what a worker answers (its Python has the same in
 * `worker/kinds.py`). Types alone: only tsc reads this file, nothing of it reaches a browser.
 */

import type { Encoding } from "../charts/encodings.js";
import type { Curve as ShownCurve } from "../charts/loss-groups.js";
import type { Baselines } from "../charts/loss-range.js";
import type { UnitName } from "../charts/units.js";
import type { Entry } from "./probe-plan.js";
import type { Task } from "./task.js";

export type { Baselines, ShownCurve };

// Settings

/** A setting as it is typed or valid. */
export type Value = string | number | boolean;
/** Settings by name. */
export type Values = Record<string, Value>;

/** The settings of one run: all that `RunConfig` has. */
export interface Config extends Values {
  encoding: string;
  seed: number;
  d: number;
  layers: number;
  heads: number;
  context: number;
  batch: number;
  steps: number;
  corpus: string;
}

export type Choice = Encoding & { help: string };

interface AnySetting {
  name: string;
  label: string;
  help: string;
}
export interface NumberSetting extends AnySetting {
  kind: "integer" | "number";
  default: number;
  low: number;
  high: number;
}
export interface ChoiceSetting extends AnySetting {
  kind: "choice";
  default: string;
  choices: Choice[];
  /** How a value that is a name of the reader's begins. */
  own?: string;
}
export interface BooleanSetting extends AnySetting {
  kind: "boolean";
  default: boolean;
}
export type Setting = NumberSetting | ChoiceSetting | BooleanSetting;

export interface Rule {
  field: string;
  rule: "divides" | "even_quotient";
  of: string;
  encoding: string | null;
  text: string;
}

export interface Table {
  settings: Setting[];
  rules: Rule[];
  experiment: { encodings: string[]; seeds: number[] };
}

/** What is wrong with a setting, "encodings" or "seeds". */
export interface FieldError {
  field: string;
  message: string;
}

// What the build tells the page: lab-data

/** What is written as it is: a text, or several values with commas between. */
export interface TextSetting extends AnySetting {
  kind: "text" | "list" | "integers" | "numbers";
  default: Value | Value[];
}
export type ProbeArgument = Setting | TextSetting;

export interface Probe {
  name: string;
  title: string;
  needsModel: boolean;
  arguments: ProbeArgument[];
}

export interface Corpus {
  name: string;
  title: string;
  origin: string;
  file: string;
  integrity: string;
  characters: number;
  baselines: Baselines;
  vocabulary: number;
}

/** What was measured over many seeds, with the settings that it holds for. */
export interface Measured {
  config: Values;
  version: string;
  command: string;
  seeds: number[];
  encodings: MeasuredEncoding[];
  gaps: Gap[];
}

export interface MeasuredEncoding {
  encoding: string;
  seeds: number;
  steps: number[];
  mean: number[];
  low: number[];
  high: number[];
  final: { mean: number; low: number; high: number };
}

export interface RuntimeFile {
  file: string;
  bytes: number;
  integrity: string;
}

export interface Data extends Table {
  version: string;
  corpora: Corpus[];
  probes: Probe[];
  measured: Measured | null;
  /** What of Hugging Face's transformers opens a run of each encoding: with 1, 2, ... heads, null where nothing does. */
  architectures: Record<string, (string | null)[]>;
  /** The most bytes that a text and a saved run may have. */
  largestText: number;
  largestFile: number;
  offline: boolean;
  runtime: { folder: string; files: (RuntimeFile & { stage: string })[]; fallback: RuntimeFile };
}

export interface StartingPoint {
  file: string;
  name: string;
  title: string;
  teaches: string;
  code: string;
}

// What a worker answers

/** What went wrong; of a reader's own code also where, and what it had printed. */
export interface Told {
  code: string;
  field: string | null;
  message: string;
  line?: number | null;
  traceback?: string | null;
  printed?: string;
}

/** Either what was asked for, or what was wrong. */
export type Answer<T> = (T & { error?: undefined }) | { error: Told };

export interface Status {
  version: string;
  python: string;
  numpy: string;
  backend: string;
}

export interface Geometry {
  points: Float32Array;
  explained: number[];
  points3?: Float32Array;
  explained3?: number[];
}

export interface Frame {
  step: number;
  state: RunState;
  message: string | null;
  trainFrom: number;
  trainLoss: Float32Array;
  validationSteps: Int32Array;
  validationLoss: Float32Array;
  seconds: number;
  stepsPerSecond: number;
  geometry: Geometry | null;
}

export interface Rare {
  threshold: number;
  characters: [string, number][];
  share: number;
}

interface About {
  vocabulary: string[];
  classes: string[];
  characters: { train: number; validation: number };
  baselines: Baselines & Record<string, number>;
  rare: Rare | null;
}

/** What Python says of a run when it opens it. */
export interface Facts extends About {
  parameters: number;
  supplies: string[];
  flopsPerStep: number;
}

/** All that a run needs to be looked at or to go on, as `save_run` gives it. */
export interface Saved {
  step: number;
  state: RunState;
  message: string | null;
  seconds: number;
  trainLoss: Float64Array;
  validationSteps: Int32Array;
  validationLoss: Float64Array;
  vector: Float32Array;
  mean: Float32Array;
  square: Float32Array;
}

/** nats = loss(a) - loss(b); more: seeds that would settle the verdict. */
export interface Gap {
  a: string;
  b: string;
  nats: number;
  low: number | null;
  high: number | null;
  seeds: number;
  verdict: string;
  more: number | null;
}

/** An encoding over its seeds. */
export interface Summary {
  encoding: string;
  seeds: number;
  mean: number;
  deviation: number | null;
  low: number | null;
  high: number | null;
}

export interface TextFacts extends About {
  distinct: number;
  changed: { encoding: string; bom: boolean; lineEnds: number; nfc: boolean; undefined: number; cut: number };
  bytes: { text: number; perWorker: number };
}

export interface TextRead {
  text: string;
  encoding: string;
  facts: TextFacts;
}

/** What a probe measured (results.ts), or why it cannot be measured here. */
export type Result = Record<string, unknown> & { defined?: boolean; why?: string };

export interface Probed {
  which: Which;
  step: number;
  progress: number;
  result: Result | null;
}

export interface Method {
  method: string;
  shape: number[];
  dtype: string;
  trainable: boolean;
  parameters: number;
}

/** What a check found of an encoding that works. */
export interface Examined {
  name: string;
  maxLength: number | bigint | null;
  supplies: string[];
  parameters: number;
  methods: Method[];
  probes: Record<string, Result>;
  printed: string;
  notes: string[];
}

export interface Source {
  file: string;
  code: string;
}

export interface Unpacked {
  config: Config;
  text: string | null;
  textHash: string;
  saved: Saved;
  version: string;
  code: string | null;
  needsConsent?: undefined;
}

/** A file with code that may not run. */
export interface Waiting {
  config: Config;
  code: string;
  name: string;
  version: string;
  needsConsent: true;
}

export interface ConsoleAnswer {
  complete: boolean;
  value: string | null;
  error: string | null;
  interrupted: boolean;
  leftOut: number;
}

/** The functions of embedding_lab.worker. */
export interface Python {
  status(): Status;
  open_run(
    id: string,
    config: Config,
    text: string,
    backend: string | null,
    saved: Saved | null,
    textHash: string | null,
    code: string | null,
  ): Answer<Facts & { frame: Frame }>;
  advance(id: string, budget: number, geometry: boolean, space: boolean): Answer<Frame>;
  save_run(id: string): Answer<Saved>;
  close_run(id: string): void;
  compare(results: { encoding: string; seed: number; validationLoss: number | undefined }[]): { gaps: Gap[]; encodings: Summary[] };
  read_text(bytes: Uint8Array): Answer<TextRead>;
  check_encoding(code: string, config: Config): unknown; // a reader's code may have changed what answers
  probe(name: string, id: string, args: Values, budget: number, untrained: boolean): Answer<Probed>;
  source(name: string): Answer<Source>;
  source_file(name: string): Answer<Source>;
  checkpoint(id: string, name: string): Answer<{ name: string; bytes: Uint8Array<ArrayBuffer> }>;
  read_checkpoint(bytes: Uint8Array, mayRun?: boolean): Answer<Unpacked | Waiting>;
  console_open(config: Config, text: string, saved: Saved | null, code: string | null): Answer<{ shape: number[] }>;
  console_run(source: string): ConsoleAnswer;
}

/** A function's call, as a worker takes it. */
export type Call = <N extends keyof Python>(name: N, ...args: Parameters<Python[N]>) => Promise<ReturnType<Python[N]>>;

// Runs

export type RunState = "queued" | "opening" | "training" | "finished" | "diverged" | "stopped" | "failed";
export type Phase = "loading" | "ready" | "running" | "paused" | "stopped" | "finished";

export interface Curve {
  steps: number[];
  loss: number[];
}

/** A picture of the table at a step. */
export interface Picture extends Geometry {
  step: number;
}

/** What a model is made from: a run, or the settings of one that has not begun; text null for the one that comes with the page. */
export interface Subject {
  config: Config;
  code: string | null;
  text: string | null;
}

/** One run as the page knows it; what its fields mean stands at `createRun`. */
export interface Run extends Subject {
  id: string;
  label: string;
  encoding: string;
  seed: number;
  state: RunState;
  message: string | null;
  fault: { line?: number | null; traceback?: string | null } | null;
  step: number;
  steps: number;
  train: Curve;
  validation: Curve;
  seconds: number;
  stepsPerSecond: number;
  visible: boolean;
  waitsForCore: boolean;
  facts: Facts | null;
  geometry: Picture | null;
  history: Picture[];
  saved: Saved | null;
  lost: boolean;
  version: string | null;
  key: IDBValidKey | null;
  keptAt: number | null;
  experiment: string | null;
  thumbnail: (Picture & { at: number }) | null;
}

/** A run that was under way when the page was left, and how far it was; a page that crashed could not say. */
export type Interrupted = Pick<Run, "label" | "steps"> & { step: number | null };

/** An encoding of the reader's own. */
export interface Own {
  encoding: string;
  code: string;
}

// What the chapter's labs look at and find out

export type Which = "untrained" | "now" | "trained";

/** What labs found out about a run, to be kept with it. */
export interface Finding {
  name: string;
  args: Values;
  untrained: boolean;
  which: Which;
  step: number;
  result: Result;
  took: number;
}

// What the browser keeps

/** What a list shows of a kept run. */
export interface RunSummary {
  key: IDBValidKey;
  experiment: string;
  keptAt: number;
  version: string | null;
  config: Config;
  state: RunState;
  step: number;
  seconds: number;
  loss: number | null;
  bytes: number;
  textBytes: number;
}

export interface KeptExperiment {
  id: string;
  keptAt: number;
  config: Config;
  bytes: number;
  runs: RunSummary[];
}

export interface Kept {
  state: "loading" | "ready" | "unavailable";
  message: string | null;
  experiments: KeptExperiment[];
  unreadable: { key: IDBValidKey; why: string }[];
  quota: number | null;
}

// The state of the page; what each entry means stands in store.js

export interface Progress {
  stage: string;
  file: string | null;
  loadedBytes: number;
  totalBytes: number;
}

/** An experiment as the controls hold one: settings as typed, without encoding and seed, and those as lists. */
export interface Experiment {
  values: Values;
  encodings: string[];
  seeds: string;
}

export interface State extends Experiment {
  phase: Phase;
  loading: Progress & { secondsToReady: number | null; failure: { message: string; file: string | null } | null };
  status: Status | null;
  own: Own[];
  editing: { code: string | null } | null;
  ownText: string;
  textName: string | null;
  textFacts: TextFacts | null;
  textReading: boolean;
  errors: Record<string, string>;
  blocked: { field: string | undefined } | null;
  problems: { name: string; message: string }[];
  panels: string[];
  locks: string[];
  expect: Task | null;
  theme: string;
  interrupted: Interrupted[] | null;
  runs: Run[];
  selected: string | null;
  gaps: Gap[];
  summaries: Summary[];
  runsCompared: number;
  unit: UnitName;
  showMeasured: boolean;
  kept: Kept;
  probes: Record<string, Entry>;
  textLoading: boolean;
}

// Events

/** An event on an element of a kind. */
export type EventOn<T extends EventTarget, E extends Event = Event> = E & { target: T };
