/**
 * The size of a board's cells, and the visible part of the board: zoom, pan, and places in cells. If the board fits,
 * the whole board is visible. A larger board, or a board after zooming in, scrolls in its frame.
 */

import { byId } from "./dom.js";
import { closer, FINGER_PX, isSmall, showsWhole } from "./fit.js";
import { Room } from "./room.js";

/** @import { Point } from "./fingers.js" */

const MOUSE_PX = 24; // the smallest cell for a mouse; only a view of the whole board has smaller cells
const LARGEST_PX = 128;
const STEP = 1.3;

/** @typedef {{columns: number, rows: number}} Size in cells */
/**
 * @typedef {object} View of the board, in cells
 * @property {number} left
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {"fits" | "whole" | "part"} zoom "fits": the whole board is visible. "whole": it is visible, but
 * its cells are too small to use. "part": a part of the board is visible
 */
/**
 * @typedef {object} ZoomParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {HTMLElement} surface
 * @property {() => Size} size
 * @property {(cell: number) => void} onFit
 * @property {number} [edge]
 * @property {number} [largest]
 * @property {number} [finger]
 */

export class Zoom {
  /** The size of a cell in CSS pixels, or 0 before the board has a size. */
  cell = 0;
  #frame;
  #room;
  #surface;
  #size;
  #onFit;
  #edge;
  #largest;
  #finger;
  /** @type {number | null} */
  #wish = null; // the chosen size of a cell in pixels, null for the default size, 0 for the whole board
  /** @type {{cell: number, at: [x: number, y: number]}} */
  #from = { cell: 0, at: [0, 0] }; // the size of a cell and the place in the middle, at the beginning of a pinch

  /**
   * `frame` scrolls, `surface` is the board in the frame, `room` has the maximum size of the board. `size()` returns
   * the board's size, with 0 rows while there is no board. `onFit(cell)` is called whenever a cell's size may have
   * changed. The surface then has the size as `--cell`. `edge` is the size of the board's border in cells, for both
   * sides together. `largest` is the largest cell in pixels. `finger` is the smallest cell for a finger.
   * @param {ZoomParts} parts
   */
  constructor({ frame, room, surface, size, onFit, edge = 0, largest = LARGEST_PX, finger = FINGER_PX }) {
    this.#frame = frame;
    this.#room = room;
    this.#surface = surface;
    this.#size = size;
    this.#onFit = onFit;
    this.#edge = edge;
    this.#largest = Room.here()?.mode === "screen" ? Infinity : largest; // far from a projector, nothing is too large
    this.#finger = finger;
    new ResizeObserver(() => this.fit()).observe(room);
  }

  /** Set the size of the cells for the available space. */
  fit() {
    if (this.#size().rows === 0) return;
    const { whole, suits } = this.#sizes();
    const wish = this.#wish === null ? suits : Math.max(whole, Math.min(this.#largest, this.#wish));
    // A whole number of device pixels makes cells sharp. Tiny cells do not need this.
    const ratio = devicePixelRatio;
    this.cell = wish * ratio < 6 ? wish : Math.floor(wish * ratio + 0.001) / ratio;
    this.#surface.style.setProperty("--cell", `${this.cell}px`);
    this.#onFit(this.cell);
  }

  /** Use the default size of cells again, for a board of another size. */
  reset() {
    this.#wish = null;
    this.fit();
  }

  /** True if the cells are too small for a finger. The first tap then only zooms in. */
  get isSmall() {
    return isSmall(this.cell, this.#finger);
  }

  /** The visible part of the board. */
  get view() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.#frame;
    const { columns, rows } = this.#size();
    const [left, top] = [scrollLeft / this.cell, scrollTop / this.cell];
    const { whole, suits } = this.#sizes();
    return /** @type {View} */ ({
      left,
      top,
      right: Math.min(columns, left + clientWidth / this.cell),
      bottom: Math.min(rows, top + clientHeight / this.cell),
      zoom: this.cell > whole * 1.02 ? "part" : whole >= suits ? "fits" : "whole",
    });
  }

  /**
   * Convert a place in the window to a place on the board, in cells.
   * @param {Point} place
   * @returns {[x: number, y: number]}
   */
  inCells({ x, y }) {
    const box = this.#surface.getBoundingClientRect();
    return [(x - box.left) / this.cell - this.#edge / 2, (y - box.top) / this.cell - this.#edge / 2];
  }

  /**
   * Convert a place on the board, in cells, to a place in the window.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  #inWindow(x, y) {
    const box = this.#surface.getBoundingClientRect();
    return { x: box.left + (x + this.#edge / 2) * this.cell, y: box.top + (y + this.#edge / 2) * this.cell };
  }

  /**
   * The cell at a place in the window, or null.
   * @param {number} clientX
   * @param {number} clientY
   */
  cellAt(clientX, clientY) {
    const { columns, rows } = this.#size();
    const [x, y] = this.inCells({ x: clientX, y: clientY }).map(Math.floor);
    return x >= 0 && y >= 0 && x < columns && y < rows ? { x, y } : null;
  }

  /**
   * Scroll a place, in cells, to the middle.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    const { clientWidth, clientHeight } = this.#frame;
    this.#frame.scrollTo({
      left: (x + this.#edge / 2) * this.cell - clientWidth / 2,
      top: (y + this.#edge / 2) * this.cell - clientHeight / 2,
      behavior: "instant",
    });
    this.#frame.scrollIntoView({ block: "nearest" });
  }

  /**
   * Make cells larger (1) or smaller (-1). The cell `place` keeps its position in the window. If it is not visible, the
   * middle of the visible part keeps its position.
   * @param {number} direction
   * @param {Point | null} place in cells
   */
  step(direction, place) {
    const box = this.#frame.getBoundingClientRect();
    const cell = place === null ? null : this.#inWindow(place.x + 0.5, place.y + 0.5);
    const isSeen =
      cell !== null && cell.x >= box.left && cell.x <= box.right && cell.y >= box.top && cell.y <= box.bottom;
    const still = isSeen ? cell : { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    this.#to(this.cell * STEP ** direction, this.inCells(still), still);
  }

  /**
   * Show the whole board. If the whole board is visible, show cells of the default size around the cell `place`, or
   * around the middle of the board.
   * @param {Point | null} place in cells
   */
  toggleWhole(place) {
    const whole = this.#wish !== 0;
    this.#wish = whole ? 0 : null;
    this.fit();
    if (whole) return;
    const { columns, rows } = this.#size();
    if (place === null) this.reveal(columns / 2, rows / 2);
    else this.reveal(place.x + 0.5, place.y + 0.5);
  }

  /**
   * Zoom in after a tap. The tapped cell stays under the finger.
   * @param {Point} finger
   */
  bringCloser(finger) {
    this.#to(closer(this.#sizes().whole), this.inCells(finger), finger);
  }

  /**
   * Begin a pinch. `middle` is the place between the fingers.
   * @param {Point} middle
   */
  start(middle) {
    this.#from = { cell: this.cell, at: this.inCells(middle) };
  }

  /**
   * Continue a pinch. `factor` is the zoom factor since the beginning of the pinch.
   * @param {number} factor
   * @param {Point} middle
   */
  pinch(factor, middle) {
    this.#to(this.#from.cell * factor, this.#from.at, middle);
  }

  /** The size of a cell with which the whole board fits (`whole`), and the default size (`suits`). */
  #sizes() {
    const { columns, rows } = this.#size();
    const room = this.#room.getBoundingClientRect();
    const whole = Math.min(this.#largest, room.width / (columns + this.#edge), room.height / (rows + this.#edge));
    const handy = matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : MOUSE_PX;
    return { whole, suits: showsWhole(whole) ? whole : handy };
  }

  /**
   * Show cells of `wish` pixels. Scroll so that the place `[x, y]` of the board, in cells, is at `to` in the window.
   * @param {number} wish
   * @param {[x: number, y: number]} place
   * @param {Point} to
   */
  #to(wish, [x, y], to) {
    const { whole } = this.#sizes();
    this.#wish = wish <= whole * 1.02 ? 0 : Math.min(this.#largest, wish);
    this.fit();
    const after = this.#inWindow(x, y);
    this.#frame.scrollBy({ left: after.x - to.x, top: after.y - to.y, behavior: "instant" });
  }
}

/** The buttons "−", "whole" and "+": `#smaller`, `#whole` and `#larger` in the page. */
export class ZoomTools {
  #smaller = byId("smaller", HTMLButtonElement);
  #whole = byId("whole", HTMLButtonElement);
  #larger = byId("larger", HTMLButtonElement);

  /** @param {{onStep: (direction: number) => void, onWhole: () => void}} callbacks */
  constructor({ onStep, onWhole }) {
    this.#larger.addEventListener("click", () => onStep(1));
    this.#smaller.addEventListener("click", () => onStep(-1));
    this.#whole.addEventListener("click", () => onWhole());
  }

  /** @param {View} view */
  show({ zoom }) {
    this.#whole.disabled = zoom === "fits";
    this.#whole.setAttribute("aria-pressed", String(zoom === "whole"));
    this.#smaller.disabled = zoom !== "part";
  }
}
