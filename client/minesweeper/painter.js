/**
 * Painter of squares on a canvas with the size of the visible part. The cost does not depend on the size of the field.
 * The painter copies squares from a strip of pictures. It draws the strip once for each size and theme. If squares are
 * too small for pictures, the painter draws the overview, a bitmap with a dot for each square.
 */

import { contextOf, element } from "../shared/dom.js";
import { dye, hueOf } from "../shared/hues.js";

/** @import { End } from "./contest.js" */
/** @import { Field } from "./field.js" */
/** @import { Overview } from "../shared/overview.js" */

const TOKENS = [
  "tile",
  "tile-light",
  "tile-dark",
  "tile-weave",
  "dug",
  "dug-line",
  "flag",
  "pole",
  "crater",
  "crater-core",
  "n1",
  "n2",
  "n3",
  "n4",
  "n5",
  "n6",
  "n7",
  "n8",
];
const SMALLEST_PICTURE = 5; // device pixels
const FLAGGED = 9; // index of a picture in the strip; the pictures 0 to 8 are counts
const UNTOUCHED = 10;
const ASKED = 11; // an untouched square whose move has no answer yet

export class Painter {
  #canvas;
  /** @type {CanvasRenderingContext2D} */ #context;
  #field;
  #overview;
  #probe;
  /** @type {Record<string, string>} */ #palette = {};
  /** @type {Map<string, {ground: string, edge: string}>} */ #players = new Map(); // the colours of players, by name
  #font = "";
  #strip = element("canvas");
  #stripFor = "";
  #size = 1; // of a square in device pixels
  #left = 0; // the scroll position of the field, in device pixels
  #top = 0;

  /**
   * Make a painter for `canvas`. `overview` gets the same colours.
   * @param {HTMLCanvasElement} canvas
   * @param {Field} field
   * @param {Overview} overview
   */
  constructor(canvas, field, overview) {
    this.#canvas = canvas;
    this.#context = contextOf(canvas, { alpha: false });
    this.#field = field;
    this.#overview = overview;
    this.#probe = element("span", { hidden: true });
    canvas.parentElement?.append(this.#probe);
    this.readColours();
  }

  /** Read the colours of the current theme. The caller must then redraw the whole canvas. */
  readColours() {
    const probe = this.#probe;
    const style = getComputedStyle(probe);
    for (const token of TOKENS) {
      probe.style.color = `var(--${token})`;
      this.#palette[token] = style.color;
    }
    this.#font = style.fontFamily;
    this.#players.clear();
    this.#stripFor = "";
    const { tile, flag, dug, "dug-line": near } = this.#palette;
    this.#overview.recolour({ untouched: tile, flagged: flag, clear: dug, near });
  }

  /**
   * A player's colour in the current theme.
   * @param {number} hue
   * @param {string} token
   */
  colourOf(hue, token = "player") {
    dye(this.#probe, hue);
    this.#probe.style.color = `var(--${token})`;
    return getComputedStyle(this.#probe).color;
  }

  /**
   * Set the size of the canvas, and the size of a square, `cell`, in CSS pixels.
   * @param {number} width
   * @param {number} height
   * @param {number} cell
   * @param {number} ratio
   */
  resize(width, height, cell, ratio) {
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.#canvas.width !== w) this.#canvas.width = w;
    if (this.#canvas.height !== h) this.#canvas.height = h;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    this.#size = cell * ratio;
  }

  /**
   * Set the scroll position of the field, in CSS pixels.
   * @param {number} left
   * @param {number} top
   * @param {number} ratio
   */
  scroll(left, top, ratio) {
    this.#left = Math.round(left * ratio);
    this.#top = Math.round(top * ratio);
  }

  /** True if squares are large enough for pictures. */
  get hasPictures() {
    return this.#size >= SMALLEST_PICTURE;
  }

  /**
   * Draw all visible squares.
   * @param {Set<number>} asked
   */
  drawAll(asked) {
    if (!this.hasPictures) return this.#drawOverview();
    this.#drawStrip();
    const { columns, rows } = this.#field;
    const lastX = Math.min(columns - 1, Math.floor((this.#left + this.#canvas.width - 1) / this.#size));
    const lastY = Math.min(rows - 1, Math.floor((this.#top + this.#canvas.height - 1) / this.#size));
    for (let y = Math.floor(this.#top / this.#size); y <= lastY; y += 1) {
      for (let x = Math.floor(this.#left / this.#size); x <= lastX; x += 1) this.#drawSquare(x, y, asked);
    }
  }

  /**
   * Draw those squares of `indexes` that are visible, with a `tint` of `{colour, alpha}` on top.
   * @param {Iterable<number>} indexes
   * @param {Set<number>} asked
   * @param {{colour: string, alpha: number} | null} tint
   */
  draw(indexes, asked, tint = null) {
    if (!this.hasPictures) return this.#drawOverview();
    this.#drawStrip();
    const { columns } = this.#field;
    for (const index of indexes) {
      const [x, y] = [index % columns, Math.floor(index / columns)];
      if (!this.#drawSquare(x, y, asked) || tint === null) continue;
      this.#context.globalAlpha = tint.alpha;
      this.#context.fillStyle = tint.colour;
      this.#context.fillRect(x * this.#size - this.#left, y * this.#size - this.#top, this.#size, this.#size);
      this.#context.globalAlpha = 1;
    }
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {Set<number>} asked
   */
  #drawSquare(x, y, asked) {
    const size = this.#size;
    const [left, top] = [x * size - this.#left, y * size - this.#top];
    if (left <= -size || top <= -size || left >= this.#canvas.width || top >= this.#canvas.height) return false;
    const field = this.#field;
    const index = field.index(x, y);
    if (field.contest.end !== null) {
      this.#drawEnd(field.contest.end, index, left, top);
      return true;
    }
    const picture = field.isFlagged(index)
      ? FLAGGED
      : field.isUntouched(index)
        ? asked.has(index)
          ? ASKED
          : UNTOUCHED
        : field.count(index);
    this.#context.drawImage(this.#strip, picture * size, 0, size, size, left, top, size, size);
    if (field.craters.has(index)) this.#drawCrater(this.#context, left, top, size, picture);
    return true;
  }

  // --- the end: the hidden squares, and the players who opened squares ---

  /**
   * @param {End} end
   * @param {number} index
   * @param {number} left
   * @param {number} top
   */
  #drawEnd(end, index, left, top) {
    const [field, context, size] = [this.#field, this.#context, this.#size];
    const [x, y] = field.place(index);
    const owner = end.ownerOf(x, y);
    if (!field.isDug(index)) {
      const picture = field.isFlagged(index) ? FLAGGED : UNTOUCHED;
      context.drawImage(this.#strip, picture * size, 0, size, size, left, top, size, size);
      if (picture === UNTOUCHED) this.#drawBomb(left, top, size);
    } else {
      this.#drawGround(context, left, top, size, owner === null ? undefined : this.#coloursOf(owner).ground);
      if (field.craters.has(index)) this.#drawStars(context, left, top, size);
      this.#drawNumber(context, left, top, size, field.count(index));
    }
    if (owner !== null) this.#drawEdges(end, owner, x, y, left, top);
    if (end.isWrong(x, y)) this.#drawCross(left, top, size);
  }

  /** @param {string} name */
  #coloursOf(name) {
    let colours = this.#players.get(name);
    if (colours === undefined) {
      const hue = hueOf(name);
      colours = { ground: this.colourOf(hue, "player-ground"), edge: this.colourOf(hue) };
      this.#players.set(name, colours);
    }
    return colours;
  }

  /**
   * Draw a line in the owner's colour on each side where the next square has another owner.
   * @param {End} end
   * @param {string} owner
   * @param {number} x
   * @param {number} y
   * @param {number} left
   * @param {number} top
   */
  #drawEdges(end, owner, x, y, left, top) {
    const size = this.#size;
    const line = Math.max(1, Math.round(size * 0.07));
    const fill = (/** @type {[number, number, number, number]} */ ...box) => this.#context.fillRect(...box);
    this.#context.fillStyle = this.#coloursOf(owner).edge;
    if (end.ownerOf(x - 1, y) !== owner) fill(left, top, line, size);
    if (end.ownerOf(x + 1, y) !== owner) fill(left + size - line, top, line, size);
    if (end.ownerOf(x, y - 1) !== owner) fill(left, top, size, line);
    if (end.ownerOf(x, y + 1) !== owner) fill(left, top + size - line, size, line);
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} size
   */
  #drawBomb(left, top, size) {
    const context = this.#context;
    const [x, y] = [left + size / 2, top + size / 2];
    context.fillStyle = this.#palette.pole;
    context.strokeStyle = this.#palette.pole;
    context.lineWidth = Math.max(1, size * 0.08);
    context.beginPath();
    for (let ray = 0; ray < 4; ray += 1) {
      const [dx, dy] = [Math.cos((ray * Math.PI) / 4) * size * 0.33, Math.sin((ray * Math.PI) / 4) * size * 0.33];
      context.moveTo(x - dx, y - dy);
      context.lineTo(x + dx, y + dy);
    }
    context.stroke();
    context.beginPath();
    context.arc(x, y, size * 0.22, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = this.#palette["tile-light"];
    context.beginPath();
    context.arc(x - size * 0.07, y - size * 0.07, size * 0.055, 0, 2 * Math.PI);
    context.fill();
  }

  /**
   * Draw a cross through the square, for a wrong flag.
   * @param {number} left
   * @param {number} top
   * @param {number} size
   */
  #drawCross(left, top, size) {
    const context = this.#context;
    context.beginPath();
    context.moveTo(left + size * 0.16, top + size * 0.16);
    context.lineTo(left + size * 0.84, top + size * 0.84);
    context.moveTo(left + size * 0.84, top + size * 0.16);
    context.lineTo(left + size * 0.16, top + size * 0.84);
    for (const [colour, width] of /** @type {const} */ ([
      [this.#palette.dug, 0.14],
      [this.#palette.flag, 0.07],
    ])) {
      context.strokeStyle = colour;
      context.lineWidth = Math.max(1, size * width);
      context.stroke();
    }
  }

  #drawOverview() {
    const { columns, rows } = this.#field;
    const [context, size] = [this.#context, this.#size];
    context.imageSmoothingEnabled = size < 1;
    context.drawImage(this.#overview.canvas, 0, 0, columns, rows, -this.#left, -this.#top, columns * size, rows * size);
  }

  // --- the pictures ---

  #drawStrip() {
    const size = this.#size;
    const made = `${size}`;
    if (this.#stripFor === made) return;
    this.#stripFor = made;
    this.#strip.width = 12 * size;
    this.#strip.height = size;
    const context = contextOf(this.#strip, { alpha: false });
    for (let count = 0; count <= 8; count += 1) this.#drawDug(context, count * size, size, count);
    this.#drawTile(context, FLAGGED * size, size);
    this.#drawFlag(context, FLAGGED * size, size);
    this.#drawTile(context, UNTOUCHED * size, size);
    this.#drawAsked(context, ASKED * size, size);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} size
   * @param {number} count
   */
  #drawDug(context, left, size, count) {
    this.#drawGround(context, left, 0, size);
    this.#drawNumber(context, left, 0, size, count);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} top
   * @param {number} size
   * @param {string} colour
   */
  #drawGround(context, left, top, size, colour = this.#palette.dug) {
    context.fillStyle = this.#palette["dug-line"];
    context.fillRect(left, top, size, size);
    const line = size < 12 ? 0 : Math.max(1, Math.round(size * 0.02));
    context.fillStyle = colour;
    context.fillRect(left, top, size - line, size - line);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} top
   * @param {number} size
   * @param {number} count
   */
  #drawNumber(context, left, top, size, count) {
    if (count === 0) return;
    context.fillStyle = this.#palette[`n${count}`];
    if (size < 9) {
      const dot = Math.max(2, Math.round(size * 0.45)); // a dot replaces a number that is too small to read
      context.fillRect(left + Math.floor((size - dot) / 2), top + Math.floor((size - dot) / 2), dot, dot);
      return;
    }
    context.font = `700 ${Math.round(size * (size < 20 ? 0.82 : 0.62))}px ${this.#font}`;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const box = context.measureText(String(count));
    const middle = (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2;
    context.fillText(String(count), left + size / 2, top + Math.round(size / 2 + middle));
  }

  /**
   * Draw an untouched square: a raised tile with a faint weave.
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} size
   */
  #drawTile(context, left, size) {
    const { tile, "tile-light": light, "tile-dark": dark, "tile-weave": weave, "dug-line": line } = this.#palette;
    const edge = size < 8 ? 0 : Math.max(1, Math.round(size * 0.06));
    const gap = size < 6 ? 0 : Math.max(1, Math.round(size * 0.02));
    const inner = size - gap;
    context.fillStyle = line;
    context.fillRect(left, 0, size, size);
    context.fillStyle = dark;
    context.fillRect(left, 0, inner, inner);
    context.fillStyle = light;
    context.beginPath();
    context.moveTo(left, 0);
    context.lineTo(left + inner, 0);
    context.lineTo(left, inner);
    context.fill();
    context.fillStyle = tile;
    context.fillRect(left + edge, edge, inner - 2 * edge, inner - 2 * edge);
    if (size < 20) return;
    context.save();
    context.beginPath();
    context.rect(left + edge, edge, inner - 2 * edge, inner - 2 * edge);
    context.clip();
    context.strokeStyle = weave;
    context.lineWidth = Math.max(1, size * 0.03);
    context.beginPath();
    for (let shift = -1; shift < 1; shift += 0.25) {
      context.moveTo(left + (shift + 0.125) * size, size);
      context.lineTo(left + (shift + 1.125) * size, 0);
    }
    context.stroke();
    context.restore();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} size
   */
  #drawFlag(context, left, size) {
    /** @type {(x: number, y: number) => [number, number]} */ const at = (x, y) => [left + x * size, y * size];
    /** @type {(colour: string, ...points: [number, number][]) => void} */ const shape = (colour, ...points) => {
      context.fillStyle = colour;
      context.beginPath();
      for (const [x, y] of points) context.lineTo(...at(x, y)); // the first call begins the path
      context.closePath();
      context.fill();
    };
    if (size < 10) return shape(this.#palette.flag, [0.15, 0.15], [0.8, 0.5], [0.15, 0.85]);
    shape(this.#palette.pole, [0.26, 0.82], [0.26, 0.76], [0.7, 0.76], [0.7, 0.82]);
    shape(this.#palette.pole, [0.42, 0.18], [0.48, 0.18], [0.48, 0.78], [0.42, 0.78]);
    shape(this.#palette.flag, [0.48, 0.17], [0.82, 0.34], [0.48, 0.52]);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} size
   */
  #drawAsked(context, left, size) {
    context.fillStyle = this.#palette["tile-dark"];
    context.fillRect(left, 0, size, size);
    const edge = Math.max(1, Math.round(size * 0.08));
    context.fillStyle = this.#palette.tile;
    context.fillRect(left + edge, edge, size - 2 * edge, size - 2 * edge);
  }

  /**
   * Draw the place of an explosion: a star of eight rays behind the number.
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} top
   * @param {number} size
   * @param {number} count
   */
  #drawCrater(context, left, top, size, count) {
    if (count > 8) return;
    this.#drawGround(context, left, top, size);
    this.#drawStars(context, left, top, size);
    this.#drawNumber(context, left, top, size, count);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} left
   * @param {number} top
   * @param {number} size
   */
  #drawStars(context, left, top, size) {
    const [x, y] = [left + size / 2, top + size / 2];
    /** @type {(outer: number, inner: number, colour: string) => void} */ const star = (outer, inner, colour) => {
      context.fillStyle = colour;
      context.beginPath();
      for (let i = 0; i < 16; i += 1) {
        const radius = (i % 2 === 0 ? outer : inner) * size;
        context.lineTo(x + radius * Math.cos((i * Math.PI) / 8), y + radius * Math.sin((i * Math.PI) / 8));
      }
      context.fill();
    };
    star(0.48, 0.3, this.#palette.crater);
    star(0.34, 0.25, this.#palette["crater-core"]);
  }
}
