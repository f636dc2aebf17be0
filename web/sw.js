/**
 * The service worker: after the first visit the site opens without a network, and always as one whole version.
 *
 * build.py puts the list of the site's files in the place of `__WB_MANIFEST`, each with what tells its content. All of
 * them are fetched before this worker counts as installed, and from then on it answers with them and nothing else: what
 * is not in its list goes past it. A new version has another list, so the browser takes it for another worker, fills its
 * files beside the old ones, and keeps it waiting until no page uses the old one, or a reader asks for it (updates.js).
 * A site that was built without a list removes what an earlier worker of it has left.
 */

import { cacheNames } from "workbox-core";
import { addPlugins, precacheAndRoute } from "workbox-precaching";

/** @import { PrecacheEntry } from "workbox-precaching" */

// The one is what build.py replaces, and a const may be renamed; this script runs as a service worker alone.
const files = /** @type {{__WB_MANIFEST?: PrecacheEntry[]}} */ (/** @type {unknown} */ (self)).__WB_MANIFEST;
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** What tells the content of the pages, whose names tell nothing, by their addresses. @type {Map<string, string>} */
const pages = new Map();
for (const { url, revision } of files ?? []) if (revision) pages.set(new URL(url, location.href).href, revision);

/**
 * A server may for a while give an old page beside this worker: then nothing is installed, and the browser tries again later.
 * @type {import("workbox-core/types.js").WorkboxPlugin}
 */
const onlyThisVersion = {
  async cacheWillUpdate({ request, response }) {
    if (response.status !== 200) return null;
    const revision = pages.get(request.url);
    if (!revision) return response;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()));
    const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return found.startsWith(revision) ? response : null;
  },
};

/** @param {PrecacheEntry[]} all */
function keepAll(all) {
  addPlugins([onlyThisVersion]);
  // A part of a file must come from the server, which knows how to send one.
  worker.addEventListener("fetch", (event) => {
    if (event.request.headers.has("range")) event.stopImmediatePropagation();
  });
  // The query of a page is its experiment: it changes nothing in the file.
  precacheAndRoute(all, { directoryIndex: "index.html", cleanURLs: false, ignoreURLParametersMatching: [/./] });
  worker.addEventListener("message", ({ data }) => {
    if (data === "use-now") worker.skipWaiting();
  });
  // The page of the first visit, too, so that what it loads later is there without a network.
  worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
}

function removeAll() {
  worker.addEventListener("install", () => worker.skipWaiting());
  worker.addEventListener("activate", (event) => {
    event.waitUntil(Promise.all([caches.delete(cacheNames.precache), worker.registration.unregister()]));
  });
}

if (files) keepAll(files);
else removeAll();
