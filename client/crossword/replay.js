/**
 * The replay of Crossword Extravaganza. It shows the words in the grid of one match: the match of the latest move, or a
 * match that the viewer has chosen.
 */

import { teller } from "../replay/telling.js";
import { hueOf, spread, wishOf } from "../shared/hues.js";
import { language } from "../shared/language.js";
import { nameOf } from "../shared/names.js";
import { retry } from "../shared/retry.js";
import { SHARED } from "../shared/words.js";

/** @import { Palette } from "../replay/palette.js" */
/** @import { Geometry } from "../replay/scene.js" */

/** @type {typeof import("./replay-words/en.js").default} */
const WORDS = (await retry(() => import(`./replay-words/${language}.js`))).default;

export const words = WORDS;
export const tell = teller(WORDS.moves, ["player", "other", "by", "winner"]);

const ROOMY_PX = 60; // device pixels; a smaller square has no space for two numbers

/** @typedef {"won" | "drawn" | "not-completed" | "both-left"} Outcome of a match */
/** @typedef {{text: string, by: string, confirmed: boolean}} Entry of a word */
/**
 * @typedef {{letter: string, by: string, confirmed: boolean, other: string | null}} Letter `other` also entered it
 */
/**
 * @typedef {{id: number, clue: string, row: number, column: number, direction: "ACROSS" | "DOWN", length: number}} Word
 */
/**
 * @typedef {{number: number, id: string, puzzle: string, players: string[], since: number, until: number | null}}
 * MatchFrame
 */
/**
 * @typedef {{words: Map<number, Entry>, points: Map<string, number>, over: Outcome | null, winner: string | null,
 *   heat: Map<number, number>}}
 * State
 */
/**
 * @typedef {object} Frame the fixed data of all matches
 * @property {MatchFrame[]} matches
 * @property {Record<string, {rows: number, columns: number, words: Word[]}>} puzzles
 */
/** @typedef {[id: number, text: string, by: string, confirmed: boolean]} EntryFrame */
/**
 * @typedef {object} Whole lobby, at the beginning of a piece
 * @property {Record<string, {words: EntryFrame[], points: Record<string, number>, over?: Outcome | null,
 *   winner?: string | null}>} matches
 * @property {number | null} latest
 * @property {Record<string, [word: number, times: number][]>} heat
 */
/**
 * @typedef {object} Change by one move
 * @property {number | null} [match]
 * @property {(EntryFrame | [id: number, text: null])[]} [words]
 * @property {Record<string, number>} [points]
 * @property {number | null} [word]
 * @property {Outcome | null} [over]
 * @property {string | null} [winner] only when the match is over
 */

export class Scene {
  rows = 0;
  columns = 0;
  /** @type {number | null} */ latest = null;
  /** @type {string | null} */ latestBy = null;
  /** @type {number | null} */ chosen = null; // the number of the chosen match; null for the match of the latest move
  /** @type {Frame} */ #frame;
  #palette;
  /** @type {Map<number, State>} */
  #matches = new Map(); // number -> {words: Map(id -> {text, by, confirmed}), points: Map, over, winner, heat: Map}
  /** @type {number | null} */ #moved = null; // the match of the latest move
  /** @type {number | null} */ #shown = null;
  /** @type {number | null} */ #word = null;

  /**
   * @param {Frame} frame
   * @param {Palette} palette
   */
  constructor(frame, palette) {
    this.#palette = palette;
    this.#frame = frame;
    this.#turnTo();
  }

  /** @param {Frame} frame */
  frame(frame) {
    this.#frame = frame;
    this.#turnTo();
  }

  recolour() {}

  /** @param {Whole} whole */
  reset({ matches, latest, heat }) {
    this.#matches = new Map();
    for (const [number, { words, points, over, winner }] of Object.entries(matches)) {
      this.#matches.set(Number(number), {
        words: new Map(words.map(([id, text, by, confirmed]) => [id, { text, by, confirmed }])),
        points: new Map(Object.entries(points)),
        over: over ?? null,
        winner: winner ?? null,
        heat: new Map(heat[number]),
      });
    }
    this.#moved = latest;
    this.#word = null;
    this.latestBy = null;
    this.#turnTo();
  }

  /** @param {{player: string | null, change: Change}} move */
  apply({ player, change: { match = null, words = [], points = {}, word = null, over = null, winner = null } }) {
    this.latestBy = player;
    this.#word = null;
    if (match === null) return;
    const state = this.#matches.get(match) ?? {
      words: new Map(),
      points: new Map(),
      over: null,
      winner: null,
      heat: new Map(),
    };
    this.#matches.set(match, state);
    for (const [id, text, by, confirmed] of words) {
      if (text === null) state.words.delete(id);
      else state.words.set(id, { text, by, confirmed });
    }
    for (const [name, number] of Object.entries(points)) state.points.set(name, number);
    if (over !== null) Object.assign(state, { over, winner });
    if (word !== null) state.heat.set(word, (state.heat.get(word) ?? 0) + 1);
    this.#moved = match;
    this.#word = word;
    this.#turnTo();
  }

  /** The choices: the match of the latest move ("") and all matches by number. Empty if there is only one match. */
  get choices() {
    const { matches } = this.#frame;
    if (matches.length < 2) return [];
    const all = matches.map(({ number, id, puzzle, players }) => ({
      value: String(number),
      text: WORDS.matchOf(id, puzzle, players.map(nameOf)),
    }));
    return [{ value: "", text: WORDS.latestMove }, ...all];
  }

  /**
   * Show the match with the number `value`. If `value` is "", show the match of the latest move.
   * @param {string} value
   * @param {number} seq
   * @returns {number | null}
   */
  choose(value, seq) {
    this.chosen = value === "" ? null : Number(value);
    this.#turnTo();
    const match = this.#frame.matches.find(({ number }) => number === this.chosen);
    if (match === undefined || (match.since <= seq && seq <= (match.until ?? Infinity))) return null;
    return match.until ?? match.since;
  }

  /** @returns {Map<string, number>} */
  get scores() {
    return this.#state?.points ?? new Map();
  }

  /** @returns {string} */
  note() {
    return "";
  }

  /**
   * For each square, the number of moves in the words through it.
   * @returns {Map<number, number>}
   */
  get heat() {
    /** @type {Map<number, number>} */ const heat = new Map();
    for (const [id, times] of this.#state?.heat ?? []) {
      for (const index of this.#cellsOf(this.#shape.words[id - 1])) heat.set(index, (heat.get(index) ?? 0) + times);
    }
    return heat;
  }

  /**
   * The player's hue. As on the game's page, it differs from the other player's hue.
   * @param {string} player
   */
  hue(player) {
    const match = this.#frame.matches[(this.#shown ?? 0) - 1];
    return match === undefined ? null : (spread(match.players)[player] ?? wishOf(player));
  }

  /** @param {number} index */
  label(index) {
    const [row, column] = [Math.floor(index / this.columns), index % this.columns];
    const through = this.#shape?.words.filter((word) => this.#cellsOf(word).includes(index)) ?? [];
    if (through.length === 0) return "";
    const told = through.map(({ id, clue }) => {
      const state = this.#state?.words.get(id);
      if (state === undefined) return WORDS.notEntered(id, clue);
      const words = state.confirmed ? WORDS.confirmed : WORDS.entered;
      return words(id, clue, state.text, nameOf(state.by));
    });
    return `${SHARED.place(row + 1, column + 1)}: ${told.join("; ")}`;
  }

  /** The title of the board. */
  get caption() {
    const match = this.#frame.matches[(this.#shown ?? 0) - 1];
    if (match === undefined) return WORDS.noMatchYet;
    const { over = null, winner = null } = this.#state ?? {};
    return over !== null
      ? WORDS.matchOver(match.id, match.puzzle, WORDS.moves[over]({ winner: nameOf(winner ?? "") }))
      : WORDS.matchOn(match.id, match.puzzle);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Geometry} geometry
   */
  paint(context, { size }) {
    context.fillStyle = this.#palette.token("page");
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    const shape = this.#shape;
    if (shape === undefined) return;
    /** @type {Map<number, Letter>} */ const letters = new Map();
    for (const [id, { text, by, confirmed }] of this.#state?.words ?? []) {
      [...text].forEach((letter, i) => {
        const index = this.#cellsOf(shape.words[id - 1])[i];
        const before = letters.get(index);
        letters.set(index, {
          letter,
          by,
          confirmed: confirmed || (before?.confirmed ?? false),
          other: before !== undefined && before.by !== by ? before.by : null,
        });
      });
    }
    const now = new Set(
      this.#word === null || this.#shown !== this.#moved ? [] : this.#cellsOf(shape.words[this.#word - 1]),
    );
    const line = Math.max(1, Math.round(size * 0.03));
    /** @type {Map<number, number[]>} */ const begins = new Map();
    for (const { id, row, column } of shape.words) {
      const index = row * this.columns + column;
      begins.set(index, [...(begins.get(index) ?? []), id]);
    }
    for (const word of shape.words) {
      for (const index of this.#cellsOf(word)) {
        const [x, y] = [(index % this.columns) * size, Math.floor(index / this.columns) * size];
        const at = letters.get(index);
        context.fillStyle = this.#palette.token("block");
        context.fillRect(x, y, size, size);
        context.fillStyle = at === undefined ? this.#palette.token("square") : this.#fill(at.by, at.confirmed);
        context.fillRect(x + line, y + line, size - 2 * line, size - 2 * line);
        if (at?.other) {
          context.fillStyle = this.#fill(at.other, at.confirmed);
          context.beginPath();
          context.moveTo(x + line, y + line);
          context.lineTo(x + size - line, y + size - line);
          context.lineTo(x + line, y + size - line);
          context.fill();
        }
        const ink = at?.confirmed ? this.#colour(at.by, "player-fill-ink") : this.#palette.token("ink");
        context.fillStyle = ink;
        context.textBaseline = "middle";
        if (at !== undefined) {
          context.textAlign = "center";
          context.font = `650 ${size * 0.6}px ${this.#palette.font}`;
          context.fillText(at.letter.toUpperCase(), x + size / 2, y + size * 0.58);
        }
        const ids = begins.get(index);
        if (ids !== undefined && size > 22) {
          context.textAlign = "left";
          context.font = `600 ${Math.max(8, size * 0.2)}px ${this.#palette.font}`;
          const shown = ids.slice(0, size > ROOMY_PX ? 2 : 1).join("/");
          context.fillText(shown, x + 4 * line, y + size * 0.21);
        }
        if (now.has(index)) {
          context.lineWidth = 2 * line;
          context.strokeStyle = this.latestBy === null ? this.#palette.token("focus") : this.#colour(this.latestBy);
          context.strokeRect(x + 2 * line, y + 2 * line, size - 4 * line, size - 4 * line);
        }
      }
    }
  }

  /**
   * @param {string} player
   * @param {boolean} confirmed
   */
  #fill(player, confirmed) {
    return this.#colour(player, confirmed ? "player-fill" : "player-soft");
  }

  /** @param {string} player */
  #colour(player, kind = "player") {
    return this.#palette.ofHue(this.hue(player) ?? hueOf(player), kind);
  }

  get #state() {
    return this.#shown === null ? undefined : this.#matches.get(this.#shown);
  }

  get #shape() {
    return this.#frame.puzzles[this.#frame.matches[(this.#shown ?? 0) - 1]?.puzzle];
  }

  #turnTo() {
    this.#shown = this.chosen ?? this.#moved ?? null;
    this.rows = this.#shape?.rows ?? 0;
    this.columns = this.#shape?.columns ?? 0;
  }

  /** @param {Word} word */
  #cellsOf({ row, column, direction, length }) {
    const step = direction === "DOWN" ? this.columns : 1;
    return Array.from({ length }, (_, i) => row * this.columns + column + i * step);
  }
}
