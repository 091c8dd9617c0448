/**
 * The board's place on the page: a canvas that fills the available space. A scene draws the squares. Above the squares
 * are the heat map, if it is on, and a mark at the latest move.
 */

import { contextOf, element } from "../shared/dom.js";

/** @import { Palette } from "./palette.js" */
/** @import { Geometry, Scene } from "./scene.js" */

const LARGEST_CELL_PX = 120;
const NUMBER_PX = 18; // smaller squares have no number on the heat map
const LEAST_HEAT = 0.12; // makes a single move visible

/**
 * @typedef {object} StageParts
 * @property {HTMLElement} place
 * @property {HTMLElement} room
 * @property {Palette} palette
 * @property {(index: number | null) => void} onPoint
 * @property {() => void} onFit
 */

export class Stage {
  #room;
  #canvas = element("canvas", { class: "scene-canvas", role: "img" });
  #context = contextOf(this.#canvas, { alpha: false });
  #palette;
  /** @type {Scene | null} */ #scene = null;
  #heat = false;
  #cell = 1; // in device pixels
  #onFit;

  /**
   * `place` is the parent of the canvas. `room` is the element whose size limits the board. `onPoint(index)` gets the
   * square under the pointer, or null. `onFit()` is called when the size has changed and the board must be drawn.
   * @param {StageParts} parts
   */
  constructor({ place, room, palette, onPoint, onFit }) {
    this.#room = room;
    this.#palette = palette;
    this.#onFit = onFit;
    place.append(this.#canvas);
    new ResizeObserver(() => this.#fit()).observe(room);
    this.#canvas.addEventListener("pointermove", (event) => onPoint(this.#indexAt(event)));
    this.#canvas.addEventListener("pointerdown", (event) => onPoint(this.#indexAt(event)));
    this.#canvas.addEventListener("pointerleave", () => onPoint(null));
  }

  get canvas() {
    return this.#canvas;
  }

  /**
   * Show another scene, or the same scene with another number of squares.
   * @param {Scene} scene
   */
  show(scene) {
    this.#scene = scene;
    this.#fit();
  }

  /**
   * Turn the heat map on or off.
   * @param {boolean} on
   */
  set heat(on) {
    this.#heat = on;
  }

  /**
   * Draw the board, the heat map and the mark. `label` describes the board for screen readers.
   * @param {string} label
   */
  draw(label) {
    const scene = this.#scene;
    if (scene === null || scene.rows === 0) return;
    this.#canvas.setAttribute("aria-label", label);
    const geometry = { size: this.#cell, rows: scene.rows, columns: scene.columns };
    scene.paint(this.#context, geometry);
    if (this.#heat) this.#drawHeat(scene, geometry);
    else if (scene.latest !== null) this.#mark(scene.latest, scene.columns, scene.latestBy);
  }

  /**
   * @param {Scene} scene
   * @param {Geometry} geometry
   */
  #drawHeat(scene, { size, rows, columns }) {
    const context = this.#context;
    let most = 1;
    for (const times of scene.heat.values()) most = Math.max(most, times);
    context.globalAlpha = 0.95;
    context.fillStyle = this.#palette.token("surface");
    context.fillRect(0, 0, columns * size, rows * size);
    const gap = size < 8 ? 0 : Math.max(1, Math.round(size * 0.03));
    context.textAlign = "center";
    context.textBaseline = "middle";
    const height = size * Math.min(0.34, 1.1 / String(most).length); // so that the longest number fits
    context.font = `650 ${Math.round(height)}px ${this.#palette.font}`;
    for (const [index, times] of scene.heat) {
      const share = LEAST_HEAT + (1 - LEAST_HEAT) * (times / most);
      const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
      context.globalAlpha = share;
      context.fillStyle = this.#palette.token("accent");
      context.fillRect(x + gap, y + gap, size - 2 * gap, size - 2 * gap);
      if (size < NUMBER_PX * devicePixelRatio) continue;
      context.globalAlpha = 1;
      context.fillStyle = this.#palette.token(share > 0.6 ? "accent-ink" : "ink");
      context.fillText(String(times), x + size / 2, y + size / 2);
    }
    context.globalAlpha = 1;
    context.strokeStyle = this.#palette.token("bad");
    context.lineWidth = Math.max(1.5, size * 0.07);
    for (const index of scene.craters ?? []) {
      const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
      const edge = size * 0.12;
      context.strokeRect(x + edge, y + edge, size - 2 * edge, size - 2 * edge);
    }
  }

  /**
   * Draw a ring around the square of the latest move, in the player's colour.
   * @param {number} index
   * @param {number} columns
   * @param {string | null} player
   */
  #mark(index, columns, player) {
    const size = this.#cell;
    const context = this.#context;
    const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
    const width = Math.max(2, Math.round(size * 0.05));
    context.lineWidth = width;
    context.strokeStyle = this.#palette.token("surface");
    context.strokeRect(x + width / 2, y + width / 2, size - width, size - width);
    context.strokeStyle = player === null ? this.#palette.token("focus") : this.#palette.of(player);
    context.setLineDash([width * 2, width * 2]);
    context.strokeRect(x + width / 2, y + width / 2, size - width, size - width);
    context.setLineDash([]);
  }

  #fit() {
    const scene = this.#scene;
    const { clientWidth: width, clientHeight: height } = this.#room;
    if (scene === null || scene.rows === 0 || width === 0) return;
    const ratio = devicePixelRatio;
    const cell = Math.min(width / scene.columns, height / scene.rows, LARGEST_CELL_PX) * ratio;
    this.#cell = cell > 4 ? Math.floor(cell) : cell;
    this.#canvas.width = Math.max(1, Math.round(this.#cell * scene.columns));
    this.#canvas.height = Math.max(1, Math.round(this.#cell * scene.rows));
    this.#canvas.style.width = `${this.#canvas.width / ratio}px`;
    this.#canvas.style.height = `${this.#canvas.height / ratio}px`;
    this.#onFit();
  }

  /** @param {PointerEvent} event */
  #indexAt({ offsetX, offsetY }) {
    if (this.#scene === null) return null;
    const cell = this.#cell / devicePixelRatio;
    const [row, column] = [Math.floor(offsetY / cell), Math.floor(offsetX / cell)];
    if (row < 0 || column < 0 || row >= this.#scene.rows || column >= this.#scene.columns) return null;
    return row * this.#scene.columns + column;
  }
}
