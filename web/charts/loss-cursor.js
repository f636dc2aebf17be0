/** Which step is being read, by mouse, finger or keys, and the crosshair that shows it. */

import { make, setText } from "./chart-element.js";
import { count } from "./numbers.js";

/**
 * The crosshair. Fires nothing: it calls `onRead(step | null, byKeys)` and is told what to draw.
 */
export class LossCursor {
  /** @type {HTMLDivElement[]} */
  #dots = [];

  /**
   * @param {HTMLElement} surface  takes focus and keys
   * @param {{lastStep: () => number, stepAt: (clientX: number) => number | null,
   *   onRead: (step: number | null, byKeys: boolean) => void}} hooks
   *   stepAt: null when the point lies outside the plot
   */
  constructor(surface, hooks) {
    this.surface = surface;
    this.hooks = hooks;
    /** @type {number | null} */
    this.step = null;
    this.element = make("div", "lc-cross");
    this.line = make("div", "lc-cross-line");
    this.tag = make("div", "lc-cross-tag");
    this.element.append(this.line, this.tag);
    this.element.hidden = true;
    surface.addEventListener("pointermove", (event) => this.#point(event));
    surface.addEventListener("pointerdown", (event) => this.#point(event));
    // A finger that lifts leaves its reading; a mouse that leaves takes it along.
    surface.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.read(null));
    surface.addEventListener("keydown", (event) => this.#key(event));
    surface.addEventListener("blur", () => this.read(null));
  }

  /** Sets the step that is read, or ends the reading. @param {number | null} step @param {boolean} [byKeys] */
  read(step, byKeys = false) {
    if (this.step === step) return;
    this.step = step;
    this.hooks.onRead(step, byKeys);
  }

  /**
   * Draws the crosshair.
   * @param {{left: number, top: number, width: number, height: number}} box  the plot in the host, CSS px
   * @param {number} left  of the step, from the left of the plot
   * @param {{left: number, top: number, color: string, strong: boolean}[]} points  where the values that are read
   *   were measured, from the left and top of the plot; a validation value lies at its own, earlier step
   */
  show(box, left, points) {
    this.element.hidden = false;
    this.element.style.transform = `translate(${box.left}px, ${box.top}px)`;
    this.line.style.height = `${box.height}px`;
    this.line.style.left = `${Math.round(left)}px`;
    this.tag.style.top = `${box.height}px`;
    this.tag.style.left = `${Math.round(left)}px`;
    this.tag.classList.toggle("lc-before", left > box.width * 0.75);
    setText(this.tag, this.step === null ? "" : count(this.step));
    const inside = points.filter(({ top }) => top >= 0 && top <= box.height);
    while (this.#dots.length < inside.length) this.#dots.push(this.element.appendChild(make("div", "lc-dot")));
    this.#dots.forEach((dot, i) => {
      dot.hidden = i >= inside.length;
      if (dot.hidden) return;
      dot.style.transform = `translate(${inside[i].left.toFixed(1)}px, ${inside[i].top.toFixed(1)}px)`;
      dot.style.background = inside[i].color;
      dot.classList.toggle("lc-strong", inside[i].strong);
    });
  }

  hide() {
    this.element.hidden = true;
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const step = this.hooks.stepAt(event.clientX);
    if (step !== null) this.read(step);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.hooks.lastStep();
    const stride = Math.max(1, Math.round(last / 200));
    const large = 10 * stride;
    /** @type {Record<string, number | undefined>} */
    const moves = {
      ArrowLeft: event.shiftKey ? -large : -stride,
      ArrowRight: event.shiftKey ? large : stride,
      PageDown: -large,
      PageUp: large,
    };
    const move = moves[event.key];
    const { step } = this;
    if (event.key === "Escape" && step !== null) this.read(null, true);
    else if (event.key === "Home") this.read(0, true);
    else if (event.key === "End") this.read(last, true);
    else if (move && step === null) this.read(move < 0 ? last : 0, true);
    else if (move) this.read(Math.min(last, Math.max(0, (step ?? 0) + move)), true);
    else return;
    event.preventDefault();
  }
}
