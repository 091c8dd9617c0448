/**
 * The tab's model of the field, from the server's frames (docs/reference/minesweeper-websocket.md). It has no rules and
 * no page: frames are applied to it, and it answers questions. It does not know where bombs are.
 */

const UNTOUCHED = "-".charCodeAt(0);
const FLAGGED = "F".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

/** @typedef {[x: number, y: number, text: string]} Run of squares that look different, and what they look like */
/** @typedef {{id: number, name: string, at: number | null}} Player `at` is the index of the last square */
/** @typedef {{id: number, name: string, at: [x: number, y: number] | null}} PlayerFrame */
/**
 * @typedef {{is: "dug" | "exploded" | "flagged" | "deflagged", player: number | null, x: number, y: number, runs:
 * Run[]}} MoveEvent
 */
/** @typedef {{is: "connected", player: PlayerFrame} | {is: "disconnected", player: number} | MoveEvent} FieldEvent */
/**
 * @typedef {object} FieldFrame
 * @property {number} version
 * @property {number} columns
 * @property {number} rows
 * @property {number | null} you
 * @property {string[]} lines
 * @property {PlayerFrame[]} players
 * @property {number} [others]
 * @property {number} [left]
 * @property {Record<string, number>} [scores]
 */

export class Field {
  version = -1;
  columns = 0;
  rows = 0;
  /** @type {number | null} */ you = null; // this tab's number; null after a loss
  /** @type {Map<number, Player>} */ players = new Map(); // number -> {id, name, at: index or null}; of very many some
  others = 0; // players of whom only the number is known
  untouched = 0;
  flagged = 0;
  /** @type {number | null} */ left = null; // squares without a bomb that are not dug; null in a game without scores
  /** @type {Map<string, number>} */ scores = new Map(); // squares opened, by name, of very many some
  /** @type {Set<number>} */ craters = new Set(); // indexes of squares where somebody was seen to blow up
  #squares = new Uint8Array(0); // character codes, row by row

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
    return this.#squares[index] === UNTOUCHED;
  }

  /** @param {number} index */
  isFlagged(index) {
    return this.#squares[index] === FLAGGED;
  }

  /** @param {number} index */
  isDug(index) {
    return !this.isUntouched(index) && !this.isFlagged(index);
  }

  /**
   * The number of neighbours of a dug square that have a bomb.
   * @param {number} index
   */
  count(index) {
    const code = this.#squares[index];
    return code === SPACE ? 0 : code - ZERO;
  }

  /**
   * The kind of a square, as far as an overview can tell.
   * @param {number} index
   * @returns {"untouched" | "flagged" | "clear" | "near"}
   */
  kind(index) {
    if (this.isUntouched(index)) return "untouched";
    if (this.isFlagged(index)) return "flagged";
    return this.count(index) === 0 ? "clear" : "near";
  }

  /** A copy of the squares, to compare with later. */
  squares() {
    return this.#squares.slice();
  }

  /**
   * Replace everything by a `field` frame.
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
    this.left = frame.left ?? null;
    this.scores = new Map(Object.entries(frame.scores ?? {}));
    for (const player of frame.players) this.#arrive(player);
    if (!same) this.craters.clear();
  }

  /**
   * Apply one event of a `change` frame. Returns `{at, changed, before}`: the index of the square of a move (null
   * for comings and goings), how many squares look different, and the player as it was before (null if unknown).
   * @param {FieldEvent} event
   * @returns {{at: number | null, changed: number, before: Player | null}}
   */
  apply(event) {
    if (event.is === "connected") {
      this.#arrive(event.player);
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
    this.#score(before, closed - this.untouched - this.flagged, event.is === "exploded");
    const at = this.index(event.x, event.y);
    if (event.is === "exploded") this.craters.add(at);
    if (before !== null) this.players.set(before.id, { ...before, at });
    return { at, changed, before };
  }

  /**
   * Whether another player has the same name, so that a number must tell them apart.
   * @param {{id: number, name: string}} player
   */
  isNamesake(player) {
    for (const other of this.players.values()) if (other.id !== player.id && other.name === player.name) return true;
    return false;
  }

  /**
   * Where the players are who have dug or flagged something.
   * @returns {import("../shared/marks.js").Place[]}
   */
  places() {
    return [...this.players.values()].flatMap(({ id, name, at }) =>
      at === null ? [] : [{ id, name, at: this.place(at), you: id === this.you }],
    );
  }

  /**
   * The players whose last square this is.
   * @param {number} index
   */
  playersAt(index) {
    return [...this.players.values()].filter(({ at }) => at === index);
  }

  /**
   * Add the squares that a move has opened to the scores, if the game has any.
   * @param {Player | null} player
   * @param {number} opened
   * @param {boolean} boom
   */
  #score(player, opened, boom) {
    if (this.left === null || opened === 0) return;
    this.left -= boom ? opened - 1 : opened;
    if (player !== null) this.scores.set(player.name, (this.scores.get(player.name) ?? 0) + opened);
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
