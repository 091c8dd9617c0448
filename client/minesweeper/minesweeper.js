/** The page of Minesweeper: joins, connects, and passes frames and gestures to its parts. */

import { call } from "../shared/attention.js";
import { socketUrl } from "../shared/connection.js";
import { byId, within } from "../shared/dom.js";
import { followNames, nameOf } from "../shared/names.js";
import { BoardMap } from "../shared/overview.js";
import { askServer, Seat, Shell } from "../shared/page.js";
import { Presence } from "../shared/presence.js";
import { refusalWords } from "../shared/refusals.js";
import { play } from "../shared/sound.js";
import { putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { ZoomTools } from "../shared/zoom.js";
import { Board } from "./board.js";
import { Field } from "./field.js";
import { Meters } from "./meters.js";
import { Result } from "./result.js";
import { Sidebar } from "./sidebar.js";
import { moveWords, nameWords, nextWords, returnWords, squareLabel, WORDS } from "./words.js";

/** @import { FieldEvent, FieldFrame, MoveEvent, Player } from "./field.js" */
/** @import { Before } from "./words.js" */
/** @import { View } from "../shared/zoom.js" */
/** @import { Status } from "../shared/connection.js" */

const TICK_MS = 250; // update interval of the clock, which shows seconds

/** @typedef {"dig" | "chord" | "flag" | "deflag"} Move */

/** @type {Record<Move, string>} */
const NOT_DONE = {
  dig: WORDS.nothingDug,
  chord: WORDS.nothingDug,
  flag: WORDS.nothingFlagged,
  deflag: WORDS.nothingDeflagged,
};

class Page {
  #field = new Field();
  #shell = new Shell({ rules: "scramble.minesweeper.rules" });
  #seat = new Seat({
    shell: this.#shell,
    address: (name) => socketUrl(`play/${name}`),
    frames: {
      field: (frame) => this.#fieldCame(frame),
      change: (frame) => this.#changeCame(frame),
      done: (frame) => this.#doneCame(frame),
      boom: (frame) => this.#boomCame(frame),
      error: ({ id, ...refused }) => {
        this.#answered(id, null);
        const params = { reason: refused.reason };
        this.#toasts.say(refusalWords({ ...refused, params }, WORDS.refusals), { kind: "fail" });
      },
    },
    onState: (status) => this.#connectionChanged(status),
    onLeave: () => this.#forgetAsked(),
  });
  #presence = new Presence({
    onCame: (name) => this.#shell.tell(WORDS.isHere(nameOf(name))),
    onLeft: (name) => this.#shell.tell(WORDS.hasLeft(nameOf(name))),
  });
  #toasts = this.#shell.toasts;
  #board = new Board({
    frame: byId("frame"),
    room: within(document, ".stage-room"),
    field: this.#field,
    onDig: (index) => this.#dig(index),
    onFlag: (index) => this.#flag(index),
    onTap: (index, byFinger) => this.#tap(index, byFinger),
    onView: (view) => this.#viewChanged(view),
  });
  #map = new BoardMap({
    panel: byId("map"),
    board: this.#field,
    overview: this.#board.overview,
    onGo: (x, y) => this.#board.reveal(x, y),
  });
  #zoomTools = new ZoomTools({
    onStep: (direction) => this.#board.zoomStep(direction),
    onWhole: () => this.#board.zoomWhole(),
  });
  #sidebar = new Sidebar({
    onGo: (index) => {
      const [x, y] = this.#field.place(index);
      this.#board.reveal(x + 0.5, y + 0.5);
    },
  });
  #meters = new Meters(this.#field);
  #result = new Result();
  #boom = byId("boom", HTMLDialogElement);
  /** @type {Map<number, {index: number, type: Move}>} */
  #asked = new Map(); // moves without an answer: id -> {index, type}
  #hasBlown = false; // this player has dug a bomb and is out of the game
  #isPausing = false;
  /** @type {number | null} */ #tapped = null; // the number that a finger has tapped once
  /** @type {number | null} */
  #lostAs = null; // after a boom: this player's former number, until the last event with that number
  #rejoining = false;
  /** @type {{before: Before, awayMs: number | null, more: string[]} | null} */
  #returned = null; // data for the message after a reconnection, until the field arrives
  #refreshing = false;

  start() {
    putWords(WORDS);
    followNames(() => {
      this.#board.showPlayers();
      this.#refresh();
    });
    byId("mode").addEventListener("change", () => this.#refresh());
    byId("next-action").addEventListener("click", () => this.#rejoin());
    within(this.#boom, ".go").addEventListener("click", () => this.#rejoin());
    within(this.#boom, ".cancel").addEventListener("click", () => this.#boom.close());
    setInterval(() => this.#tick(), TICK_MS);
    this.#seat.join();
  }

  // --- the player's moves ---

  get #mode() {
    return within(byId("mode"), "[name=mode]:checked", HTMLInputElement).value;
  }

  /**
   * Handle a click or a tap: dig or flag, depending on the mode. A click on a dug square with a number opens the
   * squares around it. With a finger, this needs two taps.
   * @param {number} index
   * @param {boolean} byFinger
   */
  #tap(index, byFinger) {
    const again = this.#tapped === index;
    this.#forgetTap();
    if (this.#field.isDug(index) && byFinger && !again) {
      if (!this.#field.canChord(index)) return;
      this.#tapped = index;
      this.#toasts.say(WORDS.tapAgain);
    } else if (this.#mode === "flag" && !this.#field.isDug(index)) this.#flag(index);
    else this.#dig(index);
  }

  /** Forget the first tap on a number, and remove the message that asks for a second tap. */
  #forgetTap() {
    this.#tapped = null;
    this.#toasts.takeBack(WORDS.tapAgain);
  }

  /** @param {number} index */
  #dig(index) {
    if (!this.#field.isDug(index)) this.#move("dig", index);
    else if (this.#field.canChord(index)) this.#move("chord", index);
  }

  /** @param {number} index */
  #flag(index) {
    if (!this.#field.isDug(index)) this.#move(this.#field.isFlagged(index) ? "deflag" : "flag", index);
  }

  /**
   * @param {Move} type
   * @param {number} index
   */
  #move(type, index) {
    if (this.#field.contest.end !== null || this.#pauseMs > 0) return; // the page already shows the reason
    if (this.#field.you === null && this.#seat.isConnected && !this.#seat.isWatching) {
      this.#boom.showModal(); // the player has lost: the dialog offers to rejoin
      return;
    }
    const [x, y] = this.#field.place(index);
    const isFlag = type === "flag" || type === "deflag";
    const id = this.#seat.send({ type, x, y }, NOT_DONE[type]);
    if (id === null) return;
    this.#asked.set(id, { index, type });
    if (isFlag) {
      this.#field.expect(index, type === "flag", id);
      this.#board.touch([index]);
      this.#refresh();
    } else this.#board.setAsked(index, true);
  }

  /** The remaining time of this player's pause after a boom, in milliseconds. */
  get #pauseMs() {
    return this.#seat.isWatching ? 0 : this.#field.contest.pauseLeft(this.#seat.name, performance.now());
  }

  /** Update the parts of the page that depend on the time. */
  #tick() {
    const pauseMs = this.#pauseMs;
    this.#meters.tick(performance.now(), pauseMs);
    if (pauseMs > 0 || this.#isPausing || this.#field.contest.pauses.size > 0) this.#refresh();
    if (this.#isPausing && pauseMs === 0) {
      this.#shell.announce(WORDS.goOn);
      call(SHARED.calls.goOn);
    }
    this.#isPausing = pauseMs > 0;
  }

  #rejoin() {
    if (this.#seat.sendPlain({ type: "rejoin" })) this.#rejoining = true;
    else this.#toasts.say(WORDS.rejoinLater, { kind: "fail" });
  }

  // --- frames of the server ---

  /** @param {FieldFrame} frame */
  #fieldCame(frame) {
    const first = this.#field.rows === 0;
    this.#field.replaceAll(frame);
    this.#notePlayers();
    this.#board.show();
    this.#map.refresh();
    if (this.#returned !== null) {
      const { before, awayMs, more } = this.#returned;
      const words = [returnWords(before, this.#field, awayMs), ...more].join(" ").trim();
      if (words !== "") this.#toasts.say(words, { kind: "good" });
      this.#returned = null;
    } else if (this.#rejoining) this.#toasts.say(WORDS.backInGame, { kind: "good" });
    if (frame.you !== null) {
      this.#hasBlown = false;
      this.#lostAs = null;
      this.#rejoining = false;
      this.#boom.close();
    }
    if (first) askServer();
    if ((first || document.activeElement === document.body) && !this.#seat.isWatching) this.#goToStart();
    if (frame.end !== undefined) this.#ended();
    else this.#result.show(this.#field, null); // the table can appear again after this game
    this.#refresh();
  }

  /** @param {{version: number, events: FieldEvent[]}} frame */
  #changeCame({ version, events }) {
    if (version <= this.#field.version) return; // the field frame already contains it
    if (version > this.#field.version + 1) return this.#resync();
    this.#field.version = version;
    for (const event of events) this.#apply(event);
    this.#board.touch(this.#field.settled());
    this.#map.refresh();
    this.#refresh();
  }

  /** @param {FieldEvent} event */
  #apply(event) {
    const { at, changed, before } = this.#field.apply(event);
    if (event.is === "ended") return this.#ended();
    if (at !== null) {
      const move = /** @type {MoveEvent} */ (event);
      this.#board.update(move.runs, before?.name ?? null);
      this.#tellMove(move, at, changed, before);
    } else this.#notePlayers();
    if (event.is === "disconnected" && event.player === this.#lostAs) this.#lostAs = null; // no event follows
    this.#board.showPlayers();
  }

  #notePlayers() {
    const names = [...this.#field.players.values()].map(({ name }) => name);
    this.#presence.note(names, this.#seat.name, this.#field.others === 0);
  }

  /**
   * @param {MoveEvent} event
   * @param {number} at
   * @param {number} changed
   * @param {Player | null} by
   */
  #tellMove(event, at, changed, by) {
    if (by !== null && this.#isMe(by.id)) {
      if (event.is !== "exploded")
        this.#shell.announce(`${squareLabel(this.#field, at)}${changed > 1 ? `, ${WORDS.opened(changed)}` : ""}.`);
      this.#toasts.note(moveWords(event, null, changed));
      return;
    }
    const unnamed = event.player === null ? WORDS.server : WORDS.unnamed(event.player);
    const words = moveWords(event, by === null ? unnamed : nameWords(this.#field, by), changed);
    if (event.is === "exploded" || event.booms !== undefined) this.#toasts.say(words);
    else this.#shell.tell(words);
  }

  /** Put the focus on the square that must be dug first. */
  #goToStart() {
    const { start } = this.#field.contest;
    if (start === null) return this.#board.focus();
    this.#board.goTo(...start);
    this.#shell.announce(WORDS.startHere);
  }

  /** Show the end of the game: the hidden squares and, outside rooms, the table of results. */
  #ended() {
    this.#forgetAsked();
    this.#forgetTap();
    this.#board.showEnd();
    this.#shell.tell(WORDS.result);
    call(SHARED.calls.over);
    if (this.#shell.room === null) this.#result.show(this.#field, this.#seat.name);
  }

  /** @param {{id: number, version: number, pause?: number, start?: [x: number, y: number]}} frame */
  #doneCame({ id, version, pause, start }) {
    const asked = this.#answered(id, version);
    if (pause !== undefined) return this.#pauses(pause);
    if (start !== undefined) {
      this.#board.goTo(...start);
      this.#toasts.say(WORDS.startFirst);
      return;
    }
    if (asked !== null && this.#shell.room !== null)
      play(asked.type === "dig" || asked.type === "chord" ? "turn" : "mine");
    if (asked?.type === "dig" && this.#field.isFlagged(asked.index)) {
      this.#toasts.say(WORDS.flagFirst, { kind: "fail" });
    }
  }

  /**
   * Begin a pause of this player.
   * @param {number} left milliseconds
   */
  #pauses(left) {
    if (this.#seat.name === null) return;
    this.#field.contest.pause(this.#seat.name, left, performance.now());
    this.#tick();
  }

  /** @param {{id: number, version: number, lost: boolean, pause?: number}} frame */
  #boomCame({ id, version, lost, pause }) {
    this.#answered(id, version);
    if (pause !== undefined) {
      if (this.#shell.room !== null) play("boom");
      this.#pauses(pause);
      this.#shell.tell(WORDS.boomPause(Math.ceil(pause / 1000)));
      return;
    }
    if (!lost) {
      this.#toasts.say(WORDS.boomDebug, { kind: "fail" });
      return;
    }
    if (this.#shell.room !== null) play("boom");
    this.#lostAs = this.#field.you;
    this.#field.you = null;
    this.#hasBlown = true;
    this.#forgetAsked(); // the server refuses the moves without an answer
    this.#toasts.note(WORDS.boomHere, { kind: "fail" });
    if (document.querySelector("dialog[open]") === null) this.#boom.showModal();
    this.#refresh();
  }

  /**
   * True if `id` is the number of this player. Events of the explosion may arrive after the boom frame.
   * @param {number} id
   */
  #isMe(id) {
    return id === this.#field.you || id === this.#lostAs;
  }

  /**
   * Note the answer to a move. `version` is the first version of the field with the result of the move, or null if the
   * server refused the move. Return the move, or null if this connection did not send it.
   * @param {number} id
   * @param {number | null} version
   */
  #answered(id, version) {
    const asked = this.#asked.get(id);
    if (asked === undefined) return null;
    this.#asked.delete(id);
    if (asked.type === "dig" || asked.type === "chord") this.#board.setAsked(asked.index, false);
    else if (this.#field.settle(asked.index, id, version)) this.#board.touch([asked.index]);
    return asked;
  }

  // --- the connection ---

  /** @param {Status} status */
  #connectionChanged({ state, again, awayMs }) {
    if (state === "connecting" || again) this.#lostAs = null; // another player may now have this number
    if (!this.#seat.isConnected) this.#presence.pause();
    if (state === "online" && again) {
      const { version, columns } = this.#field;
      this.#returned = {
        before: { version, columns, squares: this.#field.squares() },
        awayMs,
        more: this.#forgetAsked(),
      };
      this.#rejoining = false;
      askServer();
    }
    this.#refresh();
  }

  /** Forget the moves without an answer. Return sentences about them. */
  #forgetAsked() {
    const sentences = this.#asked.size > 0 ? [WORDS.lastMove] : [];
    for (const { index } of this.#asked.values()) this.#board.setAsked(index, false);
    this.#asked.clear();
    this.#board.touch(this.#field.expectNothing());
    return sentences;
  }

  /** Reconnect to get the whole field, because a change is missing. This should not happen. */
  #resync() {
    this.#toasts.note(WORDS.changeMissing, { kind: "fail" });
    this.#seat.reconnect();
  }

  // --- everything around the board ---

  /** @param {View} view */
  #viewChanged(view) {
    this.#map.show(view);
    this.#zoomTools.show(view);
  }

  /** Update everything around the board, at most once a frame. */
  #refresh() {
    if (this.#refreshing) return;
    this.#refreshing = true;
    requestAnimationFrame(() => {
      this.#refreshing = false;
      this.#show();
    });
  }

  #show() {
    const next = nextWords(this.#field, {
      state: this.#seat.state,
      mode: this.#mode,
      hasBlown: this.#hasBlown,
      pauseMs: this.#pauseMs,
    });
    this.#shell.showNext(next);
    byId("next-action").hidden = !next.rejoin;
    this.#meters.show();
    this.#sidebar.show(this.#field, performance.now());
    this.#shell.parts?.standings(() => this.#field.ranking);
    this.#map.showPlayers(this.#field.places());
    const { contest } = this.#field;
    if (contest.ended !== null) this.#shell.parts?.lasted(contest.clock(0) ?? 0);
    this.#shell.parts?.playersHere([...this.#field.players.values()].map(({ name }) => name));
  }
}

new Page().start();
