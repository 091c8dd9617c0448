/** The table of a match, being played or over: board, clues, clue bar, keys, players. */

import { byId, within } from "../shared/dom.js";
import { counted } from "../shared/words.js";
import { Board } from "./board.js";
import { ClueBar, Clues } from "./clues.js";
import { Countdown, showDuel } from "./duel.js";
import { setUpKeys } from "./keys.js";
import { Solver } from "./solver.js";
import { placeWords, wordLabel } from "./words.js";

/** @import { Match, Missing } from "./match.js" */
/** @import { Draft } from "./solver.js" */

const WHOLE_KEY = "scramble.crossword.whole";

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
  #bar;
  /** @type {HTMLButtonElement} */ #whole; // the key that shows the whole board

  /**
   * `onLine(line)` sends a command line; `onHint(text)` says that there is nothing to send yet; `onLeave()` is called
   * when the player leaves the board with Escape, `onExample(text)` with a command that fits the chosen word, and
   * `onTell(text)` with what a screen reader should say of it.
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
      onStep: (by) => this.#solver.step(by),
      onTry: () => this.#send("TRY", this.#solver.draft),
      onChallenge: () => this.#send("CHALLENGE", this.#solver.draft),
    });
    this.#whole = setUpKeys(byId("keys"), {
      onKey: (key) => this.#solver.press(key),
      onWhole: (whole) => this.#keepWhole(whole),
    });
    this.#board.showWhole(keptWhole());
  }

  /**
   * Show a match as a frame has it; it can be played on if `playing`. `missing` is there while the other player is.
   * @param {Match} match
   * @param {boolean} playing
   * @param {Missing | null} missing
   */
  show(match, playing, missing = null) {
    this.#match = match;
    this.#playing = playing;
    this.#clues.show(match);
    this.#solver.show(match, playing);
    this.#drawnDuel = showDuel(match, missing?.player ?? null, this.#drawnDuel);
    this.#countdown.begin(missing);
  }

  /** Whether the keyboard's focus is on the board. */
  get hasFocus() {
    return this.#board.hasFocus;
  }

  /** Put the keyboard's focus on the board. */
  focus() {
    this.#board.focus();
  }

  /** @param {number} id */
  #choose(id) {
    this.#solver.chooseWord(id);
    if (this.#playing) this.#board.focus();
    within(document, ".cluebar").scrollIntoView({ block: "nearest" }); // on a phone the clues are far below
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
      `${draft.word.by !== null && draft.word.by !== this.#match.me ? "CHALLENGE" : "TRY"} ${draft.word.id} word`,
    );
  }

  /**
   * Send the letters of the chosen word, whatever they are: the server decides whether they are valid.
   * @param {"TRY" | "CHALLENGE"} command
   * @param {Draft} draft
   */
  #send(command, { word, text, missing }) {
    if (missing > 0)
      this.#onHint(
        `${placeWords(word)} has ${counted(word.length, "letter")}, ` +
          `and ${missing === 1 ? "one is" : `${missing} are`} missing.`,
      );
    else this.#onLine(`${command} ${word.id} ${text}`);
  }

  /** @param {boolean} whole */
  #keepWhole(whole) {
    this.#board.showWhole(whole);
    try {
      localStorage.setItem(WHOLE_KEY, whole ? "whole" : "part");
    } catch {
      /* storage is switched off: whatever suits next time */
    }
  }
}

/**
 * Whether the player wants to see the whole board, however small; null: has not said so.
 * @returns {boolean | null}
 */
function keptWhole() {
  try {
    const kept = localStorage.getItem(WHOLE_KEY);
    return kept === null ? null : kept === "whole";
  } catch {
    return null; // storage is switched off
  }
}
