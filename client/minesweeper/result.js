/** The end of a game on its own: a table of what each player has done. A room has a table of its own, with more. */

import { byId, element, setText, within } from "../shared/dom.js";
import { chip, paint } from "../shared/player.js";
import { ROOM } from "../shared/words.js";
import { clockWords, WORDS } from "./words.js";

/** @import { Field } from "./field.js" */

const MOST_ROWS = 12;

export class Result {
  #dialog = byId("result", HTMLDialogElement);
  #isShown = false;

  constructor() {
    within(this.#dialog, ".cancel").addEventListener("click", () => this.#dialog.close());
  }

  /**
   * Show the table, unless it was shown already or the end is not there.
   * @param {Field} field
   * @param {string | null} me
   */
  show({ contest }, me) {
    if (contest.end === null || this.#isShown) return;
    this.#isShown = true;
    const rows = [...contest.end.tallies].sort(([, one], [, other]) => other.points - one.points).slice(0, MOST_ROWS);
    setText(byId("result-time"), WORDS.resultTime(clockWords(contest.clock(0) ?? 0)));
    const titles = [ROOM.points, ROOM.squares, ROOM.flags, ROOM.booms];
    byId("result-table").replaceChildren(
      element(
        "thead",
        {},
        element("tr", {}, element("td"), ...titles.map((text) => element("th", { scope: "col", text }))),
      ),
      element(
        "tbody",
        {},
        ...rows.map(([name, { points, squares, flags, booms }], place) =>
          paint(
            element(
              "tr",
              { "data-player": name, "data-won": place === 0 },
              element("th", { scope: "row" }, chip(name, { you: name === me })),
              ...[points, squares, flags, booms].map((figure) => element("td", { text: figure.toLocaleString() })),
            ),
            name,
          ),
        ),
      ),
    );
    for (const other of document.querySelectorAll("dialog[open]"))
      if (other instanceof HTMLDialogElement && other.id !== "join") other.close();
    if (document.querySelector("dialog[open]") === null) this.#dialog.showModal();
  }
}
