/** <lab-console>: a Python prompt for the reader. Nothing runs before the reader starts it. */

import { html, nothing } from "lit";
import { LabElement } from "./lab-element.js";

const INDENT = "    ";
const NAMES = { in: "Typed", out: "Printed", value: "Value", error: "Error", note: "Note" };

class LabConsole extends LabElement {
  static watches = ["status", "loading", "runs", "selected", "phase"];
  static properties = { session: { state: true }, failure: { state: true } };
  /** Where in the history the input is; its length is what is being typed. */
  #at = 0;
  #draft = "";
  #fallback = "";

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
          @click=${() => session.interrupt()}>Interrupt</button>
        <button type="button" class="button" @click=${this.#clear}>Clear</button>
        <button type="button" class="button" ?disabled=${session.state === "running" || session.state === "opening"}
          @click=${() => session.open()}>Start anew</button>
        <span role="status">${this.#status}</span>
      </p>
      <p class="note" id="console-keys">Enter runs what is complete, Shift and Enter begin a line. Up and Down bring back what
        you typed. Start anew takes the run that is selected now, and drops your variables.</p>
    </div>`;
  }

  get #waiting() {
    return this.state.loading.failure ? "Python could not be loaded, so there is no prompt: see the top of the page." : this.#fallback;
  }

  #offer(session) {
    const error = this.failure ?? session?.entries.findLast(({ kind }) => kind === "error")?.text;
    return html`<p class="action">
        <button type="button" class="button" ?disabled=${session?.state === "opening"} @click=${this.#begin}>Start the prompt</button>
        <span role="status">${session?.state === "opening" ? "Python starts …" : ""}</span>
      </p>
      ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}`;
  }

  get #status() {
    const { session } = this;
    if (session.state === "opening") return "Python starts …";
    if (session.state === "closed") return "The prompt is closed: start it anew.";
    if (session.isInterrupting) return "Asked to stop …";
    return session.state === "running" ? "Runs …" : "";
  }

  #begin = async () => {
    this.failure = null;
    try {
      const { Console } = await import("../console.js");
      this.session ??= this.lab.openConsole(Console, () => this.requestUpdate());
    } catch (error) {
      this.failure = `The scripts of the prompt could not be loaded (${error.message}).`;
      return;
    }
    await this.session.open();
    await this.updateComplete;
    this.#input?.focus();
  };

  #clear = () => {
    this.session.clear();
    this.#input.focus();
  };

  get #input() {
    return this.querySelector("#console-input");
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
    } else if (key === "c" && event.ctrlKey && input.selectionStart === input.selectionEnd && this.session.state === "running") {
      event.preventDefault();
      this.session.interrupt();
    }
  };

  async #submit() {
    const input = this.#input;
    const source = input.value;
    if (this.session.state !== "idle" || !source.trim()) return;
    this.#set("");
    const ran = await this.session.run(source);
    if (ran) {
      this.#at = this.session.history.length;
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
    if (input.readOnly) return;
    const line = input.value.slice(0, input.selectionStart).split("\n").at(-1);
    const indent = /^\s*/.exec(line)[0] + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
    input.setRangeText(`\n${indent}`, input.selectionStart, input.selectionEnd, "end");
    this.#grow();
  }

  #recall(by) {
    const { history } = this.session;
    const to = this.#at + by;
    if (this.#input.readOnly || to < 0 || to > history.length) return false;
    if (this.#at === history.length) this.#draft = this.#input.value;
    this.#at = to;
    this.#set(history[to] ?? this.#draft);
    return true;
  }

  #set(text) {
    const input = this.#input;
    input.value = text;
    input.setSelectionRange(text.length, text.length);
    this.#grow();
  }

  #grow = () => {
    const input = this.#input;
    input.rows = Math.min(input.value.split("\n").length, 12);
  };
}

customElements.define("lab-console", LabConsole);
