/**
 * The replay of a small game: its board after a move, as the server pictures it in spots. Discs and rings are in the
 * colours of their players, with the signs that plainboard.css gives them.
 */

import { nameOf } from "./names.js";
import { SHARED } from "./words.js";

/** @import { Palette } from "../replay/palette.js" */
/** @import { Geometry } from "../replay/scene.js" */

/** @typedef {{look: string, text?: string, by?: string | null}} Spot */
/** @typedef {{spots: Spot[], scores: Record<string, number>, heat: [index: number, times: number][]}} Whole */
/** @typedef {{spots?: [index: number, spot: Spot][], scores?: Record<string, number>}} Change */

const DISC = 0.4; // of a square: the radius
const RING = 0.3;

export class PlainScene {
  rows = 0;
  columns = 0;
  /** @type {Map<string, number>} */ scores = new Map();
  /** @type {Map<number, number>} */ heat = new Map(); // index -> changes
  /** @type {number | null} */ latest = null;
  /** @type {string | null} */ latestBy = null;
  /** @type {Spot[]} */ #spots = [];
  #palette;

  /**
   * @param {any} frame
   * @param {Palette} palette
   */
  constructor(frame, palette) {
    this.#palette = palette;
    this.frame(frame);
  }

  /** @param {{rows: number, columns: number}} frame */
  frame({ rows, columns }) {
    this.rows = rows;
    this.columns = columns;
  }

  recolour() {}

  /** @param {Whole} whole */
  reset({ spots, scores, heat }) {
    this.#spots = [...spots];
    this.scores = new Map(Object.entries(scores));
    this.heat = new Map(heat);
    this.latest = null;
    this.latestBy = null;
  }

  /** @param {{player: string | null, change: Change}} step */
  apply({ player, change: { spots = [], scores = {} } }) {
    for (const [index, spot] of spots) {
      this.#spots[index] = spot;
      this.heat.set(index, (this.heat.get(index) ?? 0) + 1);
    }
    for (const [name, score] of Object.entries(scores)) this.scores.set(name, score);
    this.latest = spots.at(-1)?.[0] ?? null;
    this.latestBy = player;
  }

  /** @param {string} _player */
  note(_player) {
    return "";
  }

  /** @param {number} index */
  label(index) {
    const { text = "", by = null } = this.#spots[index] ?? {};
    const what = [text, by === null ? "" : nameOf(by)].filter((part) => part !== "").join(", ");
    const place = SHARED.place(Math.floor(index / this.columns) + 1, (index % this.columns) + 1);
    return `${place}: ${what || SHARED.empty}`;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Geometry} geometry
   */
  paint(context, { size, columns }) {
    context.fillStyle = this.#palette.token("accent-soft");
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    for (const [index, { look, text = "", by = null }] of this.#spots.entries()) {
      const [x, y] = [((index % columns) + 0.5) * size, (Math.floor(index / columns) + 0.5) * size];
      context.fillStyle = by === null ? this.#palette.token("page") : this.#palette.of(by);
      circle(context, x, y, DISC * size);
      context.fill();
      if (look === "ring" && by !== null) {
        context.strokeStyle = this.#palette.of(by, "player-ink");
        context.lineWidth = Math.max(1, size * 0.05);
        circle(context, x, y, RING * size);
        context.stroke();
      }
      if (text === "") continue;
      context.fillStyle = by === null ? this.#palette.token("ink") : this.#palette.of(by, "player-ink");
      context.font = `650 ${Math.round(size * DISC)}px ${this.#palette.font}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(text, x, y, size * DISC * 2);
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}
