/**
 * The page of Crossword Extravaganza: connects, shows the screen of each state, and sends the user's commands.
 */

import { call } from "../shared/attention.js";
import { Connection, FULL, showConnection, socketUrl, unsentWords } from "../shared/connection.js";
import { byId, setText, within } from "../shared/dom.js";
import { noteHues, spread } from "../shared/hues.js";
import { nameOf } from "../shared/names.js";
import { askServer, Seat, Shell } from "../shared/page.js";
import { chip, lastName, suggestName, TabNames } from "../shared/player.js";
import { AWAY_MS } from "../shared/presence.js";
import { Room } from "../shared/room.js";
import { play } from "../shared/sound.js";
import { putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { Console } from "./console.js";
import { showResult } from "./duel.js";
import { Identity } from "./identity.js";
import { Lobby } from "./lobby.js";
import { Match, spelled } from "./match.js";
import { isChallenged, soundOf } from "./sounds.js";
import { Table } from "./table.js";
import { followKeyboard, followScrolling } from "./viewport.js";
import {
  awayWords,
  beginWords,
  changeWords,
  endWords,
  lossWords,
  refusalWords,
  returnWords,
  unansweredWords,
  WORDS,
} from "./words.js";
import { showWordTable } from "./wordtable.js";

/** @import { Frame, Missing } from "./match.js" */
/** @import { Status } from "../shared/connection.js" */

const TAKEN_OVER = 4001; // close code: the player has come back on another connection
const IDLE = 4002; // close code: the player was idle for too long
const LOW_PX = 900;

/** @type {Record<string, string>} */
const TITLE_IDS = { CHOOSE: "choose-title", WAIT: "wait-title", "SHOW SCORE": "result-title" };

/** @type {Record<string, string>} words that replace the next step, by state of the connection */
const AWAY = { slow: SHARED.goesOn, moving: SHARED.goesOn, lost: SHARED.tryingToReconnect };

class Page {
  #app = byId("app");
  #tabs = new TabNames();
  #identity = new Identity();
  #shell = new Shell({ rules: "scramble.crossword.rules" });
  #toasts = this.#shell.toasts;
  #console = new Console({
    onLine: (line) => this.#type(line),
    onSwitch: (on) => this.#app.toggleAttribute("data-console", on),
  });
  #lobby = new Lobby({ onLine: (line) => this.#say(line), onTell: (sentence) => this.#shell.tell(sentence) });
  #table = new Table({
    onLine: (line) => this.#say(line),
    onHint: (text) => this.#toasts.say(text),
    onLeave: () => this.#console.focus() || this.#table.leave(),
    onTell: (text) => this.#shell.announce(text),
    onExample: (text) => {
      this.#console.example = text;
    },
  });
  /** @type {Seat | null} the name and the connection in a room; null outside rooms, where START asks for a name */
  #seat =
    this.#shell.room === null
      ? null
      : new Seat({
          shell: this.#shell,
          address: (player) => socketUrl(`play/${player}`),
          frames: { state: (frame) => this.#receiveInRoom(frame) },
          onState: (status) => this.#connectionChanged(status),
          onLeave: () => {},
          mayRename: false, // a match identifies its players by their names
        });
  #connection =
    this.#seat ??
    new Connection(socketUrl("play"), {
      onFrame: (frame, isFirst) => this.#receive(frame, isFirst),
      onState: (status) => this.#connectionChanged(status),
      turnsAway: ({ state, error }) => state === "START" && error !== null,
    });
  /** @type {(status: Status) => void} */
  #showConnection = this.#seat === null ? showConnection(byId("link"), () => this.#reconnect()) : () => {};
  /** @type {Frame["state"] | "LOADING"} */ #state = "LOADING"; // the state on the screen
  /** @type {string | null} */ #player = null;
  /** @type {Match | null} */ #match = null; // the match of the last frame
  /** @type {string | null} */ #missing = null; // the other player's ID, while that player is disconnected
  #isIn = false; // the server has admitted this client (at the last change of the connection)
  #isMissed = false; // the page has reported the missing player
  /** @type {number | undefined} */ #missTimer = undefined; // the timer that reports the missing player
  #refusals = 0; // the number of refusals by a full server
  #isTold = false; // the page has reported the full server
  /** @type {string | null} */ #held = null; // a name that the user entered before the connection was open
  /** @type {string | null} */ #unanswered = null; // the last line that the page sent, until the next frame
  #isBack = false; // the page has reconnected since the last frame
  /** @type {number | null} */ #awayMs = null; // the time without a connection, until a toast reports it
  /** @type {number | null} */ #grace = null; // seconds until a disconnected player loses the match

  async start() {
    putWords(WORDS);
    this.#shell.share("wait");
    byId("another").addEventListener("click", () => this.#console.suggest(suggestName()));
    for (const id of ["wait-exit", "score-exit"]) byId(id).addEventListener("click", () => this.#say("EXIT"));
    byId("new-game").addEventListener("click", () => this.#say("NEW MATCH"));
    this.#setUpGiveUp();
    followKeyboard(this.#app);
    followScrolling(this.#app);
    document.addEventListener("keydown", (event) => {
      const isOnTop = byId("wait-exit").checkVisibility() && document.querySelector("dialog[open]") === null;
      if (event.key === "Escape" && isOnTop && !event.defaultPrevented) this.#say("EXIT");
    });
    if (this.#seat !== null) {
      await this.#seat.join();
      return;
    }
    // A duplicated tab copies the original tab's token, and must not take over the original tab's player.
    if (this.#identity.player !== null && (await this.#tabs.elsewhere()).has(this.#identity.player))
      this.#identity.forget();
    this.#connection.open();
  }

  #setUpGiveUp() {
    const dialog = byId("give-up", HTMLDialogElement);
    byId("give-up-open").addEventListener("click", () => dialog.showModal());
    within(dialog, ".cancel").addEventListener("click", () => dialog.close());
    within(dialog, ".go").addEventListener("click", () => {
      dialog.close();
      this.#say("EXIT");
    });
  }

  // --- the player's moves ---

  /**
   * Send a line from the text box.
   * @param {string} line
   */
  #type(line) {
    if (this.#state === "START" && this.#connection.state === "connecting") {
      this.#held = line;
      return true;
    }
    const isToken = this.#state === "START" && line.includes(" "); // a full server admits a player with a valid token
    if (!this.#say(line, { outside: isToken })) return false;
    if (this.#state === "START") this.#identity.typed(line);
    return true;
  }

  /**
   * Send a command line, and return true. Without a connection, show a toast, and return false.
   * @param {string} line
   * @param {{outside?: boolean}} options
   */
  #say(line, options = {}) {
    if (this.#connection.sendText(line, options)) {
      if (this.#state !== "START") this.#unanswered = line;
      this.#console.sent();
      return true;
    }
    this.#toasts.say(...unsentWords(this.#connection.state, WORDS.nothingSent));
    return false;
  }

  // --- frames of the server ---

  /**
   * @param {Frame} frame
   * @param {boolean} isFirst
   */
  #receive(frame, isFirst) {
    frame.error = refusalWords(frame);
    if (frame.state !== "START") this.#sessionCame(frame);
    else if (!this.#connection.isConnected) this.#turnedAway(frame, isFirst);
    else if (isFirst) this.#connectionBegun(frame);
    else if (this.#identity.isTrying) this.#comeBackRefused(frame);
    else if (frame.error !== null) this.#startRefused(frame);
    else this.#loggedOut(frame);
  }

  /**
   * Handle a frame of the room's match. The state START with an error means that the match has no place for this user.
   * @param {Frame} frame
   */
  #receiveInRoom(frame) {
    frame.error = refusalWords(frame);
    if (frame.state !== "START") this.#sessionCame(frame);
    else if (frame.error !== null) {
      this.#toasts.say(frame.error, { kind: "fail" });
      this.#seat?.watch();
    }
  }

  /** @param {Frame} frame */
  #connectionBegun(frame) {
    const line = this.#identity.begin();
    const held = this.#held;
    this.#held = null;
    if (line !== null) this.#connection.sendText(line);
    else {
      this.#showStart(frame);
      if (held !== null) this.#type(held);
    }
  }

  /**
   * Handle a full server. First send the token: the server admits a player with a match. Else report the refusal.
   * @param {Frame} frame
   * @param {boolean} isFirst
   */
  #turnedAway(frame, isFirst) {
    const line = isFirst ? this.#identity.begin() : null;
    if (line !== null) this.#connection.sendText(line, { outside: true, answered: false });
    this.#refusals += 1;
    if (line !== null && this.#refusals === 1) return; // the server may admit the player now
    if (this.#isTold) {
      if (!isFirst) this.#console.refuse(frame.error ?? ""); // the answer to a typed line
      return;
    }
    this.#isTold = true;
    if (this.#state === "LOADING") this.#showStart(frame);
    const words = WORDS.triesAgain(WORDS.full(frame.error ?? ""));
    this.#toasts.note(words, { kind: "fail" });
    if (this.#state === "START") this.#console.refuse(words);
    else this.#toasts.say(words, { kind: "fail" });
  }

  /** @param {Frame} frame */
  #comeBackRefused(frame) {
    const line = this.#identity.refused();
    if (line === null) this.#startRefused(frame);
    else this.#connection.sendText(line);
  }

  /** @param {Frame} frame */
  #startRefused(frame) {
    if (this.#state !== "START") this.#showStart(frame);
    this.#console.refuse(frame.error ?? "");
    this.#toasts.note(frame.error ?? "", { kind: "fail" });
  }

  /** @param {Frame} frame */
  #loggedOut(frame) {
    this.#toasts.say(WORDS.loggedOut(this.#player ?? ""), { kind: "good" });
    this.#identity.forget();
    this.#showStart(frame);
    this.#connection.close();
    this.#connection.open(); // for the next player
  }

  /** @param {Frame} frame */
  async #showStart(frame) {
    this.#player = null;
    this.#match = null;
    this.#tabs.claim(null);
    if (!this.#enter(frame)) return; // the page already shows START, and the user may be typing
    const name = lastName() ?? suggestName();
    this.#console.suggest(name);
    if ((await this.#tabs.elsewhere()).has(name) && this.#state === "START" && this.#console.value === name)
      this.#console.suggest(suggestName());
  }

  /** @param {Frame} frame */
  #sessionCame(frame) {
    const inRoom = this.#awayMs === null ? null : { lost: null };
    const cameBack = this.#seat === null ? this.#identity.entered(frame) : inRoom;
    if (frame.player !== this.#player) {
      this.#player = frame.player;
      if (this.#seat === null) this.#tabs.claim(frame.player);
    }
    if (cameBack !== null) this.#tellReturn(frame, cameBack);
    this.#tellUnanswered(frame);
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

  /**
   * Show the screen for a frame's state. Return true if the screen has changed.
   * @param {Frame} frame
   */
  #enter(frame) {
    const isNew = frame.state !== this.#state;
    const players = (frame.match ?? frame.result?.match)?.players ?? null;
    if (this.#seat === null) noteHues(spread(players ?? [])); // in a room the server assigns the hues
    this.#state = frame.state;
    this.#app.dataset.state = frame.state;
    if (isNew) window.scrollTo({ top: 0, behavior: "instant" }); // a new screen begins at the top
    if (byId("give-up", HTMLDialogElement).open && frame.state !== "PLAY") byId("give-up", HTMLDialogElement).close();
    this.#console.show(frame);
    if (frame.state !== "PLAY" && frame.state !== "SHOW SCORE") this.#match = null;
    const title = WORDS.titles[frame.state];
    document.title = title === undefined ? WORDS.title : `${title} – ${WORDS.title}`;
    byId("me").replaceChildren(...(frame.player === null ? [] : [chip(frame.player)]));
    byId("me").title = frame.player === null ? "" : WORDS.youAre(frame.player);
    return isNew;
  }

  /** @param {Frame} frame */
  #showWait({ match, player }) {
    setText(byId("wait-match"), match.id);
    setText(byId("wait-puzzle"), this.#lobby.puzzleName(match.puzzle));
    setText(byId("wait-description"), match.description === "" ? "" : `“${match.description}”`);
    setText(byId("wait-player"), player);
  }

  /**
   * @param {Frame} frame
   * @param {boolean} isNew
   * @param {boolean} cameBack
   */
  #showPlay(frame, isNew, cameBack) {
    const before = this.#match;
    const match = new Match(frame.match, frame.player);
    const goesOn = before !== null && !isNew && before.id === match.id && match.hasShapeOf(before);
    this.#match = match;
    this.#shell.parts?.playersHere(match.players, { full: true });
    this.#shell.parts?.standings(() => match.ranking);
    this.#tellMissing(frame.missing ?? null, goesOn && !cameBack);
    if (isNew && window.innerHeight < LOW_PX) byId("rules", HTMLDetailsElement).open = false; // space for the clues
    this.#app.toggleAttribute("data-alone", match.isAlone);
    this.#table.show(match, match.you !== null, frame);
    if (match.you !== null && !cameBack) this.#call(goesOn ? before : null, match);
    const mistake = goesOn && match.isAlone && match.points[match.me] < before.points[match.me];
    if (mistake) this.#toasts.say(this.#table.mistakenWords, { kind: "fail" });
    if (goesOn && !cameBack) for (const sentence of changeWords(before, match)) this.#shell.tell(sentence);
    else if (!goesOn && !cameBack && match.you !== null) this.#shell.tell(beginWords(match));
  }

  /**
   * Notify the player of important events. In a room, also play a sound.
   * @param {Match | null} before null if the match has just begun
   * @param {Match} match
   */
  #call(before, match) {
    if (before === null) call(SHARED.calls.matchBegun);
    else if (isChallenged(before, match)) call(SHARED.calls.challenged);
    if (this.#shell.room === null) return;
    const sound = before === null ? "come" : soundOf(before, match);
    if (sound !== null) play(sound);
  }

  /**
   * Report that the other player's connection is lost, or that the other player is back.
   * @param {Missing | null} missing
   * @param {boolean} isLive
   */
  #tellMissing(missing, isLive) {
    const [player, before] = [missing?.player ?? null, this.#missing];
    if (player === before) return;
    const wasMissed = this.#isMissed;
    this.#forgetMissing();
    this.#missing = player;
    if (missing !== null) {
      if (this.#seat === null) this.#miss(missing, isLive);
      else this.#missTimer = setTimeout(() => this.#miss(missing, isLive), AWAY_MS);
    } else if (before !== null && wasMissed && isLive) {
      call(SHARED.calls.back(nameOf(before)));
      this.#toasts.say(WORDS.isBack(nameOf(before)), { kind: "good" });
    }
  }

  /**
   * @param {Missing} missing
   * @param {boolean} isLive
   */
  #miss(missing, isLive) {
    this.#isMissed = true;
    call(SHARED.calls.lost(nameOf(missing.player)));
    if (isLive) this.#toasts.say(awayWords(missing));
    else this.#shell.tell(awayWords(missing)); // the toast already shows another message
  }

  #forgetMissing() {
    clearTimeout(this.#missTimer);
    this.#missing = null;
    this.#isMissed = false;
  }

  /**
   * @param {Frame} frame
   * @param {boolean} isNew
   */
  #showScore(frame, isNew) {
    const { result } = frame;
    const isComplete = result.forfeited_by === null && (result.ended ?? null) === null;
    const solution = frame.solution ?? (isComplete ? spelled(result.match) : null);
    const match = new Match(result.match, frame.player, solution);
    this.#app.toggleAttribute("data-alone", match.isAlone);
    if (isNew && this.#match !== null)
      for (const sentence of changeWords(this.#match, match)) this.#toasts.note(sentence);
    this.#match = match;
    this.#shell.parts?.standings(() => ({ ...match.ranking, points: Object.entries(result.points) }));
    this.#forgetMissing();
    this.#table.show(match, false);
    showResult(frame.result, match);
    showWordTable(match);
    const { title, words } = endWords(frame.result, match);
    this.#shell.parts?.endsWith(words);
    if (!isNew) return;
    if (frame.player !== null) call(SHARED.calls.over);
    this.#shell.tell(`${title} ${words}`);
  }

  /**
   * Report the changes that happened while the connection was lost or the page was closed.
   * @param {Frame} frame
   * @param {{lost: {state: string, match: string | null} | null}} how
   */
  #tellReturn(frame, { lost }) {
    const loss = lost === null ? null : lossWords(lost);
    if (loss !== null) this.#toasts.say(loss, { kind: "fail" });
    else if (frame.state === "PLAY") {
      const before = this.#match?.id === frame.match.id ? this.#match : null;
      this.#toasts.say(returnWords(before, new Match(frame.match, frame.player), this.#awayMs), { kind: "good" });
    } else if (this.#awayMs !== null) this.#toasts.say(SHARED.connectedAgain(this.#awayMs), { kind: "good" });
    this.#awayMs = null;
  }

  /**
   * Report a command that may not have reached the server. `frame` is the first frame after the reconnection.
   * @param {Frame} frame
   */
  #tellUnanswered(frame) {
    const words = this.#isBack && this.#unanswered !== null ? unansweredWords(this.#unanswered, frame) : null;
    this.#unanswered = null;
    this.#isBack = false;
    if (words !== null) this.#toasts.say(words);
  }

  /** Put the focus on the main part of a new screen if the focused element has disappeared. */
  #settleFocus() {
    const active = document.activeElement;
    const isOver = this.#state === "SHOW SCORE" && this.#table.hasFocus;
    if (active !== document.body && active?.checkVisibility() && !isOver) return;
    if (this.#state === "PLAY" && this.#match?.you === null) return;
    if (this.#state === "PLAY") this.#table.focus();
    else byId(TITLE_IDS[this.#state] ?? "").focus({ preventScroll: true });
  }

  // --- the connection ---

  /** @param {Status} status */
  #connectionChanged(status) {
    this.#showConnection(status);
    this.#table.away = AWAY[status.state] ?? null;
    if (status.state === "lost") this.#connectionLost(status);
    if (!this.#isMissed && !this.#connection.isConnected) this.#forgetMissing(); // the next frame says who is missing
    const wasIn = this.#isIn;
    this.#isIn = this.#connection.isConnected;
    if (!this.#isIn || wasIn) return; // not admitted, or admitted before (a change from "slow" to "online")
    if (this.#isTold && this.#state === "START") this.#console.sent(); // clears the refusal of the full server
    this.#isTold = false;
    this.#refusals = 0;
    this.#awayMs = status.again ? status.awayMs : null;
    this.#isBack = status.again;
    askServer().then((server) => {
      this.#grace = server?.grace ?? this.#grace;
    });
  }

  /** @param {Status} status */
  #connectionLost({ code, reason }) {
    if (code === FULL) return; // `turnedAway` has shown the reason
    if (code === TAKEN_OVER || code === IDLE) {
      // A retry would let two tabs take the player from each other forever, or let an idle page occupy a place.
      this.#connection.close();
      const words = code === IDLE ? WORDS.idle(reason ?? "") : WORDS.elsewhere(this.#player);
      setText(byId("message"), words);
      this.#toasts.say(words, { kind: "fail" });
      return;
    }
    if (this.#seat !== null) return; // the seat reports the loss
    const words = this.#grace ? WORDS.reconnectingFor(this.#grace) : WORDS.reconnecting;
    const toast = this.#state === "PLAY" ? words : null;
    this.#shell.tellLoss(code, { toast, broken: SHARED.serverBroken, tooMany: SHARED.tooManyCommands });
  }

  #reconnect() {
    if (this.#connection.state === "closed") this.#connection.open();
    else this.#connection.retry();
  }
}

if (Room.here() !== null) document.body.append(byId("in-room", HTMLTemplateElement).content);
new Page().start();
