/**
 * The page that holds the lab in a frame: it is told the lab's events and how high the lab is, and may command.
 *
 * Messages go both ways between this window and its parent alone, and only while the parent has the origin that it had
 * when the lab opened. No message carries code.
 */

import { CommandError, isForLab, PREFIX, readCommand } from "./commands.js";
import { counted } from "./format.js";
/** @import { Events } from "./events.js" */

/** What the parent is told of what happens on the page. */
const EVENTS = ["ready", "progress", "result", "task", "error"];
/** The most commands that are obeyed in a second. */
const MOST_COMMANDS = 50;
const SECOND = 1000; // ms

export class ParentPage {
  #window;
  #lab;
  #events;
  /** The parent's origin; null while it is unknown, and where it is opaque. @type {string|null} */
  #origin;
  /** When commands of the last second came, on the clock of performance.now(). @type {number[]} */
  #came = [];
  #toldOfFlood = -SECOND;
  /** @type {number | null} */
  #height = null;

  /**
   * @param {object} parts
   * @param {Window & typeof globalThis} parts.window which has a parent
   * @param {Element} parts.content whose height the frame should have
   * @param {import("./lab.js").Lab} parts.lab
   * @param {Pick<Events, "error">} parts.events of the window's document
   */
  constructor({ window, content, lab, events }) {
    this.#window = window;
    this.#lab = lab;
    this.#events = events;
    this.#origin = originOfParent(window);
    window.addEventListener("message", (event) => this.#hear(event));
    for (const name of EVENTS) {
      window.document.addEventListener(PREFIX + name, (event) => {
        if ("detail" in event) this.#tell(name, event.detail);
      });
    }
    this.#tellHeight(content);
    new window.ResizeObserver(() => this.#tellHeight(content)).observe(content);
  }

  /** @param {string} name @param {unknown} detail */
  #tell(name, detail) {
    this.#window.parent.postMessage({ type: PREFIX + name, detail }, this.#origin ?? "*");
    if (name === "ready") this.#tell("size", { height: this.#height }); // for who began to listen meanwhile
  }

  /**
   * The height of what is in the page, never that of the frame: so the parent can give the frame this height. What is not
   * displayed has none.
   * @param {Element} content
   */
  #tellHeight(content) {
    const height = Math.ceil(content.getBoundingClientRect().height);
    if (height === this.#height || (height === 0 && this.#height !== null)) return;
    this.#height = height;
    this.#tell("size", { height });
  }

  /** @param {MessageEvent} event */
  #hear(event) {
    const { source, origin } = event;
    if (source !== this.#window.parent || (this.#origin !== null && origin !== this.#origin)) return;
    const { data } = event; // read no sooner: what a stranger sends may be large
    if (!isForLab(data) || this.#isFlood()) return;
    try {
      const command = readCommand(data);
      if (origin !== "null") this.#origin ??= origin;
      this.#obey(command);
      if (command.name === "configure") this.#refuse(command.refused);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#refuse([error]);
    }
  }

  /** @param {CommandError[]} errors the first of them is told, with the number of the others */
  #refuse([first, ...others]) {
    if (!first) return;
    const more = others.length ? ` ${counted(others.length, "other name")} of this message ${others.length === 1 ? "was" : "were"} refused, too.` : "";
    this.#events.error("message", first.message + more);
  }

  /** Whether too many came within a second, which is told once a second. */
  #isFlood() {
    const now = this.#window.performance.now();
    this.#came = this.#came.filter((at) => now - at < SECOND);
    if (this.#came.length < MOST_COMMANDS) {
      this.#came.push(now);
      return false;
    }
    if (now - this.#toldOfFlood >= SECOND) {
      this.#toldOfFlood = now;
      this.#events.error("message", `More than ${MOST_COMMANDS} messages came within a second: those beyond are ignored.`);
    }
    return true;
  }

  /** @param {ReturnType<typeof readCommand>} command */
  #obey(command) {
    if (command.name === "configure") {
      if (Object.keys(command.changes).length) this.#lab.configure(command.changes);
    } else if (command.name === "run") this.#run();
    else this.#lab[command.name]();
  }

  /** Begin, or go on where it is paused; what trains goes on. */
  #run() {
    const { phase } = this.#lab.state;
    if (phase === "paused") this.#lab.resume();
    else if (phase !== "running") this.#lab.run();
  }
}

/**
 * @param {Window} window
 * @returns {string|null} null where the browser does not tell it and where it is opaque: then the first command tells
 */
function originOfParent({ location, document }) {
  const [nearest] = location.ancestorOrigins ?? [];
  const told = nearest ?? (URL.canParse(document.referrer) ? new URL(document.referrer).origin : "null");
  return told === "null" ? null : told;
}
