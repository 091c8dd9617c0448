/**
 * A board of cells for a small game. The whole board is visible, in the largest size that fits. Arrow keys move the
 * focus. Enter, Space and a click press a cell. The game determines the player and the look of each cell.
 */

import { byId, element, hit, setAttribute, setText, within } from "./dom.js";
import { RovingGrid } from "./grid.js";
import { nameOf } from "./names.js";
import { paint } from "./player.js";
import { SHARED } from "./words.js";

/**
 * @typedef {object} PlainCell
 * @property {string | null} [by] the player whose colours the cell has
 * @property {string} [look] words for the game's style sheet: `[data-look~="won"]`
 * @property {string} [text]
 * @property {string} [says] the text for screen readers. Default: the player's name, or "empty"
 */

/** @typedef {{row: number, column: number}} Place */

export class PlainBoard {
  #element;
  #grid;
  /** @type {HTMLElement[]} */ #cells = [];
  #columns = 0;

  /**
   * Put a board into the page. `onPress(row, column)` is called when the user presses a cell. `onAim(place)` is called
   * with the cell under the mouse, or null.
   * @param {object} parts
   * @param {string} parts.label
   * @param {(row: number, column: number) => void} parts.onPress
   * @param {(place: Place | null) => void} [parts.onAim]
   */
  constructor({ label, onPress, onAim = () => {} }) {
    this.#element = element("div", { class: "plain-board", role: "grid", "aria-label": label });
    this.#grid = new RovingGrid(this.#element, {
      cellAt: (row, column) => this.#cells[row * this.#columns + column] ?? null,
      onKey: (row, column, key) => {
        const presses = key === "Enter" || key === " ";
        if (presses) onPress(row, column);
        return presses;
      },
    });
    this.#element.addEventListener("click", (event) => {
      const place = placeOf(event);
      if (place !== null) onPress(place.row, place.column);
    });
    this.#element.addEventListener("pointerover", (event) => event.pointerType === "mouse" && onAim(placeOf(event)));
    this.#element.addEventListener("pointerleave", () => onAim(null));
    byId("frame").append(this.#element);
    new ResizeObserver(() => this.#fit()).observe(within(document, ".stage-room"));
  }

  /**
   * Show the cells, row by row.
   * @param {PlainCell[][]} rows
   */
  show(rows) {
    const columns = rows[0]?.length ?? 0;
    if (this.#cells.length !== rows.length * columns || this.#columns !== columns) this.#make(rows.length, columns);
    for (const [at, cell] of rows.flat().entries()) showCell(this.#cells[at], cell);
  }

  /** Put the focus on the board. */
  focus() {
    this.#grid.focus();
  }

  /**
   * @param {number} rows
   * @param {number} columns
   */
  #make(rows, columns) {
    this.#columns = columns;
    this.#element.style.setProperty("--columns", String(columns));
    const lines = Array.from({ length: rows }, (_, row) =>
      element(
        "div",
        { role: "row", class: "plain-row" },
        ...Array.from({ length: columns }, (_, column) =>
          element("div", {
            role: "gridcell",
            class: "plain-cell",
            tabindex: -1,
            "data-row": row,
            "data-column": column,
          }),
        ),
      ),
    );
    this.#element.replaceChildren(...lines);
    this.#cells = lines.flatMap((line) => [.../** @type {NodeListOf<HTMLElement>} */ (line.childNodes)]);
    this.#grid.resize(rows, columns);
    this.#fit();
  }

  /** Set `--cell` to the largest size with which the whole board is visible. */
  #fit() {
    const { width, height } = within(document, ".stage-room").getBoundingClientRect();
    const rows = this.#cells.length / this.#columns;
    const size = Math.floor(Math.min(width / this.#columns, height / rows));
    if (size > 0) this.#element.style.setProperty("--cell", `${size}px`);
  }
}

/**
 * @param {Event} event
 * @returns {Place | null}
 */
function placeOf(event) {
  const cell = hit(event, ".plain-cell");
  return cell && { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

/**
 * @param {HTMLElement} shown
 * @param {PlainCell} cell
 */
function showCell(shown, { by = null, look = "", text = "", says = by === null ? SHARED.empty : nameOf(by) }) {
  if (by !== null) paint(shown, by);
  setAttribute(shown, "data-by", by);
  setAttribute(shown, "data-look", look);
  const { row, column } = shown.dataset;
  setAttribute(shown, "aria-label", `${SHARED.place(Number(row) + 1, Number(column) + 1)}: ${says}`);
  setText(shown, text);
}
