/** Reactions: a few emoji that float up from the sender's name. */

import { element } from "./dom.js";
import { plainNameOf } from "./names.js";
import { Refused } from "./rooms.js";
import { ROOM, SHARED } from "./words.js";

/** @import { Room } from "./room.js" */
/** @import { Say } from "./host.js" */

/** The reactions that the server accepts. */
export const EMOJI = ["👍", "👏", "😂", "😮", "😢", "🎉", "🤔", "👋"];

const SHOWN_MS = 2400; // the duration of the animation in room.css
const MOST_SHOWN = 12; // reactions at a time, enough when a school class applauds

export class Reactions {
  #room;
  #say;
  #me;
  #bar;
  #sky = element("div", { class: "reactions-sky", "aria-hidden": "true" });

  /**
   * @param {Room} room
   * @param {Say} say
   * @param {() => string | null} me
   */
  constructor(room, say, me) {
    this.#room = room;
    this.#say = say;
    this.#me = me;
    this.#bar = element(
      "div",
      { class: "reactions", role: "group", "aria-label": ROOM.react, hidden: true },
      ...EMOJI.map((emoji) =>
        element("button", {
          type: "button",
          class: "reaction",
          text: emoji,
          "aria-label": ROOM.reactWith(emoji),
          on: { click: () => this.#send(emoji) },
        }),
      ),
    );
    const players = document.getElementById("players");
    if (players !== null) players.after(this.#bar);
    else document.querySelector(".room-menu")?.prepend(this.#bar); // for a page without a list of players
    document.body.append(this.#sky);
    room.follow("reaction", ({ player, emoji }) => this.#show(player, emoji));
  }

  /** Show the bar to players, and hide it from spectators. */
  refresh() {
    this.#bar.hidden = this.#me() === null || this.#room.mode !== "play";
  }

  /** @param {string} emoji */
  async #send(emoji) {
    try {
      await this.#room.act("react", { emoji, player: this.#me() });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#say(error.code === "too-fast" ? ROOM.tooManyReactions : SHARED.noAnswer, "fail");
    }
  }

  /**
   * @param {string} player
   * @param {string} emoji
   */
  #show(player, emoji) {
    if (this.#sky.childElementCount >= MOST_SHOWN) this.#sky.firstElementChild?.remove();
    const from = placeOf(player);
    const shown = element(
      "span",
      { class: "reaction-shown", "data-player": player },
      element("span", { class: "reaction-emoji", text: emoji }),
      from === null ? element("span", { class: "reaction-name", text: plainNameOf(player), dir: "auto" }) : null,
    );
    if (from !== null) {
      shown.style.left = `${from.x}px`;
      shown.style.top = `${from.y}px`;
    }
    this.#sky.append(shown);
    setTimeout(() => shown.remove(), SHOWN_MS);
  }
}

/**
 * The place of a player's name on the screen, or null if the name is not visible.
 * @param {string} player
 */
function placeOf(player) {
  for (const name of document.querySelectorAll(`:is(#players, #duel) [data-name-of="${CSS.escape(player)}"]`)) {
    const { left, top, bottom, width } = name.getBoundingClientRect();
    if (width > 0 && top >= 0 && bottom <= window.innerHeight) return { x: left + Math.min(width, 80), y: top };
  }
  return null;
}
