/** Hands a file to the reader: the browser's own download, of something that the page has made. */

/** How long the browser may take to begin, in milliseconds; what is handed over takes memory until then. */
const PATIENCE = 60_000;

/**
 * @param {string} name of the file
 * @param {BlobPart} content
 * @param {string} type its MIME type
 */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), PATIENCE);
}
