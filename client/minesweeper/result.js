/** The end of a game outside rooms: a table of the players' results. A room has its own, larger table. */

import { byId, setText, within } from "../shared/dom.js";
import { showFigures } from "../shared/figures.js";
import { clockWords } from "../shared/grammar.js";
import { loadKind } from "../shared/kinds.js";
import { WORDS } from "./words.js";

/** @import { Field } from "./field.js" */

const MOST_ROWS = 12;

export class Result {
  #dialog = byId("result", HTMLDialogElement);
  #isShown = false;

  constructor() {
    within(this.#dialog, ".cancel").addEventListener("click", () => this.#dialog.close());
  }

  /**
   * Show the table once after the end of each game.
   * @param {Field} field
   * @param {string | null} me
   */
  async show({ contest }, me) {
    const wasShown = this.#isShown;
    this.#isShown = contest.end !== null;
    if (contest.end === null || wasShown) return;
    const { columns = [] } = await loadKind("minesweeper");
    if (!this.#isShown) return; // a new game has begun in the meantime
    const best = [...contest.end.tallies].sort(([, one], [, other]) => other.points - one.points).slice(0, MOST_ROWS);
    const rows = best.map(([player, { points, squares, flags, booms }]) => ({
      player,
      figures: columns.map(([, figure]) => figure({ score: points, squares, flags, booms }) ?? "–"),
      won: points === best[0][1].points,
    }));
    setText(byId("result-time"), WORDS.resultTime(clockWords(contest.clock(0) ?? 0)));
    const titles = columns.map(([title]) => title);
    showFigures(byId("result-table"), titles, rows, me);
    for (const other of document.querySelectorAll("dialog[open]"))
      if (other instanceof HTMLDialogElement && other.id !== "join") other.close();
    if (document.querySelector("dialog[open]") === null) this.#dialog.showModal();
  }
}
