/**
 * The field on the page: a frame that scrolls, a canvas in it with the visible part, and the players' marks above that.
 * Size and zoom, what to draw again when, and places. It reports to the page what fingers and keys mean.
 */

import { element, motionIsReduced, setAttribute } from "../shared/dom.js";
import { closer, FINGER_PX, isSmall, showsWhole } from "../shared/fit.js";
import { hueOf } from "../shared/player.js";
import { listenToFingers } from "./fingers.js";
import { Marks } from "./marks.js";
import { Overview } from "./overview.js";
import { Painter } from "./painter.js";
import { Squares } from "./squares.js";
import { squareLabel } from "./words.js";

/** @import { Field, Run } from "./field.js" */
/** @import { View } from "./overview.js" */
/** @import { Point, Square } from "./fingers.js" */

const MOUSE_PX = 24; // the smallest square for a mouse; smaller ones are for looking at the whole
const LARGEST_PX = 128;
const SMALL_PX = 30; // below, a player's mark has no room for initials
const ZOOM_STEP = 1.3;
const GLOW_MS = 600;
const LARGE_CHANGE = 3000; // squares; from here on it costs less to draw everything, and the flood is visible anyway

/**
 * @typedef {object} BoardParts
 * @property {HTMLElement} frame
 * @property {HTMLElement} room
 * @property {Field} field
 * @property {(index: number) => void} onDig
 * @property {(index: number) => void} onFlag
 * @property {(index: number) => void} onTap
 * @property {(view: View & {zoom: "fits" | "whole" | "part"}) => void} onView
 */

export class Board {
  #frame;
  #room;
  #field;
  #onView;
  #surface = element("div", { class: "minefield", role: "grid", "aria-label": "Field", "aria-describedby": "keys" });
  #canvas = element("canvas", { class: "minefield-view", "aria-hidden": "true" });
  #aim = element("div", { class: "aim", hidden: true });
  #marks;
  #painter;
  #squares;
  /** @type {number | null} */
  #zoom = null; // the wished size of a square in pixels; null: what suits; 0: the whole field
  #cell = 0;
  /** @type {{cell: number, at: [x: number, y: number]}} */
  #zoomFrom = { cell: 0, at: [0, 0] }; // when a zoom began: the size of a square, and the place that it is about
  /** @type {Set<number>} */ #asked = new Set();
  /** @type {Square | null} */ #aimed = null; // the square that a mouse is on
  /** @type {{indexes: number[], colour: string, from: number}[]} */ #glows = []; // {indexes, colour, from}
  /** @type {Set<number>} */ #stale = new Set(); // indexes to draw
  #allStale = false;
  #frameAsked = false;

  overview;

  /**
   * `frame` is the `.frame` to build into, `room` the `.stage-room` that is as large as the field may be. It calls
   * `onDig(index)`, `onFlag(index)`, `onTap(index)` (dig or flag, as the mode is), `onView(view)` with the visible part
   * in squares, `{left, top, right, bottom}`, and `zoom`: "fits", "whole" or "part".
   * @param {BoardParts} parts
   */
  constructor({ frame, room, field, onDig, onFlag, onTap, onView }) {
    this.#frame = frame;
    this.#room = room;
    this.#field = field;
    this.#onView = onView;
    this.overview = new Overview(field);
    this.#marks = new Marks(field);
    this.#surface.append(this.#canvas, this.#aim, this.#marks.element);
    frame.append(this.#surface);
    this.#painter = new Painter(this.#canvas, field, this.overview);
    this.#squares = new Squares(this.#surface, {
      label: (x, y) => squareLabel(field, field.index(x, y), this.#asked.has(field.index(x, y))),
      pageRows: () => Math.max(1, Math.floor(frame.clientHeight / this.#cell) - 1),
      onKey: (row, column, key, event) => this.#key(field.index(column, row), key, event, { onDig, onFlag }),
    });
    listenToFingers({
      frame,
      surface: this.#surface,
      squareAt: (x, y) => this.#squareAt(x, y),
      onTap: (square, finger) => this.#pressed(square, finger, onTap),
      onSecond: (square, finger) => this.#pressed(square, finger, onFlag),
      onAim: (square) => this.#aimAt(square),
      onZoomStart: (middle) => (this.#zoomFrom = { cell: this.#cell, at: this.#inSquares(middle) }),
      onZoom: (factor, middle) => this.#zoomTo(this.#zoomFrom.cell * factor, this.#zoomFrom.at, middle),
    });
    new ResizeObserver(() => this.#fit()).observe(room);
    frame.addEventListener("scroll", () => this.#redraw(), { passive: true });
    const recolour = () => this.#recolour();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  // --- what the page tells ---

  /** Show the whole field again. */
  show() {
    const { columns, rows } = this.#field;
    const same = Number(this.#surface.dataset.columns) === columns && Number(this.#surface.dataset.rows) === rows;
    this.#surface.dataset.columns = String(columns);
    this.#surface.dataset.rows = String(rows);
    this.#asked.clear();
    this.#glows = [];
    this.overview.drawAll();
    if (!same) {
      this.#zoom = null;
      this.#fit();
      this.#squares.resize(rows, columns);
    }
    this.showPlayers();
    this.#redraw();
  }

  /**
   * Show what an event changed: its runs glow in the colour of the player `name` (null: no glow).
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
   * Mark a square as pending, until the answer comes.
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

  /** Put each player's mark on the square that they dug or flagged last, and say so in its label. */
  showPlayers() {
    this.#squares.refresh();
    this.#marks.show();
  }

  /** Put the keyboard's focus on the field. */
  focus() {
    if (this.#field.rows > 0) this.#squares.focus();
  }

  /**
   * Scroll so that a place, in squares, is in the middle.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    const { clientWidth, clientHeight } = this.#frame;
    this.#frame.scrollTo({
      left: x * this.#cell - clientWidth / 2,
      top: y * this.#cell - clientHeight / 2,
      behavior: "instant",
    });
    this.#frame.scrollIntoView({ block: "nearest" });
  }

  /**
   * Larger (1) or smaller (-1) squares.
   * @param {number} direction
   */
  zoomStep(direction) {
    const box = this.#frame.getBoundingClientRect();
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    this.#zoomTo(this.#cell * ZOOM_STEP ** direction, this.#inSquares(middle), middle);
  }

  /** The whole field at once; or, if it is shown already, squares of a handy size around the focused one. */
  zoomWhole() {
    const whole = this.#zoom !== 0;
    this.#zoom = whole ? 0 : null;
    this.#fit();
    if (!whole) this.reveal(this.#squares.column + 0.5, this.#squares.row + 0.5);
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
   * A square is pressed, by a finger at the place `finger` or, if that is null, by a mouse or a key, which hits small
   * squares.
   * @param {Square} square
   * @param {Point | null} finger
   * @param {(index: number) => void} act
   */
  #pressed({ x, y }, finger, act) {
    this.#squares.focus(x, y, { preventScroll: true });
    if (finger !== null && isSmall(this.#cell))
      this.#zoomTo(closer(this.#sizes().whole), this.#inSquares(finger), finger);
    else act(this.#field.index(x, y));
  }

  /**
   * A place in the window as one on the field, in squares.
   * @param {Point} place
   * @returns {[x: number, y: number]}
   */
  #inSquares({ x, y }) {
    const box = this.#surface.getBoundingClientRect();
    return [(x - box.left) / this.#cell, (y - box.top) / this.#cell];
  }

  /**
   * @param {number} clientX
   * @param {number} clientY
   */
  #squareAt(clientX, clientY) {
    const [x, y] = this.#inSquares({ x: clientX, y: clientY }).map(Math.floor);
    return this.#field.has(x, y) ? { x, y } : null;
  }

  /** @param {Square | null} square */
  #aimAt(square) {
    this.#aimed = square;
    this.#showAim();
  }

  /**
   * Mark the square that a mouse is on; but not a dug one, nor one that has just been flagged: it would look pending
   * for.
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

  // --- size ---

  /** The size of a square that shows the whole field, and the smallest handy size. */
  #sizes() {
    const { columns, rows } = this.#field;
    const room = this.#room.getBoundingClientRect();
    const whole = Math.min(LARGEST_PX, room.width / columns, room.height / rows);
    const handy = matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : MOUSE_PX;
    return { whole, suits: showsWhole(whole) ? whole : handy };
  }

  #fit() {
    const { columns, rows } = this.#field;
    if (rows === 0) return;
    const { whole, suits } = this.#sizes();
    const wish = this.#zoom === null ? suits : Math.max(whole, Math.min(LARGEST_PX, this.#zoom));
    // Whole device pixels, so that squares are sharp; far away it does not matter.
    const ratio = devicePixelRatio;
    const cell = wish * ratio < 6 ? wish : Math.floor(wish * ratio + 0.001) / ratio;
    this.#cell = cell;
    const style = this.#surface.style;
    style.setProperty("--cell", `${cell}px`);
    style.width = `${columns * cell}px`;
    style.height = `${rows * cell}px`;
    setAttribute(this.#surface, "data-small", cell < SMALL_PX);
    const [width, height] = [
      Math.min(this.#frame.clientWidth, columns * cell),
      Math.min(this.#frame.clientHeight, rows * cell),
    ];
    this.#painter.resize(width, height, cell, ratio);
    this.#redraw();
  }

  /**
   * Squares of `wish` pixels; the place `[x, y]` of the field, in squares, goes to `to` in the window.
   * @param {number} wish
   * @param {[x: number, y: number]} place
   * @param {Point} to
   */
  #zoomTo(wish, [x, y], to) {
    const { whole } = this.#sizes();
    this.#zoom = wish <= whole * 1.02 ? 0 : Math.min(LARGEST_PX, wish);
    this.#fit();
    const after = this.#surface.getBoundingClientRect();
    this.#frame.scrollBy({
      left: after.left + x * this.#cell - to.x,
      top: after.top + y * this.#cell - to.y,
      behavior: "instant",
    });
  }

  #tellView() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.#frame;
    const { columns, rows } = this.#field;
    const [right, bottom] = [(scrollLeft + clientWidth) / this.#cell, (scrollTop + clientHeight) / this.#cell];
    const { whole, suits } = this.#sizes();
    this.#onView({
      left: scrollLeft / this.#cell,
      top: scrollTop / this.#cell,
      right: Math.min(columns, right),
      bottom: Math.min(rows, bottom),
      zoom: this.#cell > whole * 1.02 ? "part" : whole >= suits ? "fits" : "whole",
    });
  }

  // --- drawing, once a frame ---

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
      this.#tellView();
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
