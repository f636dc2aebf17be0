/** Text that an XML file may hold. */

// What XML 1.0 forbids even in the form of a reference: most controls, halves of surrogate pairs, two non-characters.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** The text with a replacement character in the place of each that XML forbids. @param {string} text */
export const allowedInXml = (text) => text.replace(FORBIDDEN, "\uFFFD");
