/** The board of a recorded game at one of its moves: the interface `Scene`, and a base class for scenes. */

import { SHARED } from "../shared/words.js";

/** @import { Palette } from "./palette.js" */

/** @typedef {{size: number, rows: number, columns: number}} Geometry `size` of a square, in device pixels */
/** @typedef {{player: string | null, change: any}} Moved a move */
/**
 * @typedef {object} Scene of a game at one move. Squares have indexes, which count along each row from the top row.
 * @property {number} rows
 * @property {number} columns
 * @property {Map<string, number>} scores
 * @property {Map<number, number>} heat number of moves, by square
 * @property {Iterable<number>} [craters] squares with an outline on the heat map
 * @property {number | null} latest the square of the latest move, for a ring around it
 * @property {string | null} latestBy the player of the latest move
 * @property {string} [caption] of the board
 * @property {(frame: any) => void} frame takes the data of the whole game. A later call may have more data
 * @property {() => void} recolour after a change of the theme: stops using the colours of the old theme
 * @property {(whole: any) => void} reset to the state at the beginning of a piece, a part of the recording
 * @property {(move: Moved) => void} apply the change of one move
 * @property {(player: string) => string} note beside the player's name
 * @property {(index: number) => string} label of a square
 * @property {(player: string) => number | null} [hue] of the player, if it differs from the hue on other pages
 * @property {{value: string, text: string}[]} [choices] the boards of a recording with several boards
 * @property {(value: string, seq: number) => number | null} [choose] shows one of the boards. It returns the move to go
 * to if this board does not exist at move `seq`
 * @property {(context: CanvasRenderingContext2D, geometry: Geometry) => void} paint
 */

/** A board with scores. A change has the new `scores` and `place`, the square of the move. A game adds `paint`. */
export class BoardScene {
  rows = 0;
  columns = 0;
  /** @type {Map<string, number>} */ scores = new Map();
  /** @type {Map<number, number>} */ heat = new Map();
  /** @type {number | null} */ latest = null;
  /** @type {string | null} */ latestBy = null;

  /**
   * @param {any} frame
   * @param {Palette} palette
   * @param {HTMLCanvasElement} _canvas the canvas for `paint`
   */
  constructor(frame, palette, _canvas) {
    this.palette = palette;
    this.frame(frame);
  }

  /** @param {{rows: number, columns: number}} frame */
  frame({ rows, columns }) {
    this.rows = rows;
    this.columns = columns;
  }

  recolour() {}

  /** @param {{scores?: Record<string, number>, heat?: [index: number, times: number][]}} whole */
  reset({ scores = {}, heat = [] }) {
    this.scores = new Map(Object.entries(scores));
    this.heat = new Map(heat);
    this.latest = null;
    this.latestBy = null;
  }

  /** @param {{player: string | null, change: {scores?: Record<string, number>, place?: number | null}}} move */
  apply({ player, change: { scores = {}, place = null } }) {
    for (const [name, score] of Object.entries(scores)) this.scores.set(name, score);
    if (place !== null) this.heat.set(place, (this.heat.get(place) ?? 0) + 1);
    this.latest = place;
    this.latestBy = player;
  }

  /**
   * @param {string} _player
   * @returns {string}
   */
  note(_player) {
    return "";
  }

  /** @param {number} index */
  label(index) {
    return SHARED.place(Math.floor(index / this.columns) + 1, (index % this.columns) + 1);
  }
}
