/** The table of a running or finished match: board, clues, clue bar, keys, players. */

import { byId, within } from "../shared/dom.js";
import { Board } from "./board.js";
import { ClueBar, Clues } from "./clues.js";
import { Countdown, Stopwatch, showDuel } from "./duel.js";
import { setUpKeys } from "./keys.js";
import { Solver } from "./solver.js";
import { placeWords, WORDS, wordLabel } from "./words.js";

/** @import { Clock, Match, Missing } from "./match.js" */
/** @import { Draft } from "./solver.js" */

/**
 * @typedef {object} TableCallbacks
 * @property {(line: string) => void} onLine
 * @property {(text: string) => void} onHint
 * @property {() => void} onLeave
 * @property {(text: string) => void} onExample
 * @property {(text: string) => void} onTell
 */

export class Table {
  /** @type {Match} */ #match = /** @type {any} */ (null); // set by show()
  #playing = false;
  #drawnDuel = "";
  #onLine;
  #onHint;
  #onExample;
  #onTell;
  #solver;
  #board;
  #clues;
  #countdown = new Countdown();
  #stopwatch = new Stopwatch();
  #bar;
  /** @type {HTMLButtonElement} */ #whole; // the key that shows the whole board

  /**
   * `onLine(line)` sends a command line. `onHint(text)` shows how many letters are missing. `onLeave()` is called when
   * the player leaves the board with Escape. `onExample(text)` gets an example command for the chosen word.
   * `onTell(text)` gets the words about the chosen word for screen readers.
   * @param {TableCallbacks} callbacks
   */
  constructor({ onLine, onHint, onLeave, onExample, onTell }) {
    this.#onLine = onLine;
    this.#onHint = onHint;
    this.#onExample = onExample;
    this.#onTell = onTell;
    this.#solver = new Solver({
      onChoose: (draft, isNew) => this.#chosen(draft, isNew),
      onTry: (draft) => this.#send("TRY", draft),
      onChallenge: (draft) => this.#send("CHALLENGE", draft),
      onLeave,
    });
    this.#board = new Board({
      frame: byId("frame"),
      room: within(document, ".stage-room"),
      onPick: (index) => this.#solver.pick(index),
      onKey: (event) => this.#solver.key(event),
      onFit: ({ fits, whole }) => {
        this.#whole.disabled = fits;
        this.#whole.setAttribute("aria-pressed", String(whole));
      },
    });
    this.#solver.board = this.#board;
    this.#clues = new Clues({ onChoose: (id) => this.#choose(id) });
    this.#bar = new ClueBar({
      onStep: (by) => this.#solver.step(by, { round: true }),
      onTry: () => this.#send("TRY", this.#solver.draft),
      onChallenge: () => this.#send("CHALLENGE", this.#solver.draft),
    });
    this.#whole = setUpKeys(byId("keys"), {
      onKey: (key) => this.#solver.press(key),
      onWhole: (whole) => this.#board.showWhole(whole),
    });
  }

  /**
   * Show a frame's match. `playing` is true if the match is running and this user plays in it. `missing` is the other
   * player while disconnected. Only a single-player match has a `clock`.
   * @param {Match} match
   * @param {boolean} playing
   * @param {{missing?: Missing | null, clock?: Clock | null}} times
   */
  show(match, playing, { missing = null, clock = null } = {}) {
    this.#match = match;
    this.#playing = playing;
    this.#clues.show(match);
    this.#solver.show(match, playing);
    this.#drawnDuel = showDuel(match, missing?.player ?? null, this.#drawnDuel);
    this.#countdown.begin(missing);
    this.#stopwatch.begin(clock);
    byId("challenge").hidden = match.isAlone;
  }

  /** The words about a mistake in a single-player match: the chosen word is the word that the player tried. */
  get mistakenWords() {
    return WORDS.mistaken(placeWords(this.#solver.draft.word));
  }

  /**
   * Set the words that replace the next step. Null shows the next step again.
   * @param {string | null} words
   */
  set away(words) {
    this.#bar.away = words;
  }

  /** True if the keyboard's focus is on the board. */
  get hasFocus() {
    return this.#board.hasFocus;
  }

  /** Put the keyboard's focus on the board. */
  focus() {
    this.#board.focus();
  }

  /** Put the keyboard's focus on the clue of the chosen word. */
  leave() {
    this.#clues.focus();
  }

  /** @param {number} id */
  #choose(id) {
    this.#solver.chooseWord(id);
    if (this.#playing) this.#board.focus();
    window.scrollTo({ top: 0, behavior: "instant" }); // on a phone the clues are far below the board
  }

  /**
   * @param {Draft} draft
   * @param {boolean} isNew
   */
  #chosen(draft, isNew) {
    this.#clues.choose(draft.word.id, isNew);
    if (isNew && this.#board.hasFocus) this.#onTell(wordLabel(this.#match, draft.word));
    this.#bar.show(this.#match, draft, this.#playing);
    this.#onExample(
      WORDS.exampleWord(
        draft.word.by !== null && draft.word.by !== this.#match.me ? "CHALLENGE" : "TRY",
        draft.word.id,
      ),
    );
  }

  /**
   * Send the letters of the chosen word if none is missing. The server checks if the word is valid.
   * @param {"TRY" | "CHALLENGE"} command
   * @param {Draft} draft
   */
  #send(command, { word, text, missing }) {
    if (missing > 0) this.#onHint(WORDS.lettersMissing(placeWords(word), word.length, missing));
    else this.#onLine(`${command} ${word.id} ${text}`);
  }
}
