/** The replay of Minesweeper: the field after a move, drawn as on the game's page. */

import { BoardScene } from "../replay/scene.js";
import { teller } from "../replay/telling.js";
import { WORDS as REPLAY } from "../replay/words.js";
import { language } from "../shared/language.js";
import { nameOf, noteNames } from "../shared/names.js";
import { Overview } from "../shared/overview.js";
import { retry } from "../shared/retry.js";
import { Field } from "./field.js";
import { Painter } from "./painter.js";

/** @import { Palette } from "../replay/palette.js" */
/** @import { Geometry } from "../replay/scene.js" */
/** @import { Run } from "./field.js" */

/** @type {typeof import("./replay-words/en.js").default} */
const WORDS = (await retry(() => import(`./replay-words/${language}.js`))).default;

noteNames({ "the program": WORDS.program }); // the server's ID for moves of the program that embeds the game

export const words = WORDS;
export const tell = teller(WORDS.moves);

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
 * @property {number[]} [booms] the indexes of the bombs that a chord has dug
 * @property {Record<string, number>} [scores]
 */

export class Scene extends BoardScene {
  #field = new Field();
  #overview = new Overview(this.#field);
  #painter;
  /** @type {Map<number, string>} */ #blewUp = new Map(); // index -> player
  #version = 0;

  /**
   * @param {any} frame
   * @param {Palette} palette
   * @param {HTMLCanvasElement} canvas
   */
  constructor(frame, palette, canvas) {
    super(frame, palette, canvas);
    this.#painter = new Painter(canvas, this.#field, this.#overview);
  }

  recolour() {
    this.#painter.readColours();
  }

  /** @param {Whole} whole */
  reset(whole) {
    super.reset(whole);
    const { lines, craters } = whole;
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
  }

  /** @param {{player: string | null, change: Change}} move */
  apply({ player, change: { runs = [], dig = null, boom = false, booms = [], scores = {} } }) {
    super.apply({ player, change: { scores, place: dig } });
    if (runs.length > 0) {
      const [x, y] = dig === null ? runs[0] : [dig % this.columns, Math.floor(dig / this.columns)];
      this.#field.apply({ is: boom ? "exploded" : "dug", x, y, player: null, runs });
      for (const index of booms) this.#field.craters.add(index);
      for (const index of boom ? [this.#field.index(x, y)] : booms) this.#blewUp.set(index, player ?? "");
      this.latest = this.#field.index(x, y);
    }
  }

  /** The squares where bombs exploded, for the heat map. */
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
    const blown = this.#blewUp.get(index);
    const all = blown === undefined ? is : WORDS.blewUp(is, nameOf(blown));
    return REPLAY.label(super.label(index), all, WORDS.heat(this.heat.get(index) ?? 0));
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
