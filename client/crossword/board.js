/**
 * The crossword on the page: one element per cell, made once per match. A frame touches only the changed cells.
 *
 * Data attributes have a square's state, and board.css defines their looks: data-side = mine | theirs (the owner of the
 * letter's word), data-confirmed, data-typed (the player's own letter, not entered yet), data-in-word and data-cursor
 * (the chosen word and cell). A letter of both players' words has the second player's colour in one half.
 */

import { element, hit, motionIsReduced, setAttribute, within } from "../shared/dom.js";
import { closer, FINGER_PX, isSmall } from "../shared/fit.js";
import { paint } from "../shared/hues.js";
import { Room } from "../shared/room.js";
import { cellLabel, placeWords, WORDS } from "./words.js";

/** @import { Match, Word } from "./match.js" */

const SMALLEST_PX = 22; // smallest square for a mouse
const TINY_PX = 11; // smallest square in a view of the whole board
const SMALL_PX = 30;
const LARGEST_PX = 120; // larger squares make a small crossword hard to read
const LARGE_BOARD_CELLS = 2000; // from this number on, rows outside the screen are not rendered
const finger = window.matchMedia("(pointer: coarse)");

/**
 * @typedef {object} BoardParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {(index: number) => void} onPick
 * @property {(event: KeyboardEvent) => boolean} onKey
 * @property {(fit: {fits: boolean, whole: boolean}) => void} onFit
 */

export class Board {
  #frame;
  #room;
  /** @type {Match} */ #match = /** @type {any} */ (null); // set by show()
  /** @type {Map<number, string>} */ #typed = new Map();
  /** @type {HTMLElement} */ #grid = /** @type {any} */ (null); // set by show()
  /** @type {Map<number | null, HTMLElement>} */ #squares = new Map(); // index -> element
  /** @type {Map<number, string>} */ #looks = new Map(); // index -> the drawn state
  #aim = element("div", { class: "aim", "aria-hidden": "true" });
  /** @type {number[]} */ #inWord = [];
  /** @type {number | null} */ #cursor = null;
  #whole = true; // show the whole board, even with tiny squares (the default)
  /** @type {string | null} */ #pointer = null; // the pointer type of the last press, until the click
  #playing = false;
  #onPick;
  #onKey;
  #onFit;

  /**
   * `frame` is the `.frame` for the board. `room` is the `.stage-room` with the maximum size of the board.
   * `onPick(index)` is called for a click or a tap. `onKey(event)` is called for a key on the board, and returns true
   * if it has handled the key. `onFit({fits, whole})` is called after a new layout. `whole` is true if the whole
   * board is visible. `fits` is true for a mouse, and for a finger if the squares of the whole board are large enough.
   * @param {BoardParts} parts
   */
  constructor({ frame, room, onPick, onKey, onFit }) {
    this.#frame = frame;
    this.#room = room;
    this.#onPick = onPick;
    this.#onKey = onKey;
    this.#onFit = onFit;
    new ResizeObserver(() => this.#fit()).observe(room);
    finger.addEventListener("change", () => this.#fit());
  }

  /**
   * Show a match. `typed` is a map of the letters that the player has typed, by index. Rebuild the board if `match`
   * has another shape. The board of a match that is over is shown whole, because the player does not touch its squares.
   * @param {Match} match
   * @param {Map<number, string>} typed
   * @param {boolean} playing
   */
  show(match, typed, playing) {
    const before = this.#match;
    this.#match = match;
    this.#typed = typed;
    const fitsAnew = playing !== this.#playing;
    this.#playing = playing;
    const same = this.#grid !== null && match.hasShapeOf(before);
    if (!same) this.#whole = true;
    if (!same) this.#build();
    else if (fitsAnew) this.#fit();
    const animate = same && before.id === match.id && !motionIsReduced();
    for (const index of match.indexes()) this.#paint(index, animate);
  }

  /**
   * Redraw the cells with these indexes, because their typed letters have changed.
   * @param {number[]} indexes
   */
  refresh(indexes) {
    for (const index of indexes) this.#paint(index, false);
  }

  /**
   * Mark the chosen word, and its cell for the next letter. If `word` is null, mark no word.
   * @param {Word | null} word
   * @param {number | null} cursor
   */
  choose(word, cursor) {
    const inWord = word === null ? [] : this.#match.cellsOf(word);
    for (const index of this.#inWord)
      if (!inWord.includes(index)) this.#squares.get(index)?.removeAttribute("data-in-word");
    for (const index of inWord) {
      const square = this.#squares.get(index);
      if (square !== undefined) setAttribute(square, "data-in-word", true);
    }
    this.#inWord = inWord;
    if (cursor !== this.#cursor) {
      const old = this.#squares.get(this.#cursor);
      if (old !== undefined) {
        old.removeAttribute("data-cursor");
        old.tabIndex = -1;
      }
      this.#cursor = cursor;
    }
    const square = this.#squares.get(cursor);
    if (square !== undefined) {
      setAttribute(square, "data-cursor", true);
      setAttribute(square, "tabindex", 0);
    }
    this.#aim.hidden = word === null;
    if (word === null) return;
    const across = word.direction === "ACROSS";
    const place = {
      "--row": word.row,
      "--column": word.column,
      "--wide": across ? word.length : 1,
      "--high": across ? 1 : word.length,
    };
    for (const [name, value] of Object.entries(place)) this.#aim.style.setProperty(name, String(value));
  }

  /** Scroll to the cursor, and, if there is space, to its whole word. */
  reveal() {
    if (this.#cursor === null || this.#match === null || this.#frame.clientWidth === 0) return;
    const size = this.#size;
    const frame = this.#frame;
    const places = [...[this.#inWord[0], this.#inWord.at(-1)].filter((index) => index !== undefined), this.#cursor].map(
      (index) => this.#match.place(index),
    );
    // Scroll to the word first and to the cursor last: if the word is too long, the cursor is visible.
    for (const [row, column] of places) {
      const [top, left] = [row * size, column * size];
      const margin = Math.min(size, frame.clientWidth / 8);
      if (top - margin < frame.scrollTop) frame.scrollTop = top - margin;
      else if (top + size + margin > frame.scrollTop + frame.clientHeight)
        frame.scrollTop = top + size + margin - frame.clientHeight;
      if (left - margin < frame.scrollLeft) frame.scrollLeft = left - margin;
      else if (left + size + margin > frame.scrollLeft + frame.clientWidth)
        frame.scrollLeft = left + size + margin - frame.clientWidth;
    }
  }

  /** Put the keyboard's focus on the chosen cell. */
  focus() {
    this.#squares.get(this.#cursor)?.focus({ preventScroll: true });
  }

  get hasFocus() {
    return this.#grid?.contains(document.activeElement) ?? false;
  }

  /**
   * Show the whole board, even with tiny squares, or show squares for fingers.
   * @param {boolean} whole
   */
  showWhole(whole) {
    this.#whole = whole;
    this.#fit();
    this.reveal();
  }

  #build() {
    const match = this.#match;
    const { rows, columns } = match;
    const grid = element("div", {
      class: "grid",
      role: "grid",
      "aria-label": WORDS.crossword,
      "aria-rowcount": rows,
      "aria-colcount": columns,
      "aria-describedby": "board-keys",
      "data-large": rows * columns > LARGE_BOARD_CELLS,
    });
    grid.style.setProperty("--columns", String(columns));
    grid.style.setProperty("--rows", String(rows));
    this.#squares.clear();
    this.#looks.clear();
    this.#inWord = [];
    this.#cursor = null;
    const lines = Array.from({ length: rows }, (_, row) =>
      element("div", { class: "line", role: "row", "aria-rowindex": row + 1 }),
    );
    for (const index of match.indexes()) {
      const [row, column] = match.place(index);
      const begin = match.wordsFrom(index);
      const ids = begin.map((word) => element("span", { class: "id", "data-id": word.id }));
      const square = element(
        "div",
        {
          class: "square",
          role: "gridcell",
          tabindex: "-1",
          "data-row": row,
          "data-column": column,
          "aria-colindex": column + 1,
          title: begin.length > 0 ? begin.map(placeWords).join(", ") : null,
        },
        ...ids,
        element("span", { class: "letter" }),
      );
      square.style.gridColumn = String(column + 1);
      this.#squares.set(index, square);
      lines[row].append(square);
    }
    grid.append(...lines, this.#aim);
    grid.addEventListener("click", (event) => {
      const square = hit(event, ".square");
      const byFinger = this.#pointer === "touch";
      this.#pointer = null;
      if (square === null) return;
      if (byFinger && isSmall(this.#size) && this.#playing) this.showWhole(false);
      this.#onPick(match.index(Number(square.dataset.row), Number(square.dataset.column)));
    });
    grid.addEventListener("pointerdown", (event) => {
      this.#pointer = event.pointerType;
    });
    grid.addEventListener("keydown", (event) => {
      if (this.#onKey(event)) event.preventDefault();
    });
    this.#grid?.remove();
    this.#frame.append(grid);
    this.#grid = grid;
    this.#fit();
    this.#frame.scrollTo(0, 0);
  }

  // --- size ---

  get #size() {
    return Number.parseFloat(this.#grid.style.getPropertyValue("--cell"));
  }

  #fit() {
    if (this.#grid === null) return;
    const { rows, columns } = this.#match;
    const room = this.#room.getBoundingClientRect();
    if (room.width === 0) return;
    const frameLine = 5; // the lines around the board
    const fitting = Math.floor(Math.min((room.width - frameLine) / columns, (room.height - frameLine) / rows));
    const least = !finger.matches ? SMALLEST_PX : this.#whole || !this.#playing ? TINY_PX : closer(fitting);
    const largest = Room.here()?.mode === "screen" ? Infinity : LARGEST_PX;
    this.#grid.style.setProperty("--cell", `${Math.max(least, Math.min(largest, fitting))}px`);
    this.#grid.toggleAttribute("data-small", this.#size < SMALL_PX);
    this.#onFit({ fits: !finger.matches || fitting >= FINGER_PX, whole: this.#size <= fitting });
    this.reveal();
  }

  // --- one square ---

  /**
   * @param {number} index
   * @param {boolean} animate
   */
  #paint(index, animate) {
    const square = this.#squares.get(index);
    if (square === undefined) return;
    const match = this.#match;
    const typed = this.#typed.get(index);
    const letter = match.cell(index)?.letter ?? null;
    const missed = match.missedAt(index);
    const label = cellLabel(match, index, typed);
    const looks = `${typed ?? ""}|${label}`;
    if (this.#looks.get(index) === looks) return;
    const changed = this.#looks.has(index) && square.dataset.letter !== (letter ?? "");
    this.#looks.set(index, looks);

    const holders = match.wordsAt(index).filter(({ entered }) => entered !== null);
    const confirmed = holders.filter((word) => word.confirmed);
    const [first, second] = confirmed.length > 0 ? confirmed : holders;
    square.dataset.letter = letter ?? "";
    setAttribute(square, "aria-label", label);
    setAttribute(square, "data-side", first === undefined ? null : match.sideOf(first));
    setAttribute(square, "data-confirmed", confirmed.length > 0);
    setAttribute(square, "data-typed", typed !== undefined);
    if (first === undefined) square.classList.remove("hue");
    else paint(square, first.by);
    setAttribute(square, "data-missed", missed === null ? null : letter === null ? "open" : "wrong");
    setAttribute(square, "data-was", missed === null ? null : letter);
    within(square, ".letter").textContent = missed ?? typed ?? letter ?? "";
    square.querySelector(".half")?.remove();
    if (second !== undefined && second.by !== first.by) {
      square.prepend(paint(element("span", { class: "half", "data-side": match.sideOf(second) }), second.by));
    }
    if (animate && changed) this.#flash(square);
  }

  /** @param {HTMLElement} square */
  #flash(square) {
    square.removeAttribute("data-came");
    void square.offsetWidth; // force a layout, so that a second change soon after the first restarts the animation
    square.setAttribute("data-came", "");
    square.addEventListener("animationend", () => square.removeAttribute("data-came"), { once: true });
  }
}
