/** The daily challenges: the first card of the lobby, with a tile for each game. */

import { keptStreak, lengthOn, noteResult, resultText, shareText, squares, timeWords } from "../shared/daily.js";
import { byId, element, setText } from "../shared/dom.js";
import { rememberRoom } from "../shared/myrooms.js";
import { iconOf } from "../shared/pagedata.js";
import { ask, Refused } from "../shared/rooms.js";
import { ROOM } from "../shared/words.js";
import { WORDS } from "./words.js";

/** @import { Challenge, Daily, DailyEntry } from "../shared/daily.js" */
/** @import { KindInfo, KnownKind } from "../shared/kinds.js" */

const LOOK_MS = 60_000; // interval for updating the tables while the page is visible
const HOUR_MS = 3_600_000;

export class DailyCard {
  #section = byId("daily");
  #tiles = byId("daily-tiles");
  #streak = byId("daily-streak");
  #left = byId("daily-left");
  #games;
  #token;
  #say;
  #drawn = "";

  /**
   * `token()` returns the password for new games, "" if the server needs no password. `say(text)` shows a toast.
   * @param {{games: {info: KindInfo, kind: KnownKind}[], token: () => string, say: (text: string) => void}} parts
   */
  constructor({ games, token, say }) {
    this.#games = new Map(games.map((one) => [one.info.game, one]));
    this.#token = token;
    this.#say = say;
    setInterval(() => document.visibilityState === "visible" && this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.look());
  }

  /** Load the tables, and show them. If the server does not answer, the card stays as it is. */
  async look() {
    try {
      this.#show(await ask("rooms/daily"));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** @param {Daily} daily */
  #show({ day, number, games }) {
    const offered = games.filter(({ game }) => this.#games.has(game));
    if (offered.some(({ table }) => table.some(({ mine }) => mine))) noteResult(day);
    const length = lengthOn(keptStreak(), day);
    setText(this.#streak, length > 1 ? WORDS.streak(length) : "");
    const end = Date.parse(day) + 24 * HOUR_MS;
    setText(this.#left, WORDS.nextIn(Math.max(1, Math.ceil((end - Date.now()) / HOUR_MS))));
    setText(byId("daily-title"), ROOM.daily(number));
    this.#section.hidden = offered.length === 0;
    const drawn = JSON.stringify([day, offered]);
    if (drawn === this.#drawn) return; // a new element would lose the focus
    this.#drawn = drawn;
    const open = new Set([...this.#tiles.querySelectorAll("details[open]")].map((table) => table.id));
    this.#tiles.replaceChildren(...offered.map((challenge) => this.#tile(challenge, number)));
    for (const table of this.#tiles.querySelectorAll("details")) table.open = open.has(table.id);
  }

  /**
   * @param {Challenge} challenge
   * @param {number} number
   */
  #tile(challenge, number) {
    const { game, table, players, before } = challenge;
    const title = this.#titleOf(game);
    const mine = table.find((entry) => entry.mine) ?? null;
    const error = element("p", { class: "error", role: "alert" });
    const facts =
      mine === null ? bestWords(table) : `${ROOM.placeOf(mine.place, players)} · ${timeWords(mine.seconds)}`;
    return element(
      "article",
      { class: "daily-tile", "data-game": game, "data-attempt": challenge.attempt, "aria-label": title },
      element(
        "div",
        { class: "daily-head" },
        element("img", { src: iconOf(game), alt: "" }),
        element(
          "div",
          { class: "daily-words" },
          element("h3", { text: title }),
          element("p", { class: "hint" }, facts, mine && squaresOf(this.#kind(game), mine)),
        ),
        this.#act(challenge, mine, number, error),
      ),
      error,
      table.length === 0 ? null : tableOf(game, table),
      before &&
        element(
          "p",
          { class: "hint daily-before" },
          WORDS.bestBefore(before.name, timeWords(before.seconds)),
          " ",
          before.room &&
            element("a", {
              href: address(`${before.room}/replay`),
              text: WORDS.replay,
              "aria-label": WORDS.forGame(WORDS.replay, title),
            }),
        ),
    );
  }

  /**
   * The button of a tile: play, go on, or share the result.
   * @param {Challenge} challenge
   * @param {DailyEntry | null} mine
   * @param {number} number
   * @param {HTMLElement} error
   */
  #act({ game, attempt, room }, mine, number, error) {
    const title = this.#titleOf(game);
    const named = (/** @type {string} */ text) => ({ text, "aria-label": WORDS.forGame(text, title) });
    if (attempt === "playing")
      return element("a", { class: "button button-primary", href: address(room ?? ""), ...named(WORDS.goOn) });
    if (attempt === "new") {
      const play = element("button", { type: "button", class: "button button-primary", ...named(WORDS.play) });
      play.addEventListener("click", () => this.#begin(game, play, error));
      return play;
    }
    if (mine === null) return null; // the attempt ended without a result: its room was closed
    const share = element("button", { type: "button", class: "button", ...named(WORDS.share) });
    share.addEventListener("click", async () => {
      const link = new URL(".", document.baseURI).href;
      const done = await shareText(resultText({ title, number, entry: mine, kind: this.#kind(game), link }));
      if (done !== "shared") this.#say(done === "copied" ? ROOM.resultCopied : ROOM.resultNotCopied);
    });
    return share;
  }

  /**
   * @param {string} game
   * @param {HTMLButtonElement} play
   * @param {HTMLElement} error
   */
  async #begin(game, play, error) {
    play.disabled = true;
    const token = this.#token();
    try {
      const room = await ask("rooms/daily", {
        method: "POST",
        headers: token === "" ? {} : { "Scramble-Token": token },
        body: JSON.stringify({ game }),
      });
      rememberRoom({ room: room.room, game: room.game, title: room.title, role: "opened" });
      location.assign(address(room.room));
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      setText(error, refused.words);
      play.disabled = false;
    }
  }

  /** @param {string} game */
  #kind(game) {
    return /** @type {{kind: KnownKind}} */ (this.#games.get(game)).kind;
  }

  /** @param {string} game */
  #titleOf(game) {
    return this.#kind(game).title || (this.#games.get(game)?.info.title ?? game);
  }
}

/** @param {string} path */
const address = (path) => new URL(`g/${path}`, document.baseURI).href;

/** @param {DailyEntry[]} table */
const bestWords = ([best]) =>
  best === undefined ? WORDS.nobodyYet : WORDS.bestToday(best.name, timeWords(best.seconds));

/**
 * @param {KnownKind} kind
 * @param {DailyEntry} entry
 */
function squaresOf(kind, entry) {
  return element("span", { class: "daily-squares", "aria-hidden": "true", text: squares(kind, entry.figures) });
}

/**
 * The folded table of a game.
 * @param {string} game
 * @param {DailyEntry[]} table
 */
function tableOf(game, table) {
  const cell = (/** @type {string} */ text, kind = "") => element("td", { class: kind, text });
  const rows = table.map(({ place, name, points, seconds, mine }) =>
    element(
      "tr",
      { "data-mine": mine },
      cell(`${place}.`),
      element("th", { scope: "row", dir: "auto", text: name, title: name }),
      cell(WORDS.points(points)),
      cell(timeWords(seconds)),
    ),
  );
  return element(
    "details",
    { class: "daily-table", id: `daily-table-${game}` },
    element("summary", { text: WORDS.table }),
    element("table", {}, element("tbody", {}, ...rows)),
  );
}
