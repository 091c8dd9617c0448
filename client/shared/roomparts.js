/**
 * What the page of a game has besides when it is in a room: the way to the lobby, the invitation, who watches, the
 * projector's screen, the end of the game and the next one.
 */

import { call } from "./attention.js";
import { GONE } from "./connection.js";
import { byId, element, setText, within } from "./dom.js";
import { Ending, nextGame } from "./ending.js";
import { RoomMenu } from "./host.js";
import { Invite, poster } from "./invite.js";
import { loadKind } from "./kinds.js";
import { nameOf } from "./names.js";
import { Reactions } from "./reactions.js";
import { refusalWords } from "./refusals.js";
import { Refused } from "./rooms.js";
import { play } from "./sound.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Status } from "./connection.js" */
/** @import { CompanyFrame, Room } from "./room.js" */

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
  #reactions;
  #isFull = false; // nobody can join
  #isOver = false;
  #isInviting = false; // the page has shown by itself how others come in
  #wasOpen = false; // the room had no successor when this page came
  /** @type {string | null} */ #gone = null; // why nobody can be here any more

  /**
   * `say(text, kind)` shows a toast.
   * @param {Room} room
   * @param {(text: string, kind: "good" | "fail" | "info") => void} say
   */
  constructor(room, say) {
    this.#room = room;
    this.#say = say;
    this.#invite = new Invite(room, (worked) =>
      say(worked ? SHARED.copied : SHARED.copyByHand, worked ? "good" : "fail"),
    );
    this.#ending = new Ending({ room, me: () => this.#me, onAgain: () => this.#again() });
    document.documentElement.dataset.room = room.mode;
    const title = within(document, ".bar-title");
    within(title, "span").dir = "auto"; // a room is called as its host likes
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
    if (room.mode === "screen") within(document, ".aside, .more").prepend(poster(link));
    const record = await room.look();
    if (record === null) return;
    room.remember();
    void loadKind(record.game); // so that it is here at the end, however the line is then
  }

  /**
   * Note who plays in this tab; null: it only watches, and `onJoin()` is called when it wants to play.
   * @param {string | null} me
   * @param {() => void} onJoin
   */
  plays(me, onJoin) {
    this.#me = me;
    this.#onJoin = onJoin;
    if (me === null && this.#room.mode === "play") this.#room.mode = "watch";
    if (me !== null && this.#room.mode !== "play") {
      this.#room.mode = "play";
      history.replaceState(null, "", location.pathname); // a reload plays on
    }
    document.documentElement.dataset.room = this.#room.mode;
    this.#room.remember();
    this.#menu.show();
    this.#reactions.refresh();
    this.refresh();
  }

  /**
   * Note who plays, and if the game is `full`. If others are here, whoever has opened this game for them may begin.
   * @param {Iterable<string>} players
   * @param {{full?: boolean}} options
   */
  playersHere(players, { full = false } = {}) {
    this.#isFull = full;
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
   * Note in words how the game has ended, for the table at the end.
   * @param {string} words
   */
  endsWith(words) {
    this.#ending.note = words;
  }

  /**
   * Note how long the game took by its own clock, in milliseconds, for the table at the end.
   * @param {number} milliseconds
   */
  lasted(milliseconds) {
    this.#ending.lasted = milliseconds;
  }

  /**
   * Note that the connection was closed because nobody can be in this room any more.
   * @param {string} words
   */
  gone(words) {
    this.#gone = words;
    this.refresh();
  }

  /**
   * What the line above the board says instead of what the game says; null: nothing else.
   * @returns {{text: string, tone: string} | null}
   */
  get next() {
    if (this.#gone !== null) return { text: this.#gone, tone: "lost" };
    if (this.#isOver) return { text: this.#ending.words || ROOM.over, tone: "plain" };
    if (this.#room.mode === "screen") return { text: this.#isFull ? ROOM.scanToWatch : ROOM.scanToPlay, tone: "plain" };
    if (this.#me === null && this.#room.mode === "watch") return { text: ROOM.watchingWords, tone: "plain" };
    return null;
  }

  /** Show the button that belongs to what the line above the board says. */
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
    if (this.#gone !== null) return { words: ROOM.allGames, do: () => location.assign(this.#room.lobby) };
    if (this.#isOver) return { words: ROOM.showResult, do: () => void this.#ending.show({ again: true }) };
    return this.next === null || this.#isFull ? null : { words: ROOM.join, do: () => this.#onJoin() };
  }

  /** @param {CompanyFrame} frame */
  #companyCame({ state, watching = 0, successor, title }) {
    if (title !== "") {
      document.title = title; // otherwise the page is called as its game is in this language
      setText(within(document, ".bar-title span"), title);
    }
    setText(this.#watchers, ROOM.watchers(watching));
    this.#watchers.hidden = watching === 0;
    if (successor === null) this.#wasOpen = true;
    else if (this.#wasOpen) {
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
    byId("replay-link").hidden = false; // now it gives nothing away
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
 * Whether that is a bot, who is no news: only theirs are names that begin so.
 * @param {string} player
 */
const isBot = (player) => /^bot/i.test(nameOf(player));

/**
 * What to say of a connection that was closed for good; null for another one.
 * @param {Status} status
 */
export function goneWords({ code, reason }) {
  if (code === null || !GONE.has(code)) return null;
  if (reason === "room-lost") return refusalWords({ code: reason });
  return code === 4404 ? ROOM.noSuchRoom : code === 4503 ? ROOM.damaged : ROOM.closed;
}
