/**
 * The match in one frame of the server, with methods that answer questions about it. A Match does not know the rules of
 * the game or the page. Each frame makes a new Match, which the page compares with the previous Match.
 */

/** @import { Standings } from "../shared/screen.js" */
/** @typedef {"ACROSS" | "DOWN"} Direction */
/**
 * @typedef {object} Word of a frame
 * @property {number} id
 * @property {string} clue
 * @property {number} row of the first letter
 * @property {number} column
 * @property {Direction} direction
 * @property {number} length
 * @property {string | null} entered
 * @property {string} by the player who entered the word; only for an entered word
 * @property {boolean} confirmed
 */
/** @typedef {{letter: string | null, words: number[]}} Cell */
/**
 * @typedef {object} MatchView of a frame
 * @property {string} id
 * @property {string} puzzle
 * @property {string} description
 * @property {string[]} players the first one opened the match; a single-player match has one player
 * @property {Record<string, number>} challenge_points
 * @property {number} rows
 * @property {number} columns
 * @property {Word[]} words
 * @property {(Cell | null)[][]} cells
 */
/** @typedef {{player: string, seconds_left?: number}} Missing the other player, while disconnected */
/**
 * @typedef {object} Result of a match
 * @property {string | null} winner
 * @property {Record<string, number>} points
 * @property {string | null} forfeited_by
 * @property {string} ended
 * @property {number} [seconds] the duration of a single-player match
 * @property {MatchView} match
 */
/** @typedef {{id: string, puzzle: string, description: string, player: string}} WaitingMatch */
/** @typedef {{id: string, name: string, description: string}} PuzzleView */
/**
 * @typedef {object} Frame of the server. The optional properties depend on the state
 * @property {"START" | "CHOOSE" | "WAIT" | "PLAY" | "SHOW SCORE"} state
 * @property {string} message
 * @property {string | null} error
 * @property {string} [code] of the error
 * @property {Record<string, string | number>} [params] of the error code
 * @property {string} player null in START and for a spectator
 * @property {string} [token]
 * @property {any} match a MatchView in PLAY, a WaitingMatch in WAIT
 * @property {any} result a Result in SHOW SCORE
 * @property {any} puzzles PuzzleView[] in CHOOSE
 * @property {any} matches WaitingMatch[] in CHOOSE
 * @property {Missing} [missing]
 * @property {Clock} [clock] in PLAY of a single-player match
 * @property {string[]} [solution] in SHOW SCORE of a room: the right words, by id
 */
/** @typedef {{seconds: number, running: boolean}} Clock */

export class Match {
  /** @type {(Cell | null)[]} */ #cells; // row by row: null, or {letter, words}
  /** @type {Map<number, Word>} */ #words; // id -> word, as in the frame

  /**
   * `view` is the frame's match. `me` is the player of this page, or null for a spectator. A spectator sees the match
   * from the first player's side.
   * @param {MatchView} view
   * @param {string | null} me
   * @param {string[] | null} solution the right words, by id, of a match that is over, or null if they are unknown
   */
  constructor(view, me, solution = null) {
    this.id = view.id;
    this.puzzle = view.puzzle;
    this.description = view.description;
    this.me = me ?? view.players[0];
    /** @type {string | null} */ this.you = me; // null for a spectator
    this.other = view.players.find((player) => player !== this.me) ?? "";
    this.players = view.players;
    this.isAlone = view.players.length === 1;
    this.solution = solution;
    this.points = view.challenge_points;
    this.rows = view.rows;
    this.columns = view.columns;
    this.words = view.words;
    this.#cells = view.cells.flat();
    this.#words = new Map(view.words.map((word) => [word.id, word]));
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  index(row, column) {
    return row * this.columns + column;
  }

  /**
   * @param {number} index
   * @returns {[row: number, column: number]}
   */
  place(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  /**
   * @param {number | null} id
   * @returns {Word | null}
   */
  word(id) {
    return (id === null ? null : this.#words.get(id)) ?? null;
  }

  /**
   * The cell `{letter, words}`, or null if the square is in no word.
   * @param {number} index
   * @returns {Cell | null}
   */
  cell(index) {
    return this.#cells[index] ?? null;
  }

  /**
   * The right letter of a cell in a match that is over, or null if the letter is unknown or already on the board.
   * @param {number} index
   */
  missedAt(index) {
    if (this.solution === null) return null;
    const [word] = this.wordsAt(index);
    const letter = this.solution[word.id - 1]?.[this.cellsOf(word).indexOf(index)] ?? null;
    return letter === this.cell(index)?.letter ? null : letter;
  }

  /**
   * The outcome of a word in a match that is over: "right", "wrong", or "open" if nobody has entered it.
   * @param {Word} word
   * @returns {"right" | "wrong" | "open"}
   */
  outcomeOf({ id, entered, confirmed }) {
    if (entered === null) return "open";
    return confirmed || this.solution?.[id - 1] === entered ? "right" : "wrong";
  }

  /**
   * The indexes of all cells.
   * @returns {number[]}
   */
  indexes() {
    return this.#cells.flatMap((cell, index) => (cell === null ? [] : [index]));
  }

  /**
   * The indexes of a word's cells, in the order of the letters.
   * @param {Pick<Word, "row" | "column" | "direction" | "length">} word
   */
  cellsOf({ row, column, direction, length }) {
    const step = direction === "ACROSS" ? 1 : this.columns;
    return Array.from({ length }, (_, nth) => this.index(row, column) + nth * step);
  }

  /**
   * The words through a cell, the word across first.
   * @param {number} index
   * @returns {Word[]}
   */
  wordsAt(index) {
    const words = (this.cell(index)?.words ?? []).flatMap((id) => this.word(id) ?? []);
    return words.sort((one, other) => (one.direction < other.direction ? -1 : 1));
  }

  /**
   * The word through a cell in the given direction, or null.
   * @param {number} index
   * @param {Direction} direction
   */
  wordThrough(index, direction) {
    return this.wordsAt(index).find((word) => word.direction === direction) ?? null;
  }

  /**
   * The words that begin in a cell, the word across first.
   * @param {number} index
   */
  wordsFrom(index) {
    return this.wordsAt(index).filter(({ row, column }) => this.index(row, column) === index);
  }

  /** The words in the order of the clues: across, then down. */
  inOrder() {
    return [...this.words].sort((one, other) =>
      one.direction === other.direction ? one.id - other.id : one.direction < other.direction ? -1 : 1,
    );
  }

  /**
   * The side of a word: "mine", "theirs", or null if no player has entered the word.
   * @param {Pick<Word, "by">} word
   */
  sideOf({ by }) {
    return by === null ? null : by === this.me ? "mine" : "theirs";
  }

  /**
   * The number of a player's words, and the number of the player's confirmed words.
   * @param {string} player
   */
  countOf(player) {
    const entered = this.words.filter(({ by }) => by === player);
    return { entered: entered.length, confirmed: entered.filter(({ confirmed }) => confirmed).length };
  }

  /**
   * The expected totals of the players, for a projector's screen.
   * @returns {Standings}
   */
  get ranking() {
    const points = this.players.map((player) => this.countOf(player).entered + this.points[player]);
    return {
      points: this.players.map((player, at) => [player, points[at]]),
      begun: this.words.some(({ entered }) => entered !== null) || points.some((one) => one !== 0),
      shape: this.columns / this.rows,
    };
  }

  /**
   * True if `other` has the same grid and the same words to find.
   * @param {Match | null} other
   * @returns {other is Match}
   */
  hasShapeOf(other) {
    const shape = (/** @type {Match} */ match) =>
      JSON.stringify([
        match.rows,
        match.columns,
        match.words.map(({ row, column, direction, length }) => [row, column, direction, length]),
      ]);
    return other !== null && shape(this) === shape(other);
  }
}

/**
 * The solution of a complete match, from the letters in its cells: the words by id.
 * @param {MatchView} view
 */
export function spelled(view) {
  return view.words.map(({ row, column, direction, length }) =>
    Array.from({ length }, (_, nth) =>
      direction === "ACROSS" ? view.cells[row][column + nth] : view.cells[row + nth][column],
    )
      .map((cell) => cell?.letter ?? "")
      .join(""),
  );
}
