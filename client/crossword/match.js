/**
 * One match as a frame shows it, and questions about it. No rules, no page. A new frame makes a new Match, so that the
 * one before can be compared with it.
 */

export class Match {
  #cells; // row by row: null, or {letter, words}
  #words; // id -> word, as in the frame

  /** `view` is the frame's match, seen by the player `me`. */
  constructor(view, me) {
    this.id = view.id;
    this.puzzle = view.puzzle;
    this.description = view.description;
    this.me = me;
    this.other = view.players.find((player) => player !== me);
    this.players = view.players;
    this.points = view.challenge_points;
    this.rows = view.rows;
    this.columns = view.columns;
    this.words = view.words;
    this.#cells = view.cells.flat();
    this.#words = new Map(view.words.map((word) => [word.id, word]));
  }

  index(row, column) {
    return row * this.columns + column;
  }

  place(index) {
    return [Math.floor(index / this.columns), index % this.columns];
  }

  word(id) {
    return this.#words.get(id) ?? null;
  }

  /** The cell `{letter, words}`, or null if no word passes there. */
  cell(index) {
    return this.#cells[index] ?? null;
  }

  /** The indexes of all cells. */
  indexes() {
    return this.#cells.flatMap((cell, index) => (cell === null ? [] : [index]));
  }

  /** The indexes of a word's cells, first letter first. */
  cellsOf({ row, column, direction, length }) {
    const step = direction === "ACROSS" ? 1 : this.columns;
    return Array.from({ length }, (_, nth) => this.index(row, column) + nth * step);
  }

  /** The words through a cell, the one across first. */
  wordsAt(index) {
    const words = (this.cell(index)?.words ?? []).map((id) => this.word(id));
    return words.sort((one, other) => (one.direction < other.direction ? -1 : 1));
  }

  /** The word through a cell in that direction, or null. */
  wordThrough(index, direction) {
    return this.wordsAt(index).find((word) => word.direction === direction) ?? null;
  }

  /** The words that begin in a cell, the one across first. */
  wordsFrom(index) {
    return this.wordsAt(index).filter(({ row, column }) => this.index(row, column) === index);
  }

  /** The words as the clues list them: across, then down. */
  inOrder() {
    return [...this.words].sort((one, other) => (one.direction === other.direction ? one.id - other.id : one.direction < other.direction ? -1 : 1));
  }

  /** "mine", "theirs", or null if nobody has entered the word. */
  sideOf({ by }) {
    return by === null ? null : by === this.me ? "mine" : "theirs";
  }

  /** How many words stand under a player's name, and how many of them are confirmed. */
  countOf(player) {
    const entered = this.words.filter(({ by }) => by === player);
    return { entered: entered.length, confirmed: entered.filter(({ confirmed }) => confirmed).length };
  }

  /** Whether `other` is drawn on the same grid, with the same words to find. */
  hasShapeOf(other) {
    const shape = (match) => JSON.stringify([match.rows, match.columns, match.words.map(({ row, column, direction, length }) => [row, column, direction, length])]);
    return other !== null && shape(this) === shape(other);
  }
}
