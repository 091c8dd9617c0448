/**
 * The room of this page: its name and record, the user's mode, and the frames about the people in the room.
 *
 * The page of a game without rooms has no `Room` object.
 */

import { keptAvatar, noteAvatars } from "./avatars.js";
import { rememberNames, rememberRoom } from "./myrooms.js";
import { isBot, noteNames } from "./names.js";
import { isName } from "./player.js";
import { ask, Refused } from "./rooms.js";

/** @import { RoomInfo } from "./rooms.js" */

/** @typedef {"play" | "watch" | "screen"} Mode of this page: player, spectator, or projector's screen */
/**
 * @typedef {object} CompanyFrame the state of the room and its people (docs/reference/rooms-together.md)
 * @property {string} title
 * @property {RoomInfo["state"]} state
 * @property {string | null} host the player who is the host
 * @property {boolean} hosting true if this browser is the host
 * @property {Record<string, string>} names display names by player, if they differ from the ID
 * @property {Record<string, number>} avatars the avatars that players have chosen, by player
 * @property {string[]} votes
 * @property {number} counted the number of votes that count, at most one per network address
 * @property {number} needed
 * @property {boolean} acting true if this browser stands in for a host who is away
 * @property {number | null} all_in seconds until a stand-in host gets all rights of a host, or null for never
 * @property {string[]} players the present players; with very many players, only some of them
 * @property {number} watching
 * @property {string | null} successor
 * @property {number | null} turn the turn clock in seconds: the time that a player may hold a card or place while
 * others wait. Null means unlimited
 */

const INVITE = "#invite"; // in the address after the user has opened a game with other people
const BOTS_NAME = /^b[o0]t/i; // the server may refuse these names
const MOST_TRIES = 3; // of sending the avatar, until the server shows it
const MOST_BEFORE = 20; // games of a series that count: the latest ones

export class Room {
  /** @type {Room | null | undefined} */ static #here = undefined;
  /** @type {CompanyFrame | null} */ company = null;
  /** @type {RoomInfo | null} */ record = null;
  /** @type {Set<string>} */ players = new Set(); // all players who have appeared here
  /** @type {Map<string, ((frame: any) => void)[]>} */ #followers = new Map();
  #isInviting = location.hash === INVITE;
  /** @type {{player: string, name: string} | null} */ #me = null; // the player of this tab, with a name for a request
  #isSendingAvatar = false;
  #avatarTries = 0;
  /** @type {"possible" | "done" | "refused"} */ #assumption = "possible"; // that a name is free, without a request

  /**
   * The room of this page, or null for a game without rooms.
   * @returns {Room | null}
   */
  static here() {
    if (Room.#here === undefined) {
      const name = document.querySelector('meta[name="room"]')?.getAttribute("content") ?? null;
      Room.#here = name === null ? null : new Room(name);
    }
    return Room.#here;
  }

  /** @param {string} name */
  constructor(name) {
    this.name = name;
    /** The address of the lobby. */
    this.lobby = new URL("../../", document.baseURI).href;
    /** The address of the room, without the parameters of this page. */
    this.address = `${this.lobby}g/${name}`;
    /** @type {Mode} */
    this.mode = location.pathname.endsWith("/screen")
      ? "screen"
      : new URLSearchParams(location.search).has("watch")
        ? "watch"
        : "play";
    if (this.#isInviting) history.replaceState(null, "", location.pathname + location.search);
  }

  /** True if this page was opened to invite other people. Only the first call returns true. */
  takeInvitation() {
    const inviting = this.#isInviting;
    this.#isInviting = false;
    return inviting;
  }

  /**
   * Call `follower` with each frame of the given type.
   * @param {"company" | "act" | "refusal" | "reaction"} type
   * @param {(frame: any) => void} follower
   */
  follow(type, follower) {
    this.#followers.set(type, [...(this.#followers.get(type) ?? []), follower]);
  }

  /**
   * Pass a frame about the room or its people to the followers. Return false for other frames.
   * @param {{type: string}} frame
   */
  receive(frame) {
    if (frame.type === "company") {
      this.company = /** @type {any} */ (frame);
      noteNames(this.company?.names ?? {});
      rememberNames(this.name, this.company?.names ?? {});
      this.#showAvatars();
    }
    const followers = this.#followers.get(frame.type);
    for (const follower of followers ?? []) follower(frame);
    return followers !== undefined;
  }

  /**
   * Claim a name in any script, and return its player. Throw Refused if the server refuses the name. For the first
   * visitor of a room, a simple name needs no request: the WebSocket of the player takes the same seat.
   * @param {string} typed
   * @returns {Promise<string>}
   */
  async claim(typed) {
    const isFirst = this.record?.host === true && this.record.players === 0;
    const isUnknown = this.company === null && this.#assumption !== "refused";
    if (isFirst && isUnknown && isName(typed) && !BOTS_NAME.test(typed)) {
      this.#assumption = "done";
      this.#me = { player: typed, name: typed };
      this.#showAvatars();
      return typed;
    }
    const { player, name } = await this.act("names", { name: typed, avatar: keptAvatar() });
    noteNames({ [player]: name });
    this.#me = { player, name };
    return player;
  }

  /**
   * Show the avatars. The server lacks my avatar if the name needed no request, or if the room has slept: then send the
   * avatar as soon as other people are here.
   */
  #showAvatars() {
    const { players = [], watching = 0, avatars = {} } = this.company ?? {};
    const me = this.#me;
    if (me === null || Object.hasOwn(avatars, me.player)) {
      this.#avatarTries = 0;
      return noteAvatars(avatars);
    }
    const avatar = keptAvatar();
    noteAvatars({ ...avatars, [me.player]: avatar });
    const isSeen = watching > 0 || players.some((player) => player !== me.player && !isBot(player));
    if (!isSeen || this.#isSendingAvatar || this.#avatarTries >= MOST_TRIES || !players.includes(me.player)) return;
    this.#isSendingAvatar = true;
    this.#avatarTries += 1; // if many players have chosen all avatars, the server has none for this player
    this.act("names", { name: me.name, avatar })
      .catch(() => {}) // the next frame about the company leads to another attempt
      .finally(() => {
        this.#isSendingAvatar = false;
      });
  }

  /** Note that the server refuses the player's name. True if the name was not claimed: then claim it. */
  mustClaim() {
    const isAssumed = this.#assumption === "done";
    if (isAssumed) this.#assumption = "refused";
    return isAssumed;
  }

  /**
   * Send an act of this person in this room to the server (docs/reference/rooms-together.md). Throw Refused if the
   * server refuses the act.
   * @param {string} act
   * @param {object} values
   */
  act(act, values = {}) {
    return ask(`g/${this.name}/${act}`, { base: this.lobby, method: "POST", body: JSON.stringify(values) });
  }

  /** Load the room's record from the server. If the request fails, return the earlier record, or null. */
  async look() {
    this.record = (await find(this)) ?? this.record;
    return this.record;
  }

  /** True if the game is over, so that nobody can join it. */
  async isOver() {
    return (await this.look())?.state === "ended";
  }

  /** Store in this browser that the user is, or was, in this room. */
  remember() {
    const { record } = this;
    if (record === null || this.mode === "screen") return;
    rememberRoom({ ...record, role: this.mode === "watch" ? "watched" : "played" });
    rememberNames(this.name, this.company?.names ?? {});
  }

  /**
   * The number of wins of each player in this series, and the number of games in it. A series is this game and the
   * earlier games of the same people.
   * @returns {Promise<{games: number, wins: Map<string, number>}>}
   */
  async series() {
    const wins = new Map();
    let games = 0;
    let record = await this.look();
    while (record !== null && games < MOST_BEFORE) {
      if (record.result) games += 1;
      for (const winner of record.result?.winners ?? []) wins.set(winner, (wins.get(winner) ?? 0) + 1);
      record = record.after ? await find({ lobby: this.lobby, name: record.after }) : null;
    }
    return { games, wins };
  }

  /**
   * Go to the room of the next game, in the same mode.
   * @param {string} successor
   */
  moveTo(successor) {
    const how = { play: "", watch: "?watch", screen: "/screen" }[this.mode];
    location.assign(`${this.lobby}g/${successor}${how}`);
  }
}

/**
 * @param {{lobby: string, name: string}} room
 * @returns {Promise<RoomInfo | null>}
 */
async function find({ lobby, name }) {
  try {
    return await ask(`rooms/${name}`, { base: lobby });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return null;
  }
}
