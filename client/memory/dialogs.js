/** The page's dialogs: replacing a card, starting over, and the end of a game. */

import { byId, element } from "../shared/dom.js";
import { badge, paint } from "../shared/player.js";
import { playerRow } from "./sidebar.js";
import { endWords } from "./words.js";

const MOST_WINNERS = 5; // badges; the list names them all

/** Opens from `#replace-open`. `cards()` lists cards to suggest; `onReplace(old, new)` sends, and tells whether it could. */
export function setUpReplace({ cards, onReplace }) {
  const dialog = byId("replace");
  const form = dialog.querySelector("form");
  const error = dialog.querySelector(".error");
  byId("replace-open").addEventListener("click", () => {
    form.reset();
    error.textContent = "";
    byId("replace-seen").replaceChildren(...cards().map((card) => element("option", { value: card })));
    dialog.showModal();
  });
  dialog.querySelector(".cancel").addEventListener("click", () => dialog.close());
  form.addEventListener("input", () => {
    error.textContent = "";
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [before, after] = [form.elements.old.value.trim(), form.elements.new.value.trim()];
    if (before === "" || after === "" || /\s/u.test(before + after)) {
      error.textContent = "A card is a word or a picture without spaces.";
    } else if (onReplace(before, after)) dialog.close();
    else error.textContent = "Not connected: nothing was replaced.";
  });
}

/** Asks before everybody starts over; `onRestart()` does it. Returns a function that opens it. */
export function setUpRestart({ onRestart }) {
  const dialog = byId("restart");
  const open = () => dialog.showModal();
  byId("restart-open").addEventListener("click", open);
  dialog.querySelector(".cancel").addEventListener("click", () => dialog.close());
  dialog.querySelector(".go").addEventListener("click", () => {
    dialog.close();
    onRestart();
  });
  return open;
}

/** The end of a game: opens once each time it is over, and closes by itself when a game begins. */
export class EndDialog {
  #dialog = byId("end");
  #shown = false;

  constructor({ onRestart }) {
    this.#dialog.querySelector(".cancel").addEventListener("click", () => this.#dialog.close());
    this.#dialog.querySelector(".go").addEventListener("click", () => onRestart());
  }

  show(game, me) {
    if (!game.isOver) {
      this.#shown = false;
      if (this.#dialog.open) this.#dialog.close();
      return;
    }
    const standings = game.standings().filter(({ player, here }) => here || game.scores.has(player));
    const { title, words } = endWords(standings, me);
    byId("end-title").textContent = title;
    byId("end-words").textContent = words;
    const best = standings[0]?.pairs ?? 0;
    byId("end-winner").replaceChildren(...standings.filter(({ pairs }) => best > 0 && pairs === best).slice(0, MOST_WINNERS).map(({ player }) => badge(player)));
    byId("ranking").replaceChildren(...standings.map((standing) => {
      const row = paint(playerRow(standing, me), standing.player);
      row.style.setProperty("--share", `${best === 0 ? 0 : (100 * standing.pairs) / best}%`);
      return row;
    }));
    if (!this.#shown && document.querySelector("dialog[open]") === null) {
      this.#shown = true;
      this.#dialog.showModal();
    }
  }
}
