/** Which model a probe looks at: a run where it trains, a run that has ended, or one that has not begun. */

import { encodingNames } from "../charts/encodings.js";
import { isOwn } from "./own.js";
import { parseSeeds, validate } from "./settings.js";
/** @import { Config, Data, Probe, Run, Saved, State, Subject as Made, Value, Values } from "./kinds.js" */

/**
 * Probes that show what encodings do in one place, by that place: they look at a run that supplies position there, wherever
 * the experiment has one.
 * @type {Record<string, string>}
 */
const SHOWN_ON = { "position-table": "table", rotation: "rotation", "distance-bias": "bias" };
/** Probes whose answer is the same for every encoding. */
const WITHOUT_ENCODING = ["merges", "amplitude", "compressors"];

/** Probes whose claim is about all encodings. */
const COMPARING_RUNS = ["extrapolation"];

/**
 * A probe that trains models of its own says for how many updates: it runs only when the reader asks for it.
 * @param {Probe} probe
 */
export const trainsItself = (probe) => probe.arguments.some(({ name }) => name === "updates");

/**
 * Whether a probe looks at the text alone: its answer is that of every run on the same text, at every step.
 * @param {Probe} probe
 */
export const looksAtText = (probe) => !probe.needsModel && !trainsItself(probe);

/** Whether a probe is there to be compared between the runs of an experiment. @param {Pick<Probe, "name">} probe */
export const comparesRuns = ({ name }) => COMPARING_RUNS.includes(name);

/** Whether it makes a difference which run a probe looks at. @param {Pick<Probe, "name">} probe */
export const dependsOnEncoding = ({ name }) => !WITHOUT_ENCODING.includes(name);

/** What a probe looks at unless the reader chooses, in words. @param {Pick<Probe, "name">} probe @param {Run[]} runs */
export const usualModel = ({ name }, runs) =>
  SHOWN_ON[name] ? "one that shows it" : runs.length ? "the selected run" : "as Run would begin";

/**
 * @typedef {Made & {encoding: string, seed: number, state?: undefined, saved?: undefined}} Unbegun the settings of a run that
 *   has not begun
 * @typedef {Run | Unbegun} Source
 * @typedef {{source: Source, place: "own"|"idle", untrained: boolean}} Subject `place`: in the worker where the run
 *   trains, or in one that has nothing else to do
 * @typedef {Record<string, Value>} Arguments of a probe, as typed
 * @typedef {"settings"|"encoding"|"ending"|"consent"} Obstacle why there is nothing to look at: what the controls hold, what the
 *   runs do, a run, or that the reader has not allowed its code
 */

/**
 * Whether two questions are the same one. Arguments are replaced, never changed, so the object tells.
 * @param {Subject & {args: Arguments}} a
 * @param {Subject & {args: Arguments}} b
 */
export const isSame = (a, b) =>
  a.args === b.args && a.source === b.source && a.place === b.place && a.untrained === b.untrained;

/**
 * Whether what came of one question is what would come of another: the same one or, where the text alone counts, one on the same text.
 * @param {Probe} probe
 * @param {Subject & {args: Arguments}} a
 * @param {Subject & {args: Arguments}} b
 */
export const isAsGood = (probe, a, b) =>
  looksAtText(probe) ? a.args === b.args && isSameText(a.source, b.source) : isSame(a, b);

/** Whether two models have the same text. @param {Made} a @param {Made} b */
export const isSameText = (a, b) => a.config.corpus === b.config.corpus && (a.config.corpus !== "own" || a.text === b.text);

/**
 * Whether two models have the same text and the same settings but for their encoding and seed.
 * @param {Made} a
 * @param {Made} b
 */
export function isAlike(a, b) {
  /** @param {Made} made */
  const shared = ({ config: { encoding, seed, ...others } }) => JSON.stringify(others);
  return isSameText(a, b) && shared(a) === shared(b);
}

/** Whether a run trains no more and what it learned is still in its worker. @param {Source} source */
const isEnding = (source) => isRun(source) && source.step > 0 && !source.saved && !source.lost && !["training", "failed"].includes(source.state);

/** @param {Source} source @returns {source is Run} */
export const isRun = (source) => source.state !== undefined;

export class Subjects {
  #data;
  #state;
  /**
   * The latest source of each encoding that has no run, so that the same settings stay the same object.
   * @type {Map<string, {key: string, text: string|null, source: Unbegun}>}
   */
  #unbegun = new Map();

  /**
   * @param {Data} data lab-data
   * @param {State} state of the store
   * @param {(source: {code: string|null}) => boolean} allows whether its encoding may run
   */
  constructor(data, state, allows) {
    this.#data = data;
    this.#state = state;
    this.allows = allows;
  }

  /**
   * What a probe looks at now.
   * @param {Probe} probe one of lab-data's
   * @param {{encoding: string|null, untrained: boolean}} choice the reader's; null for the selected run
   * @returns {Subject|null} null where there is nothing to look at: settings to correct, or a run that is just ending
   */
  find(probe, { encoding, untrained }) {
    const source = this.source(probe, encoding);
    if (!source || !this.allows(source)) return null;
    if (trainsItself(probe)) return { source, place: "idle", untrained: false };
    if (source.state === "training") return { source, place: "own", untrained };
    return isEnding(source) ? null : { source, place: "idle", untrained };
  }

  /**
   * @param {Probe} probe
   * @param {{encoding: string|null}} choice
   * @returns {Obstacle|null} why `find` finds nothing
   */
  obstacle(probe, { encoding }) {
    const source = this.source(probe, encoding);
    if (source && !this.allows(source)) return "consent";
    if (source) return !trainsItself(probe) && isEnding(source) ? "ending" : null;
    return this.#state.runs.length ? "encoding" : "settings";
  }

  /**
   * The model that a probe is about, whether or not it can be looked at now.
   * @param {Probe} probe
   * @param {string|null} encoding the reader's choice
   * @returns {Source | null}
   */
  source(probe, encoding) {
    const { runs, selected } = this.#state;
    const place = encoding ? undefined : SHOWN_ON[probe.name];
    const wanted = encoding ? [encoding] : place ? encodingNames(place) : null;
    const large = runs.find(({ id }) => id === selected);
    if (!large) return this.#ofControls(wanted);
    const fitting = runs.filter((run) => !wanted || wanted.includes(run.encoding) || (run.code && place && run.facts?.supplies.includes(place)));
    if (fitting.includes(large)) return large;
    return fitting.find(({ seed }) => seed === large.seed) ?? fitting[0] ?? this.#ofSettings(large.config, large.text, wanted?.[0]);
  }

  /** What Run would train first and show large. @param {string[]|null} wanted */
  #ofControls(wanted) {
    const { values, encodings, seeds, ownText } = this.#state;
    const [seed] = parseSeeds(this.#data, seeds).seeds;
    const text = values.corpus === "own" ? ownText : null;
    if (seed === undefined || text === "") return null;
    const encoding = (wanted ?? encodings).find((name) => encodings.includes(name) && name !== "none");
    return this.#ofSettings({ ...values, seed }, text, encoding ?? wanted?.[0] ?? encodings[0]);
  }

  /** @param {Values} settings @param {string|null} text @param {string|undefined} encoding @returns {Unbegun | null} */
  #ofSettings(settings, text, encoding) {
    if (!encoding) return null;
    const { config, errors } = validate(this.#data, { ...settings, encoding });
    if (errors.length) return null;
    const code = this.#state.own.find((own) => own.encoding === encoding)?.code ?? null;
    if (isOwn(encoding) && code === null) return null;
    const key = JSON.stringify([config, code]);
    const before = this.#unbegun.get(encoding);
    if (before?.key === key && before.text === text) return before.source;
    const source = { config, code, text, encoding, seed: config.seed };
    this.#unbegun.set(encoding, { key, text, source });
    return source;
  }
}
