/** Invented games of Memory Scramble, without a server. */

import { Game } from "../../../client/memory/game.js";

/**
 * A cell of a frame, from a text: "?" is face down, "A" is face up and free, "A/ann" is ann's, and "-/ann" is empty,
 * because ann took the card.
 */
export function cellOf(text) {
  const [card, by = null] = text.split("/");
  if (card === "?") return { is: "down" };
  return card === "-" ? { is: "none", by } : { is: "up", card, by };
}

/** A game with one row of cells. `left` has players who have left, with the seconds until their cards become free. */
export function gameOf(cells, { players = [], left = {}, ...frame } = {}) {
  const game = new Game();
  game.replaceAll({
    version: 1,
    rows: 1,
    columns: cells.length,
    cells: cells.map(cellOf),
    scores: {},
    waiting: {},
    pairs_left: 1,
    ...frame,
  });
  game.playersCame({ players, left });
  return game;
}

/** Apply a change: `cells` has the texts of changed cells by column. Return the result of `Game.change`. */
export function change(game, cells, frame = {}) {
  const changed = Object.entries(cells).map(([column, text]) => ({
    row: 0,
    column: Number(column),
    cell: cellOf(text),
  }));
  return game.change({ version: game.version + 1, cells: changed, ...frame });
}
