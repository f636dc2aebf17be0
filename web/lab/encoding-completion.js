/** What the editor completes in an encoding: its three methods, Trainable, what they are asked with, and NumPy. */

/** @import { CompletionContext, CompletionResult } from "@codemirror/autocomplete" */

/** What of NumPy an encoding is likely to need, with how it is called. */
const NUMPY = {
  arange: "(stop)", zeros: "(shape)", ones: "(shape)", full: "(shape, value)", eye: "(n)", linspace: "(start, stop, count)",
  sin: "(x)", cos: "(x)", exp: "(x)", log: "(x)", log2: "(x)", sqrt: "(x)", abs: "(x)", sign: "(x)", floor: "(x)",
  minimum: "(a, b)", maximum: "(a, b)", clip: "(x, low, high)", where: "(condition, a, b)", outer: "(a, b)",
  concatenate: "(arrays, axis)", stack: "(arrays, axis)", repeat: "(x, times, axis)", tile: "(x, times)", broadcast_to: "(x, shape)",
  mean: "(x, axis)", sum: "(x, axis)", cumsum: "(x, axis)", pi: "", inf: "", float32: "", newaxis: "", "random.default_rng": "(seed)",
};

const PARAMETERS = {
  length: "how many positions are asked for",
  d: "numbers in the vector of a character",
  head_dim: "numbers of a query or key of one head: d / heads",
  heads: "attention heads of a block",
};

/** @typedef {{name: string, parameters: string, returns: string, doc: string}} Method */
/** @typedef {(context: CompletionContext) => CompletionResult | null} Completions */

/**
 * The methods of an encoding as Python defines them.
 * @param {string} source of positions.py
 * @returns {Method[]}
 */
export function methodsOf(source) {
  const base = source.slice(source.indexOf("class PositionalEncoding"));
  return ["table", "rotation", "bias"].map((name) => {
    const [, parameters, returns, doc] = found(base, new RegExp(`def ${name}\\(([^)]*)\\) -> ([^\\n]*):\\n\\s+"""([^]*?)"""`));
    return { name, parameters: parameters.replace(/: \w+/g, ""), returns, doc: dedented(doc) };
  });
}

/** @param {string} source of positions.py @returns {string} what its class Trainable says of itself */
export const aboutTrainable = (source) => dedented(found(source, /class Trainable:\n\s+"""([^]*?)"""/)[1]);

/**
 * @param {string} source of positions.py
 * @param {RegExp} wanted
 * @throws {Error} it is not there: Python has changed, and this has to change with it
 */
function found(source, wanted) {
  const match = wanted.exec(source);
  if (!match) throw new Error(`positions.py has nothing like ${wanted}: the completions are made from it.`);
  return match;
}

/** A docstring without the indentation of its class. @param {string} doc */
function dedented(doc) {
  const [, indent = ""] = /\n( +)/.exec(doc) ?? [];
  return doc.trim().replaceAll(`\n${indent}`, "\n");
}

/**
 * @param {string} source of positions.py
 * @returns {Completions[]} sources of completions
 */
export const encodingCompletions = (source) => [definitions(methodsOf(source)), names(aboutTrainable(source))];

/**
 * A whole method where one can begin. They come first as they are: what Python knows of the name is what is typed.
 * @param {Method[]} methods
 * @returns {Completions}
 */
function definitions(methods) {
  const all = methods.map(({ name, parameters, returns, doc }) => ({
    label: `def ${name}`,
    detail: `(${parameters})`,
    info: `${doc}\n\nReturns ${returns}`,
    apply: `def ${name}(${parameters}):\n        `,
    type: "method",
  }));
  return (context) => {
    const line = context.matchBefore(/^[ \t]+[\w ]*/);
    const begun = line?.text.trimStart() ?? "";
    if (!line || (begun === "" && !context.explicit)) return null;
    const options = all.filter(({ label }) => label.startsWith(begun) || label.slice("def ".length).startsWith(begun));
    return options.length ? { from: line.to - begun.length, options, filter: false } : null;
  };
}

/** @param {string} trainable @returns {Completions} */
function names(trainable) {
  const plain = [
    { label: "Trainable", detail: "(start, noise=0.0)", info: trainable, type: "class", boost: 5 },
    { label: "PositionalEncoding", info: "What a class inherits from that leaves out some of the three methods.", type: "class" },
    { label: "np", detail: "NumPy", type: "namespace" },
    ...Object.entries(PARAMETERS).map(([label, info]) => ({ label, info, type: "variable" })),
  ];
  const members = Object.entries(NUMPY).map(([label, detail]) => ({ label, detail, type: detail ? "function" : "constant" }));
  return (context) => {
    const member = context.matchBefore(/\bnp\.[\w.]*/);
    if (member) return { from: member.from + "np.".length, options: members, validFor: /^[\w.]*$/ };
    const word = context.matchBefore(/(?<![\w.])\w+/);
    return word || context.explicit ? { from: word?.from ?? context.pos, options: plain, validFor: /^\w*$/ } : null;
  };
}
