/**
 * Handover of a player's seat to another device, by a link or a QR code with a ticket. The link works on one device.
 * Both devices keep the ticket, because the user needs it to move the seat back.
 */

import { ask as askIn } from "./dialogs.js";
import { element } from "./dom.js";
import { nameOf, noteNames, plainNameOf } from "./names.js";
import { keepName, nameOfTab } from "./player.js";
import { ask, Refused } from "./rooms.js";
import { setUpShare } from "./share.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Room } from "./room.js" */
/** @import { Say } from "./host.js" */

const TICKET = /#seat=([A-Za-z0-9_-]+)$/;
const KEY = "scramble.seats";
const MOST = 20; // stored seats
const DEAD = ["no-such-ticket", "player-removed"]; // refusals of an invalid ticket

/**
 * @typedef {object} KeptSeat a stored seat that has a link for another device, was handed over, or came from a device
 * @property {string} room
 * @property {string} player
 * @property {string} name of the player in the tab
 * @property {string | null} ticket that moves the seat back, or null if that is impossible
 * @property {boolean} isAway true if the seat is on the other device
 */

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
    this.button = element("button", { type: "button", class: "button handover-open", text: ROOM.otherDevice });
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
      const player = this.#me() ?? "";
      keepSeat({
        room: this.#room.name,
        player,
        name: nameOfTab() ?? plainNameOf(player),
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
 * Take the seat of the ticket in this page's address. Return the seat's player, or null without a valid ticket.
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
 * The seat in this room that this tab has handed over to another device, or null. For a tab without a name, the seat
 * that this browser has handed over. A tab with another name is another player.
 * @param {Room | null} room
 * @returns {KeptSeat | null}
 */
export function seatAway(room) {
  const name = nameOfTab();
  return (
    keptSeats().find((kept) => kept.room === room?.name && kept.isAway && [null, kept.name].includes(name)) ?? null
  );
}

/**
 * The stored seat of `player` in this room, or null if this browser has not stored it.
 * @param {Room | null} room
 * @param {string | null} player
 * @returns {KeptSeat | null}
 */
export function seatOf(room, player) {
  return keptSeats().find((kept) => kept.room === room?.name && kept.player === player) ?? null;
}

/**
 * Tell the user that the seat is on the other device, and ask for a choice. Return the player if the user takes the
 * seat back, "watch", or "name" for a new name.
 * @param {Room} room
 * @param {KeptSeat} kept
 * @returns {Promise<{player: string} | "watch" | "name">}
 */
export async function askBack(room, kept) {
  const { player, ticket } = kept;
  keepSeat({ ...kept, isAway: true });
  const open = document.getElementById("handover");
  if (open instanceof HTMLDialogElement) open.close();
  const button = (/** @type {string} */ value, /** @type {string} */ text) =>
    element("button", { class: value === "back" ? "button button-primary" : "button", value, text });
  const error = element("p", { class: "error", role: "alert" });
  const dialog = element(
    "dialog",
    { class: "dialog", id: "moved", "aria-labelledby": "moved-title" },
    element(
      "form",
      { method: "dialog", class: "dialog-body" },
      element("h2", { id: "moved-title", text: ROOM.movedTitle }),
      element("p", { class: "hint", text: (ticket === null ? ROOM.movedForGood : ROOM.movedHint)(nameOf(player)) }),
      element(
        "div",
        { class: "buttons buttons-wide" },
        ticket === null ? null : button("back", ROOM.takeBack),
        button("watch", ROOM.watchHere),
        button("name", ROOM.anotherName),
      ),
      error,
    ),
  );
  document.body.append(dialog);
  try {
    while ((await askIn(dialog)) === "back" && ticket !== null) {
      try {
        return { player: await useTicket(room, ticket) };
      } catch (refused) {
        if (!(refused instanceof Refused)) throw refused;
        if (DEAD.includes(refused.code)) {
          keepSeat({ ...kept, ticket: null, isAway: false });
          return { player }; // the seat may already be here; if not, the server refuses the connection
        }
        error.textContent = refused.words;
      }
    }
  } finally {
    dialog.remove();
  }
  return dialog.returnValue === "name" ? "name" : "watch";
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
  keepSeat({ room: room.name, player, name, ticket, isAway: false });
  return player;
}

/** @returns {KeptSeat[]} the latest first */
function keptSeats() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return []; // storage is disabled
  }
}

/** @param {KeptSeat} seat */
function keepSeat(seat) {
  put([seat, ...othersThan(seat)].slice(0, MOST));
}

/**
 * Forget a seat, because this browser now has another player.
 * @param {KeptSeat} seat
 */
export function forgetSeat(seat) {
  put(othersThan(seat));
}

/** @param {KeptSeat} seat */
function othersThan({ room, player }) {
  return keptSeats().filter((kept) => kept.room !== room || kept.player !== player);
}

/** @param {KeptSeat[]} seats */
function put(seats) {
  try {
    localStorage.setItem(KEY, JSON.stringify(seats));
  } catch {
    /* storage is disabled: the user cannot move the seat back */
  }
}
