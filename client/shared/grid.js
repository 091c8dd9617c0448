/**
 * Roving focus in a grid (the ARIA grid pattern): one cell is in the tab order, and the arrow keys move the focus.
 *
 * Keys: the arrow keys; Home and End for the ends of the row, with Ctrl for the ends of the grid; PageUp and PageDown
 * by the number of visible rows; Enter and Space act. The cells may exist permanently, or `cellAt` may make them on
 * demand, for windowed and canvas boards.
 */

import { hit } from "./dom.js";

/**
 * @typedef {object} GridCallbacks
 * @property {(row: number, column: number) => HTMLElement | null} cellAt returns null if the cell does not exist
 * @property {() => number} [pageRows]
 * @property {(row: number, column: number, key: string, event: KeyboardEvent) => boolean} [onKey]
 * @property {(row: number, column: number) => void} [onMove]
 */

export class RovingGrid {
  #cellAt;
  #pageRows;
  #onKey;
  #onMove;
  #rows = 0;
  #columns = 0;
  #row = 0;
  #column = 0;
  #wasUsed = false;

  /**
   * `element` has role="grid". `cellAt(row, column)` returns a focusable element with tabindex="-1" and the data
   * attributes row and column. `pageRows()` returns the number of visible rows. `onKey(row, column, key, event)` is
   * called for other keys, such as "Enter", " " or "f", and returns true if it has handled the key.
   * `onMove(row, column)` is called when the focus moves.
   * @param {HTMLElement} element
   * @param {GridCallbacks} callbacks
   */
  constructor(element, { cellAt, pageRows = () => 10, onKey = () => false, onMove = () => {} }) {
    this.#cellAt = cellAt;
    this.#pageRows = pageRows;
    this.#onKey = onKey;
    this.#onMove = onMove;
    element.addEventListener("keydown", (event) => this.#keydown(event));
    element.addEventListener("focusin", (event) => {
      const cell = hit(event, "[data-row]");
      if (cell !== null) this.#rove(Number(cell.dataset.row), Number(cell.dataset.column));
    });
    element.addEventListener("click", () => {
      this.#wasUsed = true;
    });
  }

  get row() {
    return this.#row;
  }

  get column() {
    return this.#column;
  }

  /** The last focused cell, or null until the user has moved the focus. */
  get place() {
    return this.#wasUsed ? { x: this.#column, y: this.#row } : null;
  }

  /**
   * Set the size of the grid. The focus stays in its cell if the cell still exists.
   * @param {number} rows
   * @param {number} columns
   */
  resize(rows, columns) {
    this.#rows = rows;
    this.#columns = columns;
    const row = Math.min(this.#row, rows - 1);
    const column = Math.min(this.#column, columns - 1);
    this.#row = row;
    this.#column = column;
    this.#cell(row, column).tabIndex = 0;
  }

  /**
   * Move the focus to a cell.
   * @param {number} row
   * @param {number} column
   */
  focus(row = this.#row, column = this.#column) {
    this.#rove(row, column);
    this.#cell(row, column).focus();
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #rove(row, column) {
    if (row !== this.#row || column !== this.#column) {
      const before = this.#cellAt(this.#row, this.#column);
      if (before !== null) before.tabIndex = -1;
      this.#row = row;
      this.#column = column;
      this.#wasUsed = true;
    }
    this.#cell(row, column).tabIndex = 0;
    this.#onMove(row, column);
  }

  /** @param {KeyboardEvent} event */
  #keydown(event) {
    if (hit(event, "[data-row]") === null || event.altKey || event.metaKey) return;
    this.#wasUsed = true;
    const goal = this.#goal(event);
    if (goal !== null) {
      event.preventDefault();
      this.focus(Math.max(0, Math.min(this.#rows - 1, goal[0])), Math.max(0, Math.min(this.#columns - 1, goal[1])));
    } else if (!event.repeat && this.#onKey(this.#row, this.#column, event.key, event)) event.preventDefault();
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #cell(row, column) {
    const cell = this.#cellAt(row, column);
    if (cell === null) throw new RangeError(`the grid has no cell at ${row}, ${column}`);
    return cell;
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {[number, number] | null}
   */
  #goal({ key, ctrlKey }) {
    const [row, column] = [this.#row, this.#column];
    switch (key) {
      case "ArrowUp":
        return [row - 1, column];
      case "ArrowDown":
        return [row + 1, column];
      case "ArrowLeft":
        return [row, column - 1];
      case "ArrowRight":
        return [row, column + 1];
      case "Home":
        return [ctrlKey ? 0 : row, 0];
      case "End":
        return [ctrlKey ? this.#rows - 1 : row, this.#columns - 1];
      case "PageUp":
        return [row - this.#pageRows(), column];
      case "PageDown":
        return [row + this.#pageRows(), column];
      default:
        return null;
    }
  }
}
