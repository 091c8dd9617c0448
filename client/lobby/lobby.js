/** The lobby: cards to open a new game with one tap or two, the list of open games, and the list of my games. */

import { createAnnouncer } from "../shared/announce.js";
import { keptAvatar } from "../shared/avatars.js";
import { Connection, showConnection, socketUrl } from "../shared/connection.js";
import { byId, element, within } from "../shared/dom.js";
import { changeName } from "../shared/join.js";
import { loadKind } from "../shared/kinds.js";
import {
  avatarBadge,
  chip,
  isDisplayName,
  keepName,
  lastName,
  nameOfTab,
  suggestName,
  TabNames,
} from "../shared/player.js";
import { ask, Refused } from "../shared/rooms.js";
import { setUpThemeSwitch } from "../shared/theme.js";
import { Toasts } from "../shared/toasts.js";
import { languageSwitch, putWords } from "../shared/wording.js";
import { SHARED } from "../shared/words.js";
import { setUpWorker } from "../shared/worker.js";
import { DailyCard } from "./daily.js";
import { Lists, titleOf } from "./lists.js";
import { LivePicture } from "./live.js";
import { NewGame } from "./newgame.js";
import { FIRST_OFFERS } from "./offers.js";
import { setUpRecords } from "./records.js";
import { WORDS } from "./words.js";

/** @import { Offers } from "./offers.js" */

const RETRY_MS = 2000; // pause before the next request for the kinds of games, after a request failed

class Lobby {
  #toasts = new Toasts({
    region: byId("toasts"),
    log: byId("log"),
    announce: createAnnouncer(byId("live")),
  });
  #tabs = new TabNames();
  #lists = new Lists((rooms) => this.#connection.sendText(JSON.stringify({ find: rooms }), { answered: false }));
  #live = new LivePicture(titleOf);
  /** @type {NewGame[]} */ #cards = [];
  #connection = new Connection(socketUrl("lobby"), {
    onFrame: (frame) => {
      if (frame.type === "found") return this.#lists.found(frame);
      this.#lists.opened(frame.rooms);
      this.#live.opened(frame.rooms);
    },
    onState: (status) => {
      this.#showConnection(status);
      if (status.state === "online") this.#lists.ask();
      if (status.state === "lost") this.#toasts.note(WORDS.notConnected, { kind: "fail" });
    },
  });
  #showConnection = showConnection(byId("link"), () => this.#connection.retry());

  start() {
    putWords(WORDS);
    setUpThemeSwitch(byId("theme"), SHARED.theme);
    byId("theme").before(languageSwitch());
    this.#setUpName();
    setUpRecords();
    this.#lists.start();
    this.#connection.open();
    void (FIRST_OFFERS === null ? this.#ask() : this.#show(FIRST_OFFERS));
    setUpWorker();
    // A page from the browser's back/forward cache is out of date.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  /** Show the player's name in a button that changes it. The lobby suggests a name, so a game can start at once. */
  #setUpName() {
    keepName(nameOfTab() ?? lastName() ?? suggestName());
    const me = byId("me");
    const show = () => {
      const unseen = (/** @type {string} */ text) => element("span", { class: "unseen", text });
      const name = nameOfTab() ?? suggestName();
      me.replaceChildren(
        unseen(`${WORDS.youAre} `),
        chip(name, { sign: avatarBadge(keptAvatar(), name) }),
        unseen(`. ${WORDS.changeName}`),
      );
      me.title = WORDS.changeName;
      me.hidden = false;
    };
    me.addEventListener("click", async () => {
      await changeName(byId("join", HTMLDialogElement), this.#tabs, nameOfTab(), { claim });
      show();
    });
    show();
  }

  async #ask() {
    try {
      await this.#show(await ask("rooms/kinds"));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setTimeout(() => this.#ask(), RETRY_MS);
    }
  }

  /** @param {Offers} offers */
  async #show({ kinds, bots, turn_clocks: clocks = [], open_rooms }) {
    const games = await Promise.all(kinds.map(async (info) => ({ info, kind: await loadKind(info.game) })));
    byId("token").hidden = open_rooms !== "token";
    const password = within(byId("token"), "input", HTMLInputElement);
    const token = () => password.value;
    const onUnfold = (/** @type {NewGame} */ card) => this.#foldOthers(card);
    this.#cards = games.flatMap((game) => {
      try {
        return [new NewGame({ ...game, bots, clocks, token, onUnfold })];
      } catch (error) {
        reportError(error); // an error in the kind.js of one game: the lobby shows the other games
        return [];
      }
    });
    this.#lists.note(games);
    void new DailyCard({ games, token, say: (text) => this.#toasts.say(text) }).look();
    byId("games").replaceChildren(...this.#cards.map((card) => card.element));
    this.#live.begin(games);
  }

  /** @param {NewGame} unfolded */
  #foldOthers(unfolded) {
    for (const card of this.#cards) if (card !== unfolded) card.fold(true);
  }
}

/**
 * Accept a valid name. Each room has its own seats, so the lobby cannot claim a seat: the next room checks whether the
 * name is free.
 * @param {string} name
 */
async function claim(name) {
  if (!isDisplayName(name)) throw new Refused(400, { error: WORDS.nameRule });
  return name;
}

new Lobby().start();
