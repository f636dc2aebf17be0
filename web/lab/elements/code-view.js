/**
 * <lab-code>: the files that compute, as they are in the Python that runs here.
 *
 * A link of the chapter opens it on a step: <a href="#code" data-file="model.py" data-find="ops.gelu(">. It marks the line
 * with that text, which must be in the file once, or, where a class or function begins there, the whole of it.
 */

import { html, nothing } from "lit";
import { linesOf } from "../code-lines.js";
import { LabElement } from "./lab-element.js";

const FILES = ["positions.py", "model.py", "ops/reference.py"];
const ABOUT = {
  "positions.py": "what each positional encoding supplies",
  "model.py": "the transformer, forward and backward",
  "ops/reference.py": "each operation beside its derivative, in NumPy",
};

class LabCode extends LabElement {
  static watches = ["status", "loading"];
  static properties = { file: { state: true }, target: { state: true }, problem: { state: true } };
  #sources = new Map();
  #editor = null;
  #cameFrom = null;
  #fallback = "";

  constructor() {
    super();
    /** The file that is shown; null while the view is closed. */
    this.file = null;
    /** The lines that a link pointed at: {file, from, to, words}, or null. */
    this.target = null;
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
    if (!file || this.problem) return "";
    if (!this.#sources.has(file)) return this.state.status ? "Asks Python for it …" : "Waits for Python, which has the file.";
    if (target?.file !== file) return "";
    const { from, to, words } = target;
    return `${from === to ? `Line ${from} is` : `Lines ${from} to ${to} are`} marked: ${words}.`;
  }

  /** Arrow keys go from tab to tab. */
  #walk = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const tabs = [...this.querySelectorAll("[role=tab]")];
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };

  #follow = (event) => {
    const link = event.target.closest?.("a[data-find]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { file, find } = link.dataset;
    this.#cameFrom = link;
    this.#open(file, { find, words: link.textContent.trim().replace(/\s+/g, " ") });
  };

  /** Show a file, and of it the lines that a link asks for. */
  async #open(file, asked = null) {
    this.file = file;
    this.problem = null;
    this.target = asked && { ...asked, file };
    if (asked) this.scrollIntoView({ block: "start" });
    const isWanted = () => this.file === file && (!asked || this.target?.find === asked.find);
    try {
      const [{ createCodeEditor }, code] = await Promise.all([import("../code-editor.js"), this.#source(file)]);
      if (!isWanted()) return;
      await this.updateComplete;
      this.#show(createCodeEditor, file, code, asked);
    } catch (error) {
      if (isWanted()) this.problem = `${file} cannot be shown: ${error.message}`;
    }
  }

  async #source(file) {
    if (this.state.loading.failure) throw new Error("Python could not be loaded, and it has the file. See the top of the page.");
    if (!this.#sources.has(file)) this.#sources.set(file, (await this.lab.sourceFile(file)).code);
    return this.#sources.get(file);
  }

  #show(createCodeEditor, file, code, asked) {
    this.#editor?.destroy();
    this.#editor = createCodeEditor({ parent: this.querySelector(".code-editor"), doc: code, label: `The code of ${file}`, readOnly: true });
    if (!asked) {
      this.requestUpdate();
      return;
    }
    const { from, to } = linesOf(code, asked.find);
    this.target = { ...this.target, from, to };
    this.#editor.showLines(from, to);
    this.#editor.view.focus();
  }

  #goBack = () => {
    const link = this.#cameFrom;
    link.scrollIntoView({ block: "center" });
    link.focus({ preventScroll: true });
  };
}

const tabOf = (file) => `code-${file.replace(/\W/g, "-")}`;

customElements.define("lab-code", LabCode);
