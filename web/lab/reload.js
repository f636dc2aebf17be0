/** What stands in place of a part whose scripts did not arrive: why, and a way to try again. */

/**
 * Modules that failed to load stay failed until the page is loaded anew. boot.js has the same for the lab as a whole,
 * in itself: what tells of a missing script must not be another script.
 *
 * @param {Element} place what it replaces the content of
 * @param {string} words what is missing
 */
export function offerReload(place, words) {
  const message = document.createElement("p");
  message.className = "error";
  message.textContent = words;
  const retry = document.createElement("button");
  retry.type = "button";
  retry.className = "button";
  retry.textContent = "Retry";
  retry.addEventListener("click", () => location.reload());
  place.replaceChildren(message, retry);
}
