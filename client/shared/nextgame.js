/** The dialog in which the host of a room chooses the settings of the next game, in the fields of the lobby's form. */

import { element, setText } from "./dom.js";
import { turnClock, valuesOf } from "./forms.js";
import { loadKind } from "./kinds.js";
import { ask, Refused } from "./rooms.js";
import { ROOM, SHARED } from "./words.js";

/** @import { KindInfo } from "./kinds.js" */
/** @import { Room } from "./room.js" */

export class NextGame {
  #room;
  #onChosen;
  #form = element("form", { class: "dialog-body choices", novalidate: true });
  #error = element("p", { class: "error", role: "alert" });
  #dialog = element("dialog", { class: "dialog", id: "next-game", "aria-labelledby": "next-game-title" }, this.#form);
  /** @type {((values: Record<string, string>) => object) | null} */ #body = null;

  /**
   * `onChosen(chosen)` is called with the settings and the turn clock. It returns true if the server accepts them.
   * @param {Room} room
   * @param {(chosen: object) => Promise<boolean>} onChosen
   */
  constructor(room, onChosen) {
    this.#room = room;
    this.#onChosen = onChosen;
    document.body.append(this.#dialog);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#choose();
    });
  }

  /** Load the possible settings from the server, and show the dialog. */
  async open() {
    setText(this.#error, "");
    try {
      if (this.#body === null) await this.#fill();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#form.replaceChildren(element("p", { class: "error", text: SHARED.noAnswer }), this.#buttons());
    }
    this.#dialog.showModal();
  }

  async #fill() {
    const { kinds, turn_clocks: clocks = [] } = await ask("rooms/kinds", { base: this.#room.lobby });
    const record = this.#room.record ?? (await this.#room.look());
    const info = kinds.find((/** @type {KindInfo} */ { game }) => game === record?.game);
    if (info === undefined) throw new Refused(0, {});
    const kind = await loadKind(info.game);
    const sheet = new URL("../shared/choices.css", import.meta.url).href;
    document.head.append(element("link", { rel: "stylesheet", href: sheet }));
    this.#form.replaceChildren(
      element("h2", { id: "next-game-title", text: ROOM.nextTitle }),
      ...kind.fields(info, () => ""), // the form has no password for new games
      ...(info.turn_clock && clocks.length > 0 ? [turnClock(clocks, String(this.#room.company?.turn ?? "off"))] : []),
      this.#error,
      this.#buttons(),
    );
    const refresh = () => kind.refresh?.(this.#form, valuesOf(this.#form), info);
    this.#form.addEventListener("input", refresh);
    refresh();
    this.#body = (values) => kind.body(values, info);
  }

  #buttons() {
    const cancel = { click: () => this.#dialog.close() };
    return element(
      "div",
      { class: "buttons buttons-end" },
      element("button", { type: "button", class: "button button-quiet", text: SHARED.cancel, on: cancel }),
      element("button", { class: "button button-primary", text: ROOM.choose }),
    );
  }

  async #choose() {
    if (this.#body === null) return;
    const values = valuesOf(this.#form);
    const { settings } = /** @type {{settings: object}} */ (this.#body(values));
    const clock = values.turn_clock === undefined ? {} : { turn_clock: Number(values.turn_clock) || values.turn_clock };
    if (await this.#onChosen({ settings, ...clock })) this.#dialog.close();
    else setText(this.#error, ROOM.badSettings);
  }
}
