/**
 * An editor for Python code, or a view of it to read: CodeMirror in the page's colours. It is large, so it is loaded by
 * `import()` where code is first shown.
 *
 * It lives in a shadow root, because only there CodeMirror brings its styles as constructable stylesheets; the page's
 * policy forbids the <style> elements it would write into the document.
 */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { characterName, glyph } from "../charts/characters.js";
import { HIDDEN } from "./hidden-characters.js";

const KEYS = "Tab indents. Escape, then Tab, leaves the editor.";

/** Handles nothing. @type {import("@codemirror/view").Command} */
function leaveByTab(view) {
  view.setTabFocusMode(24 * 3600 * 1000);
  return false;
}

/**
 * After Escape, also one that closed a list, the next key may take its time: CodeMirror alone would wait for two seconds
 * or, after a list, not at all, and then indent.
 */
const LEAVING = [
  Prec.highest(keymap.of([{ key: "Escape", run: leaveByTab }])),
  Prec.lowest(keymap.of([{ key: "Escape", run: () => true }])),
];

/** @import { DecorationSet } from "@codemirror/view" */

/**
 * @typedef {object} CodeEditor
 * @property {EditorView} view
 * @property {string} text
 * @property {(line: number, message: string) => void} markError lines count from 1
 * @property {() => void} clearErrors
 * @property {(from?: number, to?: number) => void} showLines without a line marks none
 * @property {() => void} destroy
 *
 * @typedef {{from: number, message: string}} CodeError from: where its line begins
 */

/**
 * @param {object} options
 * @param {Element} options.parent gets the editor as its last child
 * @param {string} [options.doc] the code
 * @param {string} options.label the accessible name
 * @param {boolean} [options.readOnly] whether the code can only be read; Tab then moves on, as in any text
 * @param {(text: string) => void} [options.onChange] called after each edit of the reader, not after `text` was set
 * @param {import("@codemirror/state").Extension} [options.extensions] what this editor has besides
 * @returns {CodeEditor}
 */
export function createCodeEditor({ parent, doc = "", label, readOnly = false, onChange = () => {}, extensions = [] }) {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const about = readOnly ? null : describe(root);
  const told = EditorView.updateListener.of((update) => {
    if (update.docChanged) onChange(update.state.doc.toString());
  });
  const all = [
    readOnly ? READING : WRITING,
    COMMON,
    EditorView.contentAttributes.of({ "aria-label": label, ...(about && { "aria-describedby": about }) }),
    told,
    extensions,
  ];
  /** @param {string} text */
  const begin = (text) => EditorState.create({ doc: text, extensions: all });
  parent.append(host);
  const view = new EditorView({ state: begin(doc), parent: root, root });
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    /** Another code, whose history of edits begins here. */
    set text(text) {
      view.setState(begin(text));
    },
    markError(line, message) {
      const number = Math.min(Math.max(line, 1), view.state.doc.lines);
      view.dispatch({ effects: addError.of({ from: view.state.doc.line(number).from, message }) });
    },
    clearErrors() {
      if (view.state.field(errors).length) view.dispatch({ effects: removeErrors.of(null) });
    },
    showLines(from, to = from) {
      const shown = from === undefined ? null : { from, to: to ?? from };
      const scroll = shown && EditorView.scrollIntoView(view.state.doc.line(shown.from).from, { y: "start", yMargin: 40 });
      view.dispatch({ effects: [setShown.of(shown), ...(scroll ? [scroll] : [])] });
    },
    destroy() {
      view.destroy();
      host.remove();
    },
  };
}

/**
 * The keys, for those who do not see how others use the editor; returns the id of the text.
 * @param {ShadowRoot} root
 */
function describe(root) {
  const words = document.createElement("p");
  words.id = "keys";
  words.hidden = true;
  words.textContent = KEYS;
  root.append(words);
  return words.id;
}

// Lines with errors

/** @type {import("@codemirror/state").StateEffectType<CodeError>} */
const addError = StateEffect.define();
/** @type {import("@codemirror/state").StateEffectType<null>} */
const removeErrors = StateEffect.define();

/** @type {StateField<CodeError[]>} */
const errors = StateField.define({
  /** @returns {CodeError[]} */
  create: () => [],
  update(value, transaction) {
    let now = transaction.docChanged ? value.map((error) => ({ ...error, from: transaction.changes.mapPos(error.from) })) : value;
    for (const effect of transaction.effects) {
      if (effect.is(addError)) now = [...now, effect.value];
      if (effect.is(removeErrors)) now = [];
    }
    return now;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (list) => (view) => underlined(view.state, list)),
    EditorView.contentAttributes.from(field, (list) => invalid(list.length > 0)),
  ],
});

/** @param {EditorState} state @param {CodeError[]} list */
function underlined(state, list) {
  const marks = list.flatMap(({ from, message }) => {
    const line = state.doc.lineAt(from);
    const text = line.text.trimEnd();
    const begin = line.from + text.length - text.trimStart().length;
    const end = line.from + text.length;
    const whole = Decoration.line({ class: "cm-error-line" }).range(line.from);
    return begin < end ? [whole, Decoration.mark({ class: "cm-error-text", attributes: { title: message } }).range(begin, end)] : [whole];
  });
  return Decoration.set(marks, true);
}

/** @param {boolean} is @returns {Record<string, string>} attributes */
const invalid = (is) => (is ? { "aria-invalid": "true" } : {});

/** A cross beside the number of a line. */
class ErrorMarker extends GutterMarker {
  /** @param {string} message */
  constructor(message) {
    super();
    this.message = message;
  }

  /** @param {ErrorMarker} other */
  eq(other) {
    return other.message === this.message;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.className = "cm-error-mark";
    mark.title = this.message;
    mark.textContent = "✕";
    return mark;
  }
}

const errorGutter = gutter({
  class: "cm-error-gutter",
  lineMarker(view, block) {
    const found = view.state.field(errors).find(({ from }) => view.state.doc.lineAt(from).from === block.from);
    return found ? new ErrorMarker(found.message) : null;
  },
  lineMarkerChange: (update) => update.startState.field(errors) !== update.state.field(errors),
  initialSpacer: () => new ErrorMarker(""),
});

// Lines that are pointed at: {from, to} or null

/** @type {import("@codemirror/state").StateEffectType<{from: number, to: number} | null>} */
const setShown = StateEffect.define();

/** @type {StateField<DecorationSet>} */
const shownLines = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let now = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setShown)) now = pointed(transaction.state, effect.value);
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** @param {EditorState} state @param {{from: number, to: number} | null} shown */
function pointed(state, shown) {
  if (!shown) return Decoration.none;
  const lines = Array.from({ length: shown.to - shown.from + 1 }, (_, i) => state.doc.line(shown.from + i).from);
  return Decoration.set(lines.map((from) => Decoration.line({ class: "cm-shown-line" }).range(from)));
}

/** A character that would not be seen, or would turn text around. @param {number} codePoint */
function signOf(codePoint) {
  const character = String.fromCodePoint(codePoint);
  const sign = document.createElement("span");
  sign.className = "cm-hidden-sign";
  sign.title = characterName(character);
  sign.textContent = glyph(character).text;
  return sign;
}

// Colours and faces, all from tokens.css; they reach into a shadow root

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "var(--text-s)", maxBlockSize: "min(40rem, 80vh)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: "var(--space-2)" },
  ".cm-line": { paddingInline: "var(--space-2)" },
  ".cm-line::selection, .cm-line ::selection": { backgroundColor: "color-mix(in srgb, var(--focus) 35%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--paper-raised)", color: "var(--ink-faint)", borderInlineEnd: "1px solid var(--rule)" },
  ".cm-lineNumbers .cm-gutterElement": { minInlineSize: "2em", paddingInline: "0 0.4em" },
  ".cm-error-gutter": { inlineSize: "1.1em" },
  ".cm-error-mark": { color: "var(--error)", fontWeight: "700", paddingInlineStart: "0.15em" },
  ".cm-error-line": { backgroundColor: "color-mix(in srgb, var(--error) 12%, transparent)" },
  ".cm-error-text": { textDecoration: "underline wavy var(--error)", textDecorationSkipInk: "none", textUnderlineOffset: "0.25em" },
  ".cm-hidden-sign": { border: "1px solid var(--error)", borderRadius: "2px", color: "var(--error)", fontSize: "0.85em" },
  ".cm-shown-line": { backgroundColor: "color-mix(in srgb, var(--focus) 14%, transparent)", boxShadow: "inset 3px 0 0 var(--focus)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--rule-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px dashed var(--error)" },
  ".cm-tooltip": { border: "1px solid var(--rule-strong)", backgroundColor: "var(--paper-raised)", color: "var(--ink)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxInlineSize: "min(40rem, 90vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--ink)", color: "var(--paper)" },
  ".cm-completionIcon": { display: "none" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75" },
  ".cm-tooltip.cm-completionInfo": { padding: "var(--space-2)", maxInlineSize: "min(26rem, 90vw)", whiteSpace: "pre-wrap", fontFamily: "var(--font-ui)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--class-capital)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--class-digit)" },
  { tag: tags.comment, color: "var(--ink-soft)", fontStyle: "italic" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
    color: "var(--class-consonant)" },
  { tag: tags.meta, color: "var(--class-punctuation)" },
  { tag: tags.invalid, color: "var(--error)" },
]);

const COMMON = [
  lineNumbers(),
  highlightSpecialChars({ specialChars: HIDDEN, render: signOf }),
  EditorView.lineWrapping,
  python(),
  indentUnit.of("    "),
  syntaxHighlighting(colours),
  bracketMatching(),
  errors,
  shownLines,
  theme,
];
const READING = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ tabindex: "0", "aria-readonly": "true" }),
];
const WRITING = [
  LEAVING, // before the list of completions, which takes Escape for itself
  errorGutter,
  history(),
  indentOnInput(),
  closeBrackets(),
  autocompletion(),
  EditorView.contentAttributes.of({ tabindex: "0", autocorrect: "off", autocapitalize: "off", spellcheck: "false" }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
];
