/** Keeps the keyboard's place on the page: where what has the focus goes, or is disabled, the focus goes on beside it. */

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/**
 * To be called before what is in an element changes; browsers would let the keyboard begin again at the top of the page.
 * @param {Element | null} place
 * @returns {() => void} to be called when it has changed: leaves a focus alone that is still where it was, or was set since
 */
export function keepFocus(place) {
  const had = document.activeElement;
  if (!place || !(had instanceof HTMLElement) || had === place || !place.contains(had)) return () => {};
  /** @type {HTMLElement[]} */
  const stops = [...place.querySelectorAll(FOCUSABLE)].filter((element) => element instanceof HTMLElement);
  // What has the focus may be no stop itself, as an element around the code editor.
  const next = stops.findIndex((element) => had.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  const [before, after] = next < 0 ? [stops, []] : [stops.slice(0, next), stops.slice(next)];
  return () => {
    // In a frame the browser may remember a focus that the reader has taken on to the page around it.
    if (window.parent !== window && !document.hasFocus()) return;
    const isLost = !had.isConnected || had.matches(":disabled");
    const { activeElement } = document;
    if (activeElement !== document.body && (activeElement !== had || !isLost)) return;
    const beside = isLost ? [...after, ...before.reverse()].find(isStop) : had; // had was moved
    if (beside) beside.focus({ preventScroll: true });
    else focusPlace(place);
  };
}

/** Whether the keyboard can stand there. @param {HTMLElement} element */
export const isStop = (element) => element.isConnected && element.tabIndex >= 0 && !element.matches(":disabled") && element.checkVisibility();

/**
 * Where nothing can be pressed any more, the keyboard stands at what has taken its place, until it goes on.
 * @param {Element} place
 */
function focusPlace(place) {
  /** @type {Element | null} */
  let box = place;
  for (; box instanceof HTMLElement && box !== document.body && !box.hasAttribute("tabindex"); box = box.parentElement) {
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
    if (document.activeElement === box) {
      leaveWithoutStop(box);
      return;
    }
    box.removeAttribute("tabindex"); // it is not displayed, or has no box of its own
  }
}

/** The box is no stop from when the keyboard goes on; that the reader looks at another window is no going on. @param {HTMLElement} box */
function leaveWithoutStop(box) {
  const leave = () => {
    if (document.activeElement === box) return;
    box.removeAttribute("tabindex");
    box.removeEventListener("blur", leave);
  };
  box.addEventListener("blur", leave);
}
