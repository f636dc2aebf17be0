/** A wait that counts only the time in which the page can run: what a machine sleeps, or a browser freezes a page for, is none. */

/**
 * How long one of its timers takes, in milliseconds. A sleep delays one of them, which counts no more for that; a browser
 * that lets a hidden page's timers fire once a minute makes the wait longer, and it still ends.
 */
const STRETCH = 1000;

/**
 * @param {number} wait in milliseconds
 * @param {() => void} act called once when it is over
 * @returns {() => void} calls it off
 */
export function afterAwake(wait, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {number} left */
  const go = (left) => {
    const stretch = Math.min(left, STRETCH);
    timer = setTimeout(() => (left > stretch ? go(left - stretch) : act()), stretch);
  };
  go(wait);
  return () => clearTimeout(timer);
}
