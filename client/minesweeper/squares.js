/**
 * The field for the keyboard and for screen readers: labelled, focusable elements above the canvas. Only the focused
 * square and the squares around it have elements. The elements form an ARIA grid with the size of the whole field.
 */

import { element, setAttribute } from "../shared/dom.js";
import { RovingGrid } from "../shared/grid.js";

/** @import { GridCallbacks } from "../shared/grid.js" */

const AROUND = 2; // squares in each direction, for screen readers that read on without moving the focus

export class Squares {
  #element;
  #label;
  #grid;
  #rows = 0;
  #columns = 0;
  /** @type {Map<number, {line: HTMLElement, cells: Map<number, HTMLElement>}>} */
  #lines = new Map(); // row -> {line, cells: Map of column -> element}
  #pruning = false;

  /**
   * `element` is the element with role="grid" for the squares. `label(x, y)` returns the label of a square. RovingGrid
   * explains `pageRows` and `onKey(row, column, key, event)`.
   * @param {HTMLElement} element
   * @param {object} parts
   * @param {(x: number, y: number) => string} parts.label
   * @param {GridCallbacks["pageRows"]} parts.pageRows
   * @param {GridCallbacks["onKey"]} parts.onKey
   */
  constructor(element, { label, pageRows, onKey }) {
    this.#element = element;
    this.#label = label;
    this.#grid = new RovingGrid(element, {
      cellAt: (row, column) => this.#cellAt(row, column),
      pageRows,
      onKey,
      onMove: () => this.#follow(),
    });
  }

  /** The last focused square, or null. */
  get place() {
    return this.#grid.place;
  }

  /**
   * Set the size of the field, and make new elements.
   * @param {number} rows
   * @param {number} columns
   */
  resize(rows, columns) {
    const hadFocus = this.#element.contains(document.activeElement);
    this.#rows = rows;
    this.#columns = columns;
    setAttribute(this.#element, "aria-rowcount", rows);
    setAttribute(this.#element, "aria-colcount", columns);
    for (const { line } of this.#lines.values()) line.remove();
    this.#lines.clear();
    this.#grid.resize(rows, columns);
    this.#prune();
    if (hadFocus) this.focus(this.#grid.column, this.#grid.row, { preventScroll: true });
  }

  /** Update the labels of the squares that have elements. */
  refresh() {
    for (const [row, { cells }] of this.#lines) {
      for (const [column, cell] of cells) setAttribute(cell, "aria-label", this.#label(column, row));
    }
  }

  /**
   * Put the focus on a square.
   * @param {number} x
   * @param {number} y
   * @param {FocusOptions} options
   */
  focus(x = this.#grid.column, y = this.#grid.row, options = {}) {
    this.#cellAt(y, x).focus(options); // the grid's listener for focusin notes the new place
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #cellAt(row, column) {
    let there = this.#lines.get(row);
    if (there === undefined) {
      there = { line: element("div", { class: "line", role: "row", "aria-rowindex": row + 1 }), cells: new Map() };
      insertSorted(this.#element, there.line, ".line", "aria-rowindex", row + 1);
      this.#lines.set(row, there);
    }
    let cell = there.cells.get(column);
    if (cell === undefined) {
      cell = element("div", {
        class: "square",
        role: "gridcell",
        tabindex: "-1",
        "data-row": row,
        "data-column": column,
        "aria-colindex": column + 1,
        "aria-label": this.#label(column, row),
      });
      cell.style.setProperty("--x", String(column));
      cell.style.setProperty("--y", String(row));
      insertSorted(there.line, cell, ".square", "aria-colindex", column + 1);
      there.cells.set(column, cell);
    }
    return cell;
  }

  /** Make the elements around the focus, after the focus has moved: a change during the move would disturb it. */
  #follow() {
    if (this.#pruning) return;
    this.#pruning = true;
    queueMicrotask(() => {
      this.#pruning = false;
      this.#prune();
    });
  }

  #prune() {
    const [row, column] = [this.#grid.row, this.#grid.column];
    for (const [y, { line, cells }] of this.#lines) {
      for (const [x, cell] of cells) {
        if (Math.abs(y - row) <= AROUND && Math.abs(x - column) <= AROUND) continue;
        if (cell === document.activeElement) continue;
        cell.remove();
        cells.delete(x);
      }
      if (cells.size > 0) continue;
      line.remove();
      this.#lines.delete(y);
    }
    for (let y = Math.max(0, row - AROUND); y <= Math.min(this.#rows - 1, row + AROUND); y += 1) {
      for (let x = Math.max(0, column - AROUND); x <= Math.min(this.#columns - 1, column + AROUND); x += 1)
        this.#cellAt(y, x);
    }
  }
}

/**
 * Insert `child` into `parent` among the children that match `selector`. The number in `attribute` gives the order.
 * @param {Element} parent
 * @param {Element} child
 * @param {string} selector
 * @param {string} attribute
 * @param {number} number
 */
function insertSorted(parent, child, selector, attribute, number) {
  const next = [...parent.children].find(
    (other) => other.matches(selector) && Number(other.getAttribute(attribute)) > number,
  );
  parent.insertBefore(child, next ?? null);
}
