/**
 * The size of a board's cells. The whole board is shown if its cells then have at least 24 pixels. Below 40
 * a finger does not hit them: its first tap brings them closer, and a button shows the whole board again.
 */

const WHOLE_PX = 24;
const CLOSER = 1.3; // times as large, at least: less would hardly be seen

export const FINGER_PX = 40;

/**
 * Whether all of the board is shown, given the size of a cell at which it `fits`.
 * @param {number} fits
 */
export const showsWhole = (fits) => fits >= WHOLE_PX;

/**
 * Whether cells of this size are too small to be hit by a finger, which takes `least` pixels. Zooming has its rounding
 * errors.
 * @param {number} cell
 * @param {number} least
 */
export const isSmall = (cell, least = FINGER_PX) => cell < least - 0.5;

/**
 * The size of a cell that a finger's tap has brought closer; those that fit large enough stay.
 * @param {number} fits
 */
export const closer = (fits) => (isSmall(fits) ? Math.max(FINGER_PX, Math.ceil(fits * CLOSER)) : fits);
