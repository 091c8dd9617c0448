/** The page's dialogs: replacing a card, confirming a change for everybody, a duplicate name, the end of a game. */

import { ask } from "../shared/dialogs.js";
import { byId, element, setText, within } from "../shared/dom.js";
import { figuresTold } from "../shared/ending.js";
import { loadKind } from "../shared/kinds.js";
import { MOST_SHOWN, othersRow, paint, portrait } from "../shared/player.js";
import { Refused, ask as request } from "../shared/rooms.js";
import { SHARED } from "../shared/words.js";
import { endWords, figureWords } from "./sentences.js";
import { playerRow } from "./sidebar.js";
import { WORDS } from "./words.js";

/** @import { Game } from "./game.js" */

const MOST_WINNERS = 5; // badges of winners; the list has all winners

/**
 * Ask for confirmation of a change to the game for everybody.
 * @param {{title: string, words: string, go: string}} question
 * @returns {Promise<boolean>}
 */
async function sure({ title, words, go }) {
  const dialog = byId("sure", HTMLDialogElement);
  const [yes, no] = [within(dialog, ".go"), within(dialog, ".cancel")];
  byId("sure-title").textContent = title;
  byId("sure-words").textContent = words;
  yes.textContent = go;
  yes.onclick = () => dialog.close("go");
  no.onclick = () => dialog.close();
  return (await ask(dialog)) === "go";
}

/** The menu of changes to the game for everybody. It closes after a choice and on Escape. */
export function setUpMenu() {
  const menu = byId("menu", HTMLDetailsElement);
  const close = () => {
    menu.open = false;
    within(menu, "summary").focus();
  };
  for (const button of menu.querySelectorAll("button")) button.addEventListener("click", close, { capture: true });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation(); // this Escape must not withdraw a waiting flip
    close();
  });
}

/**
 * Set up the dialog behind `#replace-open`. `cards()` lists suggestions. If `isUnderway()`, the dialog asks for a
 * confirmation. `onReplace(old, new)` sends the replacement, and returns true if it was sent.
 * @param {object} parts
 * @param {() => string[]} parts.cards
 * @param {() => boolean} parts.isUnderway
 * @param {(before: string, after: string) => boolean} parts.onReplace
 */
export function setUpReplace({ cards, isUnderway, onReplace }) {
  const dialog = byId("replace", HTMLDialogElement);
  const form = within(dialog, "form", HTMLFormElement);
  const error = within(dialog, ".error");
  const field = (/** @type {string} */ name) => within(form, `[name=${name}]`, HTMLInputElement);
  byId("replace-open").addEventListener("click", () => {
    form.reset();
    error.textContent = "";
    byId("replace-seen").replaceChildren(...cards().map((card) => element("option", { value: card })));
    dialog.showModal();
  });
  within(dialog, ".cancel").addEventListener("click", () => dialog.close());
  form.addEventListener("input", () => {
    error.textContent = "";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [before, after] = [field("old").value.trim(), field("new").value.trim()];
    if (before === "" || after === "" || /\s/u.test(before + after)) {
      error.textContent = WORDS.noCard;
    } else if (
      isUnderway() &&
      !(await sure({ title: WORDS.sureReplace, words: WORDS.sureReplaceWords(before, after), go: WORDS.sureReplaceGo }))
    ) {
      field("new").focus();
    } else if (onReplace(before, after)) dialog.close();
    else error.textContent = SHARED.notConnected(WORDS.noReplacement);
  });
}

/**
 * Set up the button `#restart-open`: a click begins a new game. If `isUnderway()`, a dialog asks for a confirmation
 * first. Return the click's handler.
 * @param {{isUnderway: () => boolean, onRestart: () => void}} parts
 */
export function setUpRestart({ isUnderway, onRestart }) {
  const question = { title: WORDS.sureNew, words: WORDS.sureNewWords, go: SHARED.newGame };
  const restart = async () => {
    if (!isUnderway() || (await sure(question))) onRestart();
  };
  byId("restart-open").addEventListener("click", restart);
  return restart;
}

/**
 * Ask the user for a choice, because another browser uses the same `name`. Return null to keep the name, or `other`.
 * @param {string} name
 * @param {string} other
 * @returns {Promise<string | null>}
 */
export async function askNamesake(name, other) {
  const dialog = byId("namesake", HTMLDialogElement);
  const [along, instead] = [within(dialog, ".along"), within(dialog, ".other")];
  byId("namesake-title").textContent = WORDS.namesake(name);
  along.textContent = WORDS.playAlong(name);
  instead.textContent = WORDS.playAs(other);
  along.onclick = () => dialog.close("along");
  instead.onclick = () => dialog.close();
  const answer = ask(dialog);
  instead.focus();
  return (await answer) === "along" ? null : other; // after Escape use `other`, because two browsers would share `name`
}

/** The dialog at the end of a game: it opens once after each game, and closes when a new game begins. */
export class EndDialog {
  #dialog = byId("end", HTMLDialogElement);
  #shown = false;
  /** @type {Map<string, Record<string, number>>} */ #figures = new Map(); // by player, empty until loaded

  /** @param {{onRestart: () => void}} callbacks */
  constructor({ onRestart }) {
    within(this.#dialog, ".cancel").addEventListener("click", () => this.#dialog.close());
    within(this.#dialog, ".go").addEventListener("click", () => onRestart());
  }

  /**
   * @param {Game} game
   * @param {string} me
   */
  show(game, me) {
    if (!game.isOver) {
      this.#shown = false;
      this.#figures.clear();
      if (this.#dialog.open) this.#dialog.close();
      return;
    }
    const { rows: standings, others } = game.standings(me, MOST_SHOWN);
    const { title, words } = endWords(standings, me);
    byId("end-title").textContent = title;
    byId("end-words").textContent = words;
    const best = standings[0]?.pairs ?? 0;
    byId("end-winner").replaceChildren(
      ...standings
        .filter(({ pairs }) => best > 0 && pairs === best)
        .slice(0, MOST_WINNERS)
        .map(({ player }) => portrait(player)),
    );
    byId("ranking").replaceChildren(
      ...standings.map((standing) => {
        const row = paint(playerRow(standing, me), standing.player);
        const words = figureWords(this.#figures.get(standing.player));
        if (words !== "") row.append(element("span", { class: "player-figures", text: words }));
        row.style.setProperty("--share", `${best === 0 ? 0 : (100 * standing.pairs) / best}%`);
        return row;
      }),
      ...othersRow(others),
    );
    if (!this.#shown && document.querySelector("dialog[open]") === null) {
      this.#shown = true;
      byId("end-replay").hidden = byId("replay-link").hidden;
      this.#dialog.showModal();
      void this.#ask(game, me);
    }
  }

  /**
   * Load the figures of the players' memory, and show them.
   * @param {Game} game
   * @param {string} me
   */
  async #ask(game, me) {
    const [found, { hint = "" }] = await Promise.all([figuresKnown(), loadKind("memory")]);
    if (!this.#shown || found.size === 0) return;
    this.#figures = found;
    setText(byId("end-hint"), hint);
    byId("end-hint").hidden = false;
    this.show(game, me);
  }
}

/**
 * Load the figures of the players' memory. A game that continues from a snapshot has no figures: then its recording has
 * them. Without figures, the map is empty.
 * @returns {Promise<Map<string, Record<string, number>>>}
 */
async function figuresKnown() {
  try {
    const { figures } = await request("figures");
    if (Object.keys(figures).length > 0) return new Map(Object.entries(figures));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  return (byId("replay-link").hidden ? null : await figuresTold())?.figures ?? new Map();
}
