/**
 * Whether what a check of an encoding answers is an answer: the Python that gives it has run a reader's code, which may have
 * changed what answers there. What is looked at is all that encoding-report.js and the views of the three probes take as given.
 */

import { isOwnName } from "./own.js";
/** @import { Answer, Examined } from "./kinds.js" */

/** @typedef {(value: any) => boolean} Check of anything that may come */

/** @type {Check} */
const number = (value) => typeof value === "number";
/** @type {Check} */
const whole = (value) => (Number.isInteger(value) || typeof value === "bigint") && value >= 0; // Python has no largest integer
/** @type {Check} */
const line = (value) => Number.isInteger(value) && value >= 1;
/** @type {Check} */
const flag = (value) => typeof value === "boolean";
/** @type {Check} */
const text = (value) => typeof value === "string";
/** @type {Check} */
const words = (value) => text(value) && value !== "";
/** @param {unknown[]} values @returns {Check} */
const oneOf = (...values) => (value) => values.includes(value);
/** @param {Check} is @returns {Check} */
const orNull = (is) => (value) => value === null || is(value);
/** @param {Check} is @returns {Check} */
const orNothing = (is) => (value) => value === undefined || orNull(is)(value);
/** @param {Check} is @param {number} [least] @returns {Check} */
const list = (is, least = 0) => (value) => Array.isArray(value) && value.length >= least && value.every(is);
/** @param {Record<string, Check>} fields @returns {Check} */
const record = (fields) => (value) =>
  typeof value === "object" && value !== null && Object.entries(fields).every(([name, is]) => is(value[name]));
/** @type {Check} */
const matrix = (value) => list(list(number, 1), 1)(value) && value.every((/** @type {number[]} */ { length }) => length === value[0].length);
/**
 * The result of a probe, whose fields are there where it is defined.
 * @param {Record<string, Check>} fields
 * @returns {Check}
 */
const probe = (fields) => (value) => record({ defined: flag })(value) && (!value.defined || record(fields)(value));

const method = oneOf("table", "rotation", "bias");

const POSITION_TABLE = {
  encoding: words, context: whole, parameters: whole, table: matrix, dots: matrix, norms: list(number, 1),
  tokenNorm: number, rowCosine: number, rowChance: number,
  subspaces: record({
    cosines: list(number), meanSquaredCosine: orNull(number), chance: orNull(number), randomLargest: orNull(number),
    tokenComponents: whole, positionComponents: whole,
  }),
  beyond: record({ asked: whole, defined: flag, message: orNull(text) }),
};
const ROTATION = {
  encoding: words, query: words, key: words, context: whole, byDistance: matrix, shiftDifference: number, range: number,
  scores: list(matrix, 1), normChange: number, angles: matrix,
};
const DISTANCE_BIAS = {
  encoding: words, attention: list(record({ meanDistance: list(number) })), evenly: number, bias: list(matrix, 1),
  byDistance: matrix, spread: number, slopes: list(number, 1), departure: number,
};

const found = record({
  name: isOwnName,
  maxLength: orNull(whole),
  supplies: list(method),
  parameters: whole,
  methods: list(record({ method, shape: list(whole), dtype: text, trainable: flag, parameters: whole })),
  probes: record({ "position-table": probe(POSITION_TABLE), rotation: probe(ROTATION), "distance-bias": probe(DISTANCE_BIAS) }),
  printed: text,
  notes: list(text),
});

const refusal = record({
  error: record({ code: text, message: words, line: orNothing(line), traceback: orNothing(text), printed: orNothing(text) }),
});

/** @param {unknown} answer @returns {answer is Answer<Examined>} whether it has the form of what `check_encoding` of the worker answers */
export const isAnswer = (answer) => refusal(answer) || (record({ error: (value) => value === undefined })(answer) && found(answer));
