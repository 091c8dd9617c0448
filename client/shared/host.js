/**
 * Acts of the people in a room that affect everybody's game. The host begins the next game, chooses its settings,
 * renames the room, removes a player, or closes the room. Other players vote for a new game. The server notifies
 * everybody in the room of each act.
 */

import { attentionSwitch } from "./attention.js";
import { ask } from "./dialogs.js";
import { element, setText } from "./dom.js";
import { Handover } from "./handover.js";
import { locale } from "./language.js";
import { isolated, nameOf, plainNameOf } from "./names.js";
import { NextGame } from "./nextgame.js";
import { refusalWords } from "./refusals.js";
import { Refused } from "./rooms.js";
import { ROOM, SHARED } from "./words.js";

/** @import { CompanyFrame, Room } from "./room.js" */

/**
 * @typedef {object} ActFrame an act of a person (docs/reference/rooms-together.md)
 * @property {string} act
 * @property {string | null} by the host's player ID. It is null if the players voted, or if the host does not play
 * @property {string | null} name of that player
 * @property {string} [player] the removed player
 * @property {string} [player_name]
 * @property {string} [title]
 */

/** @typedef {(text: string, kind: "good" | "fail" | "info") => void} Say shows a toast */

export class RoomMenu {
  #room;
  #say;
  #me;
  #again = button(SHARED.newGame, () => this.#askAgain());
  #votes = element("p", { class: "hint", role: "status", hidden: true });
  #title = element("input", {
    class: "field",
    dir: "auto",
    maxlength: 60,
    autocomplete: "off",
    "aria-label": ROOM.title,
  });
  #players = element("select", { class: "field", "aria-label": ROOM.whoToRemove });
  #standIn = element("p", { class: "hint", role: "status", hidden: true });
  #forHost;
  #renaming;
  #danger;
  #panel;
  #sure = new Sure();
  #next;
  /** @type {"not" | "acting" | "all" | null} */ #was = null; // the host's rights at the last update, or null

  /**
   * `me()` returns the player of this tab, or null for a spectator.
   * @param {Room} room
   * @param {Say} say
   * @param {() => string | null} me
   */
  constructor(room, say, me) {
    this.#room = room;
    this.#say = say;
    this.#me = me;
    this.#next = new NextGame(room, (chosen) => this.#do("settings", chosen));
    const handover = new Handover(room, say, me);
    this.#renaming = element(
      "form",
      { class: "field-row", on: { submit: (event) => this.#rename(event) } },
      this.#title,
      element("button", { class: "button", text: ROOM.rename }),
    );
    const remove = element(
      "div",
      { class: "field-row" },
      this.#players,
      button(ROOM.remove, () => this.#remove(), "button-danger"),
    );
    const close = button(ROOM.close, () => this.#close(), "button-danger");
    this.#forHost = element(
      "div",
      { class: "room-host" },
      this.#standIn,
      button(ROOM.nextSettings, () => this.#next.open()),
      this.#renaming,
    );
    this.#danger = group("danger", ROOM.forDanger, remove, close);
    this.#panel = element(
      "details",
      { class: "panel", id: "room-menu", hidden: true },
      element("summary", { text: ROOM.thisGame }),
      element(
        "div",
        { class: "room-menu" },
        group("me", ROOM.forMe, handover.button, attentionSwitch()),
        group("game", ROOM.forGame, this.#again, this.#votes, this.#forHost),
        this.#danger,
      ),
    );
    document.getElementById("rules")?.after(this.#panel);
    room.follow("company", (frame) => this.show(frame));
    room.follow("act", (frame) => this.#actCame(frame));
    room.follow("refusal", (frame) => this.#say(ROOM.noNextGame(refusalWords(frame)), "fail"));
  }

  /**
   * Show this person's current rights.
   * @param {CompanyFrame | null} company
   */
  show(company = this.#room.company) {
    if (company === null) return;
    const { hosting, acting, all_in, state, votes, counted, needed, players, title } = company;
    const plays = this.#me() !== null;
    this.#panel.hidden = this.#room.mode === "screen" || !(hosting || plays);
    this.#forHost.hidden = !hosting;
    this.#renaming.hidden = acting;
    this.#danger.hidden = !hosting || acting;
    this.#standIn.hidden = !acting;
    setText(this.#standIn, standInWords(all_in));
    document.documentElement.toggleAttribute("data-hosting", hosting && !acting);
    const now = !hosting ? "not" : acting ? "acting" : "all";
    if (now !== "not" && this.#was !== null && this.#was !== now)
      this.#say(acting ? ROOM.standInNow : ROOM.hostNow, "info");
    this.#was = now;
    const mine = this.#me() !== null && votes.includes(this.#me() ?? "");
    setText(this.#again, hosting || state === "ended" ? SHARED.newGame : mine ? ROOM.takeBackVote : ROOM.askForGame);
    this.#votes.hidden = votes.length === 0;
    setText(this.#votes, ROOM.votes(counted, needed));
    if (document.activeElement !== this.#title) this.#title.value = title;
    this.#title.placeholder = document.querySelector(".bar-title span")?.textContent ?? "";
    const others = players.filter((player) => player !== this.#me());
    const shown = [...this.#players.options].map((option) => option.value);
    if (JSON.stringify(shown) !== JSON.stringify(others) && document.activeElement !== this.#players)
      this.#players.replaceChildren(
        ...others.map((player) =>
          element("option", { value: player, dir: "auto", text: plainNameOf(player), "data-name-of": player }),
        ),
      );
    this.#players.parentElement?.toggleAttribute("hidden", others.length === 0);
  }

  async #askAgain() {
    const { hosting = false, state, votes = [] } = this.#room.company ?? {};
    if (state === "ended") await this.#do("again");
    else if (!hosting) await this.#do("vote", { wanted: !votes.includes(this.#me() ?? "") });
    else if (await this.#sure.ask(ROOM.sureAgain, ROOM.sureAgainWords, SHARED.newGame)) await this.#do("again");
  }

  /** @param {Event} event */
  async #rename(event) {
    event.preventDefault();
    if (await this.#do("rename", { title: this.#title.value })) this.#title.blur();
  }

  async #remove() {
    const player = this.#players.value;
    const name = nameOf(player);
    if (player !== "" && (await this.#sure.ask(ROOM.sureRemove(name), ROOM.sureRemoveWords, ROOM.remove)))
      await this.#do("remove", { player });
  }

  async #close() {
    if (await this.#sure.ask(ROOM.sureClose, ROOM.sureCloseWords, ROOM.close)) await this.#do("close");
  }

  /**
   * Send an act to the server. Return true if the server has done it. The words of a refusal appear in a toast.
   * @param {string} act
   * @param {object} values
   */
  async #do(act, values = {}) {
    try {
      await this.#room.act(act, values);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#say(error.words, "fail");
      return false;
    }
  }

  /** @param {ActFrame} frame */
  #actCame(frame) {
    const { name, player_name = "", title = "" } = frame;
    const me = frame.by !== null && frame.by === this.#me();
    const by = frame.by === null ? null : isolated(name ?? frame.by);
    const words = ROOM.acts[frame.act]?.(by, { player_name: isolated(player_name), title: isolated(title), me });
    if (words !== undefined) this.#say(words, me ? "good" : "info");
  }
}

/**
 * The words about the rights of a stand-in host, with the time until the stand-in gets all rights.
 * @param {number | null} allIn seconds, or null for never
 */
function standInWords(allIn) {
  if (allIn === null) return ROOM.standIn;
  const time = new Date(Date.now() + allIn * 1000).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  return `${ROOM.standIn} ${ROOM.standInUntil(time, Math.ceil(allIn / 60))}`;
}

/** A dialog that asks for a confirmation. */
class Sure {
  #title = element("h2", { id: "room-sure-title" });
  #words = element("p");
  #go = element("button", { type: "button", class: "button button-primary go" });
  #dialog = element(
    "dialog",
    { class: "dialog", id: "room-sure", "aria-labelledby": "room-sure-title" },
    element(
      "div",
      { class: "dialog-body" },
      this.#title,
      this.#words,
      element(
        "div",
        { class: "buttons buttons-end" },
        element("button", {
          type: "button",
          class: "button button-quiet",
          text: SHARED.keepPlaying,
          on: { click: () => this.#dialog.close() },
        }),
        this.#go,
      ),
    ),
  );

  constructor() {
    document.body.append(this.#dialog);
    this.#go.addEventListener("click", () => this.#dialog.close("go"));
  }

  /**
   * @param {string} title
   * @param {string} words
   * @param {string} go
   * @returns {Promise<boolean>}
   */
  async ask(title, words, go) {
    setText(this.#title, title);
    setText(this.#words, words);
    setText(this.#go, go);
    return (await ask(this.#dialog)) === "go";
  }
}

/**
 * @param {string} text
 * @param {() => void} click
 */
function button(text, click, tone = "") {
  return element("button", { type: "button", class: `button ${tone}`, text, on: { click } });
}

/**
 * A group of acts with a heading. The page hides the heading if all acts are hidden.
 * @param {"me" | "game" | "danger"} name
 * @param {string} title
 * @param {(Node | null)[]} acts
 */
function group(name, title, ...acts) {
  const id = `room-${name}`;
  return element(
    "div",
    { class: `room-group room-group-${name}`, role: "group", "aria-labelledby": id },
    element("h3", { id, text: title }),
    ...acts,
  );
}
