/** The table of figures at the end of a game: a row for each player, and the winners' rows in their colours. */

import { element } from "./dom.js";
import { chip, paint } from "./player.js";

/** @typedef {{player: string, figures: (string | number)[], won: boolean}} Row */

/**
 * The head and the body of a table, for an element of the class `figures`; `me` is the player of this tab.
 * @param {string[]} titles
 * @param {Row[]} rows
 * @param {string | null} me
 */
export function figuresOf(titles, rows, me) {
  const head = element("tr", {}, element("td"), ...titles.map((text) => element("th", { scope: "col", text })));
  const body = rows.map(({ player, figures, won }) =>
    paint(
      element(
        "tr",
        { "data-player": player, "data-won": won },
        element("th", { scope: "row" }, chip(player, { you: player === me })),
        ...figures.map((figure) => element("td", { text: withMinus(figure) })),
      ),
      player,
    ),
  );
  return [element("thead", {}, head), element("tbody", {}, ...body)];
}

/**
 * A figure, with the sign of a negative number as long as that of a sum: a hyphen is easily missed.
 * @param {string | number} figure
 */
export function withMinus(figure) {
  return typeof figure === "number" ? String(figure).replace("-", "−") : figure;
}
