/** The players' marks on a board: a ring on the player's cell, with initials at its corner. */

import { element, setAttribute, setText, within } from "./dom.js";
import { initialsOf } from "./names.js";
import { paint } from "./player.js";

/** @typedef {{id: number | string, name: string, at: [x: number, y: number], you: boolean}} Place of a player */

export class Marks {
  /** The element with the marks. The board puts it above the cells, into the element that has `--cell`. */
  element = element("div", { class: "marks", "aria-hidden": "true" });
  /** @type {Map<number | string, HTMLElement>} */ #byId = new Map();

  /**
   * Show each mark on the current cell of its player.
   * @param {Iterable<Place>} places
   */
  show(places) {
    const here = new Set();
    for (const { id, name, at, you } of places) {
      here.add(id);
      let mark = this.#byId.get(id);
      if (mark === undefined) {
        mark = paint(
          element("div", { class: "mark", "data-player": id }, element("span", { class: "mark-name" })),
          name,
        );
        this.#byId.set(id, mark);
        this.element.append(mark);
      }
      setAttribute(mark, "data-you", you);
      setText(within(mark, ".mark-name"), initialsOf(name));
      if (mark.dataset.at === at.join()) continue;
      mark.dataset.at = at.join();
      mark.style.setProperty("--x", String(at[0]));
      mark.style.setProperty("--y", String(at[1]));
      this.element.append(mark); // the latest mark is on top
    }
    for (const [id, mark] of this.#byId) {
      if (here.has(id)) continue;
      mark.remove();
      this.#byId.delete(id);
    }
  }
}
