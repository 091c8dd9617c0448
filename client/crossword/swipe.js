/** Swipes of a finger to the left and to the right. The page also has buttons for the same steps. */

const LEAST_PX = 40;
const STEEPNESS = 1.5; // the smallest ratio of the horizontal distance to the vertical distance

/**
 * Call `onStep(1)` (the next item) when a finger swipes over `part` to the left, and `onStep(-1)` when it swipes to the
 * right. In a right-to-left language the directions are reversed.
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
 * 1 for a swipe to the left, -1 for a swipe to the right, 0 for other gestures.
 * @param {number} x the distance to the right
 * @param {number} y the distance down
 */
export function stepOf(x, y) {
  if (Math.abs(x) < LEAST_PX || Math.abs(x) < STEEPNESS * Math.abs(y)) return 0;
  return x < 0 ? 1 : -1;
}
