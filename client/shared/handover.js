/** A player's seat goes to another device, by a link or a QR code that works once. */

import { element } from "./dom.js";
import { noteNames } from "./names.js";
import { keepName } from "./player.js";
import { ask, Refused } from "./rooms.js";
import { setUpShare } from "./share.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Room } from "./room.js" */
/** @import { Say } from "./host.js" */

const TICKET = /^#seat=([A-Za-z0-9_-]+)$/;

export class Handover {
  #room;
  #say;
  #me;
  #picture = element("img", { class: "qr", alt: ROOM.seatQr, width: 240, height: 240 });
  #field = element("input", { class: "field", readonly: true, "aria-label": ROOM.seatLink });
  #dialog;

  /**
   * @param {Room} room
   * @param {Say} say
   * @param {() => string | null} me
   */
  constructor(room, say, me) {
    this.#room = room;
    this.#say = say;
    this.#me = me;
    this.button = element("button", { type: "button", class: "button", text: ROOM.otherDevice });
    this.button.addEventListener("click", () => this.#open());
    const copy = element("button", { type: "button", class: "button", text: SHARED.copy });
    const done = element("button", { type: "button", class: "button button-primary", text: ROOM.finished });
    done.addEventListener("click", () => this.#dialog.close());
    this.#dialog = element(
      "dialog",
      { class: "dialog invite", id: "handover", "aria-labelledby": "handover-title" },
      element(
        "div",
        { class: "dialog-body" },
        element("h2", { id: "handover-title", text: ROOM.otherTitle }),
        element("p", { class: "hint", text: ROOM.seatHow }),
        this.#picture,
        element("div", { class: "field-row" }, this.#field, copy),
        element("div", { class: "buttons buttons-wide" }, done),
      ),
    );
    document.body.append(this.#dialog);
    setUpShare({
      field: this.#field,
      button: copy,
      hint: element("p"),
      onCopied: (worked) => say(worked ? ROOM.seatCopied : SHARED.copyByHand, worked ? "good" : "fail"),
    });
  }

  async #open() {
    try {
      const { links } = await ask(`g/${this.#room.name}/share`, { base: this.#room.lobby });
      const { link, qr } = await this.#room.act("handover", { player: this.#me(), address: links[0] });
      this.#picture.src = qr;
      this.#field.value = link;
      this.#dialog.showModal();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#say(error.words, "fail");
    }
  }
}

/**
 * Take the seat that the address of this page brings along, if it does; returns its player, null if there is none.
 * @param {Room} room
 * @param {Say} say
 * @returns {Promise<string | null>}
 */
export async function takeSeat(room, say) {
  const ticket = TICKET.exec(location.hash)?.[1];
  if (ticket === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const { player, name } = await room.act("seat", { ticket });
    noteNames({ [player]: name });
    keepName(name);
    return player;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.words, "fail");
    return null;
  }
}
