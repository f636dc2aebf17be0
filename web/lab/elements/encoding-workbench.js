/** <lab-encoding-workbench>: an encoding of the reader's own: where to start from, its code, what it supplies, Train it. */

import { pythonLanguage } from "@codemirror/lang-python";
import startingPoints from "lab-starting-points";
import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import positions from "../../../py/embedding_lab/positions.py";
import { createCodeEditor } from "../code-editor.js";
import { download } from "../download.js";
import { CheckOnPause } from "../check-on-pause.js";
import { readCodeFile } from "../code-file.js";
import { encodingCompletions } from "../encoding-completion.js";
import { Drafts } from "../encoding-drafts.js";
import { obstacle, report, told } from "../encoding-report.js";
import { asError } from "../errors.js";
import { ownKey, ownName } from "../own.js";
import { codeFiles } from "../own-code.js";
import "../probe-views/elements.js";
import { LabElement } from "./lab-element.js";
/** @import { CodeEditor } from "../code-editor.js" */
/** @import { EventOn, State } from "../kinds.js" */

/** What an encoding is called whose code does not say. */
const NAMELESS = "my encoding";

class LabEncodingWorkbench extends LabElement {
  static watches = ["values", "seeds", "unit", "own", "runs", "phase", "editing"];
  static properties = { isOver: { state: true } };
  #drafts = new Drafts(startingPoints);
  /** @type {CheckOnPause | null} */
  #checked = null;
  /** @type {CodeEditor | null} */
  #editor = null;
  /** @type {string | null} */
  #settings = null;
  /** @type {string | null} */
  #marked = null;
  /** What became of the last "Train it". @type {{message: string, isError: boolean} | null} */
  #outcome = null;
  #isStarting = false;
  /** The latest code from elsewhere that was to be edited, as `state.editing` holds it. @type {State["editing"]} */
  #editing = null;
  /** Why the last file could not be taken, or null. @type {string | null} */
  #fileError = null;

  constructor() {
    super();
    /** Whether a file is held over the editor. */
    this.isOver = false;
  }

  /** It needs the lab, which is set after the element was made. */
  get #check() {
    this.#checked ??= new CheckOnPause(this.lab, () => this.requestUpdate());
    return this.#checked;
  }

  willUpdate() {
    super.willUpdate();
    if (this.#bring() && this.#editor) this.#show();
  }

  /** Take the code that is to be edited here, if there is some that was not taken. @returns {boolean} whether there was */
  #bring() {
    const { editing } = this.state;
    if (!editing || editing === this.#editing) return false;
    this.#editing = editing;
    const { code } = editing;
    if (code === null) return false;
    this.#drafts.add(fileOf(code), code, "a copy of the code of a run");
    return true;
  }

  get #code() {
    return this.#drafts.code;
  }

  render() {
    const { unit } = this.lab;
    return html`<div class="workbench">
      <p class="lead">
        Write a class with a <code>table</code>, a <code>rotation</code> or a <code>bias</code>, look at what it gives, and
        train it against the encodings above. Each way of supplying position is a guess at what a model can use: the
        quickest way to find out is to change one and see whether the loss falls.
      </p>
      <div class="writing ${this.isOver ? "over" : ""}" @dragover=${this.#hold} @dragleave=${this.#leave} @drop=${this.#drop}>
        ${this.#start()} ${this.#file()}
        <div class="code-place"></div>
        <p class="help">Tab indents; Escape, then Tab, leaves the editor. Ctrl-Space completes. ${this.#kept()}</p>
        ${this.#actions()}
      </div>
      <div class="seeing" aria-busy=${this.#check.phase === "checking" ? "true" : "false"}>
        ${report({ check: this.#check, fault: this.#fault, code: this.#code, waitsAs: this.#drafts.waitsAs, hasRuns: this.state.runs.length > 0, unit, goTo: (line) => this.#goTo(line) })}
      </div>
      <p role="status" class="visually-hidden">${told(this.#check)}</p>
    </div>`;
  }

  #start() {
    const drafts = this.#drafts;
    return html`<div class="start">
      <label for="starting-point">Start from</label>
      <select id="starting-point" aria-describedby="starting-point-teaches" @change=${(/** @type {EventOn<HTMLSelectElement>} */ { target }) => this.#choose(target.value)}>
        ${drafts.choices().map(
          ({ file, title, isEdited }) =>
            html`<option value=${file} .selected=${live(file === drafts.chosen)}>${title}${isEdited ? " (your version)" : ""}</option>`,
        )}
      </select>
      ${drafts.canGoBack
        ? html`<button type="button" class="button small" @click=${() => this.#replace(() => drafts.goBack())}>Back to the original</button>`
        : nothing}
      ${drafts.canBringBack
        ? html`<button type="button" class="button small" @click=${() => this.#replace(() => drafts.bringBack())}>Bring back my version</button>`
        : nothing}
      ${drafts.canDelete
        ? html`<button type="button" class="button small" @click=${() => this.#replace(() => drafts.delete())}>Delete this draft</button>`
        : nothing}
      <p class="help" id="starting-point-teaches">${drafts.teaches}</p>
    </div>`;
  }

  #file() {
    return html`<p class="file">
        <label for="encoding-file">Or code in a file: drop it here, or</label>
        <input id="encoding-file" type="file" accept=".py,text/x-python" @change=${this.#chooseFile} />
      </p>
      <p role="alert" class="error">${this.#fileError}</p>`;
  }

  #kept() {
    return this.#drafts.isKept
      ? "What you write to each starting point stays with it, in this browser."
      : "This browser keeps no drafts: download what you want to keep.";
  }

  #actions() {
    const why = this.#isStarting ? "It is being added …" : obstacle({ check: this.#check, code: this.#code, waitsAs: this.#drafts.waitsAs });
    return html`<div class="actions">
      <button type="button" class="button primary" aria-disabled=${why ? "true" : nothing} aria-describedby="train-it-about" @click=${this.#train}>Train it</button>
      <button type="button" class="button" @click=${this.#checkNow}>Check it</button>
      <button type="button" class="button" @click=${this.#download}>Download ${this.#fileName}</button>
      <p id="train-it-about">${why ?? "Trains it with the settings and the seeds of the experiment on the page, beside what is there."}</p>
      <p role="alert" class="error">${this.#outcome?.isError ? this.#outcome.message : nothing}</p>
      <p role="status">${this.#outcome && !this.#outcome.isError ? this.#outcome.message : nothing}</p>
    </div>`;
  }

  firstUpdated() {
    const parent = this.within(".code-place");
    if (!parent) return;
    this.#editor = createCodeEditor({
      parent,
      doc: this.#code,
      label: "Python code of your encoding",
      onChange: (code) => this.#edit(code),
      extensions: encodingCompletions(positions).map((autocomplete) => pythonLanguage.data.of({ autocomplete })),
    });
    this.#look();
  }

  /** Where this code failed in training, or null; an error of the check comes before it. */
  get #fault() {
    if (this.#check.failure) return null;
    const run = this.state.runs.find(({ code, fault }) => fault && code === this.#code);
    if (!run?.fault) return null;
    const { line = null, traceback = null } = run.fault;
    return { line, traceback, code: run.code, message: run.message ?? "" };
  }

  updated() {
    const wrong = this.#check.failure ?? this.#fault;
    const mark = wrong?.line && wrong.code === this.#code ? JSON.stringify([wrong.line, wrong.message]) : null;
    if (mark !== this.#marked) {
      this.#marked = mark;
      this.#editor?.clearErrors();
      if (mark && wrong?.line) this.#editor?.markError(wrong.line, wrong.message);
    }
    const settings = JSON.stringify(this.lab.ownSettings());
    if (settings !== this.#settings) {
      this.#settings = settings;
      this.#look();
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#checked?.cancel();
  }

  /** Check what is not checked, where it may run: code that was not written here waits for the reader. */
  #look() {
    if (this.#drafts.waitsAs === null && !this.#check.isCurrent(this.#code)) this.#check.now(this.#code);
  }

  /** @param {string} code */
  #edit(code) {
    this.#drafts.edit(code);
    this.#outcome = null;
    this.#check.typed(code);
  }

  #checkNow() {
    this.#drafts.touch();
    this.#check.now(this.#code);
  }

  /** A file that is held over the editor is let go of here; text is dropped where CodeMirror puts it. */
  #hold = {
    capture: true, // before CodeMirror, which would put the text of the file into the code
    handleEvent: (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      this.isOver = true;
    },
  };

  /** @param {DragEvent} event */
  #leave({ currentTarget, relatedTarget }) {
    const isWithin = currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isWithin) this.isOver = false;
  }

  #drop = {
    capture: true,
    handleEvent: (/** @type {DragEvent} */ event) => {
      this.isOver = false;
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      this.#takeFile(file);
    },
  };

  /** @param {EventOn<HTMLInputElement>} event */
  #chooseFile({ target }) {
    const file = target.files?.[0];
    if (file) this.#takeFile(file);
    target.value = ""; // so that the same file can be chosen again
  }

  /** @param {File} file */
  async #takeFile(file) {
    this.#fileError = null;
    try {
      const { name, code } = await readCodeFile(file);
      this.#drafts.add(name, code, "code from a file");
      this.#show();
    } catch (error) {
      this.#fileError = asError(error).message;
    }
    this.requestUpdate();
  }

  /** @param {string} file */
  #choose(file) {
    this.#drafts.choose(file);
    this.#show();
  }

  /** @param {() => void} change of the drafts, after which the editor has another code */
  #replace(change) {
    change();
    this.#show();
    this.within("#starting-point")?.focus(); // the button that was pressed is gone
  }

  #show() {
    this.#check.cancel();
    this.#outcome = null;
    this.#fileError = null;
    this.#marked = null;
    if (this.#editor) this.#editor.text = this.#code;
    this.#look();
    this.requestUpdate();
  }

  /** @param {number} line */
  #goTo(line) {
    const view = this.#editor?.view;
    if (!view) return;
    const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    view.focus();
  }

  /** As Python said or, before it did, as it is written. */
  get #name() {
    const { answer } = this.#check;
    return answer?.code === this.#code ? answer.result.name : writtenName(this.#code);
  }

  /** As the command calls it that trains a run of this code. */
  get #fileName() {
    const encoding = ownKey(this.#name, this.#code, this.state.own);
    return codeFiles([...this.state.runs, { encoding }]).get(encoding) ?? `${NAMELESS}.py`;
  }

  #download() {
    download(this.#fileName, this.#code, "text/x-python;charset=utf-8");
  }

  async #train() {
    if (this.#isStarting || obstacle({ check: this.#check, code: this.#code, waitsAs: this.#drafts.waitsAs })) return;
    this.#isStarting = true;
    this.#outcome = null;
    this.requestUpdate();
    try {
      const encoding = await this.lab.trainOwn(this.#name, this.#code);
      this.#outcome = { message: `“${ownName(encoding)}” was added to the runs below, in a colour of its own.`, isError: false };
    } catch (error) {
      this.#outcome = { message: asError(error).message, isError: true };
    }
    this.#isStarting = false;
    this.requestUpdate();
  }
}

/** @param {string} code */
function writtenName(code) {
  const [, written = ""] = /^[ \t]+name *= *["'](.*)["']/m.exec(code) ?? [];
  return written.replace(/[^\p{L}\p{M}\p{N} ._+()-]/gu, "") || NAMELESS;
}

/** What a file with this code would be called, from what is written in it. @param {string} code */
const fileOf = (code) => [...codeFiles([{ encoding: ownKey(writtenName(code), code, []) }]).values()][0];

customElements.define("lab-encoding-workbench", LabEncodingWorkbench);
