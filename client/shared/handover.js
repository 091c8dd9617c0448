/**
 * A player's seat goes to another device, by a link or a QR code that works once; and back, by the same ticket, which
 * both devices keep.
 */

import { ask as askIn } from "./dialogs.js";
import { element } from "./dom.js";
import { nameOf, noteNames } from "./names.js";
import { keepName } from "./player.js";
import { ask, Refused } from "./rooms.js";
import { setUpShare } from "./share.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Room } from "./room.js" */
/** @import { Say } from "./host.js" */

const TICKET = /#seat=([A-Za-z0-9_-]+)$/;
const KEY = "scramble.seat";

/** @typedef {{room: string, player: string, ticket: string, isAway: boolean}} KeptTicket of the latest handover */

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
      keepTicket({
        room: this.#room.name,
        player: this.#me() ?? "",
        ticket: TICKET.exec(link)?.[1] ?? "",
        isAway: false,
      });
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
    return await useTicket(room, ticket);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.words, "fail");
    return null;
  }
}

/**
 * The ticket by which the seat of this browser in this room has left, or may leave; null if there is none.
 * @param {Room | null} room
 * @returns {KeptTicket | null}
 */
export function keptTicket(room) {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return kept?.room === room?.name ? kept : null;
  } catch {
    return null; // storage is switched off
  }
}

/**
 * Tell that the seat is on the other device, and ask what to do here: returns the player whose seat was taken back,
 * "watch", or "name" for somebody who wants to play as somebody else, which only who `mayRename` is offered.
 * @param {Room} room
 * @param {Say} say
 * @param {{mayRename?: boolean}} options
 * @returns {Promise<{player: string} | "watch" | "name">}
 */
export async function askBack(room, say, { mayRename = false } = {}) {
  const kept = keptTicket(room);
  if (kept === null) return "name";
  keepTicket({ ...kept, isAway: true });
  const open = document.getElementById("handover");
  if (open instanceof HTMLDialogElement) open.close();
  const button = (/** @type {string} */ value, /** @type {string} */ text) =>
    element("button", { class: value === "back" ? "button button-primary" : "button", value, text });
  const dialog = element(
    "dialog",
    { class: "dialog", id: "moved", "aria-labelledby": "moved-title" },
    element(
      "form",
      { method: "dialog", class: "dialog-body" },
      element("h2", { id: "moved-title", text: ROOM.movedTitle }),
      element("p", { class: "hint", text: ROOM.movedHint(nameOf(kept.player)) }),
      element(
        "div",
        { class: "buttons buttons-wide" },
        button("back", ROOM.takeBack),
        button("watch", ROOM.watchHere),
        mayRename ? button("name", ROOM.anotherName) : null,
      ),
    ),
  );
  document.body.append(dialog);
  try {
    while ((await askIn(dialog)) === "back") {
      try {
        return { player: await useTicket(room, kept.ticket) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.status !== 0) {
          keepTicket(null);
          return { player: kept.player }; // it may be here already; else its connection says that it is not
        }
        say(error.words, "fail");
      }
    }
  } finally {
    dialog.remove();
  }
  if (dialog.returnValue !== "name") return "watch";
  keepTicket(null);
  return "name";
}

/**
 * @param {Room} room
 * @param {string} ticket
 * @returns {Promise<string>} the player
 */
async function useTicket(room, ticket) {
  const { player, name } = await room.act("seat", { ticket });
  noteNames({ [player]: name });
  keepName(name);
  keepTicket({ room: room.name, player, ticket, isAway: false });
  return player;
}

/** @param {KeptTicket | null} kept */
function keepTicket(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    /* storage is switched off: there is no way back */
  }
}
