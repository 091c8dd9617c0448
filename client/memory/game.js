/**
 * The tab's model of the game, from the server's frames (docs/reference/websocket.md). The model applies frames and
 * answers questions. It does not know the rules of the game or the page.
 */

/** @import { Standings } from "../shared/screen.js" */
/**
 * @typedef {object} Cell of a frame
 * @property {"none" | "down" | "up"} is
 * @property {string} card only for a card that is up
 * @property {string | null} by the player who took the card, or controls it; not for a card that is down
 */
/** @typedef {{index: number, before: Cell, after: Cell}} CellChange of one cell */
/** @typedef {{player: string, pairs: number, here: boolean}} Standing */
/** @typedef {[row: number, column: number]} Place */
/** @typedef {{card: string, players: string[]}} Split equal cards: each of the players holds one card */
/**
 * @typedef {object} BoardFrame
 * @property {number} version
 * @property {number} rows
 * @property {number} columns
 * @property {Cell[]} cells
 * @property {Record<string, number>} scores
 * @property {number} [score_count]
 * @property {Record<string, Place>} waiting
 * @property {number} pairs_left
 * @property {string[]} [off]
 */
/**
 * @typedef {object} ChangeFrame
 * @property {number} version
 * @property {{row: number, column: number, cell: Cell}[]} [cells]
 * @property {Record<string, number | null>} [scores]
 * @property {number} [score_count]
 * @property {Record<string, Place | null>} [waiting]
 * @property {number} [pairs_left]
 * @property {string[]} [replaced_by]
 */
/** @typedef {{players: string[], others?: number, left?: Record<string, number | null>}} PlayersFrame */
/**
 * @typedef {object} FlipFrame
 * @property {number} id
 * @property {number} row
 * @property {number} column
 * @property {"ok" | "waiting" | "failed" | "withdrawn" | "refused"} outcome
 * @property {string | null} rule
 * @property {string} reason
 * @property {string} [code] of a refusal
 * @property {Record<string, string | number>} [params]
 */
/**
 * @typedef {{id: number, outcome: "ok" | "refused", reason: string | null, code?: string,
 *   params?: Record<string, string | number>}} OutcomeFrame
 */

export class Game {
  version = -1;
  rows = 0;
  columns = 0;
  /** @type {Cell[]} */ cells = [];
  /** @type {Map<string, number>} */
  scores = new Map(); // with very many players, only the best scores and the changed scores
  /** @type {Map<string, number>} */ waiting = new Map(); // player -> index of the cell that the player waits for
  /** @type {string[]} */ players = []; // connected players; with very many players, only some of them
  othersHere = 0; // the number of connected players that are not in `players`
  /** @type {Map<string, number | null>} */
  #left = new Map(); // player who has left -> the performance.now() time when the cards become free, or null
  pairsLeft = 0;
  /** @type {Set<string>} */ off = new Set(); // functions that this server disables: "replace", "new"
  #scoreCount = 0; // the number of all scores, which may exceed the size of `scores`
  #taken = 0; // the number of cards that players took off the board
  /** @type {Map<string, number>} */
  #due = new Map(); // player -> the time when the player must relinquish a card that somebody waits for
  /** @type {Map<string, Set<number>>} */
  #held = new Map(); // player -> Set of indexes of cells that the player controls
  /** @type {Map<string, number>} */
  #lastAt = new Map(); // player -> index of the cell that the player last turned over, or waited for

  /**
   * @param {number} row
   * @param {number} column
   */
  index(row, column) {
    return row * this.columns + column;
  }

  /**
   * @param {number} index
   * @returns {Place}
   */
  place(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  /**
   * Replace the whole model by a `board` frame.
   * @param {BoardFrame} frame
   */
  replaceAll(frame) {
    this.version = frame.version;
    this.rows = frame.rows;
    this.columns = frame.columns;
    this.cells = frame.cells;
    this.scores = new Map(Object.entries(frame.scores));
    this.#scoreCount = frame.score_count ?? 0;
    this.waiting = new Map(
      Object.entries(frame.waiting).map(([player, [row, column]]) => [player, this.index(row, column)]),
    );
    this.pairsLeft = frame.pairs_left;
    this.off = new Set(frame.off ?? []);
    this.#taken = this.cells.filter((cell) => cell.is === "none").length;
    this.#held.clear();
    for (const [index, cell] of this.cells.entries()) this.#hold(cell, index);
    this.#lastAt.clear();
    for (const [player, held] of this.#held) for (const index of held) this.#lastAt.set(player, index);
    for (const [player, index] of this.waiting) this.#lastAt.set(player, index);
  }

  /**
   * Apply a `change` frame. Return the changes: `cells`, a list of `{index, before, after}`, and `touched`, the set of
   * the indexes of cells to redraw. A cell is redrawn, too, if a player began or stopped waiting for it.
   * @param {ChangeFrame} frame
   * @returns {{cells: CellChange[], touched: Set<number>}}
   */
  change(frame) {
    this.version = frame.version;
    /** @type {CellChange[]} */ const cells = [];
    /** @type {Set<number>} */ const touched = new Set();
    /** @type {string | null} */ let gaveUp = null;
    for (const { row, column, cell } of frame.cells ?? []) {
      const index = this.index(row, column);
      const before = this.cells[index];
      cells.push({ index, before, after: cell });
      touched.add(index);
      this.#taken += Number(cell.is === "none") - Number(before.is === "none");
      if (before.is === "up" && before.by !== null) this.#held.get(before.by)?.delete(index);
      if (before.is === "up" && cell.is === "up" && before.by !== null && cell.by === null) gaveUp = before.by;
      if (cell.is === "up" && cell.by !== null && before.by !== cell.by) this.#lastAt.set(cell.by, index);
      this.cells[index] = cell;
      this.#hold(cell, index);
    }
    // A player who turns up a different second card relinquishes the first. The frame names no player for the second.
    const turned = cells.find(({ before, after }) => before.is === "down" && after.is === "up" && after.by === null);
    if (gaveUp !== null && turned !== undefined) this.#lastAt.set(gaveUp, turned.index);
    for (const [player, pairs] of Object.entries(frame.scores ?? {})) {
      if (pairs === null) this.scores.delete(player);
      else this.scores.set(player, pairs);
    }
    this.#scoreCount = frame.score_count ?? this.#scoreCount;
    for (const [player, spot] of Object.entries(frame.waiting ?? {})) {
      const before = this.waiting.get(player);
      if (before !== undefined) touched.add(before);
      this.waiting.delete(player);
      if (spot !== null) {
        this.waiting.set(player, this.index(...spot));
        this.#lastAt.set(player, this.index(...spot));
        touched.add(this.index(...spot));
      }
    }
    if (frame.pairs_left !== undefined) this.pairsLeft = frame.pairs_left;
    return { cells, touched };
  }

  /**
   * Apply a `players` frame. Return the indexes of the cells of players who have just left, or have come back.
   * @param {PlayersFrame} frame
   */
  playersCame(frame) {
    const before = this.#left;
    this.players = frame.players;
    this.othersHere = frame.others ?? 0;
    const at = (/** @type {number | null} */ seconds) => (seconds === null ? null : performance.now() + 1000 * seconds);
    this.#left = new Map(Object.entries(frame.left ?? {}).map(([player, seconds]) => [player, at(seconds)]));
    const differ = [...before.keys(), ...this.#left.keys()].filter(
      (player) => before.has(player) !== this.#left.has(player),
    );
    return new Set(differ.flatMap((player) => this.heldBy(player)));
  }

  /**
   * True if a player was connected before, and is not connected now.
   * @param {string} player
   */
  hasLeft(player) {
    return this.#left.has(player);
  }

  /**
   * The seconds until the cards of a player who has left become free, or null if the player keeps them.
   * @param {string} player
   */
  freeIn(player) {
    const at = this.#left.get(player) ?? null;
    return at === null ? null : Math.max(1, Math.ceil((at - performance.now()) / 1000));
  }

  /**
   * Apply a `clock` frame: it has the seconds until players must relinquish cards for waiting players.
   * @param {{due: Record<string, number>}} frame
   */
  clockCame({ due }) {
    const now = performance.now();
    this.#due = new Map(Object.entries(due).map(([player, seconds]) => [player, now + 1000 * seconds]));
  }

  /**
   * The seconds until a player must relinquish a card that somebody waits for; null if no card is due.
   * @param {string} player
   */
  dueIn(player) {
    const at = this.#due.get(player) ?? null;
    return at === null ? null : Math.max(1, Math.ceil((at - performance.now()) / 1000));
  }

  /**
   * The players who wait for a card that `player` holds, in the order in which they began to wait.
   * @param {string} player
   */
  waitersOf(player) {
    return this.heldBy(player).flatMap((index) => this.waitersFor(index));
  }

  /** True if a timer will free a card, because its player has left or another player waits for it. */
  get countsDown() {
    if (this.#due.size > 0) return true;
    return [...this.#held].some(([player, held]) => held.size > 0 && this.freeIn(player) !== null);
  }

  /**
   * @param {Cell} cell
   * @param {number} index
   */
  #hold(cell, index) {
    if (cell.is !== "up" || cell.by === null) return;
    const held = this.#held.get(cell.by) ?? new Set();
    this.#held.set(cell.by, held.add(index));
  }

  /**
   * The indexes of the cells that a player controls: an empty list, the first card, or both cards of a pair.
   * @param {string} player
   */
  heldBy(player) {
    return [...(this.#held.get(player) ?? [])];
  }

  /**
   * The places of the players who are probably here: the column and row of each player's last cell.
   * @param {string} me
   */
  places(me) {
    return [...this.#lastAt]
      .filter(([player]) => player === me || !this.isAway(player))
      .map(([player, index]) => {
        const [row, column] = this.place(index);
        return { id: player, name: player, at: /** @type {[number, number]} */ ([column, row]), you: player === me };
      });
  }

  /**
   * The kind of a cell on a map: down, up, none, held by this player ("mine"), or held by another player ("held").
   * @param {number} index
   * @param {string} me
   */
  kind(index, me) {
    const { is, by } = this.cells[index];
    return is !== "up" || by === null ? is : by === me ? "mine" : "held";
  }

  /** The players who hold a pair. The player's next move takes the pair off the board. */
  holdersOfPairs() {
    return [...this.#held].filter(([, held]) => held.size > 1).map(([player]) => player);
  }

  /**
   * The players who wait for this cell, in the order in which they began to wait.
   * @param {number} index
   */
  waitersFor(index) {
    return [...this.waiting].filter(([, spot]) => spot === index).map(([player]) => player);
  }

  /**
   * The indexes of the cells with one of these players in their labels: a player holds, took or waits for the card.
   * @param {string[]} players
   */
  cellsNaming(players) {
    const named = new Set(players);
    const indexes = new Set(players.flatMap((player) => this.waiting.get(player) ?? []));
    for (const [index, { by }] of this.cells.entries()) if (named.has(by ?? "")) indexes.add(index);
    return indexes;
  }

  /** The number of pairs on the board, or 0 when players hold all pairs. */
  get pairsToFind() {
    return this.holdersOfPairs().length < this.pairsLeft ? this.pairsLeft : 0;
  }

  /** True if the game is over: no two equal cards are left. */
  get isOver() {
    return this.rows > 0 && this.pairsLeft === 0;
  }

  /** True if the game has begun and is not over. */
  get isUnderway() {
    return !this.isOver && this.cells.some((cell) => cell.is !== "down");
  }

  /**
   * Groups of equal cards that different players hold. A player can only make a pair after another relinquishes a card.
   * @returns {Split[]}
   */
  splits() {
    /** @type {Map<string, string[]>} */ const holders = new Map();
    for (const [player, held] of this.#held) {
      if (held.size !== 1) continue;
      const { card } = this.cells[[...held][0]];
      holders.set(card, [...(holders.get(card) ?? []), player]);
    }
    return [...holders].filter(([, players]) => players.length > 1).map(([card, players]) => ({ card, players }));
  }

  /** True if players hold all cards of the remaining pairs: one player holds a whole pair, or two hold a card each. */
  get allInHands() {
    if (this.pairsLeft === 0) return false;
    const split = this.splits().reduce((sum, { players }) => sum + Math.floor(players.length / 2), 0);
    return this.holdersOfPairs().length + split === this.pairsLeft;
  }

  /**
   * True if an equal card lies face up and no player holds it.
   * @param {string} card
   */
  liesOpen(card) {
    return this.cells.some((cell) => cell.is === "up" && cell.by === null && cell.card === card);
  }

  /**
   * A player other than `me` who holds one card, equal to `card`. Return null if no player does.
   * @param {string} card
   * @param {string} me
   */
  holderOfOne(card, me) {
    for (const [player, held] of this.#held)
      if (player !== me && held.size === 1 && this.cells[[...held][0]].card === card) return player;
    return null;
  }

  /**
   * A card that lies face up while a player holds an equal card. Return null if no card does.
   * @returns {{card: string, player: string} | null}
   */
  oneHeldOneOpen() {
    for (const [player, held] of this.#held) {
      const card = held.size === 1 ? this.cells[[...held][0]].card : null;
      if (card !== null && this.liesOpen(card)) return { card, player };
    }
    return null;
  }

  /** The number of pairs at the start. */
  get pairsInAll() {
    return this.#taken / 2 + this.pairsLeft;
  }

  /**
   * True if a player is certainly not connected. Always false with very many players, because frames list only some.
   * @param {string} player
   */
  isAway(player) {
    return this.othersHere === 0 && !this.players.includes(player);
  }

  /**
   * The players and watchers, most pairs first, as `{rows, others}`. `rows` has at most `most` entries
   * `{player, pairs, here}`, and one for `me`. `others` is the known number of players without an entry. When players
   * hold all remaining pairs, the pairs that they hold count, too.
   * @param {string} me
   * @param {number} most
   */
  standings(me, most = Infinity) {
    const here = new Set(me === "" ? this.players : [...this.players, me]);
    const all = new Set([...this.scores.keys(), ...here]);
    const last = this.pairsToFind === 0 ? this.holdersOfPairs() : [];
    const pairs = (/** @type {string} */ player) => (this.scores.get(player) ?? 0) + (last.includes(player) ? 1 : 0);
    const rows = [...all]
      .map((player) => ({ player, pairs: pairs(player), here: here.has(player) || this.othersHere > 0 }))
      .sort((one, other) => other.pairs - one.pairs || (one.player < other.player ? -1 : 1));
    const inAll = Math.max(rows.length, this.#scoreCount, this.players.length + this.othersHere);
    const shown = rows.filter(({ player }, place) => place < most || player === me);
    return { rows: shown, others: inAll - shown.length };
  }

  /**
   * The pairs of the players who are here or have pairs, for a projector's screen.
   * @returns {Standings}
   */
  get ranking() {
    const { rows, others } = this.standings("");
    /** @type {[string, number][]} */
    const points = rows.filter(({ here, pairs }) => here || pairs > 0).map(({ player, pairs }) => [player, pairs]);
    return { points, others, begun: this.version > 0, shape: this.columns / this.rows };
  }

  /** The distinct cards that lie face up, for suggestions. */
  cardsSeen() {
    return [...new Set(this.cells.flatMap((cell) => (cell.is === "up" ? [cell.card] : [])))];
  }
}
