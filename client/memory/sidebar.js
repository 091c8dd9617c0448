/** What stands beside the board: who plays and has taken how many, and how far the game is. */

import { counted, element, setText } from "../shared/dom.js";
import { chip, paint } from "../shared/player.js";

export class Sidebar {
  #list;
  #pairs;
  #progress;
  #drawn = "";

  /** `list` is the `ul.players`, `pairs` and `progress` tell how many pairs are left. */
  constructor({ list, pairs, progress }) {
    this.#list = list;
    this.#pairs = pairs;
    this.#progress = progress;
  }

  /** Shows players, scores and progress; draws nothing if nothing of it has changed. */
  show(game, me) {
    const rows = game.standings().map((standing) => ({ ...standing, note: noteOn(game, standing) }));
    const drawn = JSON.stringify([rows, game.pairsLeft, me]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#list.replaceChildren(...rows.map((row) => playerRow(row, me)));
    setText(this.#pairs, game.rows === 0 ? "" : `${counted(game.pairsLeft, "pair")} left of ${game.pairsInAll}`);
    this.#progress.replaceChildren(...rows.filter(({ pairs }) => pairs > 0).map(({ player, pairs }) => {
      const share = paint(element("span"), player);
      share.style.flexBasis = `${(100 * pairs) / game.pairsInAll}%`;
      return share;
    }));
  }
}

/** What a player is doing: away, waiting, or holding cards. */
function noteOn(game, { player, here }) {
  if (game.waiting.has(player)) return "waiting";
  const held = game.heldBy(player);
  if (held.length > 0) return game.cells[held[0]].card + (held.length > 1 ? ` ${game.cells[held[1]].card}` : "");
  return here ? "" : "away";
}

/** One line of the list: chip, note, pairs. */
export function playerRow({ player, pairs, here, note = "" }, me) {
  return element("li", { class: "player", "data-player": player, "data-away": !here },
    chip(player, { you: player === me }),
    element("span", { class: "player-note player-holding", text: note }),
    element("span", { class: "player-score", text: String(pairs), "aria-label": counted(pairs, "pair") }));
}
