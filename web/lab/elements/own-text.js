/** <lab-own-text>: a text of the reader's own to train on, typed, pasted, dropped or chosen as a file, and what is in it. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { count } from "../../charts/numbers.js";
import "../../charts/scroll-box.js";
import { asFile } from "../corpus.js";
import { asError } from "../errors.js";
import { megabytes } from "../format.js";
import { lastLine } from "../probe-words.js";
import { LabElement } from "./lab-element.js";
import { textReport } from "./text-report.js";
/** @import { EventOn } from "../kinds.js" */

/** How long the reader must type nothing until Python reads, in milliseconds. */
const PAUSE = 500;
/** A longer text, in UTF-16 units, is not put into the field: the browser would lay out all of it, and freeze. */
const MOST_IN_FIELD = 100_000;
/** How much of a longer text is shown at its beginning and at its end, in UTF-16 units. */
const ENDS = 240;

class LabOwnText extends LabElement {
  static watches = ["ownText", "textName", "textFacts", "textReading", "errors", "runs", "unit", "encodings", "seeds"];
  static properties = { error: { state: true }, isOver: { state: true } };

  /** Counts the texts that were given, so that a file which comes late replaces none. */
  #turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** The text in the field as the reader left it: it stays there, however long it has become. @type {string | null} */
  #typed = null;
  /** The last text that Python was asked about. @type {string | null} */
  #asked = null;
  /** Whether the runs on the page have the text of the field. @type {{runs: string | null, field: string, same: boolean} | null} */
  #compared = null;

  constructor() {
    super();
    /** @type {{message: string, isTyped: boolean} | null} Why the last text could not be taken; isTyped: it was that in the field. */
    this.error = null;
    /** Whether something is held over the element to be dropped. */
    this.isOver = false;
  }

  render() {
    const { ownText, errors, textFacts, textReading } = this.state;
    const error = errors.corpus ?? this.error?.message;
    const isWrong = Boolean(errors.corpus ?? this.error?.isTyped);
    const about = `own-text-help${error ? " own-text-error" : ""}`;
    const isLong = ownText.length > MOST_IN_FIELD && ownText !== this.#typed;
    return html`<div class="field own-text ${this.isOver ? "over" : ""}" @dragover=${this.#hold} @dragleave=${this.#leave} @drop=${this.#drop}>
      ${isLong ? this.#ends(about) : this.#field(about, isWrong)}
      <p class="file">
        <label for="own-text-file">${isLong ? "Another text file: drop it here, or" : "Or a text file: drop it here, or"}</label>
        <input id="own-text-file" type="file" aria-describedby=${about} @change=${this.#choose} />
      </p>
      ${error ? html`<p class="error" id="own-text-error">${error}</p>` : nothing}
      <p class="help" id="own-text-help">
        It stays in this tab: a reload forgets it, though what is kept of a run keeps its text. Some ten thousand characters
        or more learn best.
      </p>
      <p class="reading" role="status">${textReading ? "Python reads it …" : ""}</p>
      ${textFacts ? textReport(textFacts, this.lab.unit, this.#workers) : nothing}
      ${this.#other()}
    </div>`;
  }

  /** @param {string} about @param {boolean} isWrong */
  #field(about, isWrong) {
    return html`<label for="own-text">Your own text</label>
      <textarea id="own-text" rows="6" dir="auto" spellcheck="false" autocomplete="off" aria-describedby=${about}
        aria-invalid=${isWrong ? "true" : nothing} .value=${live(this.state.ownText)} @input=${this.#type} @paste=${this.#paste}></textarea>`;
  }

  /** A long text is shown by its ends. @param {string} about */
  #ends(about) {
    const { ownText, textName } = this.state;
    return html`<div class="ends" id="own-text" role="group" tabindex="-1" aria-labelledby="own-text-name" aria-describedby=${about}>
      <p id="own-text-name">Your own text${textName ? html`, <bdi class="name">${textName}</bdi>` : nothing}: its beginning and its end</p>
      <scroll-box label="Its beginning"><pre dir="auto">${asFile(ownText.slice(0, ENDS))}</pre></scroll-box>
      <p aria-hidden="true">…</p>
      <scroll-box label="Its end"><pre dir="auto">${asFile(ownText.slice(-ENDS))}</pre></scroll-box>
      <button type="button" class="button small" @click=${this.#remove}>Remove this text</button>
    </div>`;
  }

  /** How many workers train on it at once: no more than there are runs. */
  get #workers() {
    return Math.min(this.lab.workers, Math.max(1, this.state.encodings.length * this.lab.seedCount()));
  }

  /** @param {EventOn<HTMLTextAreaElement, InputEvent>} event */
  #type({ target, inputType }) {
    const text = asFile(target.value);
    this.#take(text);
    if (inputType === "insertFromPaste" || inputType === "insertFromDrop") this.#read(text);
    else this.#timer = setTimeout(() => this.#read(text), PAUSE);
  }

  /**
   * What is in the field is the text at once; what is in it is found out when the reader pauses.
   * @param {string} text
   */
  #take(text) {
    this.#forget();
    this.#typed = this.#asked = text;
    this.lab.setOwnText(text);
  }

  /** Whatever is under way with another text has no say any more. */
  #forget() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.error = null;
  }

  /**
   * A pasted file is read; so is a text that would make the field too long, as if it were one.
   * @param {EventOn<HTMLTextAreaElement, ClipboardEvent>} event
   */
  #paste(event) {
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (file && !text) this.#readFile(file);
    else if (!this.#insertLong(event.target, text)) return;
    event.preventDefault();
  }

  /** @param {HTMLTextAreaElement} field @param {string} text */
  #insertLong({ value, selectionStart, selectionEnd }, text) {
    if (value.length + text.length <= MOST_IN_FIELD) return false;
    this.#readFile(new Blob([value.slice(0, selectionStart), text, value.slice(selectionEnd)]));
    return true;
  }

  /** @param {DragEvent} event */
  #hold(event) {
    if (!event.dataTransfer?.types.includes("Files")) return; // text goes where it is dropped in the field
    event.preventDefault();
    this.isOver = true;
  }

  /** @param {DragEvent} event */
  #leave({ currentTarget, relatedTarget }) {
    const isWithin = currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!isWithin) this.isOver = false;
  }

  /** @param {DragEvent} event */
  #drop(event) {
    this.isOver = false;
    const file = event.dataTransfer?.files[0];
    const field = event.target instanceof Element ? event.target.closest("textarea") : null;
    if (file) this.#readFile(file);
    else if (!field || !this.#insertLong(field, event.dataTransfer?.getData("text/plain") ?? "")) return;
    event.preventDefault();
  }

  /** @param {EventOn<HTMLInputElement>} event */
  async #choose({ target }) {
    const file = target.files?.[0];
    if (file) this.#readFile(file);
    target.value = ""; // so that the same file can be chosen again
  }

  /**
   * The text before stays until Python has read the file. One that is too large is refused unread: with the copies that
   * reading takes it would fill the tab's memory.
   * @param {Blob} file
   */
  async #readFile(file) {
    this.#forget();
    const turn = this.#turn;
    const name = file instanceof File ? file.name : null;
    const { size } = file;
    const { largestText } = this.lab.data;
    if (size > largestText) {
      this.#fail(`${name ?? "The text"} has ${megabytes(size)} MB; at most ${megabytes(largestText)} MB are read: use a part of it.`);
      return;
    }
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (turn === this.#turn) await this.#read(bytes, name);
    } catch (error) {
      if (turn === this.#turn) this.#fail(`${name ?? "The text"} could not be read: ${asError(error).message}`);
    }
  }

  /** @param {string|Uint8Array} source what was typed, or a file @param {string|null} [name] of the file */
  async #read(source, name = null) {
    if (source === "") return; // an empty field is no mistake
    const turn = this.#turn;
    try {
      await this.lab.readText(source, name);
      if (turn === this.#turn && typeof source !== "string") this.#typed = null;
    } catch (error) {
      if (turn === this.#turn) this.#fail(lastLine(asError(error).message), typeof source === "string");
    }
  }

  /** @param {string} message @param {boolean} [isTyped] */
  #fail(message, isTyped = false) {
    this.error = { message, isTyped };
  }

  /** A text that came from elsewhere, as one of a run that was opened, is read too. */
  updated() {
    const { ownText, textFacts, textReading } = this.state;
    if (ownText === "" || textFacts || textReading || ownText === this.#asked) return;
    this.#replace(ownText);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer); // the next element reads what this one did not
  }

  #remove() {
    this.#take("");
    this.#focus();
  }

  /** @param {string} text that was not typed here */
  #replace(text) {
    this.#forget();
    this.#typed = null;
    this.#asked = text;
    this.#read(text);
  }

  /** @param {string} text */
  #putRuns(text) {
    this.#replace(text);
    this.#focus();
  }

  /** The button goes; the keyboard stays at the text. */
  async #focus() {
    this.requestUpdate(); // the store tells no sooner than the screen is drawn
    await this.updateComplete;
    this.within("#own-text")?.focus();
  }

  /** What the reader gave stays when runs on another text are opened. */
  #other() {
    const { runs, ownText } = this.state;
    const run = runs.find(({ facts }) => facts) ?? runs[0];
    if (run?.config.corpus !== "own" || this.#isText(run.text, ownText)) return nothing;
    const characters = run.facts ? `, of ${count(run.facts.characters.train + run.facts.characters.validation)} characters` : "";
    return html`<p class="note">The runs on the page have another text${characters}; Run would train on this one.</p>
      <p><button type="button" class="button small" @click=${() => this.#putRuns(run.text ?? "")}>Put the text of the runs here</button></p>`;
  }

  /** Two long texts are compared once, and not at every rendering. @param {string | null} runs @param {string} field */
  #isText(runs, field) {
    const before = this.#compared;
    if (before?.runs === runs && before.field === field) return before.same;
    this.#compared = { runs, field, same: runs === field };
    return this.#compared.same;
  }
}

customElements.define("lab-own-text", LabOwnText);
