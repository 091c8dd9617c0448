/** The clues in two columns, each a button that chooses its word; and the bar that shows the chosen one. */

import { byId, counted, element, setAttribute, setText } from "../shared/dom.js";
import { badge } from "../shared/player.js";
import { tint } from "./hues.js";
import { placeWords, wordHint, wordLabel } from "./words.js";

const touch = window.matchMedia("(pointer: coarse)");

export class Clues {
  #lists = { ACROSS: byId("clues-across"), DOWN: byId("clues-down") };
  #items = new Map(); // id -> {button, answer, drawn}
  #match = null;
  #chosen = null;

  /** `onChoose(id)` is called when a clue is clicked. */
  constructor({ onChoose }) {
    for (const list of Object.values(this.#lists)) {
      list.addEventListener("click", (event) => {
        const button = event.target.closest(".clue");
        if (button !== null) onChoose(Number(button.dataset.word));
      });
    }
  }

  /** Shows the clues and answers of a match; touches only those that differ. */
  show(match) {
    if (!match.hasShapeOf(this.#match) || match.words.some((word) => word.clue !== this.#match.word(word.id).clue)) this.#build(match);
    this.#match = match;
    for (const word of match.words) this.#paint(word);
  }

  /** Marks the chosen word's clue; `isNew`: brings it into view. */
  choose(id, isNew) {
    if (id !== this.#chosen) {
      this.#items.get(this.#chosen)?.button.removeAttribute("aria-current");
      this.#chosen = id;
    }
    const { button } = this.#items.get(id);
    setAttribute(button, "aria-current", "true");
    const list = button.closest(".clue-list");
    // Only the list scrolls: scrollIntoView would move the whole page on a phone.
    if (isNew && list.scrollHeight > list.clientHeight) {
      const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
      if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
    }
  }

  #build(match) {
    this.#items.clear();
    this.#chosen = null;
    for (const list of Object.values(this.#lists)) list.replaceChildren();
    for (const word of match.inOrder()) {
      const answer = element("span", { class: "clue-answer" });
      const button = element("button", { type: "button", class: "clue", "data-word": word.id }, element("span", { class: "clue-id", text: String(word.id) }),
        element("span", { class: "clue-text" }, word.clue, element("span", { class: "clue-length", text: ` (${word.length})` })), answer);
      this.#items.set(word.id, { button, answer, drawn: null });
      this.#lists[word.direction].append(element("li", {}, button));
    }
    for (const [direction, list] of Object.entries(this.#lists)) list.parentElement.hidden = !match.words.some((word) => word.direction === direction);
  }

  #paint(word) {
    const item = this.#items.get(word.id);
    const drawn = wordLabel(this.#match, word);
    if (item.drawn === drawn) return;
    item.drawn = drawn;
    setAttribute(item.button, "aria-label", drawn);
    setAttribute(item.button, "data-side", this.#match.sideOf(word));
    setAttribute(item.button, "data-confirmed", word.confirmed);
    item.answer.replaceChildren(...answerParts(this.#match, word));
    if (word.by === null) item.button.classList.remove("hue");
    else tint(item.button, word.by, this.#match.players);
  }
}

function answerParts(match, { entered, by, confirmed }) {
  if (entered === null) return [];
  const owner = tint(badge(by), by, match.players);
  if (by === match.me) owner.textContent = "you";
  owner.dataset.side = by === match.me ? "mine" : "theirs";
  return [element("span", { class: "answer", text: entered }), owner,
    confirmed ? element("span", { class: "tick", title: "Confirmed", text: "✓" }) : null].filter((part) => part !== null);
}

/** The bar above the board: the chosen clue, its letters so far, what to do with it. */
export class ClueBar {
  #name = byId("clue-name");
  #text = byId("clue-text");
  #pattern = byId("clue-pattern");
  #hint = byId("clue-hint");

  /** `onStep(by)` is called for the next clue or the one before. */
  constructor({ onStep, onTry, onChallenge }) {
    byId("clue-before").addEventListener("click", () => onStep(-1));
    byId("clue-next").addEventListener("click", () => onStep(1));
    byId("try").addEventListener("click", onTry);
    byId("challenge").addEventListener("click", onChallenge);
  }

  /** Shows the draft of the chosen word, as Solver has it. */
  show(match, draft, playing) {
    const { word, letters, at } = draft;
    setText(this.#name, `${placeWords(word)} · ${counted(word.length, "letter")}`);
    setText(this.#text, word.clue);
    this.#text.title = word.clue;
    this.#pattern.replaceChildren(...letters.map((letter, nth) => element("span", { class: "slot", "data-at": playing && nth === at, text: letter ?? "" })));
    const slot = this.#pattern.children[at];
    if (slot !== undefined) this.#pattern.scrollLeft = slot.offsetLeft - this.#pattern.offsetLeft - this.#pattern.clientWidth / 2; // of a long word
    setText(this.#hint, playing || word.entered !== null ? wordHint(match, word, { ...draft, touch: touch.matches }) : "Nobody entered this word.");
    const side = match.sideOf(word);
    byId("try").classList.toggle("button-primary", side !== "theirs" && !word.confirmed);
    byId("challenge").classList.toggle("button-primary", side === "theirs" && !word.confirmed);
  }
}
