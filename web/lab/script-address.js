/**
 * The only addresses that a page of the lab starts a script from by its name: those of its Python workers and of its
 * service worker. The policy of the pages asks for Trusted Types, so a browser that has them refuses every other, and
 * every text of which HTML or code would be made.
 */

/** Address of the service worker, which lies beside the pages. */
export const SERVICE_WORKER = new URL("../sw.js", import.meta.url).href;

/**
 * What it makes stands for a string wherever the browser takes the address of a script; TypeScript does not know it yet.
 * @type {{createPolicy: (name: string, rules: object) => {createScriptURL: (url: string) => string}} | undefined}
 */
const trustedTypes = Reflect.get(globalThis, "trustedTypes");
const policy = trustedTypes?.createPolicy("embedding-lab", { createScriptURL: checked });

/** A blob: URL is one that this page has made: of another origin's, no browser starts a worker. @param {string} url */
function checked(url) {
  if (url !== SERVICE_WORKER && !url.startsWith("blob:")) throw new TypeError(`${url} is no script that the lab starts`);
  return url;
}

/**
 * @param {string} url `SERVICE_WORKER`, or a blob: URL of a worker's script
 * @returns {string} what `Worker` and `register` take: a TrustedScriptURL where the browser has Trusted Types
 * @throws {TypeError} it is another address
 */
export function scriptAddress(url) {
  return policy ? policy.createScriptURL(url) : checked(url);
}
