/** What each probe measured, as its docstring in `embedding_lab/probes/` says: types alone, as in kinds.ts. */

import type { Step } from "../charts/sampled-text.js";
import type { Baselines } from "../charts/loss-range.js";

/** A text of the reader's as a probe read it. */
export interface Reading {
  used: string;
  characters: string[];
  ids: number[];
  leftOut: string[];
  cut: number;
  instead: boolean;
}

interface Gradient {
  rows: number;
  norms: number[];
}

export interface Separation {
  value: number | null;
  shuffled: { mean: number; low: number; high: number } | null;
  p: number | null;
}

export interface Offset {
  hits: number;
  trials: number;
  p: number;
  chance: number;
  amongCapitals: { hits: number; chance: number };
  anyCapital: number;
  capitalChance: number;
  letters: { letter: string; nearest: string; hit: boolean; capital: string; rank: number }[];
  selfNearest: number;
  meanRank: number;
  chanceRank: number;
}

export interface OrderCase {
  layers: number;
  encoding: string;
  causal: boolean;
  equivarianceError: number;
  lastDifference: number;
  scale: number;
  weights: string;
}

/** The loss at one length of context: where the encoding is defined, by position. */
export interface DefinedContext {
  defined: true;
  length: number;
  positions: number[];
  losses: number[];
  standardErrors: (number | null)[];
  loss: number;
  standardError: number | null;
  beyond: number | null;
}
export interface RefusedContext {
  defined: false;
  length: number;
  message: string;
  neverLearned: [number, number] | null;
}

/** What the seeds of one setting of a sweep came to; null where a run diverged. */
export interface SweepRow {
  losses: (number | null)[];
  mean: number | null;
  low: number | null;
  high: number | null;
}

export interface Sweep {
  encoding: string;
  seeds: number[];
  updates: number;
  baselines: Baselines;
}

interface TableChoice extends SweepRow {
  parameters: number;
  silhouette: number[];
  purity: number[];
}

/** By the name of the probe. */
export interface Results {
  lookup: {
    text: Reading;
    characters: string[];
    width: number;
    table: number[][];
    rows: number[][];
    largestDifference: number;
    gradientDifference: number;
  };
  "sparse-gradient": Omit<Reading, "used" | "characters" | "ids"> & {
    tied: boolean;
    batch: string[];
    distinct: number;
    characters: string[];
    input: Gradient & { untouched: string[]; strangers: string[] };
    output: Gradient;
    both: Gradient;
    sumDifference: number;
    why: string | null;
  };
  geometry: {
    characters: string[];
    classes: string[];
    metric: string;
    frequency: string;
    neighbours: { character: string; nearest: { character: string; distance: number; class: string }[] };
    separation: { silhouette: Separation; purity: Separation; k: number; shuffles: number };
    logFrequency: { components: number[]; p: (number | null)[] };
    points2: number[][];
    explained2: number[];
    points3: number[][];
    explained3: number[];
  };
  "case-offset": {
    letter: string;
    capital: string;
    metric: string;
    excluded: string;
    oneOffset: Offset;
    meanOffset: Offset;
  };
  relabel: {
    characters: string[];
    newIds: number[];
    updates: number;
    losses: number[];
    relabelledLosses: number[];
    newOrderLosses: number[];
    largestDifference: number;
    newOrderDifference: number;
    tableDifference: number;
    validationLoss: number;
    relabelledValidationLoss: number;
    newOrderValidationLoss: number;
  };
  merges: {
    merges: number;
    ids: number[];
    ranks: number[];
    pieces: string[];
    parts: ([string, string] | null)[];
    counts: number[];
    countsWhenLearned: number[];
    characters: number;
    charactersPerToken: number;
    rankCorrelation: number | null;
    rankCorrelationWhenLearned: number | null;
  };
  "residual-stream": {
    text: Reading;
    width: number;
    depths: { name: string; values: number[][]; meanNorm: number; meanWrite: number | null }[];
  };
  width: Sweep & {
    widths: (SweepRow & { d: number; parameters: number; heads: number })[];
    best: number | null;
    gaps: { a: string; b: string; nats: number; verdict: string }[];
  };
  order: { first: Reading; second: Reading; last: string; encoding: string; cases: OrderCase[] };
  "position-table": {
    encoding: string;
    context: number;
    parameters: number;
    table: number[][];
    dots: number[][];
    norms: number[];
    tokenNorm: number;
    rowCosine: number;
    rowChance: number;
    subspaces: {
      cosines: number[];
      meanSquaredCosine: number | null;
      chance: number | null;
      randomLargest: number | null;
      tokenComponents: number;
      positionComponents: number;
    };
    beyond: { asked: number; defined: boolean; message: string | null };
  };
  rotation: {
    encoding: string;
    query: string;
    key: string;
    context: number;
    byDistance: number[][];
    shiftDifference: number;
    range: number;
    scores: number[][][];
    normChange: number;
    angles: number[][];
  };
  "distance-bias": {
    encoding: string;
    attention: { meanDistance: number[] }[];
    evenly: number;
    bias: number[][][];
    byDistance: number[][];
    spread: number;
    slopes: number[];
    departure: number;
  };
  extrapolation: { encoding: string; trained: number; contexts: (DefinedContext | RefusedContext)[] };
  "context-free": {
    first: Reading;
    second: Reading;
    index: number;
    character: string;
    sameContext: boolean;
    depths: { name: string; largestDifference: number; cosine: number; differing: number }[];
    bitIdentical: boolean;
    shifted: { index: number; bitIdentical: boolean; largestDifference: number } | null;
  };
  "cosine-cone": { states: number; depths: { name: string; raw: number; centred: number; meanShare: number }[] };
  tying: Sweep & {
    saved: number;
    tied: TableChoice;
    untied: TableChoice;
    gap: { nats: number; low: number | null; high: number | null; seeds: number; verdict: string } | null;
  };
  amplitude: Sweep & { initStd: number; amplitudes: (SweepRow & { amplitude: number })[]; best: number | null };
  compressors: {
    characters: number;
    bytes: number;
    compressors: { name: string; nats: number | null; bytes: number; missing: string | null }[];
    baselines: Baselines;
  };
  generate: { prompt: Reading; temperature: number; steps: Step[]; context: number };
}
