/** Keeps the page where it is when a file is dropped beside what takes files: the browser would open the file instead. */

/** What takes files by itself. */
const TAKES = "input[type=file]";

/** @param {EventTarget} page the window */
export function refuseStrayFiles(page) {
  for (const type of ["dragover", "drop"]) {
    page.addEventListener(type, (event) => {
      if (event.defaultPrevented || !event.dataTransfer.types.includes("Files") || event.target.closest?.(TAKES)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    });
  }
}
