/** The lists of the lobby: open games, which the server keeps current, and my games, from the browser's storage. */

import { byId, element, within } from "../shared/dom.js";
import { sizeOf } from "../shared/forms.js";
import { followMyRooms, forgetRoom, myRooms } from "../shared/myrooms.js";
import { isolated } from "../shared/names.js";
import { iconOf } from "../shared/pagedata.js";
import { WORDS } from "./words.js";

/** @import { KindInfo, KnownKind } from "../shared/kinds.js" */
/** @import { MyRoom } from "../shared/myrooms.js" */
/** @import { RoomInfo } from "../shared/rooms.js" */

const AGE_MS = 30_000; // interval for updating the ages of the games
const MINUTE_MS = 60_000;
const MOST_MINE = 12; // the server finds as many at once

/** @param {string} room */
const addressOf = (room, query = "") => new URL(`g/${room}${query}`, document.baseURI).href;

/** @type {Map<string, {info: KindInfo, kind: KnownKind}>} */
const offered = new Map(); // by game

/**
 * The title of a room. A room without its own title has the game's title in the language of this page.
 * @param {{game: string, title: string}} room
 */
export function titleOf({ game, title }) {
  const known = offered.get(game);
  return known !== undefined && (title === "" || title === known.info.title) ? known.kind.title || title : title;
}

export class Lists {
  /** @type {RoomInfo[] | null} */ #open = null; // null until the server sends the list
  /** @type {Map<string, RoomInfo>} */ #known = new Map(); // the server's answers about my rooms
  #drawn = { open: "", mine: "", last: "" };
  #find;

  /** @param {(rooms: string[]) => void} find asks the server for rooms by their names; `found` gets the answer */
  constructor(find) {
    this.#find = find;
  }

  start() {
    followMyRooms(() => this.ask());
    setInterval(() => this.#draw(), AGE_MS);
    this.#draw();
  }

  /** @param {RoomInfo[]} rooms */
  opened(rooms) {
    this.#open = rooms;
    for (const room of rooms)
      if (this.#known.has(room.room)) this.#known.set(room.room, { ...this.#known.get(room.room), ...room });
    this.#draw();
  }

  /** Ask the server about my rooms. */
  ask() {
    const mine = myRooms().slice(0, MOST_MINE);
    if (mine.length > 0) this.#find(mine.map(({ room }) => room));
    this.#draw();
  }

  /**
   * Note the server's answer about my rooms. Forget the rooms that the server no longer has.
   * @param {{found: RoomInfo[], gone: string[]}} answer
   */
  found({ found, gone }) {
    for (const room of found) this.#known.set(room.room, room);
    for (const room of gone) forgetRoom(room);
    this.#draw();
  }

  /**
   * Note the games that the server offers. A room without its own title shows the title of its game.
   * @param {{info: KindInfo, kind: KnownKind}[]} games
   */
  note(games) {
    for (const one of games) offered.set(one.info.game, one);
    this.#drawn = { open: "", mine: "", last: "" };
    this.#draw();
  }

  #draw() {
    const mine = myRooms().slice(0, MOST_MINE);
    const open = (this.#open ?? []).filter(({ state }) => state === "open");
    const now = Date.now();
    this.#fill("open", byId("open-rooms"), open, (room) => openRow(room, now));
    byId("no-open-rooms").hidden = this.#open === null || open.length > 0;
    const rows = mine.map((one) => ({ ...one, info: this.#known.get(one.room) ?? null }));
    this.#fill("mine", byId("my-rooms"), rows, ({ info, ...one }) =>
      myRow({ state: "open", ...one, ...info }, now, () => {
        forgetRoom(one.room);
        this.#draw();
      }),
    );
    byId("no-my-rooms").hidden = rows.length > 0;
    const last = rows.find(({ role, info }) => role !== "watched" && info?.state === "ended" && info.result);
    byId("last").hidden = last === undefined;
    this.#fill("last", byId("last-room"), last === undefined ? [] : [last], ({ info, ...one }) =>
      lastRow({ state: "ended", ...one, ...info }),
    );
  }

  /**
   * Fill a list, unless the list already shows these rows. A row with unchanged links and buttons keeps its elements:
   * if an element were replaced between the press and the release of the pointer, the click would do nothing.
   * @template Row
   * @param {"open" | "mine" | "last"} which
   * @param {HTMLElement} list
   * @param {Row[]} rows
   * @param {(row: Row) => HTMLElement} draw
   */
  #fill(which, list, rows, draw) {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const drawn = JSON.stringify([minute, rows]);
    if (drawn === this.#drawn[which]) return;
    this.#drawn[which] = drawn;
    const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    const before = new Map([...list.children].map((row) => [roomOf(row), row]));
    const wanted = rows.map(draw).map((fresh) => renewed(before.get(roomOf(fresh)), fresh));
    for (const row of before.values()) if (!wanted.includes(row)) row.remove();
    for (const [place, row] of wanted.entries())
      if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
    for (const link of list.querySelectorAll("a, button"))
      if (focused !== null && link.getAttribute("data-key") === focused && link instanceof HTMLElement) link.focus();
  }
}

/** @param {Element} row */
const roomOf = (row) => row.getAttribute("data-room");

/**
 * The row to show: the existing row with the words of `fresh` if both have the same links and buttons, else `fresh`.
 * @param {Element | undefined} shown
 * @param {HTMLElement} fresh
 * @returns {Element}
 */
function renewed(shown, fresh) {
  const acts = (/** @type {Element} */ row) =>
    [...row.querySelectorAll("a, button")].map(({ outerHTML }) => outerHTML).join();
  if (shown === undefined || acts(shown) !== acts(fresh)) return fresh;
  within(shown, ".room-words").replaceWith(within(fresh, ".room-words"));
  return shown;
}

/** @param {number} milliseconds */
function age(milliseconds) {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  if (minutes < 1) return WORDS.justOpened;
  if (minutes < 60) return WORDS.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? WORDS.hours(hours) : WORDS.days(Math.floor(hours / 24));
}

/**
 * @param {{room: string, game: string, title: string}} room
 * @param {(string | null)[]} facts
 * @param {(Node | null)[]} acts
 */
function row({ room, game, ...named }, facts, acts) {
  const title = titleOf({ game, ...named });
  const icon = element("img", { src: iconOf(game), alt: "" });
  icon.addEventListener("error", () => icon.setAttribute("src", iconOf("lobby")), { once: true });
  return element(
    "li",
    { class: "room", "data-room": room, "data-game": game },
    icon,
    element(
      "div",
      { class: "room-words" },
      element("p", { class: "room-title", dir: "auto", text: title, title }),
      element("p", { class: "hint", text: facts.filter((fact) => fact !== null).join(" · ") }),
    ),
    ...acts,
  );
}

/**
 * @param {string} href
 * @param {string} text
 * @param {{game: string, title: string, tone?: string}} room
 */
function link(href, text, { game, title, tone = "" }) {
  return element("a", {
    class: `button button-small ${tone}`,
    href,
    text,
    "aria-label": WORDS.forGame(text, isolated(titleOf({ game, title }))),
    "data-key": `${href} ${text}`,
  });
}

/**
 * @param {RoomInfo} room
 * @param {number} now
 */
function openRow(room, now) {
  const { players = 0, bots = [], watching = 0, opened = 0, size, game, hosted_by: host = null } = room;
  const facts = [
    host === null ? null : WORDS.hostedBy(isolated(host)),
    size ? sizeOf(size) : null,
    players > 0 ? WORDS.players(players) : bots.length === 0 ? WORDS.nobody : null,
    bots.length > 0 ? WORDS.botCount(bots.length) : null,
    watching > 0 ? WORDS.watching(watching) : null,
    age(now - 1000 * opened),
  ];
  const isFull = players + bots.length >= (offered.get(game)?.kind.places ?? Infinity);
  return row(room, facts, [
    link(addressOf(room.room, "?watch"), WORDS.watch, { ...room, tone: "button-quiet" }),
    isFull ? null : link(addressOf(room.room), WORDS.join, { ...room, tone: "button-primary" }),
  ]);
}

/** @param {RoomInfo & Pick<MyRoom, "called">} room an ended game */
function wonBy({ result, called }) {
  const names = new Map(Object.entries(called ?? {})); // a Map, because a player may be called "constructor"
  return WORDS.wonBy((result?.winners ?? []).map((player) => isolated(names.get(player) ?? player)));
}

/**
 * The row of my last result, with the points of the best players.
 * @param {RoomInfo & Pick<MyRoom, "called">} room
 */
function lastRow(room) {
  const points = Object.values(room.result?.scores ?? {}).slice(0, 4);
  return row(
    room,
    [wonBy(room), points.length > 1 ? points.join(" : ") : WORDS.points(points[0] ?? 0)],
    [link(addressOf(`${room.room}/replay`), WORDS.replay, room)],
  );
}

/**
 * @param {RoomInfo & Pick<MyRoom, "at" | "called">} room
 * @param {number} now
 * @param {() => void} onForget
 */
function myRow(room, now, onForget) {
  const { state, result = null, players = 0, size, at } = room;
  const facts = [
    size ? sizeOf(size) : null,
    state === "ended" && result ? wonBy(room) : null,
    state === "ended" && !result ? WORDS.over : null,
    state === "closed" || state === "broken" ? WORDS[state] : null,
    state === "open" && players > 0 ? WORDS.players(players) : null,
    state === "open" ? age(now - at) : null,
  ];
  const forget = element("button", {
    type: "button",
    class: "button button-quiet button-small forget",
    "aria-label": WORDS.forget(isolated(titleOf(room))),
    text: "×",
    "data-key": `forget ${room.room}`,
    on: { click: onForget },
  });
  if (state === "open")
    return row(room, facts, [forget, link(addressOf(room.room), WORDS.goOn, { ...room, tone: "button-primary" })]);
  if (state === "ended") return row(room, facts, [forget, link(addressOf(`${room.room}/replay`), WORDS.replay, room)]);
  return row(room, facts, [forget]);
}
