/** The tools and the map of a board larger than the screen: zoom, the visible part, and the other players' places. */

import { byId, element } from "../shared/dom.js";
import { nameOf } from "../shared/names.js";
import { BoardMap, Overview } from "../shared/overview.js";
import { badge } from "../shared/player.js";
import { ZoomTools } from "../shared/zoom.js";
import { WORDS } from "./words.js";

/** @import { Game } from "./game.js" */
/** @import { View } from "../shared/zoom.js" */

const HANDY_PX = 40; // with cells of at least this size, a board that fits needs no tools

const MOST_OTHERS = 3; // buttons to other players; the map shows all players
const ARROWS = ["→", "↘", "↓", "↙", "←", "↖", "↑", "↗"]; // clockwise

const COLOURS = { down: "back", up: "paper", none: "sunk", mine: "accent", held: "warn" }; // kind -> token

export class MemoryMap {
  #game;
  #me;
  #onGo;
  #overview;
  #map;
  #tools;
  #probe = element("span", { hidden: true });
  #shown = ""; // the contents of the buttons that go to other players
  /** @type {View | null} */ #view = null;

  /**
   * `me()` returns the player of this tab. `onGo(x, y)` is called with a place to show, in cells. The buttons call
   * `onStep(direction)` and `onWhole()`.
   * @param {object} parts
   * @param {Game} parts.game
   * @param {() => string} parts.me
   * @param {(x: number, y: number) => void} parts.onGo
   * @param {(direction: number) => void} parts.onStep
   * @param {() => void} parts.onWhole
   */
  constructor({ game, me, onGo, onStep, onWhole }) {
    this.#game = game;
    this.#me = me;
    this.#onGo = onGo;
    const board = {
      get columns() {
        return game.columns;
      },
      get rows() {
        return game.rows;
      },
      kind: (/** @type {number} */ index) => game.kind(index, me()),
    };
    this.#overview = new Overview(board);
    this.#map = new BoardMap({ panel: byId("map"), board, overview: this.#overview, onGo });
    this.#tools = new ZoomTools({ onStep, onWhole });
    document.body.append(this.#probe);
    const recolour = () => this.drawAll();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /**
   * Show the visible part of the board on the map. Hide the zoom buttons if the whole board is visible and usable.
   * @param {View} view
   * @param {number} cell size in pixels
   */
  show(view, cell) {
    this.#view = view;
    byId("zoom").hidden = view.zoom === "fits" && cell >= HANDY_PX;
    this.#map.show(view);
    this.#tools.show(view);
    this.showPlayers();
  }

  /** Draw the whole board. */
  drawAll() {
    if (this.#game.rows === 0) return;
    const style = getComputedStyle(this.#probe);
    /** @type {Record<string, string>} */ const colours = {};
    for (const [kind, token] of Object.entries(COLOURS)) {
      this.#probe.style.color = `var(--${token})`;
      colours[kind] = style.color;
    }
    this.#overview.recolour(colours);
    this.#overview.drawAll();
    this.#map.refresh();
  }

  /**
   * Redraw the cells with these indexes.
   * @param {Iterable<number>} indexes
   */
  draw(indexes) {
    this.#overview.draw(indexes);
    this.#map.refresh();
  }

  /** Show the places of the players on the map, and buttons that go to players outside the visible part. */
  showPlayers() {
    const places = this.#game.places(this.#me());
    this.#map.showPlayers(places);
    const view = this.#view;
    if (view === null) return;
    const unseen = places
      .filter(({ you }) => !you)
      .map(({ name, at: [x, y] }) => ({
        name,
        title: WORDS.goTo(nameOf(name)),
        at: [x + 0.5, y + 0.5],
        arrow: arrowTo(view, x + 0.5, y + 0.5),
      }))
      .filter(({ arrow }) => arrow !== null)
      .slice(0, MOST_OTHERS);
    const shown = JSON.stringify(unseen);
    if (shown === this.#shown) return;
    this.#shown = shown;
    byId("others").replaceChildren(
      ...unseen.map(({ name, title, at: [x, y], arrow }) =>
        element(
          "button",
          {
            type: "button",
            class: "button button-quiet other",
            "aria-label": title,
            title,
            on: { click: () => this.#onGo(x, y) },
          },
          badge(name),
          element("span", { "aria-hidden": "true", text: arrow ?? "" }),
        ),
      ),
    );
  }
}

/**
 * The arrow from the visible part of the board to a place, in cells; null if the place is visible.
 * @param {View} view
 * @param {number} x
 * @param {number} y
 */
function arrowTo({ left, top, right, bottom }, x, y) {
  if (x >= left && x <= right && y >= top && y <= bottom) return null;
  const turn = Math.atan2(y - (top + bottom) / 2, x - (left + right) / 2) / (Math.PI / 4);
  return ARROWS[(Math.round(turn) + 8) % 8];
}
