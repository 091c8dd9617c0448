/** The table of figures at the end of a game: a row for each player, and the winners' rows in their colours. */

import { element, setAttribute } from "./dom.js";
import { chip, paint } from "./player.js";

/** @typedef {{player: string, figures: (string | number)[], won: boolean}} Row */

/**
 * Fill a table of the class `figures` in a `figures-frame`. `me` is the player of this tab. The CSS changes the display
 * of table elements, which removes their ARIA roles. So this function sets the roles explicitly.
 * @param {HTMLElement} table
 * @param {string[]} titles
 * @param {Row[]} rows
 * @param {string | null} me
 */
export function showFigures(table, titles, rows, me) {
  const titled = titles.map((text) => element("th", { scope: "col", role: "columnheader", text }));
  const head = element("tr", { role: "row" }, element("td", { role: "cell" }), ...titled);
  const body = rows.map(({ player, figures, won }) =>
    paint(
      element(
        "tr",
        { role: "row", "data-player": player, "data-won": won },
        element("th", { scope: "row", role: "rowheader" }, chip(player, { you: player === me })),
        ...figures.map((figure, at) =>
          element("td", { role: "cell", "data-title": titles[at], text: withMinus(figure) }),
        ),
      ),
      player,
    ),
  );
  setAttribute(table, "role", "table");
  table.style.setProperty("--columns", String(Math.max(1, titles.length)));
  table.replaceChildren(element("thead", { role: "rowgroup" }, head), element("tbody", { role: "rowgroup" }, ...body));
}

/**
 * A figure as text. Negative numbers get a minus sign, because a hyphen is easy to miss.
 * @param {string | number} figure
 */
export function withMinus(figure) {
  return typeof figure === "number" ? String(figure).replace("-", "−") : figure;
}
