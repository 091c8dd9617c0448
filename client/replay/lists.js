/** The panels beside a replay's board: players with scores, the moves around the current move, and the totals. */

import { byId, element, hit, within } from "../shared/dom.js";
import { dye } from "../shared/hues.js";
import { chip } from "../shared/player.js";
import { WORDS } from "./words.js";

/** @import { GameWords } from "./game.js" */
/** @import { Overview, Reel } from "./reel.js" */
/** @import { Scene } from "./scene.js" */

const LIST_MS = 80; // shortest interval between two updates of the list of moves
const BEFORE = 6; // moves listed before the current move
const AFTER = 3;
const MOST_PLAYERS = 40; // in the list of players

export class PlayerList {
  #listed = "";

  /**
   * Show the players of a scene, most points first. Do nothing if the rows have not changed.
   * @param {Scene} scene
   */
  show(scene) {
    const scores = [...scene.scores].sort(([, a], [, b]) => b - a).slice(0, MOST_PLAYERS);
    const rows = scores.map(([player, score]) => ({ player, score, note: scene.note(player) }));
    const listed = JSON.stringify(rows);
    if (listed === this.#listed) return;
    this.#listed = listed;
    byId("players").replaceChildren(
      ...rows.map(({ player, score, note }) =>
        element(
          "li",
          { class: "player", "data-player": player },
          chipIn(scene, player),
          element("span", { class: "player-note", text: note }),
          element("span", { class: "player-score", text: String(score) }),
        ),
      ),
    );
  }
}

export class MoveList {
  #reel;
  #seq = 0;
  /** @type {number | null} */ #timer = null; // set while an update of the list waits
  #shownAt = 0;

  /**
   * `onSeek(seq)` is called on a click on a move.
   * @param {{reel: Reel, onSeek: (seq: number) => void}} parts
   */
  constructor({ reel, onSeek }) {
    this.#reel = reel;
    byId("moves").addEventListener("click", (event) => {
      const move = hit(event, "[data-seq]");
      if (move !== null) onSeek(Number(move.dataset.seq));
    });
  }

  /**
   * Show the moves around move `seq`. The list may lag behind during a drag, because drawing it takes more time than
   * the rest of the page.
   * @param {number} seq
   */
  show(seq) {
    this.#seq = seq;
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#shownAt + LIST_MS - performance.now());
    const draw = () => {
      this.#timer = null;
      this.#shownAt = performance.now();
      this.#draw();
    };
    if (wait === 0) draw();
    else this.#timer = setTimeout(draw, wait);
  }

  #draw() {
    const first = Math.max(1, this.#seq - BEFORE);
    const last = Math.min(this.#reel.told, this.#seq + AFTER);
    const rows = [];
    for (let seq = first; seq <= last; seq += 1) {
      const step = this.#reel.step(seq);
      if (step === null) continue;
      rows.push(
        element(
          "li",
          { value: seq },
          element(
            "button",
            {
              type: "button",
              class: "move",
              "data-seq": seq,
              "aria-current": seq === this.#seq ? "true" : null,
              "data-later": seq > this.#seq,
            },
            step.words,
            ...step.also.map((words) => element("span", { class: "also", text: words })),
          ),
        ),
      );
    }
    byId("moves").replaceChildren(...rows);
  }
}

/**
 * Show the totals of all players.
 * @param {Scene} scene
 * @param {Overview["summary"]} summary
 * @param {GameWords} words
 */
export function showSummary(scene, { columns, rows }, words) {
  /** @type {(tag: "th" | "td", texts: string[]) => HTMLElement[]} */
  const cells = (tag, texts) => texts.map((text) => element(tag, { text }));
  const titles = columns.map((column) => words.columns[column] ?? column.replaceAll("_", " "));
  /** @type {(figure: string | number | null, place: number) => string} */
  const shown = (figure, place) => (figure === null ? "–" : (words.figures[columns[place]] ?? String)(figure));
  byId("summary").replaceChildren(
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...cells("th", [WORDS.player, ...titles]))),
      element(
        "tbody",
        {},
        ...Object.entries(rows).map(([player, figures]) =>
          element("tr", {}, element("th", { scope: "row" }, chipIn(scene, player)), ...cells("td", figures.map(shown))),
        ),
      ),
    ),
  );
}

/**
 * A player's chip, in the colour that the scene has for the player.
 * @param {Scene} scene
 * @param {string} player
 */
function chipIn(scene, player) {
  const made = chip(player);
  const hue = scene.hue?.(player) ?? null;
  if (hue !== null) dye(within(made, ".badge"), hue);
  return made;
}
