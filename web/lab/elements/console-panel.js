/** <lab-console>: a Python prompt for the reader. Nothing runs before the reader starts it. */

import { html, nothing } from "lit";
import { Part, retryOffer } from "../retry.js";
import { LabElement } from "./lab-element.js";
/** @import { Console } from "../console.js" */
/** @import { EventOn } from "../kinds.js" */

const INDENT = "    ";
/** @type {Record<string, string>} */
const NAMES = { in: "Typed", out: "Printed", value: "Value", error: "Error", note: "Note" };

class LabConsole extends LabElement {
  static watches = ["status", "loading", "runs", "selected", "phase"];
  static properties = { session: { state: true } };
  #part = new Part({
    load: () => import("../console.js"),
    words: "The scripts of the prompt",
    onChange: () => this.requestUpdate(),
  });
  /** Where in the history the input is; its length is what is being typed. */
  #at = 0;
  #draft = "";
  #fallback = "";

  constructor() {
    super();
    /** @type {Console | null} */
    this.session = null;
  }

  connectedCallback() {
    this.#fallback ||= this.textContent.trim();
    if (!this.hasUpdated) this.replaceChildren();
    super.connectedCallback();
  }

  render() {
    if (!this.state.status) return html`<p class="waiting">${this.#waiting}</p>`;
    const { session } = this;
    if (!session || (session.state === "closed" && !session.about)) return this.#offer(session);
    const isBusy = session.state !== "idle";
    return html`<div class="console">
      <div class="console-log" role="log" aria-label="What was typed and answered" tabindex="0">
        ${session.forgotten ? html`<p class="note">${session.forgotten} older entries were removed.</p>` : nothing}
        ${session.entries.map(({ kind, text }) => html`<pre class="entry ${kind}"><span class="visually-hidden">${NAMES[kind]}: </span>${text}</pre>`)}
      </div>
      <label class="console-label" for="console-input">Python</label>
      <textarea id="console-input" rows="1" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off"
        aria-describedby="console-keys" ?readonly=${isBusy} @keydown=${this.#key} @input=${this.#grow}></textarea>
      <p class="action">
        <button type="button" class="button" ?disabled=${session.state !== "running" || session.isInterrupting}
          @click=${this.#interrupt}>Interrupt</button>
        <button type="button" class="button" @click=${this.#clear}>Clear</button>
        <button type="button" class="button" ?disabled=${session.state === "running" || session.state === "opening"}
          @click=${this.#startAnew}>Start anew</button>
        <span role="status">${this.#status}</span>
      </p>
      <p class="note" id="console-keys">Enter runs what is complete, Shift and Enter begin a line. Up and Down bring back what
        you typed. Start anew takes the run that is selected now, and drops your variables.</p>
    </div>`;
  }

  get #waiting() {
    return this.state.loading.failure ? "Python could not be loaded, so there is no prompt: see the top of the page." : this.#fallback;
  }

  /** @param {Console | null} session */
  #offer(session) {
    if (this.#part.problem) return html`<div role="alert">${retryOffer(this.#part, this.#begin)}</div>`;
    const error = session?.entries.findLast(({ kind }) => kind === "error")?.text;
    return html`<p class="action">
        <button type="button" class="button" ?disabled=${session?.state === "opening"} @click=${this.#begin}>Start the prompt</button>
        <span role="status">${session?.state === "opening" ? "Python starts …" : ""}</span>
      </p>
      ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}`;
  }

  get #status() {
    const { session } = this;
    if (!session) return "";
    if (session.state === "opening") return "Python starts …";
    if (session.state === "closed") return "The prompt is closed: start it anew.";
    if (session.isInterrupting) return "Asked to stop …";
    return session.state === "running" ? "Runs …" : "";
  }

  #begin = async () => {
    const part = await this.#part.get();
    if (!part) return;
    this.session ??= this.lab.openConsole(part.Console, () => this.requestUpdate());
    await this.session.open();
    await this.updateComplete;
    const { activeElement } = document;
    // Not where the reader has gone on meanwhile; some browsers give a button that is clicked no focus.
    if (activeElement === document.body || this.contains(activeElement)) this.#input?.focus();
  };

  #clear = () => {
    this.session?.clear();
    this.#input?.focus();
  };

  /** The button is about to be disabled; the keyboard goes where it can go on. */
  #interrupt = () => {
    this.session?.interrupt();
    this.#input?.focus();
  };

  #startAnew = () => {
    this.session?.open();
    this.#input?.focus();
  };

  get #input() {
    return this.querySelector("textarea");
  }

  get #log() {
    return this.querySelector(".console-log");
  }

  /** The newest line stays in sight, unless the reader has scrolled away from it. */
  willUpdate() {
    super.willUpdate();
    const log = this.#log;
    this.#follows = !log || log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  }

  #follows = true;

  updated() {
    const log = this.#log;
    if (log && this.#follows) log.scrollTop = log.scrollHeight;
  }

  /** @param {EventOn<HTMLTextAreaElement, KeyboardEvent>} event */
  #key = (event) => {
    if (event.isComposing) return;
    const { key } = event;
    const input = event.target;
    if (key === "Enter" && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      if (event.shiftKey) this.#beginLine();
      else this.#submit();
    } else if (key === "ArrowUp" && !event.shiftKey && !input.value.slice(0, input.selectionStart).includes("\n")) {
      if (this.#recall(-1)) event.preventDefault();
    } else if (key === "ArrowDown" && !event.shiftKey && !input.value.slice(input.selectionEnd).includes("\n")) {
      if (this.#recall(1)) event.preventDefault();
    } else if (key === "c" && event.ctrlKey && input.selectionStart === input.selectionEnd && this.session?.state === "running") {
      event.preventDefault();
      this.session.interrupt();
    }
  };

  async #submit() {
    const { session } = this;
    const source = this.#input?.value ?? "";
    if (session?.state !== "idle" || !source.trim()) return;
    this.#set("");
    const ran = await session.run(source);
    if (ran) {
      this.#at = session.history.length;
      this.#draft = "";
      return;
    }
    await this.updateComplete; // it can be written into again
    this.#set(source);
    this.#beginLine();
  }

  /** A line break, with the indentation of the line before it, and one more after a colon. */
  #beginLine() {
    const input = this.#input;
    if (!input || input.readOnly) return;
    const before = input.value.slice(0, input.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.slice(0, line.length - line.trimStart().length) + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
    input.setRangeText(`\n${indent}`, input.selectionStart, input.selectionEnd, "end");
    this.#grow();
  }

  /** @param {1 | -1} by */
  #recall(by) {
    const input = this.#input;
    const history = this.session?.history ?? [];
    const to = this.#at + by;
    if (!input || input.readOnly || to < 0 || to > history.length) return false;
    if (this.#at === history.length) this.#draft = input.value;
    this.#at = to;
    this.#set(history[to] ?? this.#draft);
    return true;
  }

  /** @param {string} text */
  #set(text) {
    const input = this.#input;
    if (!input) return;
    input.value = text;
    input.setSelectionRange(text.length, text.length);
    this.#grow();
  }

  #grow = () => {
    const input = this.#input;
    if (input) input.rows = Math.min(input.value.split("\n").length, 12);
  };
}

customElements.define("lab-console", LabConsole);
