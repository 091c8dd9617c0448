/**
 * The replay of a small game: the board after a move. The server sends the board as spots. Discs and rings have the
 * colours of their players and the signs from plainboard.css.
 */

import { nameOf } from "../shared/names.js";
import { SHARED } from "../shared/words.js";
import { BoardScene } from "./scene.js";

/** @import { Geometry } from "./scene.js" */

/** @typedef {{look: string, text?: string, by?: string | null}} Spot */
/** @typedef {{spots: Spot[], scores: Record<string, number>, heat: [index: number, times: number][]}} Whole */
/** @typedef {{spots?: [index: number, spot: Spot][], scores?: Record<string, number>}} Change */

const DISC = 0.4; // radius, as a share of a square's width
const RING = 0.3;

export class PlainScene extends BoardScene {
  /** @type {Spot[]} */ #spots = [];

  /** @param {Whole} whole */
  reset(whole) {
    super.reset(whole);
    this.#spots = [...whole.spots];
  }

  /** @param {{player: string | null, change: Change}} move */
  apply({ player, change: { spots = [], scores = {} } }) {
    super.apply({ player, change: { scores } });
    for (const [index, spot] of spots) {
      this.#spots[index] = spot;
      this.heat.set(index, (this.heat.get(index) ?? 0) + 1);
    }
    this.latest = spots.at(-1)?.[0] ?? null;
  }

  /** @param {number} index */
  label(index) {
    const { text = "", by = null } = this.#spots[index] ?? {};
    const what = [text, by === null ? "" : nameOf(by)].filter((part) => part !== "").join(", ");
    return `${super.label(index)}: ${what || SHARED.empty}`;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Geometry} geometry
   */
  paint(context, { size, columns }) {
    context.fillStyle = this.palette.token("accent-soft");
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    for (const [index, { look, text = "", by = null }] of this.#spots.entries()) {
      const [x, y] = [((index % columns) + 0.5) * size, (Math.floor(index / columns) + 0.5) * size];
      context.fillStyle = by === null ? this.palette.token("page") : this.palette.of(by);
      circle(context, x, y, DISC * size);
      context.fill();
      if (look === "ring" && by !== null) {
        context.strokeStyle = this.palette.of(by, "player-ink");
        context.lineWidth = Math.max(1, size * 0.05);
        circle(context, x, y, RING * size);
        context.stroke();
      }
      if (text === "") continue;
      context.fillStyle = by === null ? this.palette.token("ink") : this.palette.of(by, "player-ink");
      context.font = `650 ${Math.round(size * DISC)}px ${this.palette.font}`;
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
