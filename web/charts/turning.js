/** Points in space as one sees them: turned by two angles and projected straight onto the page. */

/**
 * @param {ArrayLike<number>} points  (n, 3), row major
 * @param {number} yaw    radians about the upright axis
 * @param {number} pitch  radians about the level axis, after the yaw
 * @returns {{flat: Float32Array, depth: Float32Array}}  (n, 2), to the right and up; (n), larger is nearer
 */
export function turned(points, yaw, pitch) {
  const many = points.length / 3;
  const flat = new Float32Array(2 * many);
  const depth = new Float32Array(many);
  const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  for (let i = 0; i < many; i++) {
    const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    const nearer = -x * sinYaw + z * cosYaw;
    flat[2 * i] = x * cosYaw + z * sinYaw;
    flat[2 * i + 1] = y * cosPitch - nearer * sinPitch;
    depth[i] = y * sinPitch + nearer * cosPitch;
  }
  return { flat, depth };
}

/** The largest distance of a point from the origin: what must fit at every angle. @param {ArrayLike<number>} points */
export function reach(points) {
  let largest = 0;
  for (let i = 0; i < points.length; i += 3) {
    const size = Math.hypot(points[i], points[i + 1], points[i + 2]);
    if (size > largest) largest = size;
  }
  return largest || 1;
}
