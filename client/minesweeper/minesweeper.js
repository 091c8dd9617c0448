/** The page of Minesweeper: joins, connects, and lets frames and fingers through to the parts. */

import { createAnnouncer } from "../shared/announce.js";
import { Connection, SEAT_TAKEN, showConnection, socketUrl } from "../shared/connection.js";
import { byId, setText } from "../shared/dom.js";
import { keepFolded } from "../shared/fold.js";
import { askName, changeName, nameInsteadOf } from "../shared/join.js";
import { chip, TabNames } from "../shared/player.js";
import { setUpShare } from "../shared/share.js";
import { setUpThemeSwitch } from "../shared/theme.js";
import { Toasts } from "../shared/toasts.js";
import { Board } from "./board.js";
import { Field } from "./field.js";
import { FieldMap } from "./overview.js";
import { showTelnet, Sidebar } from "./sidebar.js";
import { moveWords, nameWords, nextWords, placeWords, returnWords, squareLabel } from "./words.js";

class Page {
  #field = new Field();
  #me = null;
  #tabs = new TabNames();
  #announce = createAnnouncer(byId("live"));
  #toasts = new Toasts({ region: byId("toasts"), log: byId("log"), announce: this.#announce });
  #board = new Board({
    frame: byId("frame"),
    room: document.querySelector(".stage-room"),
    field: this.#field,
    onDig: (index) => this.#dig(index),
    onFlag: (index) => this.#flag(index),
    onTap: (index) => (this.#mode === "flag" ? this.#flag(index) : this.#dig(index)),
    onView: (view) => this.#viewChanged(view),
  });
  #map = new FieldMap({ panel: byId("map"), field: this.#field, overview: this.#board.overview, onGo: (x, y) => this.#board.reveal(x, y) });
  #sidebar = new Sidebar({ onGo: (index) => this.#board.reveal(...this.#field.place(index).map((at) => at + 0.5)) });
  #connection = null;
  #showConnection = showConnection(byId("link"), () => this.#connection?.retry());
  #boom = byId("boom");
  #ids = 0;
  #asked = new Map(); // id -> {index, type} of a move that has no answer yet
  #blown = null; // the index of the square that blew this player up
  #lostAs = null; // the number that this player had then
  #rejoining = false;
  #returned = null; // what to compare and tell about a reconnection once the field is here
  #refreshing = false;

  async start() {
    setUpThemeSwitch(byId("theme"));
    setUpShare({
      field: byId("share-link"),
      button: byId("share-copy"),
      hint: byId("share-hint"),
      onCopied: (worked) => this.#toasts.say(worked ? "Link copied. Send it to those who should play." : "Please copy the link by hand.", { kind: worked ? "good" : "fail" }),
    });
    keepFolded(byId("rules"), "scramble.minesweeper.rules");
    byId("mode").addEventListener("change", () => this.#refresh());
    byId("larger").addEventListener("click", () => this.#board.zoomStep(1));
    byId("smaller").addEventListener("click", () => this.#board.zoomStep(-1));
    byId("whole").addEventListener("click", () => this.#board.zoomWhole());
    byId("next-action").addEventListener("click", () => this.#rejoin());
    this.#boom.querySelector(".go").addEventListener("click", () => this.#rejoin());
    this.#boom.querySelector(".cancel").addEventListener("click", () => this.#boom.close());
    byId("me").addEventListener("click", () => this.#rename());
    this.#play(await askName(byId("join"), this.#tabs));
  }

  #play(name) {
    this.#connection?.close();
    this.#me = name;
    const me = byId("me");
    me.replaceChildren(chip(name));
    me.setAttribute("aria-label", `You are ${name}. Change your name`);
    me.title = "Change your name";
    me.hidden = false;
    this.#connection = new Connection(socketUrl(`play/${name}`), {
      onFrame: (frame) => this.#receive(frame),
      onState: (status) => {
        this.#showConnection(status);
        this.#connectionChanged(status);
      },
    });
    this.#connection.open();
  }

  async #leaveSeat() {
    this.#connection.close();
    this.#play(await nameInsteadOf(byId("join"), this.#tabs, this.#me));
  }

  async #rename() {
    const name = await changeName(byId("join"), this.#tabs, this.#me);
    if (name === null || name === this.#me) return;
    this.#forgetAsked();
    this.#play(name);
  }

  // --- what the player does ---

  get #mode() {
    return byId("mode").elements.mode.value;
  }

  #dig(index) {
    if (!this.#field.isDug(index)) this.#move("dig", index);
  }

  #flag(index) {
    if (!this.#field.isDug(index)) this.#move(this.#field.isFlagged(index) ? "deflag" : "flag", index);
  }

  #move(type, index) {
    if (this.#field.you === null && this.#connection.state === "online") {
      this.#boom.showModal(); // out: it says so, and how to rejoin
      return;
    }
    const [x, y] = this.#field.place(index);
    this.#ids += 1;
    if (!this.#connection.send({ type, id: this.#ids, x, y })) {
      this.#toasts.say(`Not connected: nothing was ${type === "dig" ? "dug" : `${type}ged`}.`, { kind: "fail" });
      return;
    }
    this.#asked.set(this.#ids, { index, type });
    this.#board.setAsked(index, true);
  }

  #rejoin() {
    if (this.#connection.send({ type: "rejoin" })) this.#rejoining = true;
    else this.#toasts.say("Not connected: rejoin when the connection is back.", { kind: "fail" });
  }

  // --- what the server says ---

  #receive(frame) {
    const handle = {
      field: () => this.#fieldCame(frame),
      change: () => this.#changeCame(frame),
      done: () => this.#doneCame(frame),
      boom: () => this.#boomCame(frame),
      error: () => {
        this.#answered(frame.id);
        this.#toasts.say(frame.reason, { kind: "fail" });
      },
    }[frame.type];
    handle?.(); // a newer server may say more than this page understands
  }

  #fieldCame(frame) {
    const first = this.#field.rows === 0;
    this.#field.replaceAll(frame);
    this.#board.show();
    this.#map.refresh();
    if (this.#returned !== null) {
      const { before, awayMs, more } = this.#returned;
      this.#toasts.say([returnWords(before, this.#field, awayMs), ...more].join(" "), { kind: "good" });
      this.#returned = null;
    } else if (this.#rejoining) this.#toasts.say("You are back in the game.", { kind: "good" });
    if (frame.you !== null) {
      this.#blown = null;
      this.#rejoining = false;
      this.#boom.close();
    }
    if (first) showTelnet();
    if (first || document.activeElement === document.body) this.#board.focus();
    this.#refresh();
  }

  #changeCame({ version, events }) {
    if (version <= this.#field.version) return; // the field frame had it already
    if (version > this.#field.version + 1) return this.#resync();
    this.#field.version = version;
    for (const event of events) this.#apply(event);
    this.#map.refresh();
    this.#refresh();
  }

  #apply(event) {
    const { at, changed, before } = this.#field.apply(event);
    if (at !== null) {
      this.#board.update(event.runs, before?.name ?? null);
      this.#tellMove(event, at, changed, before);
    } else if (event.is === "connected") {
      if (!this.#isMe(event.player.id)) this.#tell(`${nameWords(this.#field, event.player)} is here.`);
    } else if (before !== null && !this.#isMe(before.id)) this.#tell(`${before.name} has left.`);
    this.#board.showPlayers();
  }

  #tellMove(event, at, changed, by) {
    if (by !== null && this.#isMe(by.id)) {
      if (event.is !== "exploded") this.#announce(`${squareLabel(this.#field, at)}${changed > 1 ? `, ${changed} squares opened` : ""}.`);
      this.#toasts.note(moveWords(this.#field, event, "You", changed));
      return;
    }
    const words = moveWords(this.#field, event, by === null ? "The server" : nameWords(this.#field, by), changed);
    if (event.is === "exploded") this.#toasts.say(words);
    else this.#tell(words);
  }

  #doneCame({ id }) {
    const asked = this.#answered(id);
    if (asked?.type === "dig" && this.#field.isFlagged(asked.index)) {
      this.#toasts.say("A flagged square is not dug: take the flag away first.", { kind: "fail" });
    }
  }

  #boomCame({ id, x, y, lost }) {
    this.#answered(id);
    const index = this.#field.index(x, y);
    if (!lost) {
      this.#toasts.say(`BOOM! There was a bomb at ${placeWords(this.#field, index)}. You play on, for this server is being debugged.`, { kind: "fail" });
      return;
    }
    this.#lostAs = this.#field.you;
    this.#field.you = null;
    this.#blown = index;
    this.#forgetAsked(); // refused, in words, if anything is on its way
    this.#toasts.note(`BOOM! You blew up at ${placeWords(this.#field, index)}.`, { kind: "fail" });
    setText(byId("boom-words"), `There was a bomb at ${placeWords(this.#field, index)}.`);
    if (document.querySelector("dialog[open]") === null) this.#boom.showModal();
    this.#refresh();
  }

  /** Whether this is the number of this player; what the boom frame is about may be told after it. */
  #isMe(id) {
    return id === this.#field.you || id === this.#lostAs;
  }

  /** A move has its answer; returns what it was, if it was one of this connection. */
  #answered(id) {
    const asked = this.#asked.get(id);
    if (asked === undefined) return null;
    this.#asked.delete(id);
    this.#board.setAsked(asked.index, false);
    return asked;
  }

  // --- the connection ---

  #connectionChanged({ state, again, awayMs, code }) {
    if (state === "lost" && code === SEAT_TAKEN) this.#leaveSeat();
    else if (state === "lost") {
      this.#toasts.note(code === 1001 ? "The server has stopped." : "The connection is lost.", { kind: "fail" });
      this.#announce("The connection is lost.");
      if (code === 1011) this.#toasts.say("The server has stopped this game because of an error of its own.", { kind: "fail" });
      if (code === 1008) this.#toasts.say("Too many moves at once: the server asks for a pause.", { kind: "fail" });
    }
    if (state === "online" && again) {
      const { version, columns } = this.#field;
      this.#returned = { before: { version, columns, squares: this.#field.squares() }, awayMs, more: this.#forgetAsked() };
      this.#rejoining = false;
      showTelnet();
    }
    this.#refresh();
  }

  /** Nobody answers any more what was asked. Returns sentences about it. */
  #forgetAsked() {
    const sentences = this.#asked.size > 0 ? ["Your last move may not have been made."] : [];
    for (const { index } of this.#asked.values()) this.#board.setAsked(index, false);
    this.#asked.clear();
    return sentences;
  }

  /** A change was lost on the way, which cannot be: a new connection brings everything. */
  #resync() {
    this.#toasts.note("A change is missing: asking for the whole field.", { kind: "fail" });
    this.#connection.close();
    this.#connection.open();
  }

  // --- everything around the board ---

  #tell(sentence) {
    this.#toasts.note(sentence);
    this.#announce(sentence);
  }

  #viewChanged(view) {
    this.#map.show(view);
    const whole = byId("whole");
    whole.disabled = view.zoom === "fits";
    whole.setAttribute("aria-pressed", String(view.zoom === "whole"));
    byId("smaller").disabled = view.zoom !== "part";
  }

  /** Shows everything around the board as it is now, at most once a frame. */
  #refresh() {
    if (this.#refreshing) return;
    this.#refreshing = true;
    requestAnimationFrame(() => {
      this.#refreshing = false;
      this.#show();
    });
  }

  #show() {
    const state = this.#connection?.state ?? "connecting";
    const { text, tone, rejoin } = nextWords(this.#field, { state, mode: this.#mode, blown: this.#blown });
    const next = byId("next");
    next.dataset.tone = tone;
    setText(next.firstElementChild, text);
    byId("next-action").hidden = !rejoin;
    document.documentElement.dataset.connection = state;
    document.documentElement.dataset.lost = rejoin;
    this.#sidebar.show(this.#field);
  }
}

new Page().start();
