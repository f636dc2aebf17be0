/**
 * Bundles the page's scripts and styles with esbuild, for build.py: `node bundle.mjs DATA OUT ENTRY...`
 *
 * DATA is the JSON that the modules import as "lab-data", and its `startingPoints`, which only the editor needs, as
 * "lab-starting-points"; OUT is the folder to write to, each ENTRY a script or a stylesheet in this folder. Prints one
 * JSON object: `outputs`, the file name with its hash that each entry became; `modules`, for each script of an entry itself
 * and those that it imports at once, by name; and `packages`, the folders in node_modules whose code is in them. What is in STABLE
 * becomes a classic script that keeps its name.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** @import { BuildOptions, Metafile, Plugin } from "esbuild" */

/** Browsers look for the one, and the pages of courses name the other, under one address in every version. */
const STABLE = ["sw.js", "embedding-lab.js"];

const here = fileURLToPath(new URL(".", import.meta.url));
const [data, out, ...entries] = process.argv.slice(2);
/** What PyScript's worker imports script-address.js by: a path would tell where the site was built. */
const SCRIPT_ADDRESS = "lab-script-address";

/**
 * PyScript's plugins (code editor, terminal, games) and its unpacking of archives serve tags that this page does not
 * have; PyScript would load the plugins at every start, and each would be code shipped for nothing.
 * @type {Plugin}
 */
const withoutPyScriptPlugins = {
  name: "without-pyscript-plugins",
  setup(build) {
    const unused = /^\.\/plugins\.js$|^\.\/plugins\/(codemirror|donkey)\.js$|^\.\/3rd-party\/zip\.js$/;
    const importer = /node_modules[\\/](@pyscript[\\/]core|polyscript)[\\/]/;
    build.onResolve({ filter: unused }, (args) =>
      importer.test(args.importer) ? { path: args.path, namespace: "unused" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default {};" }));
  },
};

/**
 * PyScript opens IndexedDB as it loads, for a folder of the reader's that no page here asks for; some frames may not.
 * @type {Plugin}
 */
const withoutPyScriptStorage = {
  name: "without-pyscript-storage",
  setup(build) {
    build.onResolve({ filter: /^@webreflection\/idb-map(\/sync)?$/ }, ({ path }) => ({ path, namespace: "no-storage" }));
    build.onLoad({ filter: /.*/, namespace: "no-storage" }, () => ({ contents: "export default class {}" }));
  },
};

/**
 * Chromium starts no worker from a blob: URL as a module in a frame without an origin of its own (a sandbox without
 * allow-same-origin), only as a classic script. There PyScript's worker, a module that imports nothing by name, becomes
 * the body of a function, without what only a classic worker can do, and with a location to resolve addresses against,
 * which is otherwise in that of its blob. Everywhere, the pages' policy takes the address of a worker from
 * script-address.js alone.
 * @type {Plugin}
 */
const workersUnderPolicy = {
  name: "workers-under-policy",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${SCRIPT_ADDRESS}$`) }, () => ({ path: resolve(here, "lab/script-address.js") }));
    build.onLoad({ filter: /polyscript[\\/]esm[\\/]worker[\\/]xworker\.js$/ }, ({ path }) => {
      const pieces = [
        ["export default (...args) => new Worker(URL", `import { scriptAddress } from "${SCRIPT_ADDRESS}";
const isOpaque = self.origin === "null";
const [BEGIN, END] = isOpaque
  ? ['self.importScripts = () => { throw new TypeError("as in a module"); }; (async (location) => { "use strict";',
    "})(" + JSON.stringify({ href: url }) + ");"]
  : ["", ""];
export default (options) => new Worker(scriptAddress(URL`],
        ["new Blob(['/*@*/'+", "new Blob([BEGIN+"],
        [".replace(re,place)]", ".replace(re,place)+END]"],
        ["})), ...args)", `}))), isOpaque ? { ...options, type: "classic" } : options)`],
      ];
      let contents = readFileSync(path, "utf8");
      for (const [piece, ours] of pieces) {
        if (contents.split(piece).length !== 2) throw new Error(`PyScript's worker is not as expected: ${piece}`);
        contents = contents.replace(piece, () => ours);
      }
      return { contents };
    });
  },
};

const { startingPoints = [], ...others } = JSON.parse(readFileSync(resolve(data), "utf8"));
/** @type {Record<string, unknown>} */
const told = { "lab-data": others, "lab-starting-points": startingPoints };
/** @type {Plugin} */
const withData = {
  name: "with-data",
  setup(build) {
    build.onResolve({ filter: /^lab-(data|starting-points)$/ }, ({ path }) => ({ path, namespace: "told" }));
    build.onLoad({ filter: /.*/, namespace: "told" }, ({ path }) => ({ contents: JSON.stringify(told[path]), loader: "json" }));
  },
};

/**
 * While it loads, uPlot makes a format of numbers, which the lab does not use, for `navigator.language`. Where a system's
 * locale makes that no language tag ("C", "en-US@posix"), this throws, and nothing of the lab would start.
 * @type {Plugin}
 */
const withoutUplotLocale = {
  name: "without-uplot-locale",
  setup(build) {
    const locale = "domEnv ? nav.language : 'en-US'";
    build.onLoad({ filter: /[\\/]uPlot\.esm\.js$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      if (!code.includes(locale)) throw new Error(`${path} has no "${locale}": see whether this version needs it replaced`);
      return { contents: code.replace(locale, "'en-US'") };
    });
  },
};

/** @satisfies {BuildOptions} */
const common = {
  absWorkingDir: here,
  outdir: out,
  bundle: true,
  target: "es2022",
  minify: true,
  metafile: /** @type {const} */ (true),
  legalComments: /** @type {const} */ ("none"),
  logLevel: /** @type {const} */ ("warning"),
};
const { metafile } = await build({
  ...common,
  entryPoints: entries.filter((entry) => !STABLE.includes(entry)),
  splitting: true,
  format: "esm",
  sourcemap: true,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".py": "text", ".woff2": "file", ".svg": "file" },
  plugins: [withData, withoutPyScriptPlugins, withoutPyScriptStorage, workersUnderPolicy, withoutUplotLocale],
});
const stable = await build({
  ...common,
  entryPoints: entries.filter((entry) => STABLE.includes(entry)),
  format: "iife",
  define: { "process.env.NODE_ENV": '"production"' }, // else Workbox logs each of its steps
});

/**
 * A file and all that it imports before it runs.
 * @param {string} file
 * @param {Set<string>} [found]
 * @returns {string[]}
 */
function withImports(file, found = new Set()) {
  if (!found.has(file)) {
    found.add(file);
    for (const { path, kind } of metafile.outputs[file].imports) if (kind === "import-statement") withImports(path, found);
  }
  return [...found];
}

/** @type {Record<string, string>} */
const outputs = {};
/** @type {Record<string, string[]>} */
const modules = {};
const packages = new Set();
for (const [file, output] of Object.entries({ ...metafile.outputs, ...stable.metafile.outputs })) {
  const entry = entries.find((each) => each === output.entryPoint);
  if (entry) outputs[entry] = basename(file);
  if (entry && !STABLE.includes(entry)) {
    modules[basename(file)] = withImports(file).map((name) => basename(name));
  }
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    const [, name] = /^node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    if (name && bytesInOutput > 0) packages.add(input.slice(0, input.lastIndexOf(`${name}/`) + name.length));
  }
}
console.log(JSON.stringify({ outputs, modules, packages: [...packages].sort() }));
