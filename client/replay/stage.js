/**
 * The board's place on the page: a canvas as large as there is room for, whose squares a scene draws; above it the heat
 * map, if it is wanted, and a mark where the latest move was.
 */

import { contextOf, element } from "../shared/dom.js";

/** @import { Palette } from "./palette.js" */
/** @import { Geometry, Scene } from "./scene.js" */

const LARGEST_CELL_PX = 120;
const NUMBER_PX = 18; // squares smaller than that have no number on the heat map
const LEAST_HEAT = 0.12; // so that a single flip is seen

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
   * `place` is the element to build into, `room` tells how large the board may be. `onPoint(index)` tells which square
   * the pointer is on, null for none. `onFit()`: the size has changed, draw.
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
   * Show another scene, or the same one with another size.
   * @param {Scene} scene
   */
  show(scene) {
    this.#scene = scene;
    this.#fit();
  }

  /**
   * Whether the heat map is on.
   * @param {boolean} on
   */
  set heat(on) {
    this.#heat = on;
  }

  /**
   * Draw everything; `label` is its description.
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
   * A ring around the square of the latest move, in the colour of the player who made it.
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
