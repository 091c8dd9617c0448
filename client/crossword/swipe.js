/** Swipes of a finger to the left and to the right, for which there are always buttons, too. */

const LEAST_PX = 40;
const STEEPNESS = 1.5; // times as far to the side as up or down

/**
 * Call `onStep(1)` when a finger swipes over `part` to the left, to what comes next, and `onStep(-1)` to the right. In
 * a language that is read from the right it is the other way round.
 * @param {HTMLElement} part
 * @param {(by: number) => void} onStep
 */
export function onSwipe(part, onStep) {
  /** @type {Touch | null} */ let begun = null;
  part.addEventListener("touchstart", ({ touches }) => {
    begun = touches.length === 1 ? touches[0] : null; // two fingers zoom
  });
  part.addEventListener("touchend", ({ changedTouches: [ended] }) => {
    const by = begun === null ? 0 : stepOf(ended.clientX - begun.clientX, ended.clientY - begun.clientY);
    begun = null;
    if (by !== 0) onStep(document.documentElement.dir === "rtl" ? -by : by);
  });
  part.addEventListener("touchcancel", () => {
    begun = null;
  });
}

/**
 * 1 for a swipe to the left, -1 for one to the right, 0 for something else.
 * @param {number} x how far it has gone to the right
 * @param {number} y and down
 */
export function stepOf(x, y) {
  if (Math.abs(x) < LEAST_PX || Math.abs(x) < STEEPNESS * Math.abs(y)) return 0;
  return x < 0 ? 1 : -1;
}
