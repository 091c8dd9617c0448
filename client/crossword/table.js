/** The table at which a match is played, or looked at when it is over: board, clues, clue bar, keys, players. */

import { byId, counted } from "../shared/dom.js";
import { Board } from "./board.js";
import { ClueBar, Clues } from "./clues.js";
import { showDuel } from "./duel.js";
import { setUpKeys } from "./keys.js";
import { Solver } from "./solver.js";
import { wordLabel } from "./words.js";

const WHOLE_KEY = "scramble.crossword.whole";

export class Table {
  #match = null;
  #playing = false;
  #drawnDuel = "";
  #onLine;
  #onHint;
  #onExample;
  #onTell;
  #solver;
  #board;
  #clues;
  #bar;
  #whole; // the key that shows the whole board

  /**
   * `onLine(line)` sends a command line; `onHint(text)` says that there is nothing to send yet; `onLeave()` is called when
   * the player leaves the board with Escape, `onExample(text)` with a command that fits the chosen word, and `onTell(text)`
   * with what a screen reader should say of it.
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
      room: document.querySelector(".stage-room"),
      onPick: (index) => this.#solver.pick(index),
      onKey: (event) => this.#solver.key(event),
      onFit: (fits) => { this.#whole.disabled = fits; },
    });
    this.#solver.board = this.#board;
    this.#clues = new Clues({ onChoose: (id) => this.#choose(id) });
    this.#bar = new ClueBar({
      onStep: (by) => this.#solver.step(by),
      onTry: () => this.#send("TRY", this.#solver.draft),
      onChallenge: () => this.#send("CHALLENGE", this.#solver.draft),
    });
    this.#whole = setUpKeys(byId("keys"), { onKey: (key) => this.#solver.press(key), onWhole: (whole) => this.#keepWhole(whole) });
    try {
      this.#showWhole(localStorage.getItem(WHOLE_KEY) === "whole");
    } catch {
      this.#showWhole(false); // storage is switched off
    }
  }

  /** Shows a match as a frame has it; it can be played on if `playing`. */
  show(match, playing) {
    this.#match = match;
    this.#playing = playing;
    this.#clues.show(match);
    this.#solver.show(match, playing);
    this.#drawnDuel = showDuel(match, this.#drawnDuel);
  }

  /** Whether the keyboard's focus is on the board. */
  get hasFocus() {
    return this.#board.hasFocus;
  }

  /** Puts the keyboard's focus on the board. */
  focus() {
    this.#board.focus();
  }

  #choose(id) {
    this.#solver.chooseWord(id);
    if (this.#playing) this.#board.focus();
    document.querySelector(".cluebar").scrollIntoView({ block: "nearest" }); // on a phone the clues are far below
  }

  #chosen(draft, isNew) {
    this.#clues.choose(draft.word.id, isNew);
    if (isNew && this.#board.hasFocus) this.#onTell(wordLabel(this.#match, draft.word));
    this.#bar.show(this.#match, draft, this.#playing);
    this.#onExample(`${draft.word.by !== null && draft.word.by !== this.#match.me ? "CHALLENGE" : "TRY"} ${draft.word.id} word`);
  }

  /** Sends the letters of the chosen word, whatever they are: whether they will do is for the server to say. */
  #send(command, { word, text, missing }) {
    if (missing > 0) this.#onHint(`Word ${word.id} has ${counted(word.length, "letter")}, and ${missing === 1 ? "one is" : `${missing} are`} missing.`);
    else this.#onLine(`${command} ${word.id} ${text}`);
  }

  #showWhole(whole) {
    this.#whole.setAttribute("aria-pressed", String(whole));
    this.#board.showWhole(whole);
  }

  #keepWhole(whole) {
    this.#showWhole(whole);
    try {
      localStorage.setItem(WHOLE_KEY, whole ? "whole" : "part");
    } catch {
      /* storage is switched off: asked again next time */
    }
  }
}
