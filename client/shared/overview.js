/**
 * The overview: a bitmap of the whole board with a dot for each cell. A board with tiny cells may draw the overview. A
 * panel beside the board shows the overview as a map with the places of the players. A click on the map moves the view.
 */

import { contextOf, element, setAttribute } from "./dom.js";
import { paint } from "./player.js";

/** @import { Place } from "./marks.js" */
/** @import { View } from "./zoom.js" */

const MOST_DOTS = 4_000_000; // 16 MB; a larger board has no overview
const LONGEST_SIDE = 16_384; // limit of all browsers' canvases

/**
 * @typedef {object} Board
 * @property {number} columns
 * @property {number} rows
 * @property {(index: number) => string} kind of the cell: the key of its colour
 */

export class Overview {
  canvas = element("canvas");
  #context = contextOf(this.canvas, { willReadFrequently: false }); // prevents a warning of the browser
  #board;
  /** @type {Record<string, string>} */ #colours = {};

  /** @param {Board} board */
  constructor(board) {
    this.#board = board;
  }

  /** True if the board is small enough to have an overview. */
  get exists() {
    const { columns, rows } = this.#board;
    return columns * rows <= MOST_DOTS && Math.max(columns, rows) <= LONGEST_SIDE;
  }

  /**
   * Set the colours of a theme, by kind of cell. The caller must then call `drawAll`.
   * @param {Record<string, string>} colours
   */
  recolour(colours) {
    this.#colours = colours;
  }

  /** Draw the whole board. */
  drawAll() {
    if (!this.exists) return;
    const { columns, rows } = this.#board;
    this.canvas.width = columns;
    this.canvas.height = rows;
    const bytes = Object.fromEntries(
      Object.entries(this.#colours).map(([name, colour]) => [name, this.#bytesOf(colour)]),
    );
    const image = this.#context.createImageData(columns, rows);
    const dots = new Uint32Array(image.data.buffer);
    for (let i = 0; i < dots.length; i += 1) dots[i] = bytes[this.#board.kind(i)];
    this.#context.putImageData(image, 0, 0);
  }

  /**
   * Draw the cells with these indexes again.
   * @param {Iterable<number>} indexes
   */
  draw(indexes) {
    if (!this.exists) return;
    const { columns } = this.#board;
    for (const index of indexes) {
      this.#context.fillStyle = this.#colours[this.#board.kind(index)];
      this.#context.fillRect(index % columns, Math.floor(index / columns), 1, 1);
    }
  }

  /**
   * A colour as a pixel of an ImageData.
   * @param {string} colour
   */
  #bytesOf(colour) {
    this.#context.fillStyle = colour;
    this.#context.fillRect(0, 0, 1, 1);
    return new Uint32Array(this.#context.getImageData(0, 0, 1, 1).data.buffer)[0];
  }
}

/**
 * The map in its panel: the overview, the players' places and a frame around the visible part. A click or drag calls
 * `onGo(x, y)` with the chosen place, in cells. The map is for pointers. Keyboard users move on the board.
 */
export class BoardMap {
  #panel;
  #board;
  #overview;
  #canvas;
  #window;
  #dots;
  /** @type {number | null} */ #drawn = null;

  /** @param {{panel: HTMLElement, board: Board, overview: Overview, onGo: (x: number, y: number) => void}} parts */
  constructor({ panel, board, overview, onGo }) {
    this.#panel = panel;
    this.#board = board;
    this.#overview = overview;
    this.#canvas = element("canvas");
    this.#window = element("div", { class: "map-window" });
    this.#dots = element("div");
    const map = element("div", { class: "map", "aria-hidden": "true" }, this.#canvas, this.#dots, this.#window);
    panel.append(map);
    const go = (/** @type {PointerEvent} */ event) => {
      if (event.buttons === 0) return;
      const box = map.getBoundingClientRect();
      /** @type {(at: number, from: number, length: number) => number} */
      const share = (at, from, length) => Math.max(0, Math.min(1, (at - from) / length));
      onGo(
        share(event.clientX, box.left, box.width) * board.columns,
        share(event.clientY, box.top, box.height) * board.rows,
      );
      event.preventDefault();
    };
    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      go(event);
    });
    map.addEventListener("pointermove", go);
  }

  /**
   * Show the visible part. The map is hidden while the whole board is visible.
   * @param {View} view
   */
  show({ left, top, right, bottom }) {
    const { columns, rows } = this.#board;
    const all = left <= 0.01 && top <= 0.01 && right >= columns - 0.01 && bottom >= rows - 0.01;
    this.#panel.hidden = all || !this.#overview.exists;
    if (this.#panel.hidden) return;
    const style = this.#window.style;
    style.left = percent(left, columns);
    style.top = percent(top, rows);
    style.width = percent(right - left, columns);
    style.height = percent(bottom - top, rows);
    this.refresh();
  }

  /**
   * Show the places of the players as dots in their colours.
   * @param {Iterable<Place>} places
   */
  showPlayers(places) {
    const { columns, rows } = this.#board;
    const dots = Array.from(places, ({ name, at: [x, y], you }) => {
      const dot = paint(element("span", { class: "map-dot" }), name);
      setAttribute(dot, "data-you", you);
      dot.style.left = percent(x + 0.5, columns);
      dot.style.top = percent(y + 0.5, rows);
      return dot;
    });
    this.#dots.replaceChildren(...dots);
  }

  /** Draw the overview on the map, at most once a frame. */
  refresh() {
    if (this.#panel.hidden || this.#drawn !== null) return;
    this.#drawn = requestAnimationFrame(() => {
      this.#drawn = null;
      const { columns, rows } = this.#board;
      const scale = Math.max(1, Math.ceil(640 / Math.max(columns, rows)));
      this.#canvas.width = columns * scale;
      this.#canvas.height = rows * scale;
      const context = contextOf(this.#canvas);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.#overview.canvas, 0, 0, columns * scale, rows * scale);
    });
  }
}

/**
 * @param {number} part
 * @param {number} whole
 */
const percent = (part, whole) => `${(100 * part) / whole}%`;
