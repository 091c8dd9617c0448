/**
 * The parts of a game's page that only a room has: the link to the lobby, the invitation, the spectators, the
 * projector's screen, the end of the game and the next game.
 */

import { call } from "./attention.js";
import { Classroom, followTables } from "./classroom.js";
import { GONE } from "./connection.js";
import { countIn } from "./countdown.js";
import { byId, element, setText, within } from "./dom.js";
import { Ending, nextGame } from "./ending.js";
import { RoomMenu } from "./host.js";
import { Invite } from "./invite.js";
import { loadKind } from "./kinds.js";
import { isBot, nameOf } from "./names.js";
import { Reactions } from "./reactions.js";
import { refusalWords } from "./refusals.js";
import { Refused } from "./rooms.js";
import { Screen } from "./screen.js";
import { play } from "./sound.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Status } from "./connection.js" */
/** @import { CompanyFrame, Room } from "./room.js" */
/** @import { Standings } from "./screen.js" */

export class RoomParts {
  #room;
  #say;
  #invite;
  #ending;
  #watchers = element("p", { class: "hint watchers", id: "watchers", hidden: true });
  #act = element("button", { type: "button", class: "button button-small button-primary room-act", hidden: true });
  /** @type {(() => void) | null} */ #onAct = null;
  /** @type {string | null} */ #me = null;
  /** @type {() => void} */ #onJoin = () => {};
  #menu;
  /** @type {Screen | null} */ #screen;
  #reactions;
  #isFull = false; // the game has no place for another player
  #isOver = false;
  #isInviting = false; // the page has opened the invitation by itself
  #wasOpen = false; // the room had no successor when this page was opened
  #home; // the page for the next game: the lobby, or the class
  /** @type {string | null} */ #gone = null; // the reason why nobody can enter the room any more, in words

  /**
   * `say(text, kind)` shows a toast.
   * @param {Room} room
   * @param {(text: string, kind: "good" | "fail" | "info") => void} say
   */
  constructor(room, say) {
    this.#room = room;
    this.#home = { words: ROOM.allGames, href: room.lobby };
    this.#say = say;
    this.#invite = new Invite(room, (worked) =>
      say(worked ? SHARED.copied : SHARED.copyByHand, worked ? "good" : "fail"),
    );
    this.#ending = new Ending({ room, me: () => this.#me, onAgain: () => this.#again() });
    document.documentElement.dataset.room = room.mode;
    this.#screen = room.mode === "screen" ? new Screen() : null;
    const title = within(document, ".bar-title");
    within(title, "span").dir = "auto"; // the host may choose a title in any script
    const home = element("a", { class: "bar-home", href: room.lobby, title: ROOM.allGames });
    home.append(...title.childNodes, element("span", { class: "unseen", text: `: ${ROOM.allGames}` }));
    title.append(home);
    const players = document.getElementById("players");
    if (players === null) within(document, ".more").prepend(this.#watchers);
    else players.after(this.#watchers);
    this.#act.addEventListener("click", () => this.#onAct?.());
    document.getElementById("next")?.append(this.#act);
    room.follow("company", (frame) => this.#companyCame(frame));
    this.#menu = new RoomMenu(room, say, () => this.#me);
    this.#reactions = new Reactions(room, say, () => this.#me);
    void this.#start();
  }

  async #start() {
    const room = this.#room;
    if (room.mode !== "screen") this.#invite.addButtons();
    this.#isInviting = room.mode === "play" && room.takeInvitation();
    if (this.#isInviting) this.#invite.open();
    const link = await this.#invite.start();
    if (this.#screen !== null) this.#screen.link = link;
    const record = room.record ?? (await room.look());
    if (record === null) return;
    if (record.daily) this.#showDaily(record.daily.number);
    if (record.classroom) this.#showClass(record.classroom);
    room.remember();
    void countIn(room);
    void this.#screen?.nameUnit(record.game);
    void loadKind(record.game); // load it now, because the connection may be bad at the end
  }

  /**
   * Show that this room is an attempt at a daily challenge: only its host plays, so it has no invitation.
   * @param {number} number
   */
  #showDaily(number) {
    document.documentElement.dataset.daily = "";
    document.title = ROOM.daily(number);
    setText(within(document, ".bar-title span"), ROOM.daily(number));
  }

  /**
   * Show that this room is a table of a class: the class has the next game, so this room has none.
   * @param {string} name
   */
  #showClass(name) {
    document.documentElement.dataset.classroom = "";
    byId("me", HTMLButtonElement).disabled = true; // the class knows the pupil by this name
    this.#home = { words: ROOM.toClass, href: new Classroom(this.#room.lobby, name).address };
    this.#ending.leadsTo(this.#home);
    this.refresh();
    void followTables(this.#room, name);
  }

  /**
   * Note the player of this tab, or null for a spectator. `onJoin()` is called when a spectator wants to play.
   * @param {string | null} me
   * @param {() => void} onJoin
   */
  plays(me, onJoin) {
    this.#me = me;
    this.#onJoin = onJoin;
    if (me === null && this.#room.mode === "play") this.#room.mode = "watch";
    if (me !== null && this.#room.mode !== "play") {
      this.#room.mode = "play";
      history.replaceState(null, "", location.pathname); // after a reload the user still plays
    }
    document.documentElement.dataset.room = this.#room.mode;
    this.#room.remember();
    this.#menu.show();
    this.#reactions.refresh();
    this.refresh();
  }

  /**
   * Note the players who are or were here, and whether the game is `full`. The table at the end lists all of them. The
   * invitation closes when a second player arrives.
   * @param {Iterable<string>} players
   * @param {{full?: boolean}} options
   */
  playersHere(players, { full = false } = {}) {
    this.#isFull = full;
    if (this.#screen !== null) this.#screen.isFull = full;
    const known = this.#room.players;
    const wasAlone = known.size === 1 && this.#me !== null && known.has(this.#me);
    for (const player of players) {
      if (wasAlone && !known.has(player) && !isBot(player)) call(SHARED.calls.came(nameOf(player)));
      known.add(player);
    }
    if (this.#room.players.size < 2) return;
    if (this.#isInviting) this.#invite.close();
    this.#isInviting = false;
  }

  /**
   * Show the players by points on a projector's screen. Other pages do not call `ranking`.
   * @param {() => Standings} ranking
   */
  standings(ranking) {
    this.#screen?.show(ranking());
  }

  /**
   * Note the end of the game in words, for the table at the end.
   * @param {string} words
   */
  endsWith(words) {
    this.#ending.note = words;
  }

  /**
   * Note the duration of the game by its own clock, for the table at the end.
   * @param {number} milliseconds
   */
  lasted(milliseconds) {
    this.#ending.lasted = milliseconds;
  }

  /**
   * Note that the connection was closed because nobody can enter the room any more. `words` are the reason.
   * @param {string} words
   */
  gone(words) {
    this.#gone = words;
    this.refresh();
  }

  /**
   * The room's words for the line above the board. They replace the game's words. Null if the room has no words.
   * @returns {{text: string, tone: string} | null}
   */
  get next() {
    if (this.#gone !== null) return { text: this.#gone, tone: "lost" };
    if (this.#isOver) return { text: this.#ending.words || ROOM.over, tone: "plain" };
    if (this.#room.mode === "screen") return { text: "", tone: "plain" }; // the code's title has the words
    if (this.#me === null && this.#room.mode === "watch") return { text: ROOM.watchingWords, tone: "plain" };
    return null;
  }

  /** Show the room's words and their button in the line above the board. */
  refresh() {
    const act = this.#actNow();
    this.#act.hidden = act === null;
    this.#onAct = act?.do ?? null;
    if (act !== null) setText(this.#act, act.words);
    const line = document.getElementById("next");
    line?.toggleAttribute("data-by-room", this.next !== null);
    if (line && this.next !== null) {
      line.dataset.tone = this.next.tone;
      setText(within(line, "p"), this.next.text);
    }
  }

  /** @returns {{words: string, do: () => void} | null} */
  #actNow() {
    if (this.#room.mode === "screen") return null;
    const home = this.#home;
    if (this.#gone !== null) return { words: home.words, do: () => location.assign(home.href) };
    if (this.#isOver) return { words: ROOM.showResult, do: () => void this.#ending.show({ again: true }) };
    return this.next === null || this.#isFull ? null : { words: ROOM.join, do: () => this.#onJoin() };
  }

  /** @param {CompanyFrame} frame */
  #companyCame(frame) {
    const { state, watching = 0, successor, title } = frame;
    this.#screen?.companyCame(frame);
    if (title !== "") {
      document.title = title; // without a title of its own, the room keeps the title of the game
      setText(within(document, ".bar-title span"), title);
    }
    setText(this.#watchers, ROOM.watchers(watching));
    this.#watchers.hidden = watching === 0;
    if (successor === null) this.#wasOpen = true;
    else if (this.#wasOpen && !this.#room.record?.classroom) {
      call(SHARED.calls.nextGame, { to: `${this.#room.lobby}g/${successor}` });
      return this.#room.moveTo(successor);
    }
    if (state === "ended" && !this.#isOver) void this.#end();
    this.refresh();
  }

  async #end() {
    this.#isOver = true;
    play("end");
    call(SHARED.calls.over);
    this.refresh();
    byId("replay-link").hidden = false; // the replay of a game that is over reveals no secrets
    await this.#ending.show();
    this.refresh();
  }

  async #again() {
    const { successor } = this.#room.company ?? {};
    if (successor) return this.#room.moveTo(successor);
    try {
      this.#room.moveTo(await nextGame());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#say(error.words, "fail");
    }
  }
}

/**
 * The words for a connection that was closed permanently, or null for other connections.
 * @param {Status} status
 */
export function goneWords({ code, reason }) {
  if (code === null || !GONE.has(code)) return null;
  if (reason === "room-lost") return refusalWords({ code: reason });
  return code === 4404 ? ROOM.noSuchRoom : code === 4503 ? ROOM.damaged : ROOM.closed;
}
