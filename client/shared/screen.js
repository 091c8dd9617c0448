/**
 * The projector's screen of a room, which has no controls. Until the game begins, the QR code covers the board. Then a
 * small code is beside the board, for late players. A table shows the players by points.
 */

import { element, motionIsReduced, setAttribute, setText, within } from "./dom.js";
import { withMinus } from "./figures.js";
import { loadKind } from "./kinds.js";
import { chip, paint } from "./player.js";
import { ROOM, SHARED } from "./words.js";

/** @import { CompanyFrame, Room } from "./room.js" */

/**
 * @typedef {object} Standings of a game
 * @property {Iterable<[player: string, points: number]>} points of the players who are here, or have points
 * @property {boolean} begun true after the first move
 * @property {number} [others] the number of players that are not in `points`
 * @property {number} [shape] the width of the board divided by its height
 */

const MOVE_MS = 450; // duration of a row's move to its new place

export class Screen {
  #hasBegun = false;
  #drawn = "";
  #others = 0;
  /** @type {string[]} */ #here = []; // the present players
  /** @type {Map<string, number>} */ #points = new Map();
  /** @type {Map<string, HTMLElement>} */ #rows = new Map(); // by player, in the order of arrival
  #count = element("span", { class: "standings-count" });
  #unit = element("th", { scope: "col", role: "columnheader", text: ROOM.points });
  #body = element("tbody", { role: "rowgroup" });
  #more = element("p", { class: "standings-more", hidden: true });
  #frame = element("div", { class: "standings-frame" });
  #how = element("h2", { text: ROOM.scanToPlay });
  #link = element("p", { class: "poster-link", dir: "ltr" });

  constructor() {
    const players = element("th", { scope: "col", role: "columnheader" }, `${SHARED.players} `, this.#count);
    const head = element("tr", { role: "row" }, element("td", { role: "cell" }), players, this.#unit);
    this.#frame.append(
      element(
        "table",
        { class: "standings-table", role: "table", "aria-label": SHARED.players },
        element("thead", { role: "rowgroup" }, head),
        this.#body,
      ),
      this.#more,
    );
    within(document, ".app").append(
      element("section", { class: "standings", "aria-label": SHARED.players }, this.#frame),
      element(
        "section",
        { class: "poster", "aria-label": ROOM.inviteTitle },
        element("img", { class: "qr", src: "qr.svg", alt: ROOM.inviteQr }),
        element("div", { class: "poster-words" }, this.#how, this.#link),
      ),
    );
    new ResizeObserver(() => this.#fit()).observe(this.#frame);
  }

  /**
   * Show the address of the room.
   * @param {string} link
   */
  set link(link) {
    const parts = link.replace(/^https?:\/\//, "").split(/(?<=\/)/);
    this.#link.replaceChildren(...parts.flatMap((part) => [element("wbr"), part])); // a long link has two lines
  }

  /**
   * Name the points as the game does, for example "Pairs".
   * @param {string} game
   */
  async nameUnit(game) {
    const [[title] = [ROOM.points]] = (await loadKind(game)).columns ?? [];
    setText(this.#unit, title);
  }

  /** @param {boolean} isFull true if the game has no place for another player */
  set isFull(isFull) {
    setText(this.#how, isFull ? ROOM.scanToWatch : ROOM.scanToPlay);
  }

  /** @param {CompanyFrame} frame */
  companyCame({ players, state }) {
    this.#here = players;
    this.#draw(state !== "open");
  }

  /** @param {Standings} standings */
  show({ points, begun, others = 0, shape = 0 }) {
    this.#points = new Map(points);
    this.#others = others;
    if (shape > 0) document.documentElement.style.setProperty("--board-shape", String(shape));
    this.#draw(begun);
  }

  /** @param {boolean} begun */
  #draw(begun) {
    this.#hasBegun ||= begun;
    document.documentElement.toggleAttribute("data-begun", this.#hasBegun);
    const all = new Map([...this.#here.map((player) => /** @type {const} */ ([player, 0])), ...this.#points]);
    const drawn = JSON.stringify([...all, this.#others]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const before = placesOf(this.#rows);
    for (const [player, row] of this.#rows) {
      if (all.has(player)) continue;
      row.remove();
      this.#rows.delete(player);
    }
    for (const player of all.keys()) if (!this.#rows.has(player)) this.#rows.set(player, rowOf(player));
    const best = Math.max(...all.values());
    const sorted = [...this.#rows].map(([player, row]) => ({ row, points: all.get(player) ?? 0 }));
    sorted.sort((one, other) => other.points - one.points);
    let place = 1;
    for (const [at, { row, points }] of sorted.entries()) {
      if (at > 0 && points < sorted[at - 1].points) place = at + 1; // equal players share a place
      const [shown, , score] = row.children;
      setText(shown, String(place));
      setText(score, String(withMinus(points)));
      setAttribute(row, "data-leads", points === best && best > 0);
    }
    if (sorted.some(({ row }, at) => row !== this.#body.children[at]))
      this.#body.replaceChildren(...sorted.map(({ row }) => row));
    setText(this.#count, all.size === 0 ? "" : String(all.size + this.#others));
    this.#fit();
    if (!motionIsReduced()) move(this.#rows, before);
  }

  #fit() {
    fitRows(this.#frame, this.#body.children, this.#more, this.#others);
  }
}

/** @param {string} player */
function rowOf(player) {
  const cells = [
    element("td", { role: "cell", class: "standing-place" }),
    element("th", { scope: "row", role: "rowheader" }, chip(player)),
    element("td", { role: "cell", class: "standing-points" }),
  ];
  return paint(element("tr", { role: "row", class: "standing", "data-player": player }, ...cells), player);
}

/**
 * The upper edges of the visible rows, during their moves, too.
 * @param {Map<string, HTMLElement>} rows
 */
function placesOf(rows) {
  const shown = [...rows].filter(([, row]) => !row.hidden && row.isConnected);
  return new Map(shown.map(([player, row]) => [player, row.getBoundingClientRect().top]));
}

/**
 * Move the rows from their places `before` to their places now.
 * @param {Map<string, HTMLElement>} rows
 * @param {Map<string, number>} before
 */
function move(rows, before) {
  for (const row of rows.values()) for (const motion of row.getAnimations()) motion.cancel();
  for (const [player, top] of placesOf(rows)) {
    const by = (before.get(player) ?? top) - top;
    if (by === 0) continue;
    const zIndex = by > 0 ? 1 : 0; // a rising row is above the others
    const frames = [
      { transform: `translateY(${by}px)`, zIndex },
      { transform: "none", zIndex },
    ];
    rows.get(player)?.animate(frames, { duration: MOVE_MS, easing: "ease-in-out" });
  }
}

/**
 * Hide the last rows of a list that do not fit into its frame, and show their number in the line `more`. `others` more
 * players have no row.
 * @param {HTMLElement} frame
 * @param {ArrayLike<Element>} list
 * @param {HTMLElement} more
 * @param {number} others
 */
export function fitRows(frame, list, more, others) {
  const rows = Array.from(list);
  const fits = (/** @type {number} */ shown) => {
    for (const [at, row] of rows.entries()) row.toggleAttribute("hidden", at >= shown);
    const left = others + rows.length - shown;
    more.hidden = left <= 0;
    setText(more, left > 0 ? SHARED.others(left) : "");
    return frame.scrollHeight <= frame.clientHeight;
  };
  if (rows.length === 0 || fits(rows.length)) return;
  let [least, most] = [1, rows.length - 1]; // halving the range: each attempt costs a layout
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  fits(least);
}
