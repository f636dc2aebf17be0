/** Places labels in one column so that none overlaps another and each stays as near to its value as it can. */

/**
 * Least-squares positions (isotonic regression by pooling neighbours that would overlap).
 * @param {{at: number, height: number}[]} labels  wanted centre and height of each, in pixels, in any order
 * @param {number} top     the column's bounds; labels that cannot all fit overrun the bottom
 * @param {number} bottom
 * @returns {number[]}     centre of each label, in the order given
 */
export function stackLabels(labels, top, bottom) {
  const order = labels.map((_, i) => i).sort((a, b) => labels[a].at - labels[b].at || a - b);
  // Take away the heights above each label: then "not overlapping" is simply "not decreasing".
  /** @type {number[]} */
  const offsets = [];
  let above = 0;
  for (const i of order) {
    offsets.push(above + labels[i].height / 2);
    above += labels[i].height;
  }
  /** @type {{sum: number, size: number}[]} */
  const pools = [];
  order.forEach((i, k) => {
    let pool = { sum: labels[i].at - offsets[k], size: 1 };
    for (let before = pools.at(-1); before && before.sum / before.size >= pool.sum / pool.size; before = pools.at(-1)) {
      pool = { sum: before.sum + pool.sum, size: before.size + pool.size };
      pools.pop();
    }
    pools.push(pool);
  });
  const highest = Math.max(top, bottom - above);
  /** @type {number[]} */
  const centres = new Array(labels.length);
  let k = 0;
  for (const { sum, size } of pools) {
    const start = Math.min(Math.max(sum / size, top), highest);
    for (const end = k + size; k < end; k++) centres[order[k]] = start + offsets[k];
  }
  return centres;
}
