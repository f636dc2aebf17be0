/** One run as the page knows it: its settings, the points of its curves, its latest table; and sums over runs. */

/** @import { Config, Frame, Picture, Run, RunState, Saved } from "./kinds.js" */

/** States in which a run still has steps to take. @type {RunState[]} */
const UNDER_WAY = ["queued", "opening", "training"];

/** The most pictures of its table that a run keeps. */
const LONGEST_HISTORY = 120;

/**
 * @param {Config} config the settings of one run (settings.js)
 * @param {string|null} code the Python of its encoding, if that is one of the reader's own
 * @returns {Run} a run that has not begun
 */
export function createRun(config, code = null) {
  const { encoding, seed, steps } = config;
  return {
    id: `${encoding}-${seed}`,
    /** What a reader knows it by among the others. */
    label: encoding,
    /** What it trains on; null until it is started. */
    text: null,
    encoding,
    seed,
    config,
    code,
    state: "queued",
    message: null,
    /** Where its own encoding failed: {line, traceback} of its code; null if that is not why it ended. */
    fault: null,
    step: 0,
    steps,
    train: { steps: [], loss: [] },
    validation: { steps: [], loss: [] },
    seconds: 0,
    stepsPerSecond: 0,
    visible: true,
    waitsForCore: false,
    /** What Python says when it opens the run: parameters, vocabulary, classes, characters, baselines, flopsPerStep, supplies, rare. */
    facts: null,
    /** The latest picture of the table: {points, explained, step}, and {points3, explained3} if the run is shown large. */
    geometry: null,
    /** The pictures so far, from step 0 on, thinned out evenly. */
    history: [],
    /** All it needs to be looked at or to go on, as `save_run` gives it; null while that is in its worker alone. */
    saved: null,
    /** Whether it was lost with its worker. */
    lost: false,
    /** The version of the lab that trained it; null until it is opened. */
    version: null,
    /** Its key in the archive of this browser, and when it was put there (ms since 1970); null while it is not kept. */
    key: null,
    keptAt: null,
    /** Id of the experiment that it is kept, or would be kept, as a run of; null at first. */
    experiment: null,
    /** An earlier or the same picture, replaced less often, with the time it was taken: {points, explained, step, at}. */
    thumbnail: null,
  };
}

/**
 * Take in what a call brought.
 *
 * @param {Run} run changed in place
 * @param {Frame} frame of the worker
 */
export function absorb(run, frame) {
  run.step = frame.step;
  run.state = frame.state;
  run.message = frame.message;
  run.seconds = frame.seconds;
  run.stepsPerSecond = frame.stepsPerSecond;
  frame.trainLoss.forEach((loss, index) => {
    run.train.steps.push(frame.trainFrom + index);
    run.train.loss.push(loss);
  });
  run.validation.steps.push(...frame.validationSteps);
  run.validation.loss.push(...frame.validationLoss);
  if (frame.geometry) {
    run.geometry = { ...frame.geometry, step: frame.step };
    remember(run.history, run.geometry, run.steps);
  }
}

/**
 * Take a run back to what was saved of it: a frame that was dropped when it stopped is in there, too.
 *
 * @param {Run} run changed in place
 * @param {Saved|null} saved as `save_run` gives it; null takes the run back to its beginning
 */
export function takeUp(run, saved) {
  if (!saved) {
    const { train, validation, history, step } = createRun(run.config);
    Object.assign(run, { train, validation, history, step });
    return;
  }
  const { step, state, message, seconds } = saved;
  const stepsPerSecond = seconds ? step / seconds : 0;
  Object.assign(run, { saved, step, state: state === "training" ? "stopped" : state, message, seconds, stepsPerSecond });
  // Frames tell losses as float32, so that a curve is the same whether it came in frames or from here.
  run.train = { steps: Array.from(saved.trainLoss, (_, index) => index + 1), loss: Array.from(saved.trainLoss, Math.fround) };
  run.validation = { steps: Array.from(saved.validationSteps), loss: Array.from(saved.validationLoss, Math.fround) };
}

/**
 * Keep a picture, at most so many in all: those of the first and the latest step, and between them one for each even
 * part of the run's steps.
 * @param {Picture[]} history
 * @param {Picture} picture
 * @param {number} steps
 */
function remember(history, picture, steps) {
  /** @param {Picture} picture */
  const part = ({ step }) => Math.floor((step * (LONGEST_HISTORY - 2)) / steps);
  // The latest stays only until the next one comes, unless it is the first of its part.
  const [before, latest] = history.slice(-2);
  if (latest && part(latest) === part(before)) history.pop();
  history.push(picture);
}

/** @param {Pick<Run, "state">} run @returns {boolean} whether the run still has steps to take */
export const isUnderWay = (run) => UNDER_WAY.includes(run.state);

/**
 * @param {Pick<Run, "state" | "saved" | "step">} run
 * @returns {boolean} whether the run was stopped, and can go on from where it was or, without a step, begin
 */
export const canContinue = ({ state, saved, step }) => state === "stopped" && (saved !== null || step === 0);

/**
 * @param {Pick<Run, "validation">} run
 * @returns {number|undefined} the latest validation loss, in nats per character
 */
export const validationLoss = (run) => run.validation.loss.at(-1);

/**
 * @param {Pick<Run, "train">} run
 * @returns {number|undefined} the loss of the latest training batch, in nats per character
 */
export const trainLoss = (run) => run.train.loss.at(-1);

/**
 * @param {Run[]} runs
 * @returns {Run|null} of the runs that have finished, the one with the lowest validation loss
 */
export function bestRun(runs) {
  const finished = runs.filter(({ state }) => state === "finished");
  const loss = (/** @type {Run} */ run) => validationLoss(run) ?? NaN;
  return finished.length ? finished.reduce((best, run) => (loss(run) < loss(best) ? run : best)) : null;
}

/**
 * The experiment as a whole. A run that ended early has no steps left.
 *
 * @param {Run[]} runs
 * @returns {{step: number, steps: number, stepsPerSecond: number, secondsLeft: number|null, ended: number}}
 *   secondsLeft at the present speed, null while nothing has been measured
 */
export function totals(runs) {
  /** @type {(list: Run[], value: (run: Run) => number) => number} */
  const sum = (list, value) => list.reduce((total, run) => total + value(run), 0);
  const open = runs.filter(isUnderWay);
  const left = sum(open, (run) => run.steps - run.step);
  const stepsPerSecond = sum(open, (run) => (run.state === "training" ? run.stepsPerSecond : 0));
  return {
    step: sum(runs, (run) => run.step),
    steps: sum(runs, (run) => (isUnderWay(run) ? run.steps : run.step)),
    stepsPerSecond,
    secondsLeft: stepsPerSecond > 0 ? left / stepsPerSecond : null,
    ended: runs.length - open.length,
  };
}
