/** Invitation to this room for other people: a link, a QR code, and the share sheet of the system. */

import { byId, element } from "./dom.js";
import { ask, Refused } from "./rooms.js";
import { setUpShare, worksOnlyHere } from "./share.js";
import { filled } from "./wording.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Room } from "./room.js" */

const FOR_ALL = "--host 0.0.0.0"; // the option of the server

/** A picture of a QR code, for the button. */
const QR = "M3 3h7v7H3zM14 3h7v7h-7zM3 14h7v7H3zM14 14h3v3h-3zM18 18h3v3h-3zM18 14h3M14 18v3";

export class Invite {
  #room;
  #onCopied;
  #dialog;
  #picture = element("img", {
    class: "qr",
    loading: "lazy", // when the dialog opens
    src: "qr.svg",
    alt: ROOM.inviteQr,
    width: 240,
    height: 240,
  });
  #field = element("input", { class: "field", id: "invite-link", readonly: true, "aria-label": SHARED.link });
  #hint = element(
    "p",
    { class: "hint", hidden: true },
    ...filled(SHARED.onlyHere, [element("code", { text: FOR_ALL })]),
  );

  /**
   * `onCopied(worked)` is called after the user has copied the link. `worked` is false if copying failed.
   * @param {Room} room
   * @param {(worked: boolean) => void} onCopied
   */
  constructor(room, onCopied) {
    this.#room = room;
    this.#onCopied = onCopied;
    const copy = element("button", { type: "button", class: "button", text: SHARED.copy });
    const close = element("button", {
      type: "button",
      class: "button button-primary",
      text: SHARED.play,
      autofocus: true,
      on: { click: () => this.#dialog.close() },
    });
    this.#dialog = element(
      "dialog",
      { class: "dialog invite", id: "invite", "aria-labelledby": "invite-title" },
      element(
        "div",
        { class: "dialog-body" },
        element("h2", { id: "invite-title", text: ROOM.inviteTitle }),
        element("p", { class: "hint", text: ROOM.inviteHow }),
        this.#picture,
        element("div", { class: "field-row" }, this.#field, copy),
        this.#hint,
        element("div", { class: "buttons buttons-wide" }, this.#shareButton(), close),
      ),
    );
    document.body.append(this.#dialog);
    setUpShare({ field: this.#field, button: copy, hint: element("p"), onCopied });
    this.#field.value = room.address;
  }

  /** Show the dialog, unless another dialog is open. */
  open() {
    if (document.querySelector("dialog[open]") === null) this.#dialog.showModal();
  }

  close() {
    this.#dialog.close();
  }

  /**
   * Ask the server for the best link for other people, and show the link everywhere on the page. The answer has the
   * record of the room, too.
   */
  async start() {
    let link = this.#room.address;
    try {
      const { links, room } = await ask("share");
      link = links[0] ?? link;
      this.#room.record = room;
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // without an answer, the address of this page is the link
    }
    for (const id of ["invite-link", "share-link", "wait-link"]) {
      const field = document.getElementById(id);
      if (field instanceof HTMLInputElement) field.value = link;
    }
    this.#hint.hidden = !worksOnlyHere(link);
    for (const id of ["share-hint", "wait-hint"]) {
      const hint = document.getElementById(id);
      if (hint !== null) hint.hidden = this.#hint.hidden;
    }
    return link;
  }

  /** Add a button to the bar, and a button to the panel with the link. Both buttons open the dialog. */
  addButtons() {
    const open = { click: () => this.open() };
    const inBar = element("button", {
      type: "button",
      class: "button button-small invite-open",
      "aria-label": ROOM.inviteTitle,
      title: ROOM.inviteTitle,
      on: open,
    });
    inBar.append(qrPicture(), element("span", { class: "invite-word", text: ROOM.invite }));
    byId("me").before(inBar);
    const inPanel = element("button", { type: "button", class: "button button-small", text: ROOM.qr, on: open });
    const panel = document.querySelector('[aria-labelledby="share-title"]');
    panel?.append(element("div", { class: "buttons share-more" }, inPanel, this.#shareButton()));
  }

  /** A button for the system's share sheet, or null if the system has no share sheet. */
  #shareButton() {
    if (!("share" in navigator)) return null;
    const share = async () => {
      try {
        await navigator.share({ title: document.title, url: this.#field.value });
      } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") return; // the user has closed the share sheet
        this.#onCopied(false);
      }
    };
    return element("button", { type: "button", class: "button button-small", text: ROOM.share, on: { click: share } });
  }
}

function qrPicture() {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", QR);
  picture.append(path);
  return picture;
}
