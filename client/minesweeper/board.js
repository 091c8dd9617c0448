/**
 * The field on the page: a frame that scrolls, a canvas in it that shows what one sees, the players' marks above that.
 * Size and zoom, what to draw anew when, and where things are; what fingers and keys mean is told to the page.
 */

import { element, motionIsReduced, setAttribute, setText } from "../shared/dom.js";
import { hueOf, initialsOf, paint } from "../shared/player.js";
import { listenToFingers } from "./fingers.js";
import { Overview } from "./overview.js";
import { Painter } from "./painter.js";
import { Squares } from "./squares.js";
import { squareLabel } from "./words.js";

const FINGER_PX = 40; // the smallest square for a finger
const MOUSE_PX = 24; // and for a mouse; smaller ones are for looking at the whole
const LARGEST_PX = 128;
const SMALL_PX = 30; // below, a player's mark has no room for initials
const ZOOM_STEP = 1.3;
const GLOW_MS = 600;
const LARGE_CHANGE = 3000; // squares; from here on it costs less to draw everything, and one sees the flood anyway

export class Board {
  #frame;
  #room;
  #field;
  #onView;
  #surface = element("div", { class: "minefield", role: "grid", "aria-label": "Field", "aria-describedby": "keys" });
  #canvas = element("canvas", { class: "minefield-view", "aria-hidden": "true" });
  #aim = element("div", { class: "aim", hidden: true });
  #marks = element("div", { class: "marks", "aria-hidden": "true" });
  #marksById = new Map();
  #painter;
  #squares;
  #zoom = null; // the wished size of a square in pixels; null: what suits; 0: the whole field
  #cell = 0;
  #zoomFrom = 0;
  #asked = new Set();
  #glows = []; // {indexes, colour, from}
  #stale = new Set(); // indexes to draw
  #allStale = false;
  #frameAsked = false;

  overview;

  /**
   * `frame` is the `.frame` to build into, `room` the `.stage-room` that is as large as the field may be. Told are
   * `onDig(index)`, `onFlag(index)`, `onTap(index)` (dig or flag, as the mode is), `onView(view)` with what one sees in
   * squares, `{left, top, right, bottom}`, and `zoom`: "fits", "whole" or "part".
   */
  constructor({ frame, room, field, onDig, onFlag, onTap, onView }) {
    this.#frame = frame;
    this.#room = room;
    this.#field = field;
    this.#onView = onView;
    this.overview = new Overview(field);
    this.#surface.append(this.#canvas, this.#aim, this.#marks);
    frame.append(this.#surface);
    this.#painter = new Painter(this.#canvas, field, this.overview);
    const at = ({ x, y }) => field.index(x, y);
    this.#squares = new Squares(this.#surface, {
      label: (x, y) => squareLabel(field, field.index(x, y), this.#asked.has(field.index(x, y))),
      pageRows: () => Math.max(1, Math.floor(frame.clientHeight / this.#cell) - 1),
      onKey: (row, column, key, event) => this.#key(field.index(column, row), key, event, { onDig, onFlag }),
    });
    listenToFingers({
      frame,
      surface: this.#surface,
      squareAt: (x, y) => this.#squareAt(x, y),
      onTap: (square) => {
        this.#squares.focus(square.x, square.y, { preventScroll: true });
        onTap(at(square));
      },
      onSecond: (square) => {
        this.#squares.focus(square.x, square.y, { preventScroll: true });
        onFlag(at(square));
      },
      onAim: (square) => this.#aimAt(square),
      onZoomStart: () => (this.#zoomFrom = this.#cell),
      onZoom: (factor, from, to) => this.#zoomTo(this.#zoomFrom * factor, from, to),
    });
    new ResizeObserver(() => this.#fit()).observe(room);
    frame.addEventListener("scroll", () => this.#redraw(), { passive: true });
    const recolour = () => this.#recolour();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  // --- what the page tells ---

  /** Shows the whole field anew. */
  show() {
    const { columns, rows } = this.#field;
    const same = Number(this.#surface.dataset.columns) === columns && Number(this.#surface.dataset.rows) === rows;
    this.#surface.dataset.columns = columns;
    this.#surface.dataset.rows = rows;
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

  /** Shows what an event changed: its runs glow in the colour of `name`, who did it (null: nobody in particular). */
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

  /** Marks a square as asked for, until the answer comes. */
  setAsked(index, asked) {
    if (asked) this.#asked.add(index);
    else this.#asked.delete(index);
    this.#stale.add(index);
    this.#squares.refresh();
    this.#ask();
  }

  /** Puts each player's mark on the square that they dug or flagged last, and says so in its label. */
  showPlayers() {
    this.#squares.refresh();
    const { players, you } = this.#field;
    for (const [id, mark] of this.#marksById) {
      if (players.get(id)?.at !== null && players.has(id)) continue;
      mark.remove();
      this.#marksById.delete(id);
    }
    for (const { id, name, at } of players.values()) {
      if (at === null) continue;
      let mark = this.#marksById.get(id);
      if (mark === undefined) {
        mark = paint(element("div", { class: "mark", "data-player": id }, element("span", { class: "mark-name" })), name);
        this.#marksById.set(id, mark);
        this.#marks.append(mark);
      }
      setAttribute(mark, "data-you", id === you);
      setText(mark.firstElementChild, id === you ? "you" : initialsOf(name));
      if (mark.dataset.at === String(at)) continue;
      mark.dataset.at = at;
      const [x, y] = this.#field.place(at);
      mark.style.setProperty("--x", String(x));
      mark.style.setProperty("--y", String(y));
      this.#marks.append(mark); // the latest on top
    }
  }

  /** Puts the keyboard's focus on the field. */
  focus() {
    if (this.#field.rows > 0) this.#squares.focus();
  }

  /** Scrolls so that a place, in squares, is in the middle. */
  reveal(x, y) {
    const { clientWidth, clientHeight } = this.#frame;
    this.#frame.scrollTo({ left: x * this.#cell - clientWidth / 2, top: y * this.#cell - clientHeight / 2, behavior: "instant" });
    this.#frame.scrollIntoView({ block: "nearest" });
  }

  /** Larger (1) or smaller (-1) squares. */
  zoomStep(direction) {
    const box = this.#frame.getBoundingClientRect();
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    this.#zoomTo(this.#cell * ZOOM_STEP ** direction, middle, middle);
  }

  /** The whole field at once; or, if it is shown already, squares of a handy size around the focused one. */
  zoomWhole() {
    const whole = this.#zoom !== 0;
    this.#zoom = whole ? 0 : null;
    this.#fit();
    if (!whole) this.reveal(this.#squares.column + 0.5, this.#squares.row + 0.5);
  }

  // --- keys and places ---

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

  #squareAt(clientX, clientY) {
    const box = this.#surface.getBoundingClientRect();
    const x = Math.floor((clientX - box.left) / this.#cell);
    const y = Math.floor((clientY - box.top) / this.#cell);
    return this.#field.has(x, y) ? { x, y } : null;
  }

  #aimAt(square) {
    this.#aim.hidden = square === null || !this.#painter.hasPictures || this.#field.isDug(this.#field.index(square.x, square.y));
    if (square === null) return;
    this.#aim.style.setProperty("--x", String(square.x));
    this.#aim.style.setProperty("--y", String(square.y));
  }

  // --- size ---

  /** The size at which one sees the whole field, and the smallest that is handy. */
  #sizes() {
    const { columns, rows } = this.#field;
    const room = this.#room.getBoundingClientRect();
    const whole = Math.min(LARGEST_PX, room.width / columns, room.height / rows);
    const handy = matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : MOUSE_PX;
    return { whole, suits: Math.max(whole, handy) };
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
    const [width, height] = [Math.min(this.#frame.clientWidth, columns * cell), Math.min(this.#frame.clientHeight, rows * cell)];
    this.#painter.resize(width, height, cell, ratio);
    this.#redraw();
  }

  /** Squares of `wish` pixels; the place of the field that was at `from` in the window goes to `to`. */
  #zoomTo(wish, from, to) {
    const { whole } = this.#sizes();
    const before = this.#surface.getBoundingClientRect();
    const [x, y] = [(from.x - before.left) / this.#cell, (from.y - before.top) / this.#cell];
    this.#zoom = wish <= whole * 1.02 ? 0 : Math.min(LARGEST_PX, wish);
    this.#fit();
    const after = this.#surface.getBoundingClientRect();
    this.#frame.scrollBy({ left: after.left + x * this.#cell - to.x, top: after.top + y * this.#cell - to.y, behavior: "instant" });
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

  #draw(now) {
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
      this.#painter.draw(glow.indexes, this.#asked, left > 0 ? { colour: glow.colour, alpha: Math.min(1, left) * 0.5 } : null);
      if (left > 0) this.#glows.push(glow);
    }
    if (this.#glows.length > 0) this.#ask();
  }
}
