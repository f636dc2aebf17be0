/**
 * Compresses the site for servers that send such files as they are, for build.py: `node precompress.mjs SITE CACHE`
 *
 * Beside a file, FILE.br is its Brotli form and FILE.gz its gzip form, where each saves a tenth and a kilobyte at least.
 * CACHE is a folder that keeps both forms by the hash of the content. What this site does not use is removed from it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

// Archives, wheels and the snapshot are compressed already (Brotli would save 1 % of them in half a minute), and source maps
// are for those who debug.
const KINDS = new Set([".css", ".html", ".js", ".json", ".mjs", ".py", ".svg", ".txt", ".wasm", ".webmanifest"]);
const LARGEST_SHARE = 0.9;
const LEAST_SAVED = 1024; // bytes: less than one packet is no gain

/** Brotli's best, except for Pyodide: half a minute would make it 2.12 MB, two seconds make it 2.44. */
const LARGE = 4_000_000; // bytes
/** @param {Buffer} content */
const quality = (content) => (content.length > LARGE ? 9 : constants.BROTLI_MAX_QUALITY);

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/**
 * How each form is made, and by what, which a new version of Node.js may change.
 * @type {Record<string, {by: (content: Buffer) => string, make: (content: Buffer) => Promise<Buffer>}>}
 */
const FORMS = {
  br: {
    by: (content) => `brotli ${process.versions.brotli}, ${quality(content)}`,
    make: (content) =>
      compressBrotli(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: quality(content),
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      }),
  },
  gz: {
    by: () => `zlib ${process.versions.zlib}`,
    make: (content) => compressGzip(content, { level: constants.Z_BEST_COMPRESSION }),
  },
};

const [site, cache] = process.argv.slice(2);
/** @type {Map<string, Promise<number>>} */
const kept = new Map(); // name in CACHE to the promise of its size: several licences are the same text

/**
 * Compresses some content, unless CACHE has that; returns where the result is, and its size.
 * @param {Buffer} content
 * @param {string} form
 */
async function compress(content, form) {
  const { by, make } = FORMS[form];
  const name = `${createHash("sha256").update(`${by(content)}\n`).update(content).digest("hex")}.${form}`;
  const path = join(cache, name);
  const size = kept.get(name) ?? keep(path, () => make(content));
  kept.set(name, size);
  return { form, path, size: await size };
}

/** @param {string} path @param {() => Promise<Buffer>} make @returns {Promise<number>} */
async function keep(path, make) {
  const found = await stat(path).catch(() => null);
  if (found) return found.size;
  const compressed = await make();
  await writeFile(`${path}.part`, compressed);
  await rename(`${path}.part`, path);
  return compressed.length;
}

/**
 * Puts both forms of a file beside it, or neither: servers tell caches that there are several only if they know of both.
 * @param {{path: string, content: Buffer}} file
 */
async function add({ path, content }) {
  const forms = await Promise.all(Object.keys(FORMS).map((form) => compress(content, form)));
  /** @param {{size: number}} form */
  const isWorthIt = ({ size }) => size <= LARGEST_SHARE * content.length && size <= content.length - LEAST_SAVED;
  if (forms.every(isWorthIt)) await Promise.all(forms.map((made) => copyFile(made.path, `${path}.${made.form}`)));
}

await mkdir(cache, { recursive: true });
const files = (await readdir(site, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && KINDS.has(extname(entry.name)))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name)) // Node.js 20.0 has only `path`
  .map((path) => ({ path, content: readFileSync(path) }))
  .filter(({ content }) => content.length > LEAST_SAVED)
  .sort((one, other) => other.content.length - one.content.length); // what takes longest begins first
await Promise.all(files.map(add));
for (const name of await readdir(cache)) if (!kept.has(name)) await rm(join(cache, name));
