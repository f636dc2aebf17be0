/**
 * Bundles the page's scripts and styles with esbuild, for build.py: `node bundle.mjs DATA OUT ENTRY...`
 *
 * DATA is the JSON that the modules import as "lab-data", and its `startingPoints`, which only the editor needs, as
 * "lab-starting-points"; OUT is the folder to write to, each ENTRY a script or a stylesheet in this folder. Prints one
 * JSON object: `outputs`, the file name with its hash that each entry became, and `packages`, the folders in
 * node_modules whose code is in them.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const [data, out, ...entries] = process.argv.slice(2);

/**
 * PyScript's plugins (code editor, terminal, games) and its unpacking of archives serve tags that this page does not
 * have; PyScript would load the plugins at every start, and each would be code shipped for nothing.
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

const { startingPoints = [], ...others } = JSON.parse(readFileSync(resolve(data)));
const told = { "lab-data": others, "lab-starting-points": startingPoints };
const withData = {
  name: "with-data",
  setup(build) {
    build.onResolve({ filter: /^lab-(data|starting-points)$/ }, ({ path }) => ({ path, namespace: "told" }));
    build.onLoad({ filter: /.*/, namespace: "told" }, ({ path }) => ({ contents: JSON.stringify(told[path]), loader: "json" }));
  },
};

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: entries,
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: true,
  metafile: true,
  legalComments: "none",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".py": "text", ".woff2": "file", ".svg": "file" },
  plugins: [withData, withoutPyScriptPlugins],
  logLevel: "warning",
});

const outputs = {};
const packages = new Set();
for (const [file, output] of Object.entries(metafile.outputs)) {
  if (output.entryPoint && entries.includes(output.entryPoint)) outputs[output.entryPoint] = basename(file);
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    const [, name] = /^node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    if (name && bytesInOutput > 0) packages.add(input.slice(0, input.lastIndexOf(`${name}/`) + name.length));
  }
}
console.log(JSON.stringify({ outputs, packages: [...packages].sort() }));
