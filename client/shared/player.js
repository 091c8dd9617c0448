/** Names of players (suggestions, checks and storage), and the colours, the badges and the chip of a player. */

import { drawAvatar } from "./avatarart.js";
import { avatarOf } from "./avatars.js";
import { element } from "./dom.js";
import { paint } from "./hues.js";
import { initialsOf, plainNameOf } from "./names.js";
import { SHARED } from "./words.js";

export { paint };

const KEY = "scramble.name";
const BROWSER_KEY = "scramble.browser";
const NAME = /^[A-Za-z0-9_]{1,20}$/;
const LONGEST_NAME = 20;
const LONGEST_DISPLAY_NAME = 24;

/** @param {string[]} list */
const pick = (list) => list[Math.floor(Math.random() * list.length)];

/** An invented name, such as "quiet_otter", in the language of this page. */
export function suggestName() {
  return SHARED.madeName(pick(SHARED.tempers), pick(SHARED.creatures));
}

/**
 * True if the server accepts this name: 1 to 20 letters, digits and underscores.
 * @param {string} text
 */
export function isName(text) {
  return NAME.test(text);
}

/**
 * True if a room may accept this name, in any script. The server also checks for invisible characters.
 * @param {string} text
 */
export function isDisplayName(text) {
  const { length } = [...text.trim()];
  return length > 0 && length <= LONGEST_DISPLAY_NAME;
}

/** The check for names on this page. In a room, and in the lobby of rooms, names in any script are allowed. */
function isNameHere() {
  return document.querySelector('meta[name="room"], meta[name="lobby"]') === null ? isName : isDisplayName;
}

/**
 * The name of this tab, or null. The name survives a reload.
 * @returns {string | null}
 */
export function nameOfTab() {
  return read(() => sessionStorage.getItem(KEY));
}

/**
 * The last name of this browser, or null.
 * @returns {string | null}
 */
export function lastName() {
  return read(() => localStorage.getItem(KEY));
}

/** @param {() => string | null} get */
function read(get) {
  try {
    const name = get();
    return name !== null && isNameHere()(name) ? name : null;
  } catch {
    return null; // storage is disabled
  }
}

/**
 * Store the name for this tab and for the next visit. After a reload the tab continues the game.
 * @param {string} name
 */
export function keepName(name) {
  try {
    sessionStorage.setItem(KEY, name);
    localStorage.setItem(KEY, name);
  } catch {
    /* storage is disabled: the page asks again at the next visit */
  }
}

/**
 * A random value that identifies this browser, the same in all its tabs. Null if storage is disabled.
 * @returns {string | null}
 */
export function browserId() {
  try {
    const kept = localStorage.getItem(BROWSER_KEY);
    if (kept !== null) return kept;
    const made = [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    localStorage.setItem(BROWSER_KEY, made);
    return made;
  } catch {
    return null;
  }
}

/**
 * The name with a number, such as "ann_2". The result is not in `taken`.
 * @param {string} name
 * @param {string[]} taken
 */
export function numbered(name, taken) {
  for (let number = 2; ; number += 1) {
    const made = `${name.slice(0, LONGEST_NAME - 1 - String(number).length)}_${number}`;
    if (!taken.includes(made)) return made;
  }
}

/**
 * The players' names in other tabs of this browser. Two open tabs are usually two players, so a tab asks the other tabs
 * before it suggests a name.
 */
export class TabNames {
  #channel = "BroadcastChannel" in window ? new BroadcastChannel("scramble.names") : null;
  /** @type {string | null} */ #mine = null;
  /** @type {Set<string>} */ #others = new Set();

  constructor() {
    this.#channel?.addEventListener("message", ({ data }) => {
      if (data.ask && this.#mine !== null) this.#channel?.postMessage({ name: this.#mine });
      if (data.name) this.#others.add(data.name);
    });
  }

  /**
   * Set this tab's name, which is the answer to other tabs.
   * @param {string | null} name
   */
  claim(name) {
    this.#mine = name;
  }

  /**
   * The names of other tabs. This method waits a moment for their answers.
   * @returns {Promise<Set<string>>}
   */
  async elsewhere() {
    if (this.#channel === null) return new Set();
    this.#others.clear();
    this.#channel.postMessage({ ask: true });
    await new Promise((done) => setTimeout(done, 120));
    return new Set(this.#others);
  }
}

/**
 * A round badge with a player's initials, for boards. CSS shows the initials, so that they are not part of an
 * element's accessible name.
 * @param {string} name
 */
export function badge(name) {
  const initials = initialsOf(name);
  return paint(
    element("span", { class: "badge", "data-initials": initials, "data-initials-of": name, "aria-hidden": "true" }),
    name,
  );
}

/**
 * A round badge with the avatar of a player, which may change later.
 * @param {string} name
 */
export function portrait(name) {
  const avatar = avatarOf(name);
  const made = avatarBadge(avatar, name);
  made.dataset.avatar = String(avatar);
  made.dataset.avatarOf = name;
  return made;
}

/**
 * A round badge with an avatar, in the colours of a name.
 * @param {number} avatar
 * @param {string} name
 */
export function avatarBadge(avatar, name) {
  return paint(element("span", { class: "badge", "aria-hidden": "true" }, drawAvatar(avatar)), name);
}

let signOf = portrait;

/** Make the chips of this page show initials: the page does not know the avatars that people have chosen. */
export function showInitials() {
  signOf = badge;
}

/**
 * A chip: a badge (default: the avatar) and the name, with "you" for the user.
 * @param {string} name
 * @param {{you?: boolean, sign?: HTMLElement}} options
 */
export function chip(name, { you = false, sign = signOf(name) } = {}) {
  const shown = plainNameOf(name);
  return element(
    "span",
    { class: you ? "chip chip-you" : "chip" },
    sign,
    element("span", { class: "chip-name", dir: "auto", text: shown, title: shown, "data-name-of": name }),
    you ? element("span", { class: "chip-tag", text: SHARED.you }) : null,
  );
}

/** The maximum number of names in a list. The list may have one more, because it always has the user's own name. */
export const MOST_SHOWN = 40;

/**
 * The last line of a list of players, in an array: the number of other players. Empty if there are no other players.
 * @param {number} others
 */
export function othersRow(others) {
  if (others <= 0) return [];
  return [element("li", { class: "player others hint", text: SHARED.others(others) })];
}
