/**
 * The board on the page: one element per cell, made once; a change touches only the cells it names.
 *
 * A cell's state stands in data attributes, and memory.css gives them their looks:
 * data-is = down | up | none, data-held = mine | other, data-wait (the player waits for it), data-pending (asked, not answered).
 */

import { element, motionIsReduced, setAttribute } from "../shared/dom.js";
import { RovingGrid } from "../shared/grid.js";
import { badge, paint } from "../shared/player.js";
import { cellLabel } from "./words.js";

const SMALLEST_CELL_PX = 40; // a finger
const SMALL_CELL_PX = 64; // up to here a picture and a badge need to be told where to stand
const LARGE_BOARD_CELLS = 600; // from here on rows that are off screen are not rendered
const LONG_PRESS_MS = 450;
const MOST_WAITERS_SHOWN = 3;

export class Board {
  #frame;
  #room;
  #game;
  #me = null;
  #onFlip;
  #table = null;
  #cells = [];
  #grid = null;
  #peek = element("div", { class: "peek", "aria-hidden": "true", hidden: true });
  #pressTimer = null;
  #longPressed = false;
  #clicked = null;

  /**
   * `frame` is the `.frame` to build into, `room` the `.stage-room` that is as large as the board may be.
   * `onFlip(row, column)` is called for a click, a tap, Enter or Space.
   */
  constructor({ frame, room, game, onFlip }) {
    this.#frame = frame;
    this.#room = room;
    this.#game = game;
    this.#onFlip = onFlip;
    document.body.append(this.#peek);
    new ResizeObserver(() => this.#fit()).observe(room);
    frame.addEventListener("scroll", () => this.#hidePeek(), { passive: true });
  }

  /** Shows the whole game from a player's side; keeps the cells, and so the focus, if the size is the same. */
  show(me) {
    this.#me = me;
    const { rows, columns } = this.#game;
    const same = this.#cells.length === rows * columns && Number(this.#table?.dataset.columns) === columns;
    if (!same) this.#build(rows, columns);
    this.#cells.forEach((cell, index) => this.#paint(index, false));
  }

  /** Shows the cells with these indexes anew, with the motion that explains the change. */
  update(indexes) {
    const animate = !motionIsReduced();
    for (const index of indexes) this.#paint(index, animate);
  }

  /** Marks a cell as asked for, until its outcome comes. */
  setPending(index, pending) {
    const cell = this.#cells[index];
    if (cell !== undefined) setAttribute(cell, "data-pending", pending);
  }

  /** Puts the keyboard's focus on the board. */
  focus() {
    this.#grid?.focus();
  }

  #build(rows, columns) {
    const hadFocus = this.#table?.contains(document.activeElement) ?? false;
    const large = rows * columns > LARGE_BOARD_CELLS;
    const table = element("div", { class: "board", role: "grid", "aria-label": "Board", "aria-rowcount": rows,
      "aria-colcount": columns, "data-columns": columns, "data-large": large });
    table.style.setProperty("--columns", String(columns));

    // One row is made, the others are copies: 10,000 cells stand within a tenth of a second.
    const pattern = element("div", { class: "row", role: "row" });
    for (let column = 0; column < columns; column += 1) {
      pattern.append(element("div", { class: "cell", role: "gridcell", tabindex: "-1", "data-is": "down", "data-column": column,
        "aria-colindex": column + 1 }, element("div", { class: "card" })));
    }
    this.#cells = [];
    for (let row = 0; row < rows; row += 1) {
      const line = pattern.cloneNode(true);
      line.setAttribute("aria-rowindex", row + 1);
      for (const cell of line.children) {
        cell.dataset.row = row;
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

  #listen(table) {
    const cellOf = (event) => event.target.closest(".cell");
    table.addEventListener("click", (event) => {
      const cell = cellOf(event);
      const pressedLong = this.#longPressed;
      this.#longPressed = false;
      // The second click of a double click is a habit, not a move: it would give the first card away (2-B).
      const habit = event.detail > 1 && cell === this.#clicked;
      this.#clicked = cell;
      if (cell === null || habit || pressedLong) return;
      this.#onFlip(Number(cell.dataset.row), Number(cell.dataset.column));
    });
    table.addEventListener("pointerdown", (event) => {
      this.#longPressed = false;
      this.#hidePeek();
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
    table.addEventListener("focusout", () => this.#hidePeek());
  }

  // --- size ---

  #cellSize() {
    return Number.parseFloat(this.#table.style.getPropertyValue("--cell"));
  }

  #fit() {
    if (this.#table === null) return;
    const { rows, columns } = this.#game;
    const room = this.#room.getBoundingClientRect();
    // The board's padding, a twentieth of a cell on each side, counts as a tenth of a column.
    const cell = Math.max(SMALLEST_CELL_PX, Math.floor(Math.min(room.width / (columns + 0.1), room.height / (rows + 0.1))));
    this.#table.style.setProperty("--cell", `${cell}px`);
    this.#table.toggleAttribute("data-small", cell < SMALL_CELL_PX);
    this.#table.style.setProperty("--weave", `${2 * Math.max(3, Math.round(cell / 14))}px`); // whole pixels, or it blurs
  }

  // --- one cell ---

  #paint(index, animate) {
    const cell = this.#cells[index];
    const now = this.#game.cells[index];
    const held = now.is === "up" && now.by !== null ? now.by : null;
    const waiters = now.is === "up" ? this.#game.waitersFor(index) : [];
    const looks = JSON.stringify([now, waiters, this.#me]);
    if (cell.looks === looks) return;
    cell.looks = looks;

    const card = cell.firstElementChild;
    const before = { is: cell.dataset.is, text: cell.dataset.card };
    const turned = before.is !== now.is || before.text !== now.card;
    const ghost = animate && turned ? card.cloneNode(true) : null;

    setAttribute(cell, "data-is", now.is);
    setAttribute(cell, "data-card", now.card);
    setAttribute(cell, "data-held", held === null ? null : held === this.#me ? "mine" : "other");
    setAttribute(cell, "data-wait", waiters.includes(this.#me));
    setAttribute(cell, "aria-label", cellLabel(this.#game, this.#me, index));
    setAttribute(cell, "title", now.is === "up" ? this.#title(now, waiters) : null);
    const owner = held ?? (now.is === "none" ? now.by : null);
    if (owner === null) cell.classList.remove("hue");
    else paint(cell, owner);
    card.replaceChildren(...this.#contents(now, held, waiters));
    if (ghost !== null) this.#animate(cell, card, ghost, before.is, now.is);
  }

  #title(now, waiters) {
    const holder = now.by === null ? "" : now.by === this.#me ? " – yours" : ` – held by ${now.by}`;
    return `${now.card}${holder}${waiters.length === 0 ? "" : `, ${waiters.join(", ")} waiting`}`;
  }

  #contents(now, held, waiters) {
    if (now.is === "down") return [];
    if (now.is === "none") return [badge(now.by)];
    const face = element("span", { class: "face" }, element("span", { class: "face-text", text: now.card }));
    face.style.setProperty("--ems", String(widthInEms(now.card)));
    const parts = [face];
    if (held === this.#me) parts.push(element("span", { class: "badge mine-mark", text: "you" }));
    else if (held !== null) parts.push(badge(held));
    if (waiters.length > 0) {
      parts.push(element("span", { class: "waiters" }, ...waiters.slice(0, MOST_WAITERS_SHOWN).map(badge),
        waiters.length > MOST_WAITERS_SHOWN ? element("span", { class: "more", text: `+${waiters.length - MOST_WAITERS_SHOWN}` }) : null));
    }
    if (waiters.includes(this.#me)) parts.push(element("span", { class: "wait-words" }, element("span", { text: "waiting for " }), element("span", { text: held ?? "it" })));
    return parts;
  }

  /** A ghost of the old face turns away (or leaves) above the new one, which is there, and can be played, at once. */
  #animate(cell, card, ghost, before, after) {
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

  // --- the whole text of a card that is too long for its cell ---

  #peekAt(index) {
    this.#hidePeek();
    const cell = this.#cells[index];
    const text = cell?.querySelector(".face-text");
    if (!text || text.scrollWidth <= text.clientWidth) return false;
    this.#peek.textContent = this.#game.cells[index].card;
    this.#peek.hidden = false;
    const box = cell.getBoundingClientRect();
    const width = this.#peek.offsetWidth;
    const left = Math.max(8, Math.min(window.innerWidth - width - 8, box.left + box.width / 2 - width / 2));
    const above = box.top - this.#peek.offsetHeight - 6;
    this.#peek.style.left = `${left}px`;
    this.#peek.style.top = `${above > 8 ? above : box.bottom + 6}px`;
    return true;
  }

  #hidePeek() {
    this.#peek.hidden = true;
  }
}

const canvas = document.createElement("canvas").getContext("2d");
const MEASURED_PX = 100;
const widths = new Map(); // card -> width in ems; a board has few distinct cards

/** How wide a card's text is at a font size of 1, in the font that the page's cards have. */
function widthInEms(text) {
  if (!widths.has(text)) {
    canvas.font = `600 ${MEASURED_PX}px ${getComputedStyle(document.body).fontFamily}`;
    widths.set(text, Math.max(1, canvas.measureText(text).width / MEASURED_PX));
  }
  return widths.get(text);
}
