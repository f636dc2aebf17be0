/** Has the browser keep the site, so that it opens without a network, and shows what there is to say of new versions. */

import data from "lab-data";
import { LabUpdateNotice } from "./elements/update-notice.js";
import { locks } from "./training-lock.js";
import { Updates } from "./updates.js";

/** Least time between two questions of a tab that stays open, whether there is a new version, in milliseconds. */
const ASK_EVERY = 3_600_000;

/** @returns {ServiceWorkerContainer|null} null where the site is not to be kept, or cannot be: in a frame, without HTTPS */
function serviceWorkers() {
  if (window.top !== window || self.origin === "null" || !isSecureContext) return null;
  try {
    return navigator.serviceWorker ?? null;
  } catch {
    return null;
  }
}

/**
 * Keep the site once Python is ready and the browser idle: what the start itself needs comes first.
 * @param {import("./store.js").Store} store
 */
export function keepSite(store) {
  const container = serviceWorkers();
  if (!container || !data.offline) return;
  const notice = new LabUpdateNotice();
  const kept = document.querySelector(".kept-offline");
  const updates = new Updates({
    container,
    locks: locks(),
    phase: () => store.state.phase,
    reload: () => location.reload(),
    onChange() {
      notice.requestUpdate();
      kept?.toggleAttribute("hidden", !updates.isComplete);
    },
  });
  notice.updates = updates;
  document.body.append(notice);
  const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
  document.addEventListener(
    "embedding-lab:ready",
    () => whenIdle(() => updates.register()),
    { once: true },
  );
  let asked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - asked < ASK_EVERY) return;
    asked = Date.now();
    updates.ask();
  });
}
