/** The window onto the projected table: equal scales on both axes, growing with the data at once, shrinking slowly. */

import { scaleLinear } from "d3-scale";

const PADDING = 0.07; // of the data's span, on every side
const SHRINK = 0.06; // of the way back to the data, per set of points
const SMALLEST_SHARE = 0.4; // of the window that the data always fill, so that a jump back in time is followed

/**
 * Bounds [x0, x1, y0, y1] of the finite points, padded; null if there are none.
 * @param {ArrayLike<number>} points
 */
function bounds(points) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    const x = points[i];
    const y = points[i + 1];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  if (x0 > x1) return null;
  const pad = Math.max(x1 - x0, y1 - y0, 1e-9) * PADDING;
  return [x0 - pad, x1 + pad, y0 - pad, y1 + pad];
}

export class GeometryView {
  /** @type {number[] | null} */
  #window = null;

  /** Starts afresh, for another run. */
  reset() {
    this.#window = null;
  }

  /** Takes new points into account. @param {Float32Array} points  (V, 2), row major */
  follow(points) {
    const data = bounds(points);
    if (!data) return;
    if (!this.#window) {
      this.#window = data;
      return;
    }
    const span = Math.max(data[1] - data[0], data[3] - data[2]);
    const room = (span / SMALLEST_SHARE - span) / 2; // the furthest an edge may stand from the data
    this.#window = this.#window.map((edge, i) => {
      const outward = i % 2 ? 1 : -1;
      const beyond = (edge - data[i]) * outward; // how far the window's edge lies outside the data
      return beyond <= 0 ? data[i] : data[i] + outward * Math.min(beyond * (1 - SHRINK), room);
    });
  }

  /**
   * Scales from coordinates to pixels with one unit equally long on both axes.
   * @param {{left: number, top: number, width: number, height: number}} box  CSS px
   * @returns {{x: import("d3-scale").ScaleLinear<number, number>, y: import("d3-scale").ScaleLinear<number, number>}}
   */
  scales({ left, top, width, height }) {
    const [x0, x1, y0, y1] = this.#window ?? [-1, 1, -1, 1];
    const unit = Math.min(width / (x1 - x0), height / (y1 - y0)); // px
    const half = { x: width / 2 / unit, y: height / 2 / unit };
    const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
    return {
      x: scaleLinear([cx - half.x, cx + half.x], [left, left + width]),
      y: scaleLinear([cy - half.y, cy + half.y], [top + height, top]),
    };
  }
}
