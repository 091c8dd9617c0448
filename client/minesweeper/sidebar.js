/** The panels beside the field: the players and their last squares, and how much is left. */

import { byId, element, setText, within } from "../shared/dom.js";
import { chip, MOST_SHOWN, othersRow } from "../shared/player.js";
import { counted } from "../shared/words.js";
import { nameWords, placeWords } from "./words.js";

/** @import { Field, Player } from "./field.js" */

export class Sidebar {
  #list = byId("players");
  #onGo;
  #drawn = "";

  /**
   * `onGo(index)` is called when somebody wants to see a player's square.
   * @param {{onGo: (index: number) => void}} callbacks
   */
  constructor({ onGo }) {
    this.#onGo = onGo;
  }

  /**
   * Show players and counts; draw nothing if nothing has changed.
   * @param {Field} field
   */
  show(field) {
    const { columns, rows, untouched, flagged, left, players, others, you } = field;
    const toDig = left === null ? `${untouched.toLocaleString()} untouched` : `${counted(left, "square")} to dig`;
    setText(byId("counts"), rows === 0 ? "" : `${toDig}, ${counted(flagged, "flag")}`);
    setText(byId("size"), rows === 0 ? "" : `${columns} × ${rows}`);
    setText(byId("players-count"), players.size + others > 1 ? (players.size + others).toLocaleString() : "");
    const sorted = [...players.values()]
      .sort((a, b) => Number(b.id === you) - Number(a.id === you) || scoreOf(field, b) - scoreOf(field, a))
      .slice(0, MOST_SHOWN);
    const shown = sorted.map((player) => ({
      ...player,
      title: nameWords(field, player),
      score: left === null ? null : scoreOf(field, player),
    }));
    const more = players.size + others - shown.length;
    const drawn = JSON.stringify([shown, you, more]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#list.replaceChildren(...shown.map((player) => this.#row(field, player)), ...othersRow(more));
  }

  /**
   * @param {Field} field
   * @param {Player & {title: string, score: number | null}} player
   */
  #row(field, { id, name, title, at, score }) {
    const who = chip(name, { you: id === field.you });
    if (field.isNamesake({ id, name })) {
      const shown = within(who, ".chip-name");
      setText(shown, title);
      delete shown.dataset.nameOf; // a number stands behind it
    }
    const place =
      at === null
        ? element("span", { class: "player-note", text: "new" })
        : element("button", {
            class: "player-place",
            type: "button",
            text: placeWords(field, at),
            "aria-label": `Show ${title}: ${placeWords(field, at)}`,
            on: { click: () => this.#onGo(at) },
          });
    const told = score === null ? [] : [scoreShown(score)]; // beside the name, where the place may be below it
    return element("li", { class: "player", "data-player": id }, who, ...told, place);
  }
}

/** @param {number} score */
function scoreShown(score) {
  return element("span", { class: "player-score", text: String(score), "aria-label": counted(score, "square") });
}

/**
 * The squares that the players of this name have opened.
 * @param {Field} field
 * @param {Player} player
 */
function scoreOf(field, { name }) {
  return field.scores.get(name) ?? 0;
}
