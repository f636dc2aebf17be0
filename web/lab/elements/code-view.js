/**
 * <lab-code>: the files that compute, as they are in the Python that runs here.
 *
 * A link of the chapter opens it on a step: <a href="#code" data-file="model.py" data-find="ops.gelu(">. It marks the line
 * with that text, which must be in the file once, or, where a class or function begins there, the whole of it.
 */

import { html, nothing } from "lit";
import { linesOf } from "../code-lines.js";
import { asError } from "../errors.js";
import { Part, retryOffer } from "../retry.js";
import { LabElement } from "./lab-element.js";
/** @import { CodeEditor, createCodeEditor } from "../code-editor.js" */

const FILES = ["positions.py", "model.py", "ops/reference.py"];
/** @type {Record<string, string>} */
const ABOUT = {
  "positions.py": "what each positional encoding supplies",
  "model.py": "the transformer, forward and backward",
  "ops/reference.py": "each operation beside its derivative, in NumPy",
};

/** Arrow keys to the way that they go. @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

/** @typedef {{find: string, words: string}} Asked the text that a link asks for, and the words of the link */

class LabCode extends LabElement {
  static watches = ["status", "loading"];
  static properties = { file: { state: true }, target: { state: true }, problem: { state: true } };
  /** @type {Map<string, string>} */
  #sources = new Map();
  #part = new Part({
    load: () => import("../code-editor.js"),
    words: "The scripts that show code",
    onChange: () => this.requestUpdate(),
  });
  /** @type {CodeEditor | null} */
  #editor = null;
  /** @type {HTMLElement | null} */
  #cameFrom = null;
  #fallback = "";
  /** What was asked for last, once more. */
  #again = () => {};

  constructor() {
    super();
    /** @type {string | null} The file that is shown; null while the view is closed. */
    this.file = null;
    /** @type {Asked & {file: string, from?: number, to?: number} | null} The lines that a link pointed at. */
    this.target = null;
    /** @type {string | null} */
    this.problem = null;
  }

  connectedCallback() {
    this.#fallback ||= this.textContent.trim();
    if (!this.hasUpdated) this.replaceChildren();
    super.connectedCallback();
    document.addEventListener("click", this.#follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener("click", this.#follow);
  }

  render() {
    const { file } = this;
    return html`<div class="code-tabs" role="tablist" aria-label="Files" @keydown=${this.#walk}>
        ${FILES.map((name) => html`<button type="button" role="tab" id=${tabOf(name)} class="button" aria-controls="code-panel"
          aria-selected=${name === file} tabindex=${name === (file ?? FILES[0]) ? 0 : -1}
          @click=${() => this.#open(name)}>${name}</button>`)}
      </div>
      <div id="code-panel" role=${file ? "tabpanel" : nothing} aria-labelledby=${file ? tabOf(file) : nothing}>
        ${file ? html`<p class="code-about">${file}: ${ABOUT[file]}.</p>` : html`<p class="waiting">${this.#fallback}</p>`}
        ${this.#part.problem ? html`<div role="alert">${retryOffer(this.#part, this.#again)}</div>` : nothing}
        ${this.problem ? html`<p class="error" role="alert">${this.problem}</p>` : nothing}
        <p class="code-place" role="status">${this.#place}</p>
        ${this.#cameFrom && this.target?.file === file
          ? html`<p class="action"><button type="button" class="button" @click=${this.#goBack}>Back to the text</button></p>`
          : nothing}
        <div class="code-editor"></div>
      </div>`;
  }

  get #place() {
    const { file, target } = this;
    if (!file || this.problem || this.#part.problem) return "";
    if (!this.#sources.has(file)) return this.state.status ? "Asks Python for it …" : "Waits for Python, which has the file.";
    if (target?.file !== file) return "";
    const { from, to, words } = target;
    return `${from === to ? `Line ${from} is` : `Lines ${from} to ${to} are`} marked: ${words}.`;
  }

  /** Arrow keys go from tab to tab. @param {KeyboardEvent} event */
  #walk = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const tabs = [...this.querySelectorAll("button")].filter((each) => each.role === "tab");
    const next = tabs[(tabs.findIndex((tab) => tab === event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };

  /** @param {MouseEvent} event */
  #follow = (event) => {
    /** @type {HTMLElement | null} */
    const link = event.target instanceof Element ? event.target.closest("a[data-find]") : null;
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { file, find } = link.dataset;
    if (file === undefined || find === undefined) return;
    this.#cameFrom = link;
    this.#open(file, { find, words: link.textContent.trim().replace(/\s+/g, " ") });
  };

  /** Show a file, and of it the lines that a link asks for. @param {string} file @param {Asked | null} [asked] */
  async #open(file, asked = null) {
    this.file = file;
    this.problem = null;
    this.target = asked && { ...asked, file };
    if (asked) this.scrollIntoView({ block: "start" });
    this.#again = () => this.#open(file, asked);
    const isWanted = () => this.file === file && (!asked || this.target?.find === asked.find);
    try {
      const [part, code] = await Promise.all([this.#part.get(), this.#source(file)]);
      if (!part || !isWanted()) return;
      await this.updateComplete;
      this.#show(part.createCodeEditor, file, code, asked);
    } catch (error) {
      if (isWanted()) this.problem = `${file} cannot be shown: ${asError(error).message}`;
    }
  }

  /** @param {string} file @returns {Promise<string>} */
  async #source(file) {
    if (this.state.loading.failure) throw new Error("Python could not be loaded, and it has the file. See the top of the page.");
    const code = this.#sources.get(file) ?? (await this.lab.sourceFile(file)).code;
    this.#sources.set(file, code);
    return code;
  }

  /** @param {typeof createCodeEditor} create @param {string} file @param {string} code @param {Asked | null} asked */
  #show(create, file, code, asked) {
    this.#editor?.destroy();
    const parent = this.within(".code-editor");
    if (!parent) return;
    this.#editor = create({ parent, doc: code, label: `The code of ${file}`, readOnly: true });
    if (!asked) {
      this.requestUpdate();
      return;
    }
    const { from, to } = linesOf(code, asked.find);
    this.target = { ...asked, file, from, to };
    this.#editor.showLines(from, to);
    this.#editor.view.focus();
  }

  #goBack = () => {
    const link = this.#cameFrom;
    link?.scrollIntoView({ block: "center" });
    link?.focus({ preventScroll: true });
  };
}

/** @param {string} file */
const tabOf = (file) => `code-${file.replace(/\W/g, "-")}`;

customElements.define("lab-code", LabCode);
