/**
 * The board on the page: one element per cell, made once. A change touches only its cells.
 *
 * Data attributes have a cell's state, and memory.css defines their looks: data-is = down | up | none,
 * data-held = mine | other, data-left (the holder has left), data-wait (the player waits for the cell), data-pending
 * (the flip has no outcome yet).
 */

import { element, hit, motionIsReduced, setAttribute } from "../shared/dom.js";
import { listenToPinches } from "../shared/fingers.js";
import { RovingGrid } from "../shared/grid.js";
import { nameOf, plainNameOf } from "../shared/names.js";
import { badge, paint } from "../shared/player.js";
import { SHARED } from "../shared/words.js";
import { Zoom } from "../shared/zoom.js";
import { linesIn, longestWordInEms, Peek, shareOnLines, widthInEms } from "./cardtext.js";
import { cellLabel, cellTitle } from "./sentences.js";
import { WORDS } from "./words.js";

/** @import { Cell, Game } from "./game.js" */
/** @import { View } from "../shared/zoom.js" */

const TINY_CELL_PX = 24; // in smaller cells, a badge would hide the card
const SMALL_CELL_PX = 64; // up to this size, a picture and a badge need separate places
const LARGE_BOARD_CELLS = 600; // from this number on, rows outside the screen are not rendered
const LONG_PRESS_MS = 450;
const HELD_SHARE = 0.8; // the share of a small card's height for its text, beside a badge
const MOST_WAITERS_SHOWN = 3;
const FINGER_PX = 32; // size of a card that a finger hits: 10x10 cards on a phone that is 360 pixels wide
const LARGEST_PX = 640;
const EDGE = 0.1; // the board's padding in cells: 0.05 on each side

/**
 * @typedef {object} BoardParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {Game} game
 * @property {(row: number, column: number) => void} onFlip
 * @property {(view: View, cell: number) => void} onView
 */

export class Board {
  #frame;
  #surface = element("div", { class: "surface" });
  #zoom;
  #viewAsked = false;
  #game;
  /** @type {string | null} */ #me = null;
  #onFlip;
  #onView;
  /** @type {string | null} */ #pointer = null; // the pointer type of the last press, until the click
  /** @type {HTMLElement | null} */ #table = null;
  /** @type {HTMLElement[]} */ #cells = [];
  /** @type {string[]} */ #looks = []; // the drawn state of each cell, by index
  /** @type {RovingGrid | null} */ #grid = null;
  #peek;
  /** @type {number | undefined} */ #pressTimer = undefined;
  #longPressed = false;
  /** @type {HTMLElement | null} */ #clicked = null;

  /**
   * `frame` is the `.frame` for the board. `room` is the `.stage-room` with the maximum size of the board. `onFlip(row,
   * column)` is called for a click, a tap, Enter or Space. `onView(view, cell)` is called when the visible part or the
   * size of a cell changes; `cell` is the size in pixels.
   * @param {BoardParts} parts
   */
  constructor({ frame, room, game, onFlip, onView }) {
    this.#frame = frame;
    this.#game = game;
    this.#onFlip = onFlip;
    this.#onView = onView;
    this.#peek = new Peek(frame);
    frame.append(this.#surface);
    this.#zoom = new Zoom({
      frame,
      room,
      surface: this.#surface,
      size: () => game,
      onFit: (cell) => this.#fitted(cell),
      edge: EDGE,
      largest: LARGEST_PX,
      finger: FINGER_PX,
    });
    listenToPinches(frame, this.#zoom, () => {
      clearTimeout(this.#pressTimer);
      this.#longPressed = true; // ignore the next click
    });
    frame.addEventListener("scroll", () => this.#viewChanged(), { passive: true });
  }

  /**
   * Show the whole game from the side of the player `me`. If the size is the same, keep the cells and the focus.
   * @param {string} me
   */
  show(me) {
    this.#me = me;
    const { rows, columns } = this.#game;
    const same = this.#cells.length === rows * columns && Number(this.#table?.dataset.columns) === columns;
    if (!same) this.#build(rows, columns);
    for (const index of this.#cells.keys()) this.#paint(index, false);
  }

  /**
   * Redraw the cells with these indexes, with a motion that explains the change.
   * @param {Iterable<number>} indexes
   */
  update(indexes) {
    const animate = !motionIsReduced();
    for (const index of indexes) this.#paint(index, animate);
  }

  /**
   * Mark a cell as pending, until its outcome arrives.
   * @param {number} index
   * @param {boolean} pending
   */
  setPending(index, pending) {
    const cell = this.#cells[index];
    if (cell !== undefined) setAttribute(cell, "data-pending", pending);
  }

  /**
   * Make cards larger (1) or smaller (-1).
   * @param {number} direction
   */
  zoomStep(direction) {
    this.#zoom.step(direction, this.#grid?.place ?? null);
  }

  /** Show the whole board. If the whole board is visible, show cards of the default size around the focused card. */
  zoomWhole() {
    this.#zoom.toggleWhole(this.#grid?.place ?? null);
  }

  /**
   * Scroll a place, in cells, to the middle.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    this.#zoom.reveal(x, y);
  }

  /** Put the keyboard's focus on the board, without showing the whole text of the focused card. */
  focus() {
    this.#grid?.focus();
    this.#peek.hide();
  }

  /**
   * @param {number} rows
   * @param {number} columns
   */
  #build(rows, columns) {
    const hadFocus = this.#table?.contains(document.activeElement) ?? false;
    const large = rows * columns > LARGE_BOARD_CELLS;
    const table = element("div", {
      class: "board",
      role: "grid",
      "aria-label": WORDS.board,
      "aria-rowcount": rows,
      "aria-colcount": columns,
      "data-columns": columns,
      "data-large": large,
    });
    table.style.setProperty("--columns", String(columns));

    // Make the first row, and copy it for the other rows: 10,000 cells take 0.1 seconds.
    const pattern = element("div", { class: "row", role: "row" });
    for (let column = 0; column < columns; column += 1) {
      pattern.append(
        element(
          "div",
          {
            class: "cell",
            role: "gridcell",
            tabindex: "-1",
            "data-is": "down",
            "data-column": column,
            "aria-colindex": column + 1,
          },
          element("div", { class: "card" }),
        ),
      );
    }
    this.#cells = [];
    this.#looks = [];
    for (let row = 0; row < rows; row += 1) {
      const line = /** @type {HTMLElement} */ (pattern.cloneNode(true));
      line.setAttribute("aria-rowindex", String(row + 1));
      for (const cell of /** @type {HTMLCollectionOf<HTMLElement>} */ (line.children)) {
        cell.dataset.row = String(row);
        this.#cells.push(cell);
      }
      table.append(line);
    }

    this.#listen(table);
    this.#table?.remove();
    this.#surface.append(table);
    this.#table = table;
    this.#zoom.reset();
    this.#grid = new RovingGrid(table, {
      cellAt: (row, column) => this.#cells[row * columns + column] ?? null,
      pageRows: () => Math.max(1, Math.floor(this.#frame.clientHeight / this.#zoom.cell) - 1),
      onKey: (row, column, key, { ctrlKey }) => {
        if (key === "Enter" || key === " ") this.#onFlip(row, column);
        else if (ctrlKey) return false;
        else if (key === "+" || key === "=") this.zoomStep(1);
        else if (key === "-") this.zoomStep(-1);
        else if (key === "0") this.zoomWhole();
        else return false;
        return true;
      },
      onMove: (row, column) => this.#peekAt(row * columns + column),
    });
    this.#grid.resize(rows, columns);
    if (hadFocus) this.#grid.focus();
  }

  /** @param {HTMLElement} table */
  #listen(table) {
    const cellOf = (/** @type {Event} */ event) => hit(event, ".cell");
    table.addEventListener("click", (event) => {
      const cell = cellOf(event);
      const pressedLong = this.#longPressed;
      this.#longPressed = false;
      // Ignore the second click of a double click: it would relinquish the first card (rule 2-B).
      const habit = event.detail > 1 && cell === this.#clicked;
      this.#clicked = cell;
      const byFinger = this.#pointer === "touch";
      this.#pointer = null; // a click without a press comes from a keyboard or a screen reader
      if (cell === null || habit || pressedLong) return;
      if (byFinger && this.#zoom.isSmall) this.#zoom.bringCloser({ x: event.clientX, y: event.clientY });
      else this.#onFlip(Number(cell.dataset.row), Number(cell.dataset.column));
    });
    table.addEventListener("pointerdown", (event) => {
      this.#longPressed = false;
      this.#pointer = event.pointerType;
      this.#peek.hide();
      const cell = cellOf(event);
      if (cell === null || event.pointerType === "mouse") return;
      this.#pressTimer = setTimeout(() => {
        this.#longPressed = this.#peekAt(this.#cells.indexOf(cell));
      }, LONG_PRESS_MS);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      table.addEventListener(end, () => clearTimeout(this.#pressTimer));
    }
    table.addEventListener("contextmenu", (event) => {
      if (this.#longPressed) event.preventDefault();
    });
    table.addEventListener("focusout", () => this.#peek.hide());
  }

  /** @param {number} index */
  #peekAt(index) {
    const cell = this.#cells[index];
    return cell !== undefined && this.#peek.show(cell, this.#game.cells[index].card);
  }

  // --- size ---

  /** @param {number} cell */
  #fitted(cell) {
    this.#table?.toggleAttribute("data-small", cell < SMALL_CELL_PX);
    this.#table?.toggleAttribute("data-tiny", cell < TINY_CELL_PX);
    this.#surface.style.setProperty("--lines", String(linesIn(cell)));
    this.#surface.style.setProperty("--lines-held", String(linesIn(cell * HELD_SHARE)));
    const weave = 2 * Math.max(3, Math.round(cell / 14)); // whole pixels, because fractions look blurred
    this.#surface.style.setProperty("--weave", `${weave}px`);
    this.#viewChanged();
  }

  /** Report the visible part, at most once a frame. */
  #viewChanged() {
    if (this.#viewAsked) return;
    this.#viewAsked = true;
    requestAnimationFrame(() => {
      this.#viewAsked = false;
      if (this.#game.rows > 0) this.#onView(this.#zoom.view, this.#zoom.cell);
    });
  }

  // --- one cell ---

  /**
   * @param {number} index
   * @param {boolean} animate
   */
  #paint(index, animate) {
    const cell = this.#cells[index];
    const now = this.#game.cells[index];
    const held = now.is === "up" && now.by !== null ? now.by : null;
    const waiters = now.is === "up" ? this.#game.waitersFor(index) : [];
    const left = held !== null && this.#game.hasLeft(held);
    const names = [now.by ?? "", ...waiters].map(plainNameOf);
    const looks = JSON.stringify([now, waiters, left, this.#me, names]);
    if (this.#looks[index] === looks) return;
    this.#looks[index] = looks;

    const card = /** @type {HTMLElement} */ (cell.firstElementChild);
    const before = { is: cell.dataset.is, text: cell.dataset.card };
    const turned = before.is !== now.is || before.text !== now.card;
    const ghost = animate && turned ? /** @type {HTMLElement} */ (card.cloneNode(true)) : null;

    setAttribute(cell, "data-is", now.is);
    setAttribute(cell, "data-card", now.card);
    setAttribute(cell, "data-held", held === null ? null : held === this.#me ? "mine" : "other");
    setAttribute(cell, "data-left", left);
    setAttribute(cell, "data-wait", waiters.includes(this.#me ?? ""));
    setAttribute(cell, "aria-label", cellLabel(this.#game, this.#me, index));
    setAttribute(cell, "title", now.is === "up" ? cellTitle(this.#game, this.#me, index) : null);
    const owner = held ?? (now.is === "none" ? now.by : null);
    if (owner === null) cell.classList.remove("hue");
    else paint(cell, owner);
    card.replaceChildren(...this.#contents(now, held, waiters));
    if (ghost !== null) this.#animate(cell, ghost, before.is, now.is);
  }

  /**
   * @param {Cell} now
   * @param {string | null} held
   * @param {string[]} waiters
   * @returns {Node[]}
   */
  #contents(now, held, waiters) {
    if (now.is === "down") return [];
    if (now.is === "none") return [badge(now.by ?? "")];
    const face = element(
      "span",
      { class: "face" },
      element("span", { class: "face-text", dir: "auto", text: now.card }),
    );
    const ems = widthInEms(now.card);
    face.style.setProperty("--ems", String(ems));
    face.style.setProperty("--word", String(longestWordInEms(now.card)));
    face.style.setProperty("--share", String(shareOnLines(ems)));
    const parts = [face];
    if (held === this.#me) parts.push(element("span", { class: "badge mine-mark", "data-initials": SHARED.you }));
    else if (held !== null) parts.push(badge(held));
    if (waiters.length > 0) {
      const more = waiters.length - MOST_WAITERS_SHOWN;
      parts.push(
        element(
          "span",
          { class: "waiters" },
          ...waiters.slice(0, MOST_WAITERS_SHOWN).map(badge),
          more > 0 ? element("span", { class: "more", "data-text": `+${more}` }) : null,
        ),
      );
    }
    if (waiters.includes(this.#me ?? "")) {
      const lines = [WORDS.waitingForIt, held === null ? WORDS.it : nameOf(held)];
      const words = lines.map((text) => element("span", { "data-text": text }));
      parts.push(element("span", { class: "wait-words" }, ...words));
    }
    return parts;
  }

  /**
   * Animate a ghost of the old face: it turns away, or leaves, above the new face. The player can use the new face at
   * once.
   * @param {HTMLElement} cell
   * @param {HTMLElement} ghost
   * @param {string | undefined} before
   * @param {string} after
   */
  #animate(cell, ghost, before, after) {
    cell.querySelector(".ghost")?.remove();
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.dataset.was = before;
    cell.append(ghost);
    const leaves = after === "none";
    const motion = leaves ? "leaving" : "turning";
    cell.dataset.motion = motion;
    const done = () => {
      ghost.remove();
      if (cell.querySelector(".ghost") === null) delete cell.dataset.motion;
    };
    ghost.addEventListener("animationend", done, { once: true });
    ghost.addEventListener("animationcancel", done, { once: true });
  }
}
