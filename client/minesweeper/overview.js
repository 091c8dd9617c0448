/**
 * The whole field as a bitmap with a dot for each square. A distant zoom draws from it, and a panel beside
 * the board shows it as a map for orientation and for moving elsewhere.
 */

import { contextOf, element } from "../shared/dom.js";

/** @import { Field } from "./field.js" */

const MOST_DOTS = 4_000_000; // 16 MB; a field beyond has no map
const LONGEST_SIDE = 16_384; // what every browser's canvas can do

/** @typedef {"untouched" | "flagged" | "clear" | "near"} Kind of square */
/** @typedef {{left: number, top: number, right: number, bottom: number}} View of the field, in squares */

export class Overview {
  canvas = element("canvas");
  #context = contextOf(this.canvas, { willReadFrequently: false }); // or the browser warns
  #field;
  /** @type {Record<Kind, string>} */ #colours = { untouched: "", flagged: "", clear: "", near: "" };

  /** @param {Field} field */
  constructor(field) {
    this.#field = field;
  }

  /** Whether the field is small enough to have an overview. */
  get exists() {
    const { columns, rows } = this.#field;
    return columns * rows <= MOST_DOTS && Math.max(columns, rows) <= LONGEST_SIDE;
  }

  /**
   * Take the colours of a theme; call `drawAll` afterwards.
   * @param {Record<string, string>} palette
   */
  recolour(palette) {
    this.#colours = { untouched: palette.tile, flagged: palette.flag, clear: palette.dug, near: palette["dug-line"] };
  }

  /** Draw the whole field. */
  drawAll() {
    if (!this.exists) return;
    const field = this.#field;
    const { columns, rows } = field;
    this.canvas.width = columns;
    this.canvas.height = rows;
    const bytes = Object.fromEntries(
      Object.entries(this.#colours).map(([name, colour]) => [name, this.#bytesOf(colour)]),
    );
    const image = this.#context.createImageData(columns, rows);
    const dots = new Uint32Array(image.data.buffer);
    for (let i = 0; i < dots.length; i += 1) dots[i] = bytes[this.#kind(i)];
    this.#context.putImageData(image, 0, 0);
  }

  /**
   * Draw the squares with these indexes again.
   * @param {Iterable<number>} indexes
   */
  draw(indexes) {
    if (!this.exists) return;
    for (const index of indexes) {
      this.#context.fillStyle = this.#colours[this.#kind(index)];
      this.#context.fillRect(...this.#field.place(index), 1, 1);
    }
  }

  /**
   * @param {number} index
   * @returns {Kind}
   */
  #kind(index) {
    if (this.#field.isUntouched(index)) return "untouched";
    if (this.#field.isFlagged(index)) return "flagged";
    return this.#field.count(index) === 0 ? "clear" : "near";
  }

  /**
   * A colour as one pixel of an ImageData.
   * @param {string} colour
   */
  #bytesOf(colour) {
    this.#context.fillStyle = colour;
    this.#context.fillRect(0, 0, 1, 1);
    return new Uint32Array(this.#context.getImageData(0, 0, 1, 1).data.buffer)[0];
  }
}

/**
 * The map in its panel: shows the overview and a frame around the visible part; a click or drag calls `onGo(x, y)` with
 * the square to go to. For eyes and pointers only; the keyboard has the field itself.
 */
export class FieldMap {
  #panel;
  #field;
  #overview;
  #canvas;
  #window;
  /** @type {number | null} */ #drawn = null;

  /** @param {{panel: HTMLElement, field: Field, overview: Overview, onGo: (x: number, y: number) => void}} parts */
  constructor({ panel, field, overview, onGo }) {
    this.#panel = panel;
    this.#field = field;
    this.#overview = overview;
    this.#canvas = element("canvas");
    this.#window = element("div", { class: "map-window" });
    const map = element("div", { class: "map", "aria-hidden": "true" }, this.#canvas, this.#window);
    panel.append(map);
    const go = (/** @type {PointerEvent} */ event) => {
      if (event.buttons === 0) return;
      const box = map.getBoundingClientRect();
      /** @type {(at: number, from: number, length: number) => number} */
      const share = (at, from, length) => Math.max(0, Math.min(1, (at - from) / length));
      onGo(
        share(event.clientX, box.left, box.width) * field.columns,
        share(event.clientY, box.top, box.height) * field.rows,
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
   * Show the visible part: the squares `{left, top, right, bottom}`; hidden when everything is visible.
   * @param {View} view
   */
  show({ left, top, right, bottom }) {
    const { columns, rows } = this.#field;
    const all = left <= 0.01 && top <= 0.01 && right >= columns - 0.01 && bottom >= rows - 0.01;
    this.#panel.hidden = all || !this.#overview.exists;
    if (this.#panel.hidden) return;
    const percent = (/** @type {number} */ part, /** @type {number} */ whole) => `${(100 * part) / whole}%`;
    const style = this.#window.style;
    style.left = percent(left, columns);
    style.top = percent(top, rows);
    style.width = percent(right - left, columns);
    style.height = percent(bottom - top, rows);
    this.refresh();
  }

  /** Show the field as the overview has it now, at most once a frame. */
  refresh() {
    if (this.#panel.hidden || this.#drawn !== null) return;
    this.#drawn = requestAnimationFrame(() => {
      this.#drawn = null;
      const { columns, rows } = this.#field;
      const scale = Math.max(1, Math.ceil(640 / Math.max(columns, rows)));
      this.#canvas.width = columns * scale;
      this.#canvas.height = rows * scale;
      const context = contextOf(this.#canvas);
      context.imageSmoothingEnabled = false;
      context.drawImage(this.#overview.canvas, 0, 0, columns * scale, rows * scale);
    });
  }
}
