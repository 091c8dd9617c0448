/** The players' marks on the field: each on the square that its player dug or flagged last. */

import { element, setAttribute, setText, within } from "../shared/dom.js";
import { initialsOf, nameOf } from "../shared/names.js";
import { paint } from "../shared/player.js";

/** @import { Field } from "./field.js" */

export class Marks {
  element = element("div", { class: "marks", "aria-hidden": "true" });
  #field;
  /** @type {Map<number, HTMLElement>} */ #byId = new Map();

  /** @param {Field} field */
  constructor(field) {
    this.#field = field;
  }

  /** Put every mark where it belongs now. */
  show() {
    const { players, you } = this.#field;
    for (const [id, mark] of this.#byId) {
      if (players.get(id)?.at !== null && players.has(id)) continue;
      mark.remove();
      this.#byId.delete(id);
    }
    for (const { id, name, at } of players.values()) {
      if (at === null) continue;
      let mark = this.#byId.get(id);
      if (mark === undefined) {
        mark = paint(
          element("div", { class: "mark", "data-player": id }, element("span", { class: "mark-name" })),
          name,
        );
        this.#byId.set(id, mark);
        this.element.append(mark);
      }
      setAttribute(mark, "data-you", id === you);
      setText(within(mark, ".mark-name"), id === you ? "you" : initialsOf(nameOf(name)));
      if (mark.dataset.at === String(at)) continue;
      mark.dataset.at = String(at);
      const [x, y] = this.#field.place(at);
      mark.style.setProperty("--x", String(x));
      mark.style.setProperty("--y", String(y));
      this.element.append(mark); // the latest on top
    }
  }
}
