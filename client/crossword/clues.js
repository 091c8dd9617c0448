/** The clues in two columns, and the bar with the chosen clue. Each clue is a button that chooses its word. */

import { byId, element, hit, setAttribute, setText } from "../shared/dom.js";
import { paint } from "../shared/hues.js";
import { badge } from "../shared/player.js";
import { SHARED } from "../shared/words.js";
import { onSwipe } from "./swipe.js";
import { clueBegins, placeWords, standing, WORDS, wordHint } from "./words.js";

/** @import { Match, Word } from "./match.js" */
/** @import { Draft } from "./solver.js" */

const touch = window.matchMedia("(pointer: coarse)");

/** @typedef {{button: HTMLElement, answer: HTMLElement, state: HTMLElement, drawn: string | null}} Item of a list */

export class Clues {
  #lists = { ACROSS: byId("clues-across"), DOWN: byId("clues-down") };
  /** @type {Map<number | null, Item>} */ #items = new Map(); // by the id of the word
  /** @type {Match} */ #match = /** @type {any} */ (null); // set by show()
  /** @type {number | null} */ #chosen = null;

  /**
   * `onChoose(id)` is called when a clue is clicked.
   * @param {{onChoose: (id: number) => void}} callbacks
   */
  constructor({ onChoose }) {
    for (const list of Object.values(this.#lists)) {
      list.addEventListener("click", (event) => {
        const button = hit(event, ".clue");
        if (button !== null) onChoose(Number(button.dataset.word));
      });
    }
  }

  /**
   * Show the clues and answers of a match. Draw only changed answers; if a clue or the grid has changed, draw all.
   * @param {Match} match
   */
  show(match) {
    if (!match.hasShapeOf(this.#match) || match.words.some((word) => word.clue !== this.#match.word(word.id)?.clue))
      this.#build(match);
    this.#match = match;
    for (const word of match.words) this.#paint(word);
  }

  /**
   * Mark the clue of the chosen word. Scroll to the clue if `isNew`.
   * @param {number} id
   * @param {boolean} isNew
   */
  choose(id, isNew) {
    if (id !== this.#chosen) {
      this.#items.get(this.#chosen)?.button.removeAttribute("aria-current");
      this.#chosen = id;
    }
    const button = this.#items.get(id)?.button;
    if (button === undefined) return;
    setAttribute(button, "aria-current", "true");
    const list = /** @type {HTMLElement} */ (button.closest(".clue-list"));
    // Only the list scrolls: scrollIntoView would move the whole page on a phone.
    if (isNew && list.scrollHeight > list.clientHeight) {
      const [top, bottom] = [
        button.offsetTop - list.offsetTop,
        button.offsetTop - list.offsetTop + button.offsetHeight,
      ];
      if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight)
        list.scrollTop = top - list.clientHeight / 3;
    }
  }

  /** Put the keyboard's focus on the clue of the chosen word. */
  focus() {
    this.#items.get(this.#chosen)?.button.focus();
  }

  /** @param {Match} match */
  #build(match) {
    this.#items.clear();
    this.#chosen = null;
    for (const list of Object.values(this.#lists)) list.replaceChildren();
    for (const word of match.inOrder()) {
      // The accessible name has the visible text, and the answer and its owner in words (`state`). On the screen, the
      // owner's badge is after the answer.
      const answer = element("span", { class: "clue-answer", "aria-hidden": "true" });
      const state = element("span", { class: "unseen" });
      const text = element(
        "span",
        { class: "clue-text" },
        element("span", { class: "unseen", text: clueBegins(word) }),
        element("bdi", { text: word.clue }),
        element("span", { class: "clue-length", "aria-hidden": "true", text: ` (${word.length})` }),
        state,
      );
      const button = element(
        "button",
        { type: "button", class: "clue", "data-word": word.id },
        element("span", { class: "clue-id", text: String(word.id) }),
        text,
        answer,
      );
      this.#items.set(word.id, { button, answer, state, drawn: null });
      this.#lists[word.direction].append(element("li", {}, button));
    }
    for (const [direction, list] of Object.entries(this.#lists)) {
      const column = /** @type {HTMLElement} */ (list.parentElement);
      column.hidden = !match.words.some((word) => word.direction === direction);
    }
  }

  /** @param {Word} word */
  #paint(word) {
    const item = this.#items.get(word.id);
    if (item === undefined) return;
    const solution = this.#match.solution?.[word.id - 1] ?? null;
    const right = solution === word.entered ? null : solution;
    const drawn = ` – ${standing(this.#match, word, right)}`;
    if (item.drawn === drawn) return;
    item.drawn = drawn;
    setText(item.state, drawn);
    setAttribute(item.button, "data-side", this.#match.sideOf(word));
    setAttribute(item.button, "data-confirmed", word.confirmed);
    item.answer.replaceChildren(...answerParts(this.#match, word, right));
    if (word.by === null) item.button.classList.remove("hue");
    else paint(item.button, word.by);
  }
}

/**
 * @param {Match} match
 * @param {Word} word
 * @param {string | null} right the right word, after the end of the match, if it is not on the board
 */
function answerParts(match, { entered, by, confirmed }, right) {
  const solution = right === null ? null : element("span", { class: "answer answer-missed", text: right });
  if (entered === null) return solution === null ? [] : [solution];
  const owner = paint(badge(by), by);
  if (by === match.you) owner.dataset.initials = SHARED.you;
  owner.dataset.side = by === match.me ? "mine" : "theirs";
  return [
    element(right === null ? "span" : "s", { class: "answer", text: entered }),
    owner,
    solution,
    confirmed ? element("span", { class: "tick", title: WORDS.confirmedMark, text: "✓" }) : null,
  ].filter((part) => part !== null);
}

/** The bar above the board: the chosen clue, its letters so far, and the next step. */
export class ClueBar {
  #name = byId("clue-name");
  #text = byId("clue-text");
  #pattern = byId("clue-pattern");
  #hint = byId("clue-hint");
  #step = ""; // the next step, in words
  /** @type {string | null} */ #away = null; // words that replace the next step

  /**
   * `onStep(by)` is called for the next clue (1) or the previous clue (-1).
   * @param {{onStep: (by: number) => void, onTry: () => void, onChallenge: () => void}} callbacks
   */
  constructor({ onStep, onTry, onChallenge }) {
    byId("clue-before").addEventListener("click", () => onStep(-1));
    byId("clue-next").addEventListener("click", () => onStep(1));
    onSwipe(byId("cluebar"), onStep);
    byId("try").addEventListener("click", onTry);
    byId("challenge").addEventListener("click", onChallenge);
  }

  /**
   * Set the words that replace the next step, for example about a lost connection. Null shows the next step again.
   * @param {string | null} words
   */
  set away(words) {
    this.#away = words;
    setText(this.#hint, words ?? this.#step);
  }

  /**
   * Show the Solver's draft of the chosen word.
   * @param {Match} match
   * @param {Draft} draft
   * @param {boolean} playing
   */
  show(match, draft, playing) {
    const { word, letters, at } = draft;
    setText(this.#name, `${placeWords(word)} (${word.length})`);
    this.#text.dir = "auto";
    setText(this.#text, word.clue);
    this.#text.title = word.clue;
    this.#pattern.replaceChildren(
      ...letters.map((letter, nth) =>
        element("span", { class: "slot", "data-at": playing && nth === at, text: letter ?? "" }),
      ),
    );
    const slot = /** @type {HTMLElement | undefined} */ (this.#pattern.children[at]);
    if (slot !== undefined) {
      const left = slot.offsetLeft - this.#pattern.offsetLeft;
      this.#pattern.scrollLeft = left - this.#pattern.clientWidth / 2; // scroll to the cursor in a long word
    }
    this.#step =
      playing || word.entered !== null || match.solution !== null
        ? wordHint(match, word, { ...draft, touch: touch.matches })
        : WORDS.nobodyEntered;
    setText(this.#hint, this.#away ?? this.#step);
    const side = match.sideOf(word);
    byId("try").classList.toggle("button-primary", side !== "theirs" && !word.confirmed);
    byId("challenge").classList.toggle("button-primary", side === "theirs" && !word.confirmed);
  }
}
