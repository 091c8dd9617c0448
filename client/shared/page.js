/**
 * The shell around a game's board: announcements, toasts and their log, the link to share, and the player's seat. A
 * seat is a player's name with its connection.
 */

import { createAnnouncer } from "./announce.js";
import { attentionSwitch } from "./attention.js";
import { Connection, SEAT_TAKEN, showConnection, socketUrl, unsentWords } from "./connection.js";
import { byId, element, setText, within } from "./dom.js";
import { keepFolded } from "./fold.js";
import { askBack, forgetSeat, seatAway, seatOf, takeSeat } from "./handover.js";
import { noteHues } from "./hues.js";
import { askName, changeName, nameInsteadOf } from "./join.js";
import { plainNameOf } from "./names.js";
import { chip, keepName, lastName, nameOfTab, TabNames } from "./player.js";
import { refusalWords } from "./refusals.js";
import { Room } from "./room.js";
import { goneWords, RoomParts } from "./roomparts.js";
import { setUpShare } from "./share.js";
import { soundSwitch } from "./sound.js";
import { setUpThemeSwitch } from "./theme.js";
import { Toasts } from "./toasts.js";
import { languageChoice } from "./wording.js";
import { ROOM, SHARED } from "./words.js";
import { setUpWorker } from "./worker.js";

const STOPPED = 1001; // close codes of the WebSocket protocol
const TOO_MANY = 1008;
const BROKEN = 1011;
const NAME_TAKEN = "name-taken"; // close reason: a similar name belongs to another person
const EXPELLED = ["player-removed", "others-attempt"]; // close reasons with the close code SEAT_TAKEN

export class Shell {
  announce = createAnnouncer(byId("live"));
  toasts = new Toasts({ region: byId("toasts"), log: byId("log"), announce: this.announce });
  /** @type {Room | null} */ room = Room.here(); // null for a game without rooms
  /** @type {RoomParts | null} */ parts = null;

  /**
   * `rules` is the storage key for the state of the rules panel, open or folded.
   * @param {{rules: string}} options
   */
  constructor({ rules }) {
    setUpThemeSwitch(byId("theme"), SHARED.theme);
    byId("theme").before(soundSwitch());
    within(document, ".aside, .more").append(languageChoice());
    keepFolded(byId("rules", HTMLDetailsElement), rules);
    this.share("share");
    if (this.room !== null) this.parts = new RoomParts(this.room, (text, kind) => this.toasts.say(text, { kind }));
    else byId("rules").after(attentionPanel());
    setUpWorker();
  }

  /**
   * Set up a link to share, from the elements `#<part>-link`, `#<part>-copy` and `#<part>-hint`.
   * @param {string} part
   */
  share(part) {
    setUpShare({
      field: byId(`${part}-link`, HTMLInputElement),
      button: byId(`${part}-copy`),
      hint: byId(`${part}-hint`),
      onCopied: (worked) => {
        if (worked) this.toasts.say(SHARED.copied, { kind: "good" });
        else this.toasts.say(SHARED.copyByHand, { kind: "fail" });
      },
    });
  }

  /**
   * Announce words and keep them in the log, without a toast.
   * @param {string} words
   */
  tell(words) {
    this.toasts.note(words);
    this.announce(words);
  }

  /**
   * Tell the user that the connection was lost: with the words `toast` in a toast, by default only for screen readers.
   * Another toast has the reason if the close code means a failed game (`broken`) or too many moves (`tooMany`).
   * @param {number | null} code
   * @param {{toast?: string | null, broken?: string, tooMany?: string}} options
   */
  tellLoss(code, { toast = null, broken = SHARED.gameBroken, tooMany = SHARED.tooManyMoves } = {}) {
    this.toasts.note(code === STOPPED ? SHARED.serverStopped : SHARED.connectionLost, { kind: "fail" });
    if (toast === null) this.announce(SHARED.connectionLost);
    else this.toasts.say(toast, { kind: "fail" });
    if (code === BROKEN) this.toasts.say(broken, { kind: "fail" });
    if (code === TOO_MANY) this.toasts.say(tooMany, { kind: "fail" });
  }

  /**
   * Show the next step in the line above the board. `tone` is "plain", "mine" or "lost". In a room, the room's own
   * words replace the next step.
   * @param {{text: string, tone: string}} words
   */
  showNext(words) {
    const { text, tone } = this.parts?.next ?? words;
    const next = byId("next");
    next.dataset.tone = tone;
    setText(within(next, "p"), text);
    this.parts?.refresh();
  }
}

/** The panel with the switch for notifications, for a game without a room's menu. "" if there are no notifications. */
function attentionPanel() {
  const made = attentionSwitch();
  return made === null ? "" : element("section", { class: "panel" }, made);
}

/** @typedef {import("./connection.js").Status} Status */
/**
 * @typedef {object} SeatParts
 * @property {Shell} shell
 * @property {(name: string) => string} address
 * @property {{[type: string]: (frame: any) => void}} frames
 * @property {(status: Status) => void} onState
 * @property {(isNew: boolean) => void} [onPlay]
 * @property {() => void} onLeave
 * @property {boolean} [mayRename]
 */

/** A seat in a game: the player's name and the connection. The user may change the name. */
export class Seat {
  /** @type {string | null} */ name = null;
  #shell;
  #address;
  #frames;
  #onPlay;
  #onState;
  #onLeave;
  #mayRename;
  #tabs = new TabNames();
  #isWatching = false;
  /** @type {import("./join.js").Claim | null} in a room, converts a name in any script to a player */ #claim;
  /** @type {Connection | null} */ #connection = null;
  #showConnection = showConnection(byId("link"), () => this.#connection?.retry());
  #ids = 0;

  /**
   * `address(name)` is the address to connect to. `frames` has a function for each type of frame, and `state` for
   * frames without a type. `onState(status)` gets each status of the connection. `onPlay(isNew)` is called when this
   * tab begins to play under a name. `isNew` is true if the user has just chosen the name. `onLeave()` is called when
   * the user gives up the old name.
   * @param {SeatParts} parts
   */
  constructor({ shell, address, frames, onState, onPlay = (_isNew) => {}, onLeave, mayRename = true }) {
    this.#shell = shell;
    this.#address = address;
    this.#frames = frames;
    this.#onState = onState;
    this.#onPlay = onPlay;
    this.#onLeave = onLeave;
    this.#mayRename = mayRename;
    const { room } = shell;
    this.#claim = room === null ? null : (name) => room.claim(name);
    if (mayRename) byId("me").addEventListener("click", () => this.#rename());
  }

  /** The state of the connection: "connecting", "online", "slow", "moving", "lost" or "closed". */
  get state() {
    return this.#connection?.state ?? "connecting";
  }

  /** True if the page can send frames to the server. */
  get isConnected() {
    return this.#connection?.isConnected ?? false;
  }

  /** True if this tab watches a room, without a name. */
  get isWatching() {
    return this.#isWatching;
  }

  /** Ask for a name if this tab has none, and connect as a player, or as a spectator. */
  async join() {
    const { room } = this.#shell;
    if (room !== null && (room.mode !== "play" || (nameOfTab() === null && (await room.isOver())))) return this.watch();
    const kept = nameOfTab();
    const dialog = byId("join", HTMLDialogElement);
    if (room !== null && dialog.querySelector(".watch") === null) {
      const watch = element("button", { type: "button", class: "button watch", text: ROOM.watch });
      within(dialog, ".cancel").after(watch);
    }
    const moved = room === null ? null : await takeSeat(room, (text, kind) => this.#shell.toasts.say(text, { kind }));
    if (moved !== null) this.#tabs.claim(nameOfTab());
    const away = moved === null ? seatAway(room) : null;
    if (away !== null) return (await room?.isOver()) ? this.watch() : this.#hasMoved(away);
    const name = moved ?? (await askName(dialog, this.#tabs, this.#claim));
    if (name === null) this.watch();
    else this.#play(name, name !== kept);
  }

  /** Watch the game as a spectator. */
  watch() {
    this.#connection?.close();
    this.name = null;
    this.#isWatching = true;
    this.#tabs.claim(null);
    byId("me").hidden = true;
    this.#shell.parts?.plays(null, () => this.#joinAfterWatching());
    this.#connect(socketUrl("view"));
  }

  /**
   * Handle a seat that is on the other device: become a spectator. The user may take the seat back or take another
   * name.
   * @param {import("./handover.js").KeptSeat} seat
   */
  async #hasMoved(seat) {
    const { room } = this.#shell;
    if (room === null) return;
    if (!this.#isWatching) this.watch();
    const choice = await askBack(room, seat);
    if (choice === "watch") return;
    if (choice !== "name") {
      this.#tabs.claim(nameOfTab());
      return this.#play(choice.player);
    }
    await this.#joinAs(null);
    if (this.name !== null) forgetSeat(seat);
  }

  async #joinAfterWatching() {
    const away = seatAway(this.#shell.room);
    return away === null ? this.#joinAs(nameOfTab() ?? lastName()) : this.#hasMoved(away);
  }

  /**
   * Ask a spectator for a name, and play.
   * @param {string | null} current the suggested name; null: an invented name
   */
  async #joinAs(current) {
    const dialog = byId("join", HTMLDialogElement);
    const options = { claim: this.#claim };
    const name = await changeName(dialog, this.#tabs, current, options);
    if (name !== null) this.#play(name);
  }

  /**
   * Play under another name, and store the name.
   * @param {string} name
   */
  take(name) {
    keepName(name);
    this.#tabs.claim(name);
    this.#play(name);
  }

  /**
   * Send a frame with a new id, and return the id. Without a connection, show a toast with `otherwise`, and return
   * null.
   * @param {object} frame
   * @param {string} otherwise
   * @returns {number | null}
   */
  send(frame, otherwise) {
    if (this.#isWatching) {
      this.#shell.toasts.say(ROOM.watchingOnly);
      return null;
    }
    this.#ids += 1;
    if (this.#connection?.send({ id: this.#ids, ...frame })) return this.#ids;
    this.#shell.toasts.say(...unsentWords(this.state, otherwise));
    return null;
  }

  /**
   * Send a frame without an id. Return false if there is no connection.
   * @param {object} frame
   */
  sendPlain(frame) {
    return this.#connection?.send(frame) ?? false;
  }

  /**
   * Send a text frame. Return false if there is no connection. In a spectator's tab, show a toast instead and return
   * true.
   * @param {string} text
   */
  sendText(text) {
    if (!this.#isWatching) return this.#connection?.sendText(text) ?? false;
    this.#shell.toasts.say(ROOM.watchingOnly);
    return true;
  }

  open() {
    this.#connection?.open();
  }

  close() {
    this.#connection?.close();
  }

  retry() {
    this.#connection?.retry();
  }

  /** Reconnect, so that the server sends its complete state again. */
  reconnect() {
    this.#connection?.close();
    this.#connection?.open();
  }

  /** @param {string} name */
  #play(name, isNew = true) {
    this.#connection?.close();
    this.name = name;
    this.#isWatching = false;
    this.#onPlay(isNew);
    const me = byId("me");
    const unseen = (/** @type {string} */ text) => element("span", { class: "unseen", text });
    me.replaceChildren(
      unseen(`${SHARED.youAre} `),
      chip(name),
      ...(this.#mayRename ? [unseen(`. ${SHARED.changeName}`)] : []),
    );
    if (this.#mayRename) me.title = SHARED.changeName;
    me.hidden = false;
    this.#shell.parts?.plays(name, () => {});
    this.#connect(this.#address(name));
  }

  /** @param {string} address */
  #connect(address) {
    const connection = new Connection(address, {
      onFrame: (frame) => {
        if (connection !== this.#connection || this.#shell.room?.receive(frame)) return;
        if (frame.type === "hues") return noteHues(frame.hues);
        this.#frames[frame.type ?? "state"]?.(frame); // a newer server may send unknown types
      },
      onState: (status) => {
        if (connection === this.#connection) this.#connectionChanged(status);
      },
    });
    this.#connection = connection;
    connection.open();
  }

  async #rename() {
    const name = await changeName(byId("join", HTMLDialogElement), this.#tabs, plainNameOf(this.name ?? ""), {
      claim: this.#claim,
    });
    if (name === null || name === this.name) return;
    this.#onLeave();
    this.#play(name);
  }

  /** Handle a name that belongs to another client. Ask for a new name, unless the user's other device has the seat. */
  async #leave() {
    this.#connection?.close();
    const handedOver = seatOf(this.#shell.room, this.name);
    if (handedOver !== null) return this.#hasMoved(handedOver);
    if (this.#shell.room?.mustClaim()) return this.join();
    const name = await nameInsteadOf(
      byId("join", HTMLDialogElement),
      this.#tabs,
      plainNameOf(this.name ?? ""),
      this.#claim,
    );
    if (name === null) this.watch();
    else this.#play(name);
  }

  /**
   * Handle the removal of this player by the host, or another player's daily challenge. The user may still watch.
   * @param {string} code
   */
  #expelled(code) {
    this.#shell.toasts.say(refusalWords({ code }), { kind: "fail" });
    this.watch();
  }

  /** @param {Status} status */
  #connectionChanged(status) {
    this.#showConnection(status);
    const gone = status.state === "closed" ? goneWords(status) : null;
    if (gone !== null) this.#shell.parts?.gone(gone);
    if (status.state === "lost" && EXPELLED.includes(status.reason)) this.#expelled(status.reason);
    else if (status.state === "lost" && (status.code === SEAT_TAKEN || status.reason === NAME_TAKEN)) this.#leave();
    else if (status.state === "lost") this.#shell.tellLoss(status.code);
    this.#onState(status);
  }
}

/**
 * Ask the server for its telnet port, and show in `#telnet` how to join by telnet. Hide `#telnet` if the server has no
 * telnet port or does not answer. Return the answer, or null.
 * @returns {Promise<{telnet: number | null, grace?: number} | null>}
 */
export async function askServer() {
  const line = byId("telnet");
  try {
    const server = await (await fetch(new URL("server", document.baseURI))).json();
    line.hidden = server.telnet === null;
    setText(byId("telnet-command"), `telnet ${location.hostname.replace(/^\[|\]$/g, "")} ${server.telnet}`);
    return server;
  } catch {
    line.hidden = true;
    return null;
  }
}
