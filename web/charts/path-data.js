/** A pen like a canvas's Path2D that writes the data of an SVG path, so that one function draws a shape on both. */

export class PathData {
  /** @type {string[]} */
  #data = [];

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#data.push(`M${x.toFixed(2)} ${y.toFixed(2)}`);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#data.push(`L${x.toFixed(2)} ${y.toFixed(2)}`);
  }

  closePath() {
    this.#data.push("Z");
  }

  toString() {
    return this.#data.join("");
  }
}
