/** The page of Crossword Extravaganza: connects, shows the screen of each state, and sends what its parts have to say. */

import { createAnnouncer } from "../shared/announce.js";
import { Connection, showConnection, socketUrl } from "../shared/connection.js";
import { byId, counted, setText } from "../shared/dom.js";
import { keepFolded } from "../shared/fold.js";
import { lastName, suggestName, TabNames } from "../shared/player.js";
import { setUpShare } from "../shared/share.js";
import { setUpThemeSwitch } from "../shared/theme.js";
import { Toasts } from "../shared/toasts.js";
import { Console } from "./console.js";
import { showResult } from "./duel.js";
import { playerChip } from "./hues.js";
import { Identity } from "./identity.js";
import { Lobby } from "./lobby.js";
import { Match } from "./match.js";
import { Table } from "./table.js";
import { changeWords, endWords, lossWords, returnWords, spanWords } from "./words.js";

const TAKEN_OVER = 4001; // the server's code: the player has come back on another connection
const LOW_PX = 900;
const TITLES = { START: "", CHOOSE: "Choose a match – ", WAIT: "Waiting – ", PLAY: "Playing – ", "SHOW SCORE": "The score – " };

class Page {
  #app = byId("app");
  #tabs = new TabNames();
  #identity = new Identity();
  #announce = createAnnouncer(byId("live"));
  #toasts = new Toasts({ region: byId("toasts"), log: byId("log"), announce: this.#announce });
  #console = new Console({ onLine: (line) => this.#type(line) });
  #lobby = new Lobby({ onLine: (line) => this.#say(line), onTell: (sentence) => this.#tell(sentence) });
  #table = new Table({ onLine: (line) => this.#say(line), onHint: (text) => this.#toasts.say(text), onLeave: () => this.#console.focus(), onTell: (text) => this.#announce(text),
    onExample: (text) => { this.#console.example = text; } });
  #showConnection = showConnection(byId("link"), () => this.#reconnect());
  #connection = new Connection(socketUrl("play"), { onFrame: (frame) => this.#receive(frame), onState: (status) => this.#connectionChanged(status) });
  #state = "LOADING"; // that of the screen
  #player = null;
  #match = null; // the match as it was shown last
  #isFirst = true; // the next frame is the first of its connection
  #awayMs = null; // how long the connection was lost, until that is told
  #grace = null; // seconds to come back in

  async start() {
    setUpThemeSwitch(byId("theme"));
    const onCopied = (worked) => this.#toasts.say(worked ? "Link copied. Send it to whoever should play." : "Please copy the link by hand.", { kind: worked ? "good" : "fail" });
    setUpShare({ field: byId("share-link"), button: byId("share-copy"), hint: byId("share-hint"), onCopied });
    setUpShare({ field: byId("wait-link"), button: byId("wait-copy"), hint: byId("wait-hint"), onCopied });
    keepFolded(byId("rules"), "scramble.crossword.rules");
    byId("another").addEventListener("click", () => this.#console.suggest(suggestName()));
    byId("wait-exit").addEventListener("click", () => this.#say("EXIT"));
    byId("new-game").addEventListener("click", () => this.#say("NEW MATCH"));
    byId("score-exit").addEventListener("click", () => this.#say("EXIT"));
    this.#setUpGiveUp();
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#state === "WAIT" && !event.defaultPrevented) this.#say("EXIT");
    });
    // A tab that was duplicated has its twin's token, too, and must not take the place of the twin.
    if (this.#identity.player !== null && (await this.#tabs.elsewhere()).has(this.#identity.player)) this.#identity.forget();
    this.#connection.open();
  }

  #setUpGiveUp() {
    const dialog = byId("give-up");
    byId("give-up-open").addEventListener("click", () => dialog.showModal());
    dialog.querySelector(".cancel").addEventListener("click", () => dialog.close());
    dialog.querySelector(".go").addEventListener("click", () => {
      dialog.close();
      this.#say("EXIT");
    });
  }

  // --- what the player does ---

  /** A line from the text box. */
  #type(line) {
    if (!this.#say(line)) return false;
    if (this.#state === "START") this.#identity.typed(line);
    return true;
  }

  /** Sends a command line. False, and words about it, if there is no connection. */
  #say(line) {
    if (this.#connection.sendText(line)) {
      this.#console.sent();
      return true;
    }
    this.#toasts.say("Not connected: nothing was sent.", { kind: "fail" });
    return false;
  }

  // --- what the server says ---

  #receive(frame) {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (frame.state !== "START") this.#sessionCame(frame);
    else if (isFirst && frame.error === null) this.#connectionBegun(frame);
    else if (this.#identity.isTrying) this.#comeBackRefused(frame);
    else if (frame.error !== null) this.#startRefused(frame);
    else this.#loggedOut(frame);
  }

  #connectionBegun(frame) {
    const line = this.#identity.begin();
    if (line === null) this.#showStart(frame);
    else this.#connection.sendText(line);
  }

  #comeBackRefused(frame) {
    const line = this.#identity.refused();
    if (line === null) this.#startRefused(frame);
    else this.#connection.sendText(line);
  }

  #startRefused(frame) {
    if (this.#state !== "START") this.#showStart(frame);
    this.#console.refuse(frame.error);
    this.#toasts.note(frame.error, { kind: "fail" });
  }

  #loggedOut(frame) {
    this.#toasts.say(`${this.#player} is logged out.`, { kind: "good" });
    this.#identity.forget();
    this.#showStart(frame);
  }

  async #showStart(frame) {
    this.#player = null;
    this.#match = null;
    this.#tabs.claim(null);
    if (!this.#enter(frame)) return; // here already, and perhaps somebody is typing
    const name = lastName() ?? suggestName();
    this.#console.suggest(name);
    if ((await this.#tabs.elsewhere()).has(name) && this.#state === "START" && this.#console.value === name) this.#console.suggest(suggestName());
  }

  #sessionCame(frame) {
    const cameBack = this.#identity.entered(frame);
    if (frame.player !== this.#player) {
      this.#player = frame.player;
      this.#tabs.claim(frame.player);
    }
    if (cameBack !== null) this.#tellReturn(frame, cameBack);
    const isNew = this.#enter(frame);
    if (frame.state === "CHOOSE") this.#lobby.show(frame, isNew);
    else if (frame.state === "WAIT") this.#showWait(frame);
    else if (frame.state === "PLAY") this.#showPlay(frame, isNew, cameBack !== null);
    else this.#showScore(frame, isNew);
    if (isNew) this.#settleFocus();
    if (frame.error === null) return;
    this.#console.refuse(frame.error);
    this.#toasts.say(frame.error, { kind: "fail" });
  }

  /** Shows the screen of a frame's state; returns whether it is another one than before. */
  #enter(frame) {
    const isNew = frame.state !== this.#state;
    const players = (frame.match ?? frame.result?.match)?.players ?? null;
    this.#state = frame.state;
    this.#app.dataset.state = frame.state;
    if (byId("give-up").open && frame.state !== "PLAY") byId("give-up").close();
    this.#console.show(frame);
    if (frame.state !== "PLAY" && frame.state !== "SHOW SCORE") this.#match = null;
    document.title = `${TITLES[frame.state]}Crossword Extravaganza`;
    byId("me").replaceChildren(...(frame.player === null ? [] : [playerChip(frame.player, { players })]));
    byId("me").title = frame.player === null ? "" : `You are ${frame.player}`;
    return isNew;
  }

  #showWait({ match, player }) {
    setText(byId("wait-match"), match.id);
    setText(byId("wait-puzzle"), this.#lobby.puzzleName(match.puzzle));
    setText(byId("wait-description"), match.description === "" ? "" : `“${match.description}”`);
    setText(byId("wait-player"), player);
    setText(byId("wait-command"), `PLAY ${match.id}`);
  }

  #showPlay(frame, isNew, cameBack) {
    const before = this.#match;
    const match = new Match(frame.match, frame.player);
    const goesOn = before !== null && !isNew && before.id === match.id && match.hasShapeOf(before);
    this.#match = match;
    if (isNew && window.innerHeight < LOW_PX) byId("rules").open = false; // the clues need the room
    this.#table.show(match, true);
    if (goesOn && !cameBack) for (const sentence of changeWords(before, match)) this.#tell(sentence);
    else if (!goesOn && !cameBack) this.#tell(`The match with ${match.other} has begun: ${counted(match.words.length, "word")} to find.`);
  }

  #showScore(frame, isNew) {
    const match = new Match(frame.result.match, frame.player);
    if (isNew && this.#match !== null) for (const sentence of changeWords(this.#match, match)) this.#toasts.note(sentence);
    this.#match = match;
    this.#table.show(match, false);
    showResult(frame.result, match);
    if (!isNew) return;
    const { title, words } = endWords(frame.result, frame.player);
    this.#tell(`${title} ${words}`);
  }

  /** The connection, or this page, has come back by itself: says how it found things. */
  #tellReturn(frame, { lost }) {
    const loss = lost === null ? null : lossWords(lost);
    if (loss !== null) this.#toasts.say(loss, { kind: "fail" });
    else if (frame.state === "PLAY") {
      const before = this.#match?.id === frame.match.id ? this.#match : null;
      this.#toasts.say(returnWords(before, new Match(frame.match, frame.player), this.#awayMs), { kind: "good" });
    } else if (this.#awayMs !== null) this.#toasts.say(`Connected again after ${spanWords(this.#awayMs)}.`, { kind: "good" });
    this.#awayMs = null;
  }

  /** Puts the focus on what a new screen is about, if what had it is gone. */
  #settleFocus() {
    const active = document.activeElement;
    const isOver = this.#state === "SHOW SCORE" && this.#table.hasFocus;
    if (active !== document.body && active?.checkVisibility() && !isOver) return;
    if (this.#state === "PLAY") this.#table.focus();
    else byId({ CHOOSE: "choose-title", WAIT: "wait-title", "SHOW SCORE": "result-title" }[this.#state]).focus({ preventScroll: true });
  }

  // --- the connection ---

  #connectionChanged(status) {
    this.#showConnection(status);
    document.documentElement.dataset.connection = status.state;
    if (status.state === "lost") this.#connectionLost(status.code);
    if (status.state !== "online") return;
    this.#isFirst = true;
    this.#awayMs = status.again ? status.awayMs : null;
    this.#askServer();
  }

  #connectionLost(code) {
    if (code === TAKEN_OVER) {
      this.#connection.close(); // or two tabs would take the player from one another for ever
      const words = `${this.#player ?? "This player"} plays on another connection now. To play on here, press “Disconnected” above.`;
      setText(byId("message"), words);
      this.#toasts.say(words, { kind: "fail" });
      return;
    }
    if (code === 1000) {
      this.#connection.close();
      this.#connection.open(); // logged out: the page is ready for whoever comes next
      return;
    }
    this.#toasts.note(code === 1001 ? "The server has stopped." : "The connection is lost.", { kind: "fail" });
    if (this.#state === "PLAY") {
      const grace = this.#grace > 0 ? ` If you are not back within ${counted(this.#grace, "second")}, the match is given up.` : "";
      this.#toasts.say(`The connection is lost. Reconnecting…${grace}`, { kind: "fail" });
    } else this.#announce("The connection is lost.");
    if (code === 1008) this.#toasts.say("Too many commands at once: the server asks for a pause.", { kind: "fail" });
    if (code === 1011) this.#toasts.say("The server has stopped because of an error of its own.", { kind: "fail" });
  }

  #reconnect() {
    if (this.#connection.state === "closed") this.#connection.open();
    else this.#connection.retry();
  }

  /** How long one has to come back, and how one joins by telnet; nothing breaks if the server does not say. */
  async #askServer() {
    try {
      const { grace, telnet } = await (await fetch(new URL("server", document.baseURI))).json();
      this.#grace = grace;
      byId("telnet").hidden = telnet === null;
      setText(byId("telnet-command"), `telnet ${location.hostname.replace(/^\[|\]$/g, "")} ${telnet}`);
    } catch {
      byId("telnet").hidden = true;
    }
  }

  #tell(sentence) {
    this.#toasts.note(sentence);
    this.#announce(sentence);
  }
}

new Page().start();
