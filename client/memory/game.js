/**
 * What this tab knows of the game, from the server's frames (docs/reference/websocket.md). No rules, no page:
 * a model that frames are applied to and that answers questions.
 */

export class Game {
  version = -1;
  rows = 0;
  columns = 0;
  cells = [];
  scores = new Map();
  waiting = new Map(); // player -> index of the cell waited for
  players = []; // connected
  pairsLeft = 0;
  off = new Set(); // what this server has switched off: "replace", "new"
  #held = new Map(); // player -> Set of indexes of cells that the player controls

  index(row, column) {
    return row * this.columns + column;
  }

  place(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  /** Takes over everything that a `board` frame says. */
  replaceAll(frame) {
    this.version = frame.version;
    this.rows = frame.rows;
    this.columns = frame.columns;
    this.cells = frame.cells;
    this.scores = new Map(Object.entries(frame.scores));
    this.waiting = new Map(Object.entries(frame.waiting).map(([player, [row, column]]) => [player, this.index(row, column)]));
    this.pairsLeft = frame.pairs_left;
    this.off = new Set(frame.off ?? []);
    this.#held.clear();
    this.cells.forEach((cell, index) => this.#hold(cell, index));
  }

  /**
   * Takes over a `change` frame. Returns what is different: `cells`, a list of `{index, before, after}`, and `touched`,
   * the set of the indexes of cells that look different, those somebody began or stopped to wait for included.
   */
  change(frame) {
    this.version = frame.version;
    const cells = [];
    const touched = new Set();
    for (const { row, column, cell } of frame.cells ?? []) {
      const index = this.index(row, column);
      const before = this.cells[index];
      cells.push({ index, before, after: cell });
      touched.add(index);
      if (before.is === "up" && before.by !== null) this.#held.get(before.by)?.delete(index);
      this.cells[index] = cell;
      this.#hold(cell, index);
    }
    for (const [player, pairs] of Object.entries(frame.scores ?? {})) this.scores.set(player, pairs);
    for (const [player, spot] of Object.entries(frame.waiting ?? {})) {
      if (this.waiting.has(player)) touched.add(this.waiting.get(player));
      this.waiting.delete(player);
      if (spot !== null) {
        this.waiting.set(player, this.index(...spot));
        touched.add(this.waiting.get(player));
      }
    }
    if (frame.pairs_left !== undefined) this.pairsLeft = frame.pairs_left;
    return { cells, touched };
  }

  #hold(cell, index) {
    if (cell.is !== "up" || cell.by === null) return;
    if (!this.#held.has(cell.by)) this.#held.set(cell.by, new Set());
    this.#held.get(cell.by).add(index);
  }

  /** The indexes of the cells that a player controls: none, the first card, or both of a pair. */
  heldBy(player) {
    return [...(this.#held.get(player) ?? [])];
  }

  /** The players who hold a pair that their next move takes off the board. */
  holdersOfPairs() {
    return [...this.#held].filter(([, held]) => held.size > 1).map(([player]) => player);
  }

  /** Who waits for this cell, longest first. */
  waitersFor(index) {
    return [...this.waiting].filter(([, spot]) => spot === index).map(([player]) => player);
  }

  /** No two cards left are alike: the game is over. */
  get isOver() {
    return this.rows > 0 && this.pairsLeft === 0;
  }

  /** Every pair that is left lies in somebody's hands: there is nothing more to find. */
  get allInHands() {
    return this.pairsLeft > 0 && this.holdersOfPairs().length === this.pairsLeft;
  }

  /** How many pairs there were at the start, as far as scores tell. */
  get pairsInAll() {
    let taken = 0;
    for (const pairs of this.scores.values()) taken += pairs;
    return taken + this.pairsLeft;
  }

  /** `[{player, pairs, here}]`: everybody who plays or watches, most pairs first. */
  standings() {
    const here = new Set(this.players);
    const all = new Set([...this.scores.keys(), ...here]);
    return [...all]
      .map((player) => ({ player, pairs: this.scores.get(player) ?? 0, here: here.has(player) }))
      .sort((one, other) => other.pairs - one.pairs || (one.player < other.player ? -1 : 1));
  }

  /** The distinct cards that lie face up, for suggestions. */
  cardsSeen() {
    return [...new Set(this.cells.filter((cell) => cell.is === "up").map((cell) => cell.card))];
  }
}
