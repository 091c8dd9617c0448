/** A running game of Minesweeper as a small picture: the scene of the replay, with the frames of spectators. */

import { Scene } from "./replay.js";

/** @import { PlayerFrame } from "./field.js" */

const DIGS = ["dug", "exploded", "chorded"];

export class Live extends Scene {
  /** @type {Map<number | null, string>} */ #names = new Map(); // player number -> name

  /**
   * Apply a frame of the WebSocket for spectators. Return true if it changes the picture.
   * @param {any} frame
   */
  receive(frame) {
    if (frame.type === "field") {
      this.frame(frame);
      this.#names = new Map(frame.players.map((/** @type {PlayerFrame} */ { id, name }) => [id, name]));
      this.reset({ lines: frame.lines, craters: [], scores: frame.scores ?? {}, heat: [] });
      return true;
    }
    if (frame.type !== "change") return false;
    for (const event of frame.events) {
      if (event.is === "connected") this.#names.set(event.player.id, event.player.name);
      else if (event.runs !== undefined) this.#move(event);
    }
    return true;
  }

  /** @param {any} event of a move */
  #move({ is, x, y, player, runs, booms = [], tally }) {
    const index = (/** @type {number} */ column, /** @type {number} */ row) => row * this.columns + column;
    const name = this.#names.get(player) ?? null;
    this.apply({
      player: name,
      change: {
        runs,
        dig: DIGS.includes(is) ? index(x, y) : null,
        boom: is === "exploded",
        booms: booms.map((/** @type {[number, number]} */ [column, row]) => index(column, row)),
        scores: name === null || tally === undefined ? {} : { [name]: tally.points },
      },
    });
  }
}
