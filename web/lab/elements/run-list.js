/**
 * <lab-runs>: every run with its latest loss, its state and its progress; hides curves, selects the run shown large, and
 * lets a stopped run go on. With several seeds the runs of an encoding are one row, which unfolds.
 */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import { count } from "../../charts/numbers.js";
import { encodingColor } from "../../charts/palette.js";
import "../../charts/scroll-box.js";
import { counted, duration, speed } from "../format.js";
import { byEncoding, outcome } from "../gaps.js";
import { lastLine } from "../probe-words.js";
import { canContinue, isUnderWay, totals, validationLoss } from "../run.js";
import "./encoding-mark.js";
import { LabElement } from "./lab-element.js";
/** @import { Run } from "../kinds.js" */

class LabRuns extends LabElement {
  static watches = ["runs", "selected", "phase", "status", "unit"];
  /** The encodings whose runs are shown one by one. @type {Set<string>} */
  #unfolded = new Set();

  render() {
    const { runs } = this.state;
    if (runs.length === 0) return nothing;
    const groups = byEncoding(runs);
    const inGroups = groups.some((group) => group.runs.length > 1);
    /** @type {({key: string, run: Run, group?: undefined} | {key: string, group: typeof groups[0], run?: undefined})[]} */
    const rows = inGroups
      ? groups.flatMap((group) => [{ key: group.encoding, group }, ...(this.#unfolded.has(group.encoding) ? group.runs.map(alone) : [])])
      : runs.map(alone);
    return html`<table class="runs">
      <caption>Runs</caption>
      <thead>
        <tr>
          <th scope="col">Encoding</th>
          <th scope="col" class="number">${inGroups ? "Seeds" : "Seed"}</th>
          <th scope="col" class="number">Validation loss<span class="unit">${this.lab.unit.per}</span></th>
          <th scope="col">Progress</th>
          <th scope="col">Curve</th>
          <th scope="col">Table</th>
        </tr>
      </thead>
      <tbody>
        ${repeat(rows, ({ key }) => key, ({ run, group }) => (group ? this.#group(group) : this.#row(run, inGroups)))}
      </tbody>
    </table>`;
  }

  /** @param {Run} run @param {boolean} isMember */
  #row(run, isMember) {
    const selected = run.id === this.state.selected;
    const label = this.lab.encodingLabel(run.encoding);
    const name = `${label}, seed ${run.seed}`;
    return html`<tr data-run=${run.id} data-state=${this.#shownState(run)} class="${selected ? "selected" : ""} ${isMember ? "member" : ""}">
      <th scope="row"><encoding-mark encoding=${run.encoding}></encoding-mark> ${label}</th>
      <td class="number" data-label="Seed">${run.seed}</td>
      <td class="number loss" data-label="Validation loss">${this.lab.unit.loss(validationLoss(run))}</td>
      <td class="progress">
        <progress max=${run.steps} .value=${run.step} .style=${colored(run.encoding)} aria-label="Steps of ${name}"></progress>
        <span title=${run.message ?? nothing}>${this.#words(run)} ${this.#goOn([run], name)} ${traceback(run)}</span>
      </td>
      <td class="choice" data-label="Curve">
        <input type="checkbox" aria-label="Show the curve of ${name}" .checked=${live(run.visible)}
          @change=${() => this.lab.toggleVisible([run.id])} />
      </td>
      <td class="choice" data-label="Table">${this.#selector(run, selected, name)}</td>
    </tr>`;
  }

  /** All runs of an encoding in one row. @param {{encoding: string, runs: Run[]}} group */
  #group({ encoding, runs }) {
    const label = this.lab.encodingLabel(encoding);
    const open = this.#unfolded.has(encoding);
    const shown = runs.find(({ id }) => id === this.state.selected);
    const [{ mean, finished }] = outcome(runs, []).rows;
    const { step, steps } = totals(runs);
    const visible = runs.filter((run) => run.visible).length;
    return html`<tr data-group=${encoding} class=${shown && !open ? "selected" : ""}>
      <th scope="row">
        <button type="button" class="unfold" aria-expanded=${String(open)} @click=${() => this.#unfold(encoding)}>
          <encoding-mark encoding=${encoding}></encoding-mark> ${label}</button>
      </th>
      <td class="number" data-label="Seeds">${runs.length}</td>
      <td class="number loss" data-label="Validation loss">${this.lab.unit.loss(mean)}${finished > 1 ? html`<span class="unit">mean of ${finished}</span>` : nothing}</td>
      <td class="progress">
        <progress max=${Math.max(steps, 1)} .value=${step} .style=${colored(encoding)} aria-label="Steps of all runs of ${label}"></progress>
        <span>${this.#sum(runs, finished)} ${this.#goOn(runs, label)}</span>
      </td>
      <td class="choice" data-label="Curve">
        <input type="checkbox" aria-label="Show the curves of ${label}" .checked=${live(visible === runs.length)}
          .indeterminate=${live(visible > 0 && visible < runs.length)}
          @change=${() => this.lab.toggleVisible(runs.map(({ id }) => id))} />
      </td>
      <td class="choice" data-label="Table">
        ${open ? nothing : this.#selector(shown ?? runs[0], Boolean(shown), `${label}, seed ${(shown ?? runs[0]).seed}`)}
      </td>
    </tr>`;
  }

  /** @param {Run} run @param {boolean} selected @param {string} name */
  #selector({ id }, selected, name) {
    return html`<input type="radio" name="selected-run" aria-label="Show the table of ${name}" .checked=${live(selected)}
      @change=${() => this.lab.select(id)} />`;
  }

  /** Lets those of some runs go on that were stopped, once nothing trains. @param {Run[]} runs @param {string} name */
  #goOn(runs, name) {
    const stopped = this.lab.hasEnded ? runs.filter(canContinue) : [];
    if (stopped.length === 0) return nothing;
    const words = stopped.length > 1 ? `Continue ${stopped.length} runs` : "Continue";
    return html`<button type="button" class="button small" aria-label="${words}${stopped.length > 1 ? " of" : ""} ${name}"
      @click=${() => this.#continue(stopped)}>${words}</button>`;
  }

  /** The button goes when they begin; the keyboard stays with what stops them. @param {Run[]} runs */
  #continue(runs) {
    this.lab.continueRuns(runs.map(({ id }) => id));
    /** @type {HTMLElement | null | undefined} */
    const next = this.closest("lab-app")?.querySelector("lab-run-bar .primary");
    next?.focus({ preventScroll: true });
  }

  /** @param {string} encoding */
  #unfold(encoding) {
    if (!this.#unfolded.delete(encoding)) this.#unfolded.add(encoding);
    this.requestUpdate();
  }

  /** @param {Run} run */
  #shownState({ state }) {
    return state === "training" && this.state.phase === "paused" ? "paused" : state;
  }

  /**
   * What has become of the runs of an encoding: "2 finished · 1 training · 84 steps/s".
   * @param {Run[]} runs
   * @param {number} finished
   */
  #sum(runs, finished) {
    const { stepsPerSecond } = totals(runs);
    const others = [...new Set(runs.map((run) => this.#shownState(run)))].filter((state) => state !== "finished");
    const words = others.map((state) => `${runs.filter((run) => this.#shownState(run) === state).length} ${state}`);
    if (finished) words.unshift(`${finished} finished`);
    if (runs.some(isUnderWay) && stepsPerSecond && this.state.phase === "running") words.push(`${speed(stepsPerSecond)} steps/s`);
    return words.join(" · ");
  }

  /** @param {Run} run */
  #words(run) {
    const at = `${count(run.step)} of ${count(run.steps)}`;
    switch (this.#shownState(run)) {
      case "queued":
        return this.state.status ? "waiting for a free core" : "waiting for Python";
      case "opening":
        return "starting";
      case "training":
        return `${at} · ${speed(run.stepsPerSecond)} steps/s`;
      case "paused":
        return `${at} · paused`;
      case "stopped":
        return `${at} · stopped`;
      case "finished":
        return `${counted(run.steps, "step")} in ${duration(run.seconds)}`;
      case "diverged":
        return run.message ?? `diverged at step ${count(run.step)}`;
      default:
        return lastLine(run.message ?? "");
    }
  }
}

/** @param {Run} run */
const alone = (run) => ({ key: run.id, run });

/**
 * In the colour of an encoding. As a property, since the page's policy forbids the attribute.
 * @param {string} encoding
 */
const colored = (encoding) => `color: ${encodingColor(encoding)}`;

/** Where the reader's own code failed, as Python tells it. @param {Run} run */
const traceback = ({ fault }) =>
  fault?.traceback
    ? html`<details class="traceback"><summary>Where in the code</summary><scroll-box label="Traceback"><pre>${fault.traceback}</pre></scroll-box></details>`
    : nothing;

customElements.define("lab-runs", LabRuns);
