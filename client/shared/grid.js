/**
 * Roving focus in a grid (the ARIA grid pattern): one cell is in the tab order, the arrows move it.
 *
 * Arrows; Home and End for the row, with Ctrl for the whole grid; PageUp and PageDown by what one sees;
 * Enter and Space act. Works for cells that exist all the time and for windowed or canvas boards alike:
 * `cellAt` may make the cell on demand.
 */

export class RovingGrid {
  #element;
  #cellAt;
  #pageRows;
  #onKey;
  #onMove;
  #rows = 0;
  #columns = 0;
  #row = 0;
  #column = 0;

  /**
   * `element` has role="grid". `cellAt(row, column)` returns a focusable element with tabindex="-1" and the data
   * attributes row and column. `pageRows()` tells how many rows are seen at once.
   * `onKey(row, column, key, event)` is called for keys that are not moves, such as "Enter", " " or "f", and returns true
   * if it has dealt with them. `onMove(row, column)` follows the focus.
   */
  constructor(element, { cellAt, pageRows = () => 10, onKey = () => false, onMove = () => {} }) {
    this.#element = element;
    this.#cellAt = cellAt;
    this.#pageRows = pageRows;
    this.#onKey = onKey;
    this.#onMove = onMove;
    element.addEventListener("keydown", (event) => this.#keydown(event));
    element.addEventListener("focusin", (event) => {
      const cell = event.target.closest("[data-row]");
      if (cell !== null) this.#rove(Number(cell.dataset.row), Number(cell.dataset.column));
    });
  }

  get row() {
    return this.#row;
  }

  get column() {
    return this.#column;
  }

  /** The grid has this size now; the place of focus is kept as far as it still exists. */
  resize(rows, columns) {
    this.#rows = rows;
    this.#columns = columns;
    const row = Math.min(this.#row, rows - 1);
    const column = Math.min(this.#column, columns - 1);
    this.#row = row;
    this.#column = column;
    this.#cellAt(row, column).tabIndex = 0;
  }

  /** Moves the focus to a cell. */
  focus(row = this.#row, column = this.#column) {
    this.#rove(row, column);
    this.#cellAt(row, column).focus();
  }

  #rove(row, column) {
    if (row !== this.#row || column !== this.#column) {
      const before = this.#cellAt(this.#row, this.#column);
      if (before !== null) before.tabIndex = -1;
      this.#row = row;
      this.#column = column;
    }
    this.#cellAt(row, column).tabIndex = 0;
    this.#onMove(row, column);
  }

  #keydown(event) {
    if (event.target.closest("[data-row]") === null || event.altKey || event.metaKey) return;
    const goal = this.#goal(event);
    if (goal !== null) {
      event.preventDefault();
      this.focus(Math.max(0, Math.min(this.#rows - 1, goal[0])), Math.max(0, Math.min(this.#columns - 1, goal[1])));
    } else if (!event.repeat && this.#onKey(this.#row, this.#column, event.key, event)) event.preventDefault();
  }

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
