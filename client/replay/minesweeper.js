/** The replay of Minesweeper: the field after a move, drawn as on the game's page. */

import { Field } from "../minesweeper/field.js";
import { Painter } from "../minesweeper/painter.js";
import { nameOf } from "../shared/names.js";
import { Overview } from "../shared/overview.js";
import { WORDS } from "./words.js";

/** @import { Run } from "../minesweeper/field.js" */
/** @import { Geometry } from "./stage.js" */
/** @import { Palette } from "./palette.js" */

/** @type {Set<number>} */ const ASKED = new Set();

/**
 * @typedef {object} Whole game, at the beginning of a piece
 * @property {string[]} lines
 * @property {[index: number, player: string][]} craters
 * @property {Record<string, number>} scores
 * @property {[index: number, digs: number][]} heat
 */
/**
 * @typedef {object} Change by one move
 * @property {Run[]} [runs]
 * @property {number | null} [dig] the index of the square
 * @property {boolean} [boom]
 * @property {number[]} [booms] the indexes of the bombs that a chord has dug up
 * @property {Record<string, number>} [scores]
 */

export class MinesweeperScene {
  rows = 0;
  columns = 0;
  /** @type {Map<string, number>} */ scores = new Map();
  /** @type {Map<number, number>} */ heat = new Map(); // index -> digs
  /** @type {number | null} */ latest = null;
  /** @type {string | null} */ latestBy = null;
  #field = new Field();
  #overview = new Overview(this.#field);
  #painter;
  /** @type {Map<number, string>} */ #blewUp = new Map(); // index -> player
  #version = 0;

  /**
   * @param {any} frame
   * @param {Palette} _palette
   * @param {HTMLCanvasElement} canvas
   */
  constructor(frame, _palette, canvas) {
    this.frame(frame);
    this.#painter = new Painter(canvas, this.#field, this.#overview);
  }

  /** @param {{rows: number, columns: number}} frame */
  frame({ rows, columns }) {
    this.rows = rows;
    this.columns = columns;
  }

  recolour() {
    this.#painter.readColours();
  }

  /** @param {Whole} whole */
  reset({ lines, craters, scores, heat }) {
    this.#version += 1;
    this.#field.replaceAll({
      version: this.#version,
      columns: this.columns,
      rows: this.rows,
      you: null,
      lines,
      players: [],
    });
    this.#field.craters.clear();
    this.#blewUp = new Map(craters);
    for (const index of this.#blewUp.keys()) this.#field.craters.add(index);
    this.scores = new Map(Object.entries(scores));
    this.heat = new Map(heat);
    this.latest = null;
    this.latestBy = null;
  }

  /** @param {{player: string, change: Change}} step */
  apply({ player, change: { runs = [], dig = null, boom = false, booms = [], scores = {} } }) {
    this.latest = dig;
    this.latestBy = player;
    if (runs.length > 0) {
      const [x, y] = dig === null ? runs[0] : [dig % this.columns, Math.floor(dig / this.columns)];
      this.#field.apply({ is: boom ? "exploded" : "dug", x, y, player: null, runs });
      for (const index of booms) this.#field.craters.add(index);
      for (const index of boom ? [this.#field.index(x, y)] : booms) this.#blewUp.set(index, player);
      this.latest = this.#field.index(x, y);
    }
    for (const [name, squares] of Object.entries(scores)) this.scores.set(name, squares);
    if (dig !== null) this.heat.set(dig, (this.heat.get(dig) ?? 0) + 1);
  }

  /** The squares where bombs went off, marked on the heat map. */
  get craters() {
    return this.#blewUp.keys();
  }

  /** @param {string} player */
  note(player) {
    let booms = 0;
    for (const name of this.#blewUp.values()) booms += Number(name === player);
    return booms === 0 ? "" : WORDS.booms(booms);
  }

  /** @param {number} index */
  label(index) {
    const is = this.#field.isUntouched(index)
      ? WORDS.untouched
      : this.#field.isFlagged(index)
        ? WORDS.flagged
        : WORDS.dug(this.#field.count(index));
    const [x, y] = this.#field.place(index);
    const blown = this.#blewUp.get(index);
    const all = blown === undefined ? is : WORDS.blewUp(is, nameOf(blown));
    return WORDS.label(WORDS.place(y + 1, x + 1), all, WORDS.games.minesweeper.heat(this.heat.get(index) ?? 0));
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Geometry} geometry
   */
  paint(context, { size }) {
    const ratio = devicePixelRatio;
    if (!this.#painter.hasPictures || size < 5) this.#overview.drawAll();
    this.#painter.resize(context.canvas.width / ratio, context.canvas.height / ratio, size / ratio, ratio);
    this.#painter.drawAll(ASKED);
  }
}
