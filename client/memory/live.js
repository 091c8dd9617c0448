/** A running game of Memory Scramble as a small picture: the scene of the replay, with the frames of spectators. */

import { Scene } from "./replay.js";

/** @import { Cell, Place } from "./game.js" */
/** @import { PlacedCell } from "./replay.js" */

export class Live extends Scene {
  /**
   * Apply a frame of the WebSocket for spectators. Return true if it changes the picture.
   * @param {any} frame
   */
  receive(frame) {
    if (frame.type === "board") {
      this.frame(frame);
      const cells = frame.cells.map((/** @type {Cell} */ cell, /** @type {number} */ index) => placed(index, cell));
      this.reset({ cells, waiting: this.#indexes(frame.waiting), scores: frame.scores, heat: [] });
      return true;
    }
    if (frame.type !== "change") return false;
    const cells = (frame.cells ?? []).map((/** @type {{row: number, column: number, cell: Cell}} */ changed) =>
      placed(changed.row * this.columns + changed.column, changed.cell),
    );
    this.apply({ player: null, change: { cells, waiting: this.#indexes(frame.waiting), scores: frame.scores } });
    return true;
  }

  /**
   * The places of waiting players as indexes.
   * @param {Record<string, Place | null>} [waiting]
   * @returns {Record<string, any>}
   */
  #indexes(waiting = {}) {
    const all = Object.entries(waiting);
    return Object.fromEntries(all.map(([name, at]) => [name, at === null ? null : at[0] * this.columns + at[1]]));
  }
}

/**
 * A cell in the form of a replay.
 * @param {number} index
 * @param {Cell} cell
 * @returns {PlacedCell}
 */
function placed(index, { is, card, by }) {
  if (is === "down") return [index];
  return [index, is === "none" ? null : card, by];
}
