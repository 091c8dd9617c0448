/** The panels beside the field: the players with their points, and the number of remaining squares. */

import { byId, element, setText, within } from "../shared/dom.js";
import { withMinus } from "../shared/figures.js";
import { chip, MOST_SHOWN, othersRow } from "../shared/player.js";
import { nameWords, WORDS } from "./words.js";

/** @import { Field, Player } from "./field.js" */

export class Sidebar {
  #list = byId("players");
  #onGo;
  #drawn = "";

  /**
   * `onGo(index)` is called when the user clicks the button that shows a player's square.
   * @param {{onGo: (index: number) => void}} callbacks
   */
  constructor({ onGo }) {
    this.#onGo = onGo;
  }

  /**
   * Show players and counts. Do nothing if they have not changed.
   * @param {Field} field
   * @param {number} now
   */
  show(field, now) {
    const { columns, rows, untouched, flagged, contest, players, others, you } = field;
    const toDig = contest.left === null ? WORDS.untouchedLeft(untouched) : WORDS.toDig(contest.left);
    setText(byId("counts"), rows === 0 ? "" : `${toDig}, ${WORDS.flagsSet(flagged)}`);
    setText(byId("size"), rows === 0 ? "" : `${columns} × ${rows}`);
    setText(byId("players-count"), players.size + others > 1 ? (players.size + others).toLocaleString() : "");
    const points = (/** @type {Player} */ { name }) => contest.points.get(name) ?? 0;
    const sorted = [...players.values()]
      .sort((a, b) => Number(b.id === you) - Number(a.id === you) || points(b) - points(a))
      .slice(0, MOST_SHOWN);
    const shown = sorted.map((player) => ({
      ...player,
      title: nameWords(field, player),
      points: contest.left === null ? null : points(player),
      pause: Math.ceil(contest.pauseLeft(player.name, now) / 1000),
    }));
    const more = players.size + others - shown.length;
    const drawn = JSON.stringify([shown, you, more]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#list.replaceChildren(...shown.map((player) => this.#row(field, player)), ...othersRow(more));
  }

  /**
   * @param {Field} field
   * @param {Player & {title: string, points: number | null, pause: number}} player
   */
  #row(field, { id, name, title, at, points, pause }) {
    const who = chip(name, { you: id === field.you });
    if (field.isNamesake({ id, name })) {
      const shown = within(who, ".chip-name");
      setText(shown, title);
      delete shown.dataset.nameOf; // the text is the name with a number
    }
    const go = () => at !== null && this.#onGo(at);
    const named =
      at === null
        ? who
        : element(
            "button",
            { class: "player-go", type: "button", title: WORDS.show, on: { click: go } },
            who,
            element("span", { class: "unseen", text: ` ${WORDS.show}` }),
          );
    const note = pause === 0 ? [] : [element("span", { class: "player-note", text: WORDS.paused(pause) })];
    const told = points === null ? [] : [pointsShown(points)];
    return element("li", { class: "player", "data-player": id }, named, ...note, ...told);
  }
}

/** @param {number} points */
function pointsShown(points) {
  const text = withMinus(points);
  return element("span", { class: "player-score", text, role: "img", "aria-label": WORDS.pointsOf(points) });
}
