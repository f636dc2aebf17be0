/** Keeps the page where it is when a file is dropped beside what takes files: the browser would open the file instead. */

/** What takes files by itself. */
const TAKES = "input[type=file]";

/** @type {("dragover" | "drop")[]} */
const EVENTS = ["dragover", "drop"];

/** @param {Window} page */
export function refuseStrayFiles(page) {
  for (const type of EVENTS) {
    page.addEventListener(type, (event) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      if (event.target instanceof Element && event.target.closest(TAKES)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    });
  }
}
