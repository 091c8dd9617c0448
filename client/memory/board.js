/**
 * The board on the page: one element per cell, made once; a change touches only the cells it names.
 *
 * A cell's state stands in data attributes, and memory.css gives them their looks: data-is = down | up | none,
 * data-held = mine | other, data-wait (the player waits for it), data-pending (asked, not answered).
 */

import { element, hit, motionIsReduced, setAttribute } from "../shared/dom.js";
import { closer, FINGER_PX, isSmall, showsWhole } from "../shared/fit.js";
import { RovingGrid } from "../shared/grid.js";
import { nameOf } from "../shared/names.js";
import { badge, paint } from "../shared/player.js";
import { linesIn, Peek, shareOnLines, widthInEms } from "./cardtext.js";
import { cellLabel } from "./words.js";

/** @import { Cell, Game } from "./game.js" */

const SMALL_CELL_PX = 64; // up to here a picture and a badge need places of their own
const LARGE_BOARD_CELLS = 600; // from here on rows that are off screen are not rendered
const LONG_PRESS_MS = 450;
const MOST_WAITERS_SHOWN = 3;

/**
 * @typedef {object} BoardParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {Game} game
 * @property {(row: number, column: number) => void} onFlip
 * @property {(fit: {small: boolean, whole: boolean}) => void} onFit
 */

export class Board {
  #frame;
  #room;
  #game;
  /** @type {string | null} */ #me = null;
  #onFlip;
  #onFit;
  #close = false; // a finger has brought the cells closer
  /** @type {string | null} */ #pointer = null; // what the press was made with that a click may follow
  /** @type {HTMLElement | null} */ #table = null;
  /** @type {HTMLElement[]} */ #cells = [];
  /** @type {string[]} */ #looks = []; // what is drawn, by index
  /** @type {RovingGrid | null} */ #grid = null;
  #peek;
  /** @type {number | undefined} */ #pressTimer = undefined;
  #longPressed = false;
  /** @type {HTMLElement | null} */ #clicked = null;

  /**
   * `frame` is the `.frame` to build into, `room` the `.stage-room` that is as large as the board may be. `onFlip(row,
   * column)` is called for a click, a tap, Enter or Space; `onFit({small, whole})` when the size has changed: whether
   * the whole board is too small for fingers, and whether it is shown all the same.
   * @param {BoardParts} parts
   */
  constructor({ frame, room, game, onFlip, onFit }) {
    this.#frame = frame;
    this.#room = room;
    this.#game = game;
    this.#onFlip = onFlip;
    this.#onFit = onFit;
    this.#peek = new Peek(frame);
    new ResizeObserver(() => this.#fit()).observe(room);
  }

  /**
   * Show the whole game from a player's side; keep the cells, and so the focus, if the size is the same.
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
   * Show the cells with these indexes again, with the motion that explains the change.
   * @param {Iterable<number>} indexes
   */
  update(indexes) {
    const animate = !motionIsReduced();
    for (const index of indexes) this.#paint(index, animate);
  }

  /**
   * Mark a cell as pending, until its outcome comes.
   * @param {number} index
   * @param {boolean} pending
   */
  setPending(index, pending) {
    const cell = this.#cells[index];
    if (cell !== undefined) setAttribute(cell, "data-pending", pending);
  }

  /**
   * Show all of the board, or, if that is small, cells for fingers around the focused one.
   * @param {boolean} whole
   */
  showWhole(whole) {
    this.#close = !whole;
    this.#fit();
    if (whole) return;
    if (this.#grid === null) return;
    const focused = this.#cells[this.#game.index(this.#grid.row, this.#grid.column)];
    focused?.scrollIntoView({ block: "nearest", inline: "center" });
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
      "aria-label": "Board",
      "aria-rowcount": rows,
      "aria-colcount": columns,
      "data-columns": columns,
      "data-large": large,
    });
    table.style.setProperty("--columns", String(columns));

    // One row is made, the others are copies: 10,000 cells stand within a tenth of a second.
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
    this.#frame.append(table);
    this.#table = table;
    this.#fit();
    this.#grid = new RovingGrid(table, {
      cellAt: (row, column) => this.#cells[row * columns + column] ?? null,
      pageRows: () => Math.max(1, Math.floor(this.#frame.clientHeight / this.#cellSize()) - 1),
      onKey: (row, column, key) => {
        if (key !== "Enter" && key !== " ") return false;
        this.#onFlip(row, column);
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
      // The second click of a double click is a habit, not a move: it would release the first card (rule 2-B).
      const habit = event.detail > 1 && cell === this.#clicked;
      this.#clicked = cell;
      const byFinger = this.#pointer === "touch";
      this.#pointer = null; // what comes without a press comes from a keyboard or a screen reader
      if (cell === null || habit || pressedLong) return;
      if (byFinger && isSmall(this.#cellSize())) this.#bringCloser(cell, event);
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

  #cellSize() {
    return Number.parseFloat(this.#table?.style.getPropertyValue("--cell") ?? "");
  }

  #fit() {
    if (this.#table === null) return;
    const { rows, columns } = this.#game;
    const room = this.#room.getBoundingClientRect();
    // The board's padding, a twentieth of a cell on each side, counts as a tenth of a column.
    const fits = Math.floor(Math.min(room.width / (columns + 0.1), room.height / (rows + 0.1)));
    const small = showsWhole(fits) && isSmall(fits);
    const cell = small && this.#close ? closer(fits) : showsWhole(fits) ? fits : FINGER_PX;
    this.#table.style.setProperty("--cell", `${cell}px`);
    this.#table.toggleAttribute("data-small", cell < SMALL_CELL_PX);
    this.#table.style.setProperty("--lines", String(linesIn(cell)));
    const weave = 2 * Math.max(3, Math.round(cell / 14)); // whole pixels, or it blurs
    this.#table.style.setProperty("--weave", `${weave}px`);
    this.#onFit({ small, whole: cell === fits });
  }

  /**
   * The cell that a finger has tapped stays under it.
   * @param {HTMLElement} cell
   * @param {{clientX: number, clientY: number}} place
   */
  #bringCloser(cell, { clientX, clientY }) {
    this.#close = true;
    this.#fit();
    const box = cell.getBoundingClientRect();
    this.#frame.scrollBy({
      left: box.left + box.width / 2 - clientX,
      top: box.top + box.height / 2 - clientY,
      behavior: "instant",
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
    const looks = JSON.stringify([now, waiters, left, this.#me]);
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
    setAttribute(cell, "title", now.is === "up" ? this.#title(now, waiters) : null);
    const owner = held ?? (now.is === "none" ? now.by : null);
    if (owner === null) cell.classList.remove("hue");
    else paint(cell, owner);
    card.replaceChildren(...this.#contents(now, held, waiters));
    if (ghost !== null) this.#animate(cell, ghost, before.is, now.is);
  }

  /**
   * @param {Cell} now
   * @param {string[]} waiters
   */
  #title(now, waiters) {
    const left = now.by !== null && this.#game.hasLeft(now.by) ? ", who has left" : "";
    const holder = now.by === null ? "" : now.by === this.#me ? " – yours" : ` – held by ${nameOf(now.by)}${left}`;
    return `${now.card}${holder}${waiters.length === 0 ? "" : `, ${waiters.join(", ")} waiting`}`;
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
    const face = element("span", { class: "face" }, element("span", { class: "face-text", text: now.card }));
    const ems = widthInEms(now.card);
    face.style.setProperty("--ems", String(ems));
    face.style.setProperty("--share", String(shareOnLines(ems)));
    const parts = [face];
    if (held === this.#me) parts.push(element("span", { class: "badge mine-mark", "data-initials": "you" }));
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
      const words = ["waiting for", held ?? "it"].map((text) => element("span", { "data-text": text }));
      parts.push(element("span", { class: "wait-words" }, ...words));
    }
    return parts;
  }

  /**
   * A ghost of the old face turns away (or leaves) above the new one, which is there, and can be played, at once.
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
