/** The page of Memory Scramble: joins, connects, and lets frames and fingers through to the parts. */

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
import { EndDialog, setUpReplace, setUpRestart } from "./dialogs.js";
import { Game } from "./game.js";
import { Sidebar } from "./sidebar.js";
import { changeWords, letGo, nextWords, outcomeWords, returnWords, sentence, switchedOffWords } from "./words.js";

const RULES_KEY = "scramble.memory.rules";

class Page {
  #game = new Game();
  #me = null;
  #tabs = new TabNames();
  #announce = createAnnouncer(byId("live"));
  #toasts = new Toasts({ region: byId("toasts"), log: byId("log"), announce: this.#announce });
  #board = new Board({
    frame: byId("frame"),
    room: document.querySelector(".stage-room"),
    game: this.#game,
    onFlip: (row, column) => this.#flip(row, column),
  });
  #sidebar = new Sidebar({ list: byId("players"), pairs: byId("pairs"), progress: byId("progress") });
  #end = new EndDialog({ onRestart: () => this.#restart() });
  #connection = null;
  #showConnection = showConnection(byId("link"), () => this.#connection?.retry());
  #ids = 0;
  #asked = new Map(); // id -> {index} of a flip, {before, after} of a replacement, that has no outcome yet
  #waitingId = null; // the id of this tab's waiting flip
  #last = null; // the rule by which this tab's last flip came out
  #returned = null; // what to tell about a reconnection once the board is here
  #newGameAsked = false;

  async start() {
    setUpThemeSwitch(byId("theme"));
    setUpShare({
      field: byId("share-link"),
      button: byId("share-copy"),
      hint: byId("share-hint"),
      onCopied: (worked) => this.#toasts.say(worked ? "Link copied. Send it to those who should play." : "Please copy the link by hand.", { kind: worked ? "good" : "fail" }),
    });
    setUpReplace({ cards: () => this.#game.cardsSeen(), onReplace: (before, after) => this.#replace(before, after) });
    const askRestart = setUpRestart({ onRestart: () => this.#restart() });
    keepFolded(byId("rules"), RULES_KEY);
    byId("next-action").addEventListener("click", () => this.#act(byId("next-action").dataset.action, askRestart));
    byId("me").addEventListener("click", () => this.#rename());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) this.#withdraw();
    });
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

  #flip(row, column) {
    const index = this.#game.index(row, column);
    if (this.#waitingId !== null && this.#game.waiting.get(this.#me) === index) return this.#withdraw();
    const id = this.#send({ type: "flip", row, column }, "you cannot turn over a card now");
    if (id === null) return null;
    this.#asked.set(id, { index });
    this.#board.setPending(index, true);
    return id;
  }

  #withdraw() {
    if (this.#waitingId !== null) this.#connection.sendText(JSON.stringify({ type: "withdraw" }));
  }

  #replace(before, after) {
    const id = this.#send({ type: "replace", old: before, new: after }, "nothing was replaced");
    if (id !== null) this.#asked.set(id, { before, after });
    return id !== null;
  }

  /** Takes the own last pair off the board: any flip does, so one of the pair's own cards will do. */
  #take() {
    const [index] = this.#game.heldBy(this.#me);
    if (index === undefined) return;
    const id = this.#flip(...this.#game.place(index));
    if (id !== null) this.#asked.get(id).taking = true;
  }

  #act(action, askRestart) {
    if (action === "withdraw") this.#withdraw();
    else if (action === "take") this.#take();
    else if (this.#game.isOver) this.#restart();
    else askRestart();
  }

  async #restart() {
    this.#newGameAsked = true;
    try {
      const response = await fetch(new URL(`new/${this.#me}`, document.baseURI), { method: "POST" });
      if (!response.ok) throw new Error(await response.text());
    } catch (error) {
      this.#newGameAsked = false;
      const why = error instanceof TypeError ? "the server does not answer" : error.message;
      this.#toasts.say(`No new game: ${why}.`, { kind: "fail" });
    }
  }

  /** Sends a frame with a new id, and returns the id; null, and words about it, if there is no connection. */
  #send(frame, otherwise) {
    this.#ids += 1;
    if (this.#connection?.send({ id: this.#ids, ...frame })) return this.#ids;
    this.#toasts.say(`Not connected: ${otherwise}.`, { kind: "fail" });
    return null;
  }

  // --- what the server says ---

  #receive(frame) {
    const handle = {
      board: () => this.#boardCame(frame),
      change: () => this.#changeCame(frame),
      players: () => this.#playersCame(frame),
      flip: () => this.#flipCame(frame),
      replace: () => this.#replaceCame(frame),
      error: () => this.#toasts.say(sentence(frame.reason), { kind: "fail" }),
    }[frame.type];
    handle?.(); // a newer server may say more than this page understands
  }

  #boardCame(frame) {
    const before = { rows: this.#game.rows, columns: this.#game.columns, cells: this.#game.cells };
    const wasFresh = before.rows === 0;
    const taken = this.#game.pairsInAll - this.#game.pairsLeft;
    this.#game.replaceAll(frame);
    this.#board.show(this.#me);
    this.#showSwitches(this.#game.off);
    if (this.#returned !== null && !wasFresh) {
      this.#toasts.say([returnWords(before, this.#game, this.#me, this.#returned.awayMs), ...this.#returned.more].join(" "), { kind: "good" });
    } else if (!wasFresh && (this.#newGameAsked || (taken > 0 && this.#game.pairsInAll === this.#game.pairsLeft))) {
      this.#toasts.say("A new game: the cards are shuffled.", { kind: "good" });
      this.#last = null;
    }
    this.#returned = null;
    this.#newGameAsked = false;
    if (wasFresh && document.activeElement === document.body) this.#board.focus();
    this.#refresh();
  }

  #showSwitches(off) {
    byId("replace-open").hidden = off.has("replace");
    for (const id of ["restart-open", "end-again"]) byId(id).hidden = off.has("new");
    const words = switchedOffWords(off);
    setText(byId("switched-off"), words);
    byId("switched-off").hidden = words === "";
  }

  #changeCame(frame) {
    const { cells, touched } = this.#game.change(frame);
    this.#board.update(touched);
    const freed = letGo(this.#me, cells);
    if (freed !== null && !this.#game.players.includes(freed.player)) this.#toasts.note(freed.words); // nobody saw a move
    for (const words of changeWords(this.#game, this.#me, cells, frame.waiting)) this.#announce(words);
    for (const { index, before, after } of cells) {
      if (after.is !== "none" || before.is !== "up" || cells.find((other) => other.after.is === "none").index !== index) continue;
      this.#toasts.note(`${after.by === this.#me ? "You" : after.by} took the pair of ${before.card}.`, { kind: "good" });
    }
    this.#refresh();
  }

  #playersCame(frame) {
    const [before, now] = [new Set(this.#game.players), new Set(frame.players)];
    this.#game.players = frame.players;
    if (before.size > 0) {
      for (const player of now) if (!before.has(player) && player !== this.#me) this.#tell(`${player} is here.`);
      for (const player of before) if (!now.has(player) && player !== this.#me) this.#tell(`${player} has left.`);
    }
    this.#refresh();
  }

  #flipCame(frame) {
    const asked = this.#asked.get(frame.id);
    const index = this.#game.index(frame.row, frame.column);
    this.#board.setPending(index, false);
    if (frame.outcome === "waiting") {
      this.#waitingId = frame.id;
      this.#announce(frame.reason);
    } else {
      this.#asked.delete(frame.id);
      const waited = this.#waitingId !== null && this.#waitingId === frame.id;
      if (waited) this.#waitingId = null;
      if (frame.rule !== null) this.#last = frame.rule;
      this.#outcome(frame, waited, asked?.taking ?? false);
    }
    this.#refresh();
  }

  #outcome(frame, waited, taking) {
    if (frame.outcome === "failed" || frame.outcome === "refused") {
      if (taking || this.#game.isOver) this.#toasts.note(sentence(frame.reason), { rule: frame.rule });
      else this.#toasts.say(sentence(frame.reason), { kind: "fail", rule: frame.rule });
    } else if (frame.outcome === "withdrawn") this.#toasts.say("Called off: you do not wait for that card any more.");
    else {
      const words = outcomeWords(this.#game, frame);
      if (waited) this.#toasts.say("The card you waited for is yours.", { kind: "good", rule: frame.rule });
      else if (words !== null) this.#announce(words);
    }
  }

  #replaceCame(frame) {
    const asked = this.#asked.get(frame.id);
    this.#asked.delete(frame.id);
    if (frame.outcome !== "ok") this.#toasts.say(sentence(frame.reason), { kind: "fail" });
    else if (asked) this.#toasts.say(`Every ${asked.before} is now ${asked.after}.`, { kind: "good" });
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
    if (state === "online" && again) this.#returned = { awayMs, more: this.#forgetAsked() };
    this.#refresh();
  }

  /** Nobody answers any more what was asked over a connection that is gone. Returns sentences about it. */
  #forgetAsked() {
    const sentences = [];
    if (this.#waitingId !== null) sentences.push("You do not wait for a card any more.");
    else if (this.#asked.size > 0) sentences.push("Your last move may not have been made.");
    for (const { index } of this.#asked.values()) if (index !== undefined) this.#board.setPending(index, false);
    this.#asked.clear();
    this.#waitingId = null;
    this.#last = null;
    return sentences;
  }

  // --- everything around the board ---

  #tell(words) {
    this.#toasts.note(words);
    this.#announce(words);
  }

  #refresh() {
    if (this.#me === null) return;
    const state = this.#connection?.state ?? "connecting";
    const { text, tone, action } = nextWords(this.#game, this.#me, { state, waitingHere: this.#waitingId !== null, last: this.#last });
    const next = byId("next");
    next.dataset.tone = tone;
    setText(next.firstElementChild, text);
    const button = byId("next-action");
    button.hidden = action === null;
    if (action !== null && button.dataset.action !== action) {
      button.dataset.action = action;
      button.textContent = { withdraw: "Call it off", take: "Take it", restart: "New game" }[action];
      if (action === "withdraw") button.append(Object.assign(document.createElement("kbd"), { textContent: "Esc" }));
    }
    document.documentElement.dataset.connection = state;
    this.#sidebar.show(this.#game, this.#me);
    this.#end.show(this.#game, this.#me);
  }
}

new Page().start();
