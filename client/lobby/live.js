/**
 * The live picture: one running public game, small, with its players and a link for watching.
 *
 * The picture needs one WebSocket, and no other request if the page has its bundle. It begins when the page is idle,
 * and only with a running game, a good line and a visible tab. It ends with the game, or when another tab hides this
 * one.
 */

import { Palette } from "../replay/palette.js";
import { Stage } from "../replay/stage.js";
import { Connection, socketUrl } from "../shared/connection.js";
import { byId, element, setText, within } from "../shared/dom.js";
import { dye, noteHues } from "../shared/hues.js";
import { isolated } from "../shared/names.js";
import { chip } from "../shared/player.js";
import { chosenRoom, isGoodLine } from "./livechoice.js";
import { WORDS } from "./words.js";

/** @import { KindInfo, KnownKind, LiveScene } from "../shared/kinds.js" */
/** @import { RoomInfo } from "../shared/rooms.js" */

const IDLE_MS = 2_000; // the latest begin after the page is ready
const MOST_PLAYERS = 4;

/** @type {{saveData?: boolean, effectiveType?: string} & EventTarget | undefined} */
const LINE = /** @type {any} */ (navigator).connection; // Chromium only

export class LivePicture {
  #section = byId("live-game");
  #watch = byId("live-watch", HTMLAnchorElement);
  #players = byId("live-players");
  /** @type {Map<string, KnownKind>} */ #kinds = new Map();
  /** @type {(room: RoomInfo) => string} */ #titleOf;
  /** @type {RoomInfo[]} */ #rooms = [];
  /** @type {RoomInfo | null} */ #room = null; // the room that is shown
  /** @type {LiveScene | null} */ #scene = null;
  #isIdle = false;
  /** @type {string[]} */ #present = [];
  /** @type {Record<string, string>} */ #names = {}; // display names, only of the players in this room
  /** @type {number | null} */ #drawn = null; // the frame of the next drawing
  #palette = new Palette(() => {
    this.#scene?.recolour();
    this.#drawSoon();
  });
  #stage = new Stage({
    place: byId("live-place"),
    room: byId("live-room"),
    palette: this.#palette,
    onPoint: () => {},
    onFit: () => this.#drawSoon(),
  });
  #connection = new Connection(() => socketUrl(`g/${this.#room?.room}/view`, "glance"), {
    onFrame: (frame) => this.#receive(frame),
    onState: () => {},
  });

  /** @param {(room: RoomInfo) => string} titleOf returns the title of a room in the language of the page */
  constructor(titleOf) {
    this.#titleOf = titleOf;
    const again = () => this.#choose();
    document.addEventListener("visibilitychange", again);
    LINE?.addEventListener("change", again);
  }

  /**
   * Begin when the page is idle.
   * @param {{info: KindInfo, kind: KnownKind}[]} games
   */
  begin(games) {
    for (const { info, kind } of games) this.#kinds.set(info.game, kind);
    const start = () => {
      this.#isIdle = true;
      this.#choose();
    };
    if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: IDLE_MS });
    else setTimeout(start, IDLE_MS);
  }

  /**
   * Note the list of open games.
   * @param {RoomInfo[]} rooms
   */
  opened(rooms) {
    this.#rooms = rooms;
    this.#choose();
  }

  /** Show the right game, or none. While the tab is hidden, the picture stays as it is, without a connection. */
  #choose() {
    if (!this.#isIdle) return;
    if (document.visibilityState === "hidden") return this.#connection.close();
    const canShow = (/** @type {string} */ game) => this.#kinds.get(game)?.live !== undefined;
    const shown = this.#room?.room ?? null;
    const room = isGoodLine(LINE) ? chosenRoom(this.#rooms, shown, canShow) : null;
    if (room !== null && room.room === shown) {
      if (this.#scene !== null) this.#connection.open(); // does nothing if the connection is open
      return;
    }
    this.#connection.close();
    this.#room = room;
    this.#scene = null;
    this.#present = [];
    this.#names = {};
    this.#section.hidden = true; // until the first picture
    if (room !== null) void this.#show(room);
  }

  /** @param {RoomInfo} room */
  async #show(room) {
    setText(byId("live-name"), this.#titleOf(room));
    this.#watch.href = new URL(`g/${room.room}?watch`, document.baseURI).href;
    this.#watch.setAttribute("aria-label", WORDS.forGame(WORDS.watch, this.#titleOf(room)));
    this.#players.replaceChildren();
    delete this.#players.dataset.drawn;
    const live = await this.#kinds
      .get(room.game)
      ?.live?.()
      .catch(() => undefined); // the module may not load
    if (this.#room?.room !== room.room) return; // the choice has changed meanwhile
    if (live === undefined) {
      this.#room = null;
      return;
    }
    this.#scene = new live.Live({ rows: 0, columns: 0 }, this.#palette, this.#stage.canvas);
    this.#connection.open();
  }

  /** @param {any} frame of the room's WebSocket for spectators */
  #receive(frame) {
    const scene = this.#scene;
    if (scene === null) return;
    if (frame.type === "hues") noteHues(frame.hues);
    if (frame.type === "company") {
      this.#names = frame.names;
      this.#present = frame.players;
    }
    const before = `${scene.rows}x${scene.columns}`;
    const isNews = scene.receive(frame);
    if (isNews) this.#section.hidden = false;
    if (isNews && before !== `${scene.rows}x${scene.columns}`) this.#stage.show(scene);
    if (isNews || ["hues", "company"].includes(frame.type)) this.#drawSoon();
  }

  /** @param {string} player */
  #nameOf(player) {
    return this.#names[player] ?? player;
  }

  #drawSoon() {
    this.#drawn ??= requestAnimationFrame(() => {
      this.#drawn = null;
      this.#draw();
    });
  }

  #draw() {
    const [scene, room] = [this.#scene, this.#room];
    if (scene === null || room === null) return;
    const points = [...scene.scores].sort(([, one], [, other]) => other - one);
    const players = points.length > 0 ? points : this.#present.map((player) => [player, null]);
    const shown = /** @type {[string, number | null][]} */ (players.slice(0, MOST_PLAYERS));
    const title = this.#kinds.get(room.game)?.title ?? "";
    const words = shown.map(([player, score]) => `${isolated(this.#nameOf(player))} ${score ?? ""}`.trim());
    this.#stage.draw(`${title}. ${words.join(", ")}`);
    const drawn = JSON.stringify(shown.map(([player, score]) => [this.#nameOf(player), score]));
    if (this.#players.dataset.drawn === drawn) return;
    this.#players.dataset.drawn = drawn;
    this.#players.replaceChildren(
      ...shown.map(([player, score]) =>
        element(
          "li",
          {},
          chipIn(scene, player, this.#nameOf(player)),
          score === null ? null : element("strong", { text: String(score) }),
        ),
      ),
    );
  }
}

/**
 * The chip of a player, with the player's colour on the board.
 * @param {LiveScene} scene
 * @param {string} player
 * @param {string} name
 */
function chipIn(scene, player, name) {
  const shown = chip(player);
  setText(within(shown, ".chip-name"), name);
  const hue = scene.hue?.(player) ?? null;
  if (hue !== null) dye(within(shown, ".badge"), hue);
  return shown;
}
