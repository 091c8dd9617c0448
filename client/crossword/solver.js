/**
 * Solving with keyboard, touch or mouse: the chosen word, the cell for the next letter, and the typed letters.
 *
 * Typed letters are private until TRY or CHALLENGE sends them. A letter that a player puts on the board replaces a
 * typed letter in the same cell.
 */

/** @import { Board } from "./board.js" */
/** @import { Direction, Match, Word } from "./match.js" */

const LETTER = /^[a-z-]$/i;
/** @type {Record<string, [direction: Direction, by: number]>} */
const ARROWS = { ArrowLeft: ["ACROSS", -1], ArrowRight: ["ACROSS", 1], ArrowUp: ["DOWN", -1], ArrowDown: ["DOWN", 1] };

/**
 * @typedef {object} Draft
 * @property {Word} word
 * @property {(string | null)[]} letters
 * @property {number} typed
 * @property {number} missing
 * @property {string} text
 * @property {number} at
 */
/**
 * @typedef {object} SolverCallbacks
 * @property {(draft: Draft, isNew: boolean) => void} onChoose
 * @property {(draft: Draft) => void} onTry
 * @property {(draft: Draft) => void} onChallenge
 * @property {() => void} onLeave
 */

export class Solver {
  /** @type {Match} */ #match = /** @type {any} */ (null); // set by show()
  /** @type {Map<number, string>} */ #typed = new Map(); // index -> letter
  /** @type {number} */ #word = /** @type {any} */ (null); // the id of the chosen word
  /** @type {number} */ #cursor = /** @type {any} */ (null); // the index of a cell of that word
  /** @type {number | null} */ #passed = null; // the cell to which the cursor has skipped, past known letters
  #playing = false;
  /** @type {Board} */ #board = /** @type {any} */ (null); // set by board
  #onChoose;
  #onTry;
  #onChallenge;
  #onLeave;

  /**
   * `onChoose(draft, isNew)` is called after the chosen word or its draft has changed. `isNew` means another word.
   * `onTry(draft)` and `onChallenge(draft)` are called to send the draft. `onLeave()` is called when the player leaves
   * the board with Escape.
   * @param {SolverCallbacks} callbacks
   */
  constructor({ onChoose, onTry, onChallenge, onLeave }) {
    this.#onChoose = onChoose;
    this.#onTry = onTry;
    this.#onChallenge = onChallenge;
    this.#onLeave = onLeave;
  }

  /**
   * Set the Board that shows the chosen word and the typed letters.
   * @param {Board} board
   */
  set board(board) {
    this.#board = board;
  }

  /**
   * Show a match. Without `playing`, the player cannot type. Typed letters stay in cells that have not changed.
   * @param {Match} match
   * @param {boolean} playing
   */
  show(match, playing) {
    const before = this.#match;
    const same = match.hasShapeOf(before) && before.id === match.id;
    this.#match = match;
    this.#playing = playing;
    if (!same || !playing) this.#typed.clear();
    else {
      for (const [index, letter] of this.#typed) {
        const now = match.cell(index)?.letter;
        const isSettled = match.wordsAt(index).some(({ confirmed }) => confirmed);
        if (now === letter || isSettled || (now !== null && now !== before.cell(index)?.letter))
          this.#typed.delete(index);
      }
    }
    this.#board.show(match, this.#typed, playing);
    const first = match.inOrder()[0];
    if (same && match.word(this.#word) !== null) this.#choose(this.#chosen, this.#cursor);
    else this.#choose(first, match.cellsOf(first)[0], true);
  }

  /** The chosen word. */
  get #chosen() {
    return /** @type {Word} */ (this.#match.word(this.#word));
  }

  /**
   * The draft of the chosen word: `{word, text, typed, missing, letters, at}`. `letters` has null for a missing letter.
   * @returns {Draft}
   */
  get draft() {
    const word = this.#chosen;
    const cells = this.#match.cellsOf(word);
    const letters = cells.map((index) => this.#typed.get(index) ?? this.#match.cell(index)?.letter ?? null);
    const typed = cells.filter((index) => this.#typed.has(index)).length;
    return {
      word,
      letters,
      typed,
      missing: letters.filter((letter) => letter === null).length,
      text: letters.map((letter) => letter ?? "?").join(""),
      at: cells.indexOf(this.#cursor),
    };
  }

  /**
   * Choose a word by its id, with the cursor at its first missing letter.
   * @param {number} id
   */
  chooseWord(id) {
    const word = this.#match.word(id);
    if (word === null) return;
    const cells = this.#match.cellsOf(word);
    const isOpen = (/** @type {number} */ index) => !this.#typed.has(index) && this.#match.cell(index)?.letter === null;
    const at = cells.find(isOpen) ?? cells[0];
    this.#move(word, at);
    this.#passed = at === cells[0] ? null : at;
  }

  /**
   * Choose the next word in the order of the clues (1), or the previous word (-1). With `round`, the first word follows
   * the last word. Otherwise return false at the end.
   * @param {number} by
   */
  step(by, { round = false } = {}) {
    const order = this.#match.inOrder();
    const at = order.findIndex(({ id }) => id === this.#word) + by;
    const next = order[round ? (at + order.length) % order.length : at];
    if (next === undefined) return false;
    this.chooseWord(next.id);
    return true;
  }

  /**
   * Choose the clicked cell's word in the current direction. A second click on the cell chooses its other word.
   * @param {number} index
   */
  pick(index) {
    const { direction } = this.#chosen;
    const [first, second] = this.#match.wordsAt(index);
    const along = this.#match.wordThrough(index, direction) ?? first;
    const other = second === undefined || along !== first ? first : second;
    this.#move(index === this.#cursor ? other : along, index);
    this.#board.focus();
  }

  /**
   * Handle a key on the board. Return true if the key has a function here.
   * @param {KeyboardEvent} event
   */
  key({ key, shiftKey, ctrlKey, altKey, metaKey }) {
    if (altKey || metaKey || ctrlKey) return false;
    if (key === "Tab") return this.#focusing(() => this.step(shiftKey ? -1 : 1));
    if (key in ARROWS) return this.#focusing(() => this.#arrow(...ARROWS[key]));
    const cells = this.#match.cellsOf(this.#chosen);
    if (key === "Home") return this.#focusing(() => this.#move(this.#chosen, cells[0]));
    if (key === "End") return this.#focusing(() => this.#move(this.#chosen, cells[cells.length - 1]));
    if (key === " ") return this.#focusing(() => this.pick(this.#cursor));
    return this.#focusing(() => this.press(key, shiftKey));
  }

  /**
   * Handle an editing key from the real keyboard or the keyboard on the page: a letter, Backspace, Delete, Escape or
   * Enter. Return false for other keys.
   * @param {string} key
   */
  press(key, shiftKey = false) {
    if (!this.#playing) return false;
    if (LETTER.test(key)) this.#write(key.toLowerCase());
    else if (key === "Backspace") this.#rub();
    else if (key === "Delete") this.#erase([this.#cursor]);
    else if (key === "Escape") this.#escape();
    else if (key === "Enter" && shiftKey) this.#onChallenge(this.draft);
    else if (key === "Enter") this.#onTry(this.draft);
    else return false;
    return true;
  }

  /** @param {() => boolean | void} act */
  #focusing(act) {
    const done = act() !== false;
    if (done && this.#board.hasFocus) this.#board.focus();
    return done;
  }

  /**
   * @param {Direction} direction
   * @param {number} by
   */
  #arrow(direction, by) {
    const word = this.#chosen;
    const crossing = this.#match.wordThrough(this.#cursor, direction);
    // The first press of an arrow key changes the direction, the next press moves the cursor.
    if (crossing !== null && direction !== word.direction) return this.#move(crossing, this.#cursor);
    const [row, column] = this.#match.place(this.#cursor);
    const [last, here] = direction === "ACROSS" ? [this.#match.columns, column] : [this.#match.rows, row];
    for (let to = here + by; to >= 0 && to < last; to += by) {
      const index = direction === "ACROSS" ? this.#match.index(row, to) : this.#match.index(to, column);
      if (this.#match.cell(index) !== null)
        return this.#move(this.#match.wordThrough(index, direction) ?? this.#match.wordsAt(index)[0], index);
    }
    return undefined;
  }

  /**
   * The cell for a typed letter. Players may type the whole word, or only the missing letters. If the cursor has
   * skipped known letters and the player types the first letter of the word, the cell is the first cell. At a confirmed
   * cell, a different letter goes to the next cell that is not confirmed.
   * @param {string} letter
   */
  #placeFor(letter) {
    const cells = this.#match.cellsOf(this.#chosen);
    const shown = (/** @type {number} */ index) => this.#typed.get(index) ?? this.#match.cell(index)?.letter;
    const settled = (/** @type {number} */ index) => this.#match.wordsAt(index).some(({ confirmed }) => confirmed);
    if (this.#passed === this.#cursor && shown(cells[0]) === letter) return cells[0];
    if (!settled(this.#cursor) || shown(this.#cursor) === letter) return this.#cursor;
    const next = cells.slice(cells.indexOf(this.#cursor)).find((index) => !settled(index));
    return next ?? this.#cursor;
  }

  /** @param {string} letter */
  #write(letter) {
    const index = this.#placeFor(letter);
    this.#cursor = index;
    if (this.#match.cell(index)?.letter === letter) this.#typed.delete(index);
    else this.#typed.set(index, letter);
    this.#board.refresh([index]);
    this.#along(1);
  }

  #rub() {
    if (this.#typed.has(this.#cursor)) this.#erase([this.#cursor]);
    else {
      this.#along(-1);
      this.#erase([this.#cursor]);
    }
  }

  /** @param {number[]} indexes */
  #erase(indexes) {
    for (const index of indexes) this.#typed.delete(index);
    this.#board.refresh(indexes);
    this.#choose(this.#chosen, this.#cursor);
  }

  #escape() {
    const cells = this.#match.cellsOf(this.#chosen);
    if (cells.some((index) => this.#typed.has(index))) {
      this.#erase(cells);
      this.#move(this.#chosen, cells[0]);
    } else this.#onLeave();
  }

  /**
   * Move the cursor along the word, at most to its ends.
   * @param {number} by
   */
  #along(by) {
    const word = this.#chosen;
    const cells = this.#match.cellsOf(word);
    this.#move(word, cells[cells.indexOf(this.#cursor) + by] ?? this.#cursor);
  }

  /**
   * @param {Word} word
   * @param {number} index
   */
  #move(word, index) {
    this.#passed = null;
    this.#choose(word, index);
    this.#board.reveal();
  }

  /**
   * @param {Word} word
   * @param {number} cursor
   */
  #choose(word, cursor, isNew = false) {
    const another = isNew || word.id !== this.#word;
    this.#word = word.id;
    this.#cursor = cursor;
    this.#board.choose(word, cursor);
    this.#onChoose(this.draft, another);
  }
}
