/**
 * The size of a board's cells, and which part of the board is seen: zoom, pan, and places in cells. A board that fits
 * is shown whole; another one, or one that somebody has brought closer, scrolls in its frame.
 */

import { byId } from "./dom.js";
import { closer, FINGER_PX, isSmall, showsWhole } from "./fit.js";

/** @import { Point } from "./fingers.js" */

const MOUSE_PX = 24; // the smallest cell for a mouse; smaller ones are for looking at the whole
const LARGEST_PX = 128;
const STEP = 1.3;

/** @typedef {{columns: number, rows: number}} Size in cells */
/**
 * @typedef {object} View of the board, in cells
 * @property {number} left
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {"fits" | "whole" | "part"} zoom whole: all of it is seen, in cells smaller than what is handy
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
  /** The size of a cell in CSS pixels; 0 before the board has a size. */
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
  #wish = null; // the wished size of a cell in pixels; null: what suits; 0: the whole board
  /** @type {{cell: number, at: [x: number, y: number]}} */
  #from = { cell: 0, at: [0, 0] }; // when a pinch began: the size of a cell, and the place that it is about

  /**
   * `frame` scrolls, `surface` is the board in it, `room` is as large as the board may be. `size()` is the board's
   * size, with no rows while there is none. `onFit(cell)` is called whenever a cell's size may have changed; the
   * surface has it as `--cell` then. `edge` is how much wider and higher than its cells the board is, in cells;
   * `largest` is the largest cell in pixels, `finger` the smallest that a finger hits.
   * @param {ZoomParts} parts
   */
  constructor({ frame, room, surface, size, onFit, edge = 0, largest = LARGEST_PX, finger = FINGER_PX }) {
    this.#frame = frame;
    this.#room = room;
    this.#surface = surface;
    this.#size = size;
    this.#onFit = onFit;
    this.#edge = edge;
    this.#largest = largest;
    this.#finger = finger;
    new ResizeObserver(() => this.fit()).observe(room);
  }

  /** Set the size of the cells for the room there is now. */
  fit() {
    if (this.#size().rows === 0) return;
    const { whole, suits } = this.#sizes();
    const wish = this.#wish === null ? suits : Math.max(whole, Math.min(this.#largest, this.#wish));
    // Whole device pixels, so that cells are sharp; far away it does not matter.
    const ratio = devicePixelRatio;
    this.cell = wish * ratio < 6 ? wish : Math.floor(wish * ratio + 0.001) / ratio;
    this.#surface.style.setProperty("--cell", `${this.cell}px`);
    this.#onFit(this.cell);
  }

  /** Show a board of another size, as it suits. */
  reset() {
    this.#wish = null;
    this.fit();
  }

  /** Whether a finger should bring cells closer before it means one of them. */
  get isSmall() {
    return isSmall(this.cell, this.#finger);
  }

  /** The part of the board that is seen. */
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
   * A place in the window as one on the board, in cells.
   * @param {Point} place
   * @returns {[x: number, y: number]}
   */
  inCells({ x, y }) {
    const box = this.#surface.getBoundingClientRect();
    return [(x - box.left) / this.cell - this.#edge / 2, (y - box.top) / this.cell - this.#edge / 2];
  }

  /**
   * A place on the board, in cells, as one in the window.
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
   * Scroll so that a place, in cells, is in the middle.
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
   * Larger (1) or smaller (-1) cells. The middle of the cell `place` stays where it is, if it is seen; else the middle
   * of what is seen does.
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
   * Show the whole board at once; or, if it is shown already, cells of a handy size around the cell `place`, or
   * around the middle.
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
   * Bring the cells that a finger has tapped closer; what it has tapped stays under it.
   * @param {Point} finger
   */
  bringCloser(finger) {
    this.#to(closer(this.#sizes().whole), this.inCells(finger), finger);
  }

  /**
   * A pinch begins, with the middle of its fingers.
   * @param {Point} middle
   */
  start(middle) {
    this.#from = { cell: this.cell, at: this.inCells(middle) };
  }

  /**
   * A pinch goes on: `factor` counts from its start.
   * @param {number} factor
   * @param {Point} middle
   */
  pinch(factor, middle) {
    this.#to(this.#from.cell * factor, this.#from.at, middle);
  }

  /** The size of a cell that shows the whole board, and the smallest handy size. */
  #sizes() {
    const { columns, rows } = this.#size();
    const room = this.#room.getBoundingClientRect();
    const whole = Math.min(this.#largest, room.width / (columns + this.#edge), room.height / (rows + this.#edge));
    const handy = matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : MOUSE_PX;
    return { whole, suits: showsWhole(whole) ? whole : handy };
  }

  /**
   * Cells of `wish` pixels; the place `[x, y]` of the board, in cells, goes to `to` in the window.
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

/** The buttons "−", "whole" and "+", which stand in the page as `#smaller`, `#whole` and `#larger`. */
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
