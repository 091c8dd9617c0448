/**
 * The tab's model of the field, from the server's frames (docs/reference/minesweeper-websocket.md). The model applies
 * frames and answers questions. It does not know the rules, the page, or the places of bombs.
 */

import { Contest } from "./contest.js";

/** @import { ContestEvent, ContestFrame } from "./contest.js" */

const UNTOUCHED = "-".charCodeAt(0);
const FLAGGED = "F".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

/** @typedef {[x: number, y: number, text: string]} Run of changed squares, with their new looks */
/** @typedef {{id: number, name: string, at: number | null}} Player `at` is the index of the last square */
/** @typedef {{id: number, name: string, at: [x: number, y: number] | null}} PlayerFrame */
/**
 * @typedef {ContestEvent & {is: "dug" | "exploded" | "flagged" | "deflagged" | "chorded", player: number | null,
 * x: number, y: number, runs: Run[], booms?: [x: number, y: number][]}} MoveEvent
 */
/**
 * @typedef {{is: "connected", player: PlayerFrame} | {is: "disconnected", player: number} | MoveEvent |
 * ContestEvent & {is: "ended"}} FieldEvent
 */
/**
 * @typedef {object} WholeFrame
 * @property {number} version
 * @property {number} columns
 * @property {number} rows
 * @property {number | null} you
 * @property {string[]} lines
 * @property {PlayerFrame[]} players
 * @property {number} [others]
 */
/** @typedef {WholeFrame & ContestFrame} FieldFrame */

export class Field {
  version = -1;
  columns = 0;
  rows = 0;
  /** @type {number | null} */ you = null; // this tab's player number; null after this player has lost
  /** @type {Map<number, Player>} */ players = new Map(); // number -> {id, name, at: index or null}; may be incomplete
  others = 0; // the number of connected players that are not in `players`
  hasMoved = false; // this tab's player has made a move, also over an earlier connection with another number
  untouched = 0;
  flagged = 0;
  contest = new Contest();
  /** @type {Set<number>} */ craters = new Set(); // indexes of squares where this page has seen a boom
  #squares = new Uint8Array(0); // character codes, row by row
  /** @type {Map<number, {id: number, code: number, version: number | null}>} */
  #expected = new Map(); // index -> a flag that this tab has set or removed, until the server confirms the move

  /**
   * @param {number} x
   * @param {number} y
   */
  index(x, y) {
    return y * this.columns + x;
  }

  /**
   * @param {number} index
   * @returns {[x: number, y: number]}
   */
  place(index) {
    return [index % this.columns, Math.floor(index / this.columns)];
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  has(x, y) {
    return x >= 0 && y >= 0 && x < this.columns && y < this.rows;
  }

  /** @param {number} index */
  isUntouched(index) {
    return this.#code(index) === UNTOUCHED;
  }

  /** @param {number} index */
  isFlagged(index) {
    return this.#code(index) === FLAGGED;
  }

  /** @param {number} index */
  isDug(index) {
    return !this.isUntouched(index) && !this.isFlagged(index);
  }

  /**
   * The number of bombs around a dug square.
   * @param {number} index
   */
  count(index) {
    const code = this.#squares[index];
    return code === SPACE ? 0 : code - ZERO;
  }

  /**
   * The indexes of the squares around a square.
   * @param {number} index
   */
  around(index) {
    const [x, y] = this.place(index);
    const found = [];
    for (const dy of [-1, 0, 1])
      for (const dx of [-1, 0, 1])
        if ((dx !== 0 || dy !== 0) && this.has(x + dx, y + dy)) found.push(this.index(x + dx, y + dy));
    return found;
  }

  /**
   * True if a dig on this dug square opens the untouched squares around it. For this, the number of flags around it
   * must equal its number.
   * @param {number} index
   */
  canChord(index) {
    if (!this.contest.hasChords || !this.isDug(index) || this.count(index) === 0) return false;
    const around = this.around(index);
    return (
      around.filter((one) => this.isFlagged(one)).length === this.count(index) &&
      around.some((one) => this.isUntouched(one))
    );
  }

  /** The number of bombs minus all flags, also expected flags. Null if the game does not count bombs. */
  get bombsLeft() {
    if (this.contest.bombs === null) return null;
    let left = this.contest.bombs;
    for (const index of this.#expected.keys())
      left += Number(this.#squares[index] === FLAGGED) - Number(this.isFlagged(index));
    return left;
  }

  // --- expected flags ---

  /**
   * Show a set or removed flag at once, before the server answers the move with this `id`.
   * @param {number} index
   * @param {boolean} flagged
   * @param {number} id
   */
  expect(index, flagged, id) {
    this.#expected.set(index, { id, code: flagged ? FLAGGED : UNTOUCHED, version: null });
  }

  /**
   * Handle the answer to a move. `version` is the first version of the field with the result of the move, or null if
   * the server refused the move. Return true if the expected flag ends now and the square must be redrawn.
   * @param {number} index
   * @param {number} id
   * @param {number | null} version
   */
  settle(index, id, version) {
    const expected = this.#expected.get(index);
    if (expected?.id !== id) return false;
    if (version === null || version <= this.version) return this.#expected.delete(index);
    expected.version = version;
    return false;
  }

  /** Remove the expected flags that the current version includes. Return the squares to redraw. */
  settled() {
    const indexes = [];
    for (const [index, { version }] of this.#expected) {
      if (version === null || version > this.version) continue;
      this.#expected.delete(index);
      indexes.push(index);
    }
    return indexes;
  }

  /** Remove all expected flags. Return the squares to redraw. */
  expectNothing() {
    const indexes = [...this.#expected.keys()];
    this.#expected.clear();
    return indexes;
  }

  /**
   * The look of a square, including an expected flag. A dug square has no expected flag.
   * @param {number} index
   */
  #code(index) {
    const code = this.#squares[index];
    return code === UNTOUCHED || code === FLAGGED ? (this.#expected.get(index)?.code ?? code) : code;
  }

  /**
   * The kind of a square in an overview.
   * @param {number} index
   * @returns {"untouched" | "flagged" | "clear" | "near"}
   */
  kind(index) {
    if (this.isUntouched(index)) return "untouched";
    if (this.isFlagged(index)) return "flagged";
    return this.count(index) === 0 ? "clear" : "near";
  }

  /** A copy of the squares, for a later comparison. */
  squares() {
    return this.#squares.slice();
  }

  /**
   * Replace the whole field by a `field` frame.
   * @param {FieldFrame} frame
   */
  replaceAll(frame) {
    const same = frame.columns === this.columns && frame.rows === this.rows && frame.version >= this.version;
    this.version = frame.version;
    this.columns = frame.columns;
    this.rows = frame.rows;
    this.you = frame.you;
    this.#squares = new TextEncoder().encode(frame.lines.join(""));
    this.untouched = 0;
    this.flagged = 0;
    for (const code of this.#squares) this.#tally(code, 1);
    this.players = new Map();
    this.others = frame.others ?? 0;
    this.contest.replaceAll(frame, performance.now());
    this.#expected.clear();
    for (const player of frame.players) this.#arrive(player);
    const me = frame.you === null ? undefined : this.players.get(frame.you);
    this.hasMoved ||= me !== undefined && (me.at !== null || this.contest.points.has(me.name));
    if (!same) this.craters.clear();
    for (const [x, y] of frame.end?.booms ?? []) this.craters.add(this.index(x, y));
  }

  /**
   * Apply one event of a `change` frame. Return `{at, changed, before}`: the index of the move's square, the number of
   * changed squares, and the player in the state before the event. `at` is null if the event is not a move. `before` is
   * null if the player is unknown.
   * @param {FieldEvent} event
   * @returns {{at: number | null, changed: number, before: Player | null}}
   */
  apply(event) {
    if (event.is === "connected") {
      this.#arrive(event.player);
      return { at: null, changed: 0, before: null };
    }
    if (event.is === "ended") {
      this.contest.apply(event, null, 0);
      for (const [x, y] of event.end?.booms ?? []) this.craters.add(this.index(x, y));
      return { at: null, changed: 0, before: null };
    }
    const before = (event.player === null ? null : this.players.get(event.player)) ?? null;
    if (event.is === "disconnected") {
      if (!this.players.delete(event.player)) this.others -= 1;
      return { at: null, changed: 0, before };
    }
    const closed = this.untouched + this.flagged;
    let changed = 0;
    for (const [x, y, text] of event.runs) {
      const first = this.index(x, y);
      for (let i = 0; i < text.length; i += 1) {
        this.#tally(this.#squares[first + i], -1);
        this.#squares[first + i] = text.charCodeAt(i);
        this.#tally(text.charCodeAt(i), 1);
      }
      changed += text.length;
    }
    this.contest.apply(event, before?.name ?? null, closed - this.untouched - this.flagged);
    const at = this.index(event.x, event.y);
    if (event.is === "exploded") this.craters.add(at);
    for (const [x, y] of event.booms ?? []) this.craters.add(this.index(x, y));
    if (before !== null) this.players.set(before.id, { ...before, at });
    this.hasMoved ||= before !== null && before.id === this.you;
    return { at, changed, before };
  }

  /**
   * True if another player has the same name. The page then adds numbers to the names.
   * @param {{id: number, name: string}} player
   */
  isNamesake(player) {
    for (const other of this.players.values()) if (other.id !== player.id && other.name === player.name) return true;
    return false;
  }

  /**
   * The points of the players who are here or have points, for a projector's screen.
   * @returns {import("../shared/screen.js").Standings}
   */
  get ranking() {
    const { points, began } = this.contest;
    const here = [...this.players.values()].map(({ name }) => name);
    const names = new Set([...here, ...[...points].flatMap(([name, some]) => (some === 0 ? [] : [name]))]);
    return {
      points: [...names].map((name) => [name, points.get(name) ?? 0]),
      begun: began !== null || this.flagged > 0 || [...points.values()].some((some) => some !== 0),
      others: this.others,
      shape: this.columns / this.rows,
    };
  }

  /**
   * The places of the players who have made a move.
   * @returns {import("../shared/marks.js").Place[]}
   */
  places() {
    return [...this.players.values()].flatMap(({ id, name, at }) =>
      at === null ? [] : [{ id, name, at: this.place(at), you: id === this.you }],
    );
  }

  /**
   * The players whose last move was on this square.
   * @param {number} index
   */
  playersAt(index) {
    return [...this.players.values()].filter(({ at }) => at === index);
  }

  /** @param {PlayerFrame} player */
  #arrive({ id, name, at }) {
    this.players.set(id, { id, name, at: at === null ? null : this.index(...at) });
  }

  /**
   * @param {number} code
   * @param {number} by
   */
  #tally(code, by) {
    if (code === UNTOUCHED) this.untouched += by;
    else if (code === FLAGGED) this.flagged += by;
  }
}
