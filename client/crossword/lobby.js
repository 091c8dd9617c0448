/** The lobby: the matches that wait for a second player, and the puzzles for new matches. Both lists are live. */

import { byId, element, hit, setText, within } from "../shared/dom.js";
import { chip } from "../shared/player.js";
import { WORDS } from "./words.js";

/** @import { Frame, PuzzleView, WaitingMatch } from "./match.js" */

const ID_LENGTH = 20;

export class Lobby {
  #matches = byId("matches");
  #puzzles = byId("puzzles");
  #form = byId("new-match", HTMLFormElement);
  /** @type {Map<string, {item: HTMLElement, player: string, drawn: string}>} */
  #shown = new Map(); // match id -> its <li>
  #drawnPuzzles = "";
  /** @type {Map<string, string>} */ #names = new Map(); // puzzle id -> name
  /** @type {string | null} */ #player = null;
  #onTell;

  /**
   * `onLine(line)` sends a command line. `onTell(sentence)` gets sentences about other players.
   * @param {{onLine: (line: string) => void, onTell: (sentence: string) => void}} callbacks
   */
  constructor({ onLine, onTell }) {
    this.#onTell = onTell;
    this.#matches.addEventListener("click", (event) => {
      const button = hit(event, "button[data-match]");
      if (button !== null) onLine(`PLAY ${button.dataset.match}`);
    });
    this.#field("description").value = WORDS.descriptionFirst;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [match, description] = [this.#field("match"), this.#field("description")];
      // A double quote would end the description, so a single quote replaces it.
      const puzzle = /** @type {HTMLButtonElement} */ (event.submitter).value;
      onLine(`NEW ${match.value.trim()} ${puzzle} "${description.value.replaceAll('"', "'")}"`);
    });
    this.#form.addEventListener("keydown", (event) => {
      // Enter in a field would start a match on the first puzzle of the list.
      if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      within(this.#form, "button").focus();
    });
    byId("logout").addEventListener("click", () => onLine("EXIT"));
  }

  /**
   * Show a CHOOSE frame. `isNew` is true if the player has just entered this state.
   * @param {Frame} frame
   * @param {boolean} isNew
   */
  show({ player, puzzles, matches }, isNew) {
    this.#showPuzzles(puzzles);
    this.#showMatches(matches, !isNew);
    if (player !== null && player !== this.#player) {
      this.#player = player;
      this.#field("match").value = player.slice(0, ID_LENGTH);
    }
  }

  /**
   * The name of a listed puzzle.
   * @param {string} id
   */
  puzzleName(id) {
    return this.#names.get(id) ?? id;
  }

  /** @param {"match" | "description"} name */
  #field(name) {
    return within(this.#form, `[name=${name}]`, HTMLInputElement);
  }

  /** @param {PuzzleView[]} puzzles */
  #showPuzzles(puzzles) {
    const drawn = JSON.stringify(puzzles);
    if (drawn === this.#drawnPuzzles) return;
    this.#drawnPuzzles = drawn;
    this.#names = new Map(puzzles.map(({ id, name }) => [id, name]));
    this.#puzzles.replaceChildren(
      ...puzzles.map(({ id, name, description }) =>
        element(
          "li",
          { class: "card", "data-puzzle": id },
          element(
            "div",
            { class: "card-text" },
            element("h4", { text: name }),
            element("p", { text: description }),
            element("p", { class: "hint card-command" }, WORDS.inCommands, element("code", { text: id })),
          ),
          element("button", {
            class: "button",
            name: "puzzle",
            value: id,
            "aria-label": WORDS.startOn(name),
            text: WORDS.start,
          }),
        ),
      ),
    );
  }

  /**
   * @param {WaitingMatch[]} matches
   * @param {boolean} isLive
   */
  #showMatches(matches, isLive) {
    const ids = new Set(matches.map(({ id }) => id));
    for (const [id, { item, player }] of this.#shown) {
      if (ids.has(id)) continue;
      if (item.contains(document.activeElement)) byId("matches-title").focus({ preventScroll: true });
      item.remove();
      this.#shown.delete(id);
      if (isLive) this.#onTell(WORDS.matchGone(id, player));
    }
    for (const match of matches) {
      const old = this.#shown.get(match.id);
      if (old !== undefined && old.drawn === JSON.stringify(match)) continue;
      const item = this.#card(match);
      if (isLive) item.dataset.new = "";
      old?.item.remove();
      this.#matches.append(item);
      this.#shown.set(match.id, { item, player: match.player, drawn: JSON.stringify(match) });
      if (isLive) this.#onTell(WORDS.matchCame(match.player, match.id, this.puzzleName(match.puzzle)));
    }
    byId("no-matches").hidden = matches.length > 0;
    setText(byId("matches-count"), matches.length > 1 ? String(matches.length) : "");
  }

  /** @param {WaitingMatch} match */
  #card({ id, puzzle, description, player }) {
    return element(
      "li",
      { class: "card", "data-match": id },
      element(
        "div",
        { class: "card-text" },
        element(
          "h4",
          {},
          chip(player),
          element("span", { class: "card-on", text: WORDS.onPuzzle(this.puzzleName(puzzle)) }),
        ),
        description === "" ? null : element("p", { text: WORDS.quoted(description) }),
        element("p", { class: "hint" }, WORDS.match, element("code", { text: id })),
      ),
      element("button", {
        type: "button",
        class: "button button-primary",
        "data-match": id,
        "aria-label": WORDS.joinMatch(player, id),
        text: WORDS.join,
      }),
    );
  }
}
