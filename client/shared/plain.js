/**
 * The page of a small game, without the board. `plain.html` has the markup. The server sends the public state once, and
 * then events. The page sends moves (docs/reference/plain-websocket.md). While a move waits, the page shows a button
 * that withdraws it.
 */

import { call } from "./attention.js";
import { socketUrl } from "./connection.js";
import { byId, element, within } from "./dom.js";
import { nameOf } from "./names.js";
import { Seat, Shell } from "./page.js";
import { chip, MOST_SHOWN, othersRow } from "./player.js";
import { Presence } from "./presence.js";
import { refusalWords } from "./refusals.js";
import { play } from "./sound.js";
import { putWords } from "./wording.js";
import { SHARED } from "./words.js";

/** @import { Status } from "./connection.js" */
/** @import { Sound } from "./sound.js" */
/** @import { Refusals } from "./words/en.js" */

/** @typedef {{title: string, pitch: string, rules: string[], refusals: Refusals}} PlainWords */
/** @typedef {{is: string, [field: string]: any}} PlainEvent an event of the rules: `is` is the name of its class */
/** @typedef {{type: string, [field: string]: any}} Move a move of the rules: `type` is the name of its class */
/** @typedef {{player: string, score?: number, note?: string}} Standing of a player in the game */
/**
 * @typedef {object} PlainParts
 * @property {string} game the folder of the page
 * @property {PlainWords} words
 * @property {(state: any) => void} onState shows the whole public state, after the first connection and reconnections
 * @property {(event: PlainEvent) => void} onEvent shows an event
 * @property {() => {text: string, mine?: boolean}} next the line above the board. `mine` if this player has the turn
 * @property {() => Standing[]} standings the players of the game, in the order of the list
 * @property {number} [places] the maximum number of players. In a full game, the page offers spectators no place
 */

export class PlainPage {
  #parts;
  #shell;
  #seat;
  /** @type {Map<number, {move: Move, waits: boolean}>} */ #asked = new Map(); // moves without an outcome, by id
  /** @type {string[]} */ #here = [];
  #othersHere = 0;
  #presence = new Presence({
    onCame: (player) => this.tell(SHARED.isHere(nameOf(player))),
    onLeft: (player) => this.tell(SHARED.hasLeft(nameOf(player))),
  });
  #hasBegun = false; // true after an event
  #isThere = false; // true after the page has received the public state
  /** @type {Status | null} */ #returned = null;

  /** @param {PlainParts} parts */
  constructor(parts) {
    const { game, words } = parts;
    this.#parts = parts;
    within(document, ".rules").append(...words.rules.map((text) => element("li", { text })));
    putWords(words);
    this.#shell = new Shell({ rules: `scramble.${game}.rules` });
    this.#seat = new Seat({
      shell: this.#shell,
      address: (name) => socketUrl(`play/${name}`),
      frames: {
        state: ({ game }) => this.#stateCame(game),
        change: ({ events }) => this.#changeCame(events),
        players: (frame) => this.#playersCame(frame),
        waits: ({ id }) => this.#waits(id),
        done: ({ id }) => this.#done(id),
        withdrawn: ({ id }) => this.#withdrawn(id),
        refused: ({ id, ...refused }) => this.#refused(id, refused),
        error: (refused) => this.say(refusalWords(refused, words.refusals), "fail"),
      },
      onState: (status) => this.#connectionChanged(status),
      onLeave: () => this.#forgetAsked(),
    });
    byId("call-off").addEventListener("click", () => this.callOff());
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && document.querySelector("dialog[open]") === null) this.callOff();
    });
  }

  /** Ask for a name, and connect. */
  start() {
    void this.#seat.join();
  }

  /** The player of this page, or null for a spectator. */
  get me() {
    return this.#seat.name;
  }

  /** The moves of this page that wait. */
  get waiting() {
    return [...this.#asked.values()].filter(({ waits }) => waits).map(({ move }) => move);
  }

  /**
   * Send a move, and return true. Without a connection, show a toast and return false.
   * @param {Move} move
   */
  send(move) {
    const id = this.#seat.send(move, SHARED.noMove);
    if (id !== null) this.#asked.set(id, { move, waits: false });
    return id !== null;
  }

  /**
   * Withdraw the waiting moves for which `isMeant(move)` is true. By default, withdraw all waiting moves.
   * @param {(move: Move) => boolean} isMeant
   */
  callOff(isMeant = () => true) {
    for (const [id, { move, waits }] of this.#asked)
      if (waits && isMeant(move)) this.#seat.sendPlain({ type: "withdraw", id });
  }

  /**
   * Show words in a toast, and keep them in the log.
   * @param {string} words
   * @param {"info" | "good" | "fail"} kind
   */
  say(words, kind = "info") {
    this.#shell.toasts.say(words, { kind });
  }

  /**
   * Announce words to screen readers, and keep them in the log.
   * @param {string} words
   */
  tell(words) {
    this.#shell.tell(words);
  }

  /**
   * Attract the user's attention if the page is not visible.
   * @param {string} words
   */
  call(words) {
    call(words);
  }

  /**
   * Play a sound if the page is in a room.
   * @param {Sound} sound
   */
  sound(sound) {
    if (this.#shell.room !== null) play(sound);
  }

  /** Update everything around the board. */
  refresh() {
    if (this.me === null && !this.#seat.isWatching) return;
    const { places = Infinity, standings } = this.#parts;
    this.#shell.parts?.playersHere(this.#here, { full: standings().length >= places });
    this.#shell.showNext(this.#next());
    byId("call-off").hidden = this.waiting.length === 0;
    this.#showPlayers();
    this.#shell.parts?.standings(() => ({
      points: standings().map(({ player, score = 0 }) => [player, score]),
      begun: this.#hasBegun || standings().some(({ score = 0 }) => score !== 0),
    }));
  }

  #next() {
    const { state } = this.#seat;
    if (state === "moving" || state === "slow") return { text: SHARED.goesOn, tone: "plain" };
    if (state === "lost") return { text: SHARED.tryingToReconnect, tone: "lost" };
    if (!this.#isThere) return { text: SHARED.connecting, tone: "plain" };
    const { text, mine = false } = this.#parts.next();
    return { text, tone: mine ? "mine" : "plain" };
  }

  #showPlayers() {
    const standings = this.#parts.standings();
    const named = new Set(standings.map(({ player }) => player));
    const others = this.#here.filter((player) => !named.has(player)).map((player) => ({ player }));
    const rows = [...standings, ...others].slice(0, MOST_SHOWN);
    const unnamed = standings.length + others.length + this.#othersHere - rows.length;
    byId("players").replaceChildren(...rows.map((row) => this.#playerRow(row)), ...othersRow(unnamed));
  }

  /** @param {Standing} standing */
  #playerRow({ player, score, note = "" }) {
    return element(
      "li",
      { class: "player", "data-player": player, "data-away": !this.#here.includes(player) },
      chip(player, { you: player === this.me }),
      element("span", { class: "player-note", text: note }),
      score === undefined ? null : element("span", { class: "player-score", text: String(score) }),
    );
  }

  // --- frames of the server ---

  /** @param {any} state */
  #stateCame(state) {
    this.#isThere = true;
    this.#parts.onState(state);
    const back = this.#returned;
    this.#returned = null;
    if (back !== null && back.awayMs !== null) this.say(SHARED.connectedAgain(back.awayMs), "good");
    this.refresh();
  }

  /** @param {PlainEvent[]} events */
  #changeCame(events) {
    for (const event of events) this.#parts.onEvent(event);
    this.#hasBegun = true;
    this.refresh();
  }

  /** @param {{players: string[], others: number}} frame */
  #playersCame({ players, others }) {
    this.#here = players;
    this.#othersHere = others;
    this.#presence.note(players, this.me, others === 0);
    this.refresh();
  }

  /** @param {number} id */
  #waits(id) {
    const asked = this.#asked.get(id);
    if (asked !== undefined) asked.waits = true;
    this.refresh();
  }

  /** @param {number} id */
  #done(id) {
    if (this.#answered(id)) this.sound("come");
    else this.sound("turn");
    this.refresh();
  }

  /** @param {number} id */
  #withdrawn(id) {
    this.#answered(id);
    this.say(SHARED.calledOff);
    this.refresh();
  }

  /**
   * @param {number} id
   * @param {{reason: string, code: string}} refused
   */
  #refused(id, refused) {
    this.#answered(id);
    this.say(refusalWords(refused, this.#parts.words.refusals), "fail");
    this.refresh();
  }

  /**
   * Note that a move has its outcome. Return true if the move had to wait.
   * @param {number} id
   */
  #answered(id) {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked?.waits ?? false;
  }

  /** @param {Status} status */
  #connectionChanged(status) {
    if (status.state === "online" && status.again) {
      this.#returned = status;
      this.#forgetAsked();
    }
    if (!this.#seat.isConnected) this.#presence.pause();
    this.refresh();
  }

  /** Forget the moves of a lost connection. The server has withdrawn the waiting moves. */
  #forgetAsked() {
    if (this.waiting.length > 0) this.say(SHARED.calledOffAway, "fail");
    else if (this.#asked.size > 0) this.say(SHARED.lastMove, "fail");
    this.#asked.clear();
  }
}
