/**
 * The field on the page: a frame that scrolls, a canvas with the visible part, and the players' marks above it. The
 * module chooses the squares to redraw, converts places, and reports clicks, taps and keys to the page.
 */

import { element, motionIsReduced, setAttribute } from "../shared/dom.js";
import { listenToFingers } from "../shared/fingers.js";
import { hueOf } from "../shared/hues.js";
import { Marks } from "../shared/marks.js";
import { Overview } from "../shared/overview.js";
import { Zoom } from "../shared/zoom.js";
import { Painter } from "./painter.js";
import { Squares } from "./squares.js";
import { squareLabel, WORDS } from "./words.js";

/** @import { Field, Run } from "./field.js" */
/** @import { View } from "../shared/zoom.js" */
/** @import { Point, Square } from "../shared/fingers.js" */

const SMALL_PX = 30; // in smaller squares, a player's mark has no initials
const GLOW_MS = 600;
const LARGE_CHANGE = 3000; // squares; after larger changes a full redraw is cheaper, and a glow is not necessary

/**
 * @typedef {object} BoardParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {Field} field
 * @property {(index: number) => void} onDig
 * @property {(index: number) => void} onFlag
 * @property {(index: number, byFinger: boolean) => void} onTap
 * @property {(view: View) => void} onView
 */

export class Board {
  #frame;
  #field;
  #onView;
  #surface = element("div", {
    class: "minefield",
    role: "grid",
    "aria-label": WORDS.field,
    "aria-describedby": "keys",
  });
  #canvas = element("canvas", { class: "minefield-view", "aria-hidden": "true" });
  #aim = element("div", { class: "aim", hidden: true });
  #start = element("div", { class: "start-mark", "aria-hidden": "true", hidden: true });
  #marks = new Marks();
  #painter;
  #squares;
  #zoom;
  /** @type {Set<number>} */ #asked = new Set();
  /** @type {Square | null} */ #aimed = null; // the square under the mouse
  /** @type {{indexes: number[], colour: string, from: number}[]} */ #glows = []; // {indexes, colour, from}
  /** @type {Set<number>} */ #stale = new Set(); // indexes to draw
  #allStale = false;
  #frameAsked = false;

  overview;

  /**
   * `frame` is the `.frame` for the board. `room` is the `.stage-room` with the maximum size of the field. The board
   * calls `onDig(index)`, `onFlag(index)`, and `onTap(index, byFinger)` for a click or a tap, which digs or flags. It
   * calls `onView(view)` with the visible part.
   * @param {BoardParts} parts
   */
  constructor({ frame, room, field, onDig, onFlag, onTap, onView }) {
    this.#frame = frame;
    this.#field = field;
    this.#onView = onView;
    this.overview = new Overview(field);
    this.#surface.append(this.#canvas, this.#start, this.#aim, this.#marks.element);
    frame.append(this.#surface);
    this.#painter = new Painter(this.#canvas, field, this.overview);
    this.#squares = new Squares(this.#surface, {
      label: (x, y) => squareLabel(field, field.index(x, y), this.#asked.has(field.index(x, y))),
      pageRows: () => Math.max(1, Math.floor(frame.clientHeight / this.#zoom.cell) - 1),
      onKey: (row, column, key, event) => this.#key(field.index(column, row), key, event, { onDig, onFlag }),
    });
    this.#zoom = new Zoom({
      frame,
      room,
      surface: this.#surface,
      size: () => field,
      onFit: (cell) => this.#fit(cell),
    });
    listenToFingers({
      frame,
      surface: this.#surface,
      zoom: this.#zoom,
      onTap: (square, finger) => this.#pressed(square, finger, onTap),
      onSecond: (square, finger) => this.#pressed(square, finger, onFlag),
      onAim: (square) => this.#aimAt(square),
    });
    frame.addEventListener("scroll", () => this.#redraw(), { passive: true });
    const recolour = () => this.#recolour();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  // --- calls of the page ---

  /** Redraw the whole field. */
  show() {
    const { columns, rows } = this.#field;
    const same = Number(this.#surface.dataset.columns) === columns && Number(this.#surface.dataset.rows) === rows;
    this.#surface.dataset.columns = String(columns);
    this.#surface.dataset.rows = String(rows);
    this.#asked.clear();
    this.#glows = [];
    this.overview.drawAll();
    if (!same) {
      this.#zoom.reset();
      this.#squares.resize(rows, columns);
    }
    this.showPlayers();
    this.#redraw();
  }

  /**
   * Show the changes of an event: the changed squares glow in the colour of the player `name`. Without a name, they do
   * not glow.
   * @param {Run[]} runs
   * @param {string | null} name
   */
  update(runs, name) {
    const changed = runs.reduce((sum, [, , text]) => sum + text.length, 0);
    if (changed > LARGE_CHANGE) {
      this.overview.drawAll();
      this.#allStale = true;
    } else {
      const indexes = [];
      for (const [x, y, text] of runs) {
        const first = this.#field.index(x, y);
        for (let i = 0; i < text.length; i += 1) indexes.push(first + i);
      }
      this.overview.draw(indexes);
      for (const index of indexes) this.#stale.add(index);
      if (name !== null && !motionIsReduced()) {
        this.#glows.push({ indexes, colour: this.#painter.colourOf(hueOf(name)), from: performance.now() });
      }
    }
    this.#squares.refresh();
    this.#ask();
  }

  /**
   * Mark a square as pending, until the answer arrives.
   * @param {number} index
   * @param {boolean} asked
   */
  setAsked(index, asked) {
    if (asked) this.#asked.add(index);
    else this.#asked.delete(index);
    this.#stale.add(index);
    this.#squares.refresh();
    this.#ask();
  }

  /**
   * Redraw squares after a change of flags that the server has not confirmed yet.
   * @param {number[]} indexes
   */
  touch(indexes) {
    if (indexes.length === 0) return;
    this.overview.draw(indexes);
    for (const index of indexes) this.#stale.add(index);
    this.#squares.refresh();
    this.#ask();
  }

  /** Show the end: the hidden squares, and the players who opened squares. */
  showEnd() {
    this.overview.drawAll();
    this.#squares.refresh();
    this.#redraw();
  }

  /** Show each player's mark on the square of the player's last move, and name the player in the square's label. */
  showPlayers() {
    this.#squares.refresh();
    this.#marks.show(this.#field.places());
    this.showStart();
  }

  /** Mark the square that must be dug first, if there is one. */
  showStart() {
    const { start } = this.#field.contest;
    this.#start.hidden = start === null;
    if (start === null) return;
    this.#start.style.setProperty("--x", String(start[0]));
    this.#start.style.setProperty("--y", String(start[1]));
  }

  /**
   * Put the focus on a square, and scroll it to the middle.
   * @param {number} x
   * @param {number} y
   */
  goTo(x, y) {
    this.#squares.focus(x, y, { preventScroll: true });
    this.reveal(x + 0.5, y + 0.5);
  }

  /** Put the keyboard's focus on the field. */
  focus() {
    if (this.#field.rows > 0) this.#squares.focus();
  }

  /**
   * Scroll a place, in squares, to the middle.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    this.#zoom.reveal(x, y);
  }

  /**
   * Make squares larger (1) or smaller (-1). The focused square stays visible.
   * @param {number} direction
   */
  zoomStep(direction) {
    this.#zoom.step(direction, this.#squares.place);
  }

  /** Show the whole field. If the whole field is visible, show squares of default size around the focused square. */
  zoomWhole() {
    this.#zoom.toggleWhole(this.#squares.place);
  }

  // --- keys and places ---

  /**
   * @param {number} index
   * @param {string} key
   * @param {KeyboardEvent} event
   * @param {{onDig: (index: number) => void, onFlag: (index: number) => void}} moves
   */
  #key(index, key, event, { onDig, onFlag }) {
    if (event.ctrlKey) return false;
    if (key === "Enter" || key === " ") onDig(index);
    else if (key === "f" || key === "F") onFlag(index);
    else if (key === "+" || key === "=") this.zoomStep(1);
    else if (key === "-") this.zoomStep(-1);
    else if (key === "0") this.zoomWhole();
    else return false;
    return true;
  }

  /**
   * Handle a press on a square. `finger` is the place of a finger, or null for the mouse and keys. If squares are too
   * small for a finger, a tap zooms in.
   * @param {Square} square
   * @param {Point | null} finger
   * @param {(index: number, byFinger: boolean) => void} act
   */
  #pressed({ x, y }, finger, act) {
    this.#squares.focus(x, y, { preventScroll: true });
    if (finger !== null && this.#zoom.isSmall) this.#zoom.bringCloser(finger);
    else act(this.#field.index(x, y), finger !== null);
  }

  /** @param {Square | null} square */
  #aimAt(square) {
    this.#aimed = square;
    this.#showAim();
  }

  /**
   * Mark the square under the mouse if the player can dig it. A mark on a flagged square would look like a move without
   * an answer.
   */
  #showAim() {
    const index = this.#aimed === null ? null : this.#field.index(this.#aimed.x, this.#aimed.y);
    const isOpen =
      index !== null && this.#painter.hasPictures && this.#field.isUntouched(index) && !this.#asked.has(index);
    this.#aim.hidden = !isOpen;
    if (!isOpen || this.#aimed === null) return;
    this.#aim.style.setProperty("--x", String(this.#aimed.x));
    this.#aim.style.setProperty("--y", String(this.#aimed.y));
  }

  /** @param {number} cell */
  #fit(cell) {
    const { columns, rows } = this.#field;
    const [width, height] = [columns * cell, rows * cell];
    this.#surface.style.width = `${width}px`;
    this.#surface.style.height = `${height}px`;
    setAttribute(this.#surface, "data-small", cell < SMALL_PX);
    const { clientWidth, clientHeight } = this.#frame;
    this.#painter.resize(Math.min(clientWidth, width), Math.min(clientHeight, height), cell, devicePixelRatio);
    this.#redraw();
  }

  // --- drawing, at most once a frame ---

  #recolour() {
    this.#painter.readColours();
    this.overview.drawAll();
    this.#redraw();
  }

  #redraw() {
    this.#allStale = true;
    this.#ask();
  }

  #ask() {
    if (this.#frameAsked || this.#field.rows === 0) return;
    this.#frameAsked = true;
    requestAnimationFrame((now) => {
      this.#frameAsked = false;
      this.#draw(now);
    });
  }

  /** @param {number} now */
  #draw(now) {
    this.#showAim();
    if (this.#allStale) {
      this.#painter.scroll(this.#frame.scrollLeft, this.#frame.scrollTop, devicePixelRatio);
      this.#painter.drawAll(this.#asked);
      this.#onView(this.#zoom.view);
    } else this.#painter.draw(this.#stale, this.#asked);
    this.#allStale = false;
    this.#stale.clear();
    const glows = this.#glows;
    this.#glows = [];
    for (const glow of glows) {
      const left = 1 - (now - glow.from) / GLOW_MS;
      this.#painter.draw(
        glow.indexes,
        this.#asked,
        left > 0 ? { colour: glow.colour, alpha: Math.min(1, left) * 0.5 } : null,
      );
      if (left > 0) this.#glows.push(glow);
    }
    if (this.#glows.length > 0) this.#ask();
  }
}
