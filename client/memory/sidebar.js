/** The panel beside the board: the players with their pairs, and the progress of the game. */

import { element, setText } from "../shared/dom.js";
import { chip, MOST_SHOWN, othersRow, paint } from "../shared/player.js";
import { WORDS } from "./words.js";

/** @import { Game, Standing } from "./game.js" */

export class Sidebar {
  #list;
  #pairs;
  #progress;
  #drawn = "";

  /**
   * `list` is the `ul.players`. `pairs` and `progress` show the number of remaining pairs.
   * @param {{list: HTMLElement, pairs: HTMLElement, progress: HTMLElement}} parts
   */
  constructor({ list, pairs, progress }) {
    this.#list = list;
    this.#pairs = pairs;
    this.#progress = progress;
  }

  /**
   * Show players, scores and progress. Do nothing if they have not changed.
   * @param {Game} game
   * @param {string} me
   */
  show(game, me) {
    const { rows: standings, others } = game.standings(me, MOST_SHOWN);
    const rows = standings.map((standing) => ({ ...standing, note: noteOn(game, standing) }));
    const drawn = JSON.stringify([rows, others, game.pairsToFind, me]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#list.replaceChildren(...rows.map((row) => playerRow(row, me)), ...othersRow(others));
    setText(this.#pairs, game.rows === 0 ? "" : WORDS.pairsLeft(game.pairsToFind, game.pairsInAll));
    this.#progress.replaceChildren(
      ...rows
        .filter(({ pairs }) => pairs > 0)
        .map(({ player, pairs }) => {
          const share = paint(element("span"), player);
          share.style.flexBasis = `${(100 * pairs) / game.pairsInAll}%`;
          return share;
        }),
    );
  }
}

/**
 * The player's current activity: away, waiting, or holding cards.
 * @param {Game} game
 * @param {Standing} standing
 */
function noteOn(game, { player, here }) {
  if (game.waiting.has(player)) return WORDS.waits;
  const held = game.heldBy(player);
  if (held.length > 0) {
    const seconds = game.freeIn(player);
    const cards = held.map((index) => game.cells[index].card).join(" "); // if the space is too small, the cards are cut
    if (!game.hasLeft(player)) return cards;
    return seconds === null ? WORDS.leftWith(cards) : WORDS.freeIn(seconds, cards);
  }
  return here ? "" : WORDS.away;
}

/**
 * A line of the list with the player's chip, note and pairs.
 * @param {Standing & {note?: string}} standing
 * @param {string} me
 */
export function playerRow({ player, pairs, here, note = "" }, me) {
  return element(
    "li",
    { class: "player", "data-player": player, "data-away": !here },
    chip(player, { you: player === me }),
    element("span", { class: "player-note player-holding", text: note }),
    element("span", { class: "player-score", text: String(pairs), "aria-label": WORDS.pairs(pairs) }),
  );
}
