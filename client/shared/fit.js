/**
 * The size of a board's cells. The page shows the whole board if its cells then have at least 24 pixels. A finger
 * cannot hit cells below 40 pixels: its first tap zooms in, and a button shows the whole board again.
 */

const WHOLE_PX = 24;
const CLOSER = 1.3; // the smallest zoom factor of a tap, because smaller changes are hard to see

export const FINGER_PX = 40;

/**
 * True if the page shows the whole board. `fits` is the size of a cell with which the whole board fits.
 * @param {number} fits
 */
export const showsWhole = (fits) => fits >= WHOLE_PX;

/**
 * True if cells of this size are too small for a finger, which needs `least` pixels. Rounding errors are ignored.
 * @param {number} cell
 * @param {number} least
 */
export const isSmall = (cell, least = FINGER_PX) => cell < least - 0.5;

/**
 * The size of a cell after a tap has zoomed in. Cells that are large enough keep their size.
 * @param {number} fits
 */
export const closer = (fits) => (isSmall(fits) ? Math.max(FINGER_PX, Math.ceil(fits * CLOSER)) : fits);
