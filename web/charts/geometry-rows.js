/** The characters of a picture of the embedding table as the rows of a table: the class and the place of each. */

import { characterName } from "./characters.js";
import { coordinate } from "./numbers.js";
/** @import { Numbers } from "./chart-table.js" */

/**
 * @param {string[]} vocabulary
 * @param {string[]} classes
 * @param {Float32Array | null} points  (V, axes) row major; null where there is no picture yet
 * @param {number} axes
 * @returns {Numbers}
 */
export function pointRows(vocabulary, classes, points, axes) {
  return {
    head: ["character", "class", ...Array.from({ length: axes }, (_, axis) => `axis ${axis + 1}`)],
    rows: points === null ? [] : vocabulary.map((character, id) =>
      [characterName(character), classes[id], ...Array.from(points.subarray(axes * id, axes * (id + 1)), coordinate)]),
  };
}
