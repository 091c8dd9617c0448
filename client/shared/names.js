/**
 * Display names of players. In a room, names in any script are allowed, so a name may differ from the player's ID.
 *
 * An element with a name has the player's ID in `data-name-of`, and an element with initials has it in
 * `data-initials-of`. So the page can change the name later.
 */

import { setAttribute, setText } from "./dom.js";
import { initialsAmong } from "./initials.js";

/** @type {Map<string, string>} */
const names = new Map();

/** @type {((players: string[]) => void)[]} */
const followers = [];

const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/; // Hebrew, Arabic and other right-to-left scripts

/**
 * A text that people wrote, for use in a sentence. Two invisible characters (Unicode's FSI and PDI) isolate a text with
 * right-to-left characters. Without them, such a text would change the order of numbers and punctuation beside it.
 * @param {string} text
 */
export const isolated = (text) => (FROM_RIGHT.test(text) && !text.startsWith("\u2068") ? `\u2068${text}\u2069` : text);

/**
 * A copy of a catalogue. Its sentences isolate the inserted texts, for example cards.
 * @template {object} Words
 * @param {Words} words
 * @returns {Words}
 */
export function isolating(words) {
  /** @type {(value: unknown) => unknown} */
  const taken = (value) =>
    typeof value === "string" ? isolated(value) : Array.isArray(value) ? value.map(taken) : value;
  const entries = Object.entries(words).map(([key, value]) => [
    key,
    typeof value === "function" ? (/** @type {unknown[]} */ ...given) => value(...given.map(taken)) : value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * The name of a player without isolating characters, for an element with `dir="auto"`.
 * @param {string} player
 */
export const plainNameOf = (player) => names.get(player) ?? player;

/**
 * The name of a player, for use in a sentence.
 * @param {string} player
 */
export const nameOf = (player) => isolated(plainNameOf(player));

/**
 * Call `follower` with the players whose names have just arrived or changed. Then the page can update texts with these
 * names: `noteNames` updates only elements with `data-name-of` or `data-initials-of`.
 * @param {(players: string[]) => void} follower
 */
export function followNames(follower) {
  followers.push(follower);
}

/**
 * Note names by player, update the elements of these players, and call the followers.
 * @param {Record<string, string>} given
 */
export function noteNames(given) {
  const fresh = Object.entries(given).filter(([player, name]) => plainNameOf(player) !== name);
  if (fresh.length === 0) return;
  for (const [player, name] of fresh) names.set(player, name);
  for (const shown of document.querySelectorAll("[data-name-of]")) {
    const name = plainNameOf(/** @type {HTMLElement} */ (shown).dataset.nameOf ?? "");
    setText(shown, name);
    setAttribute(shown, "title", name);
  }
  for (const shown of document.querySelectorAll("[data-initials-of]")) {
    const player = /** @type {HTMLElement} */ (shown).dataset.initialsOf ?? "";
    setAttribute(shown, "data-initials", initialsOf(player));
  }
  for (const follower of followers) follower(fresh.map(([player]) => player));
}

/**
 * Two letters for a player's badge, different from the letters of all other players here.
 * @param {string} player
 */
export function initialsOf(player) {
  return initialsAmong(player, plainNameOf(player));
}

/**
 * True for a bot: only the names of bots begin with the word "bot".
 * @param {string} player
 */
export const isBot = (player) => /^bot(?![\p{L}\p{N}\p{M}])/iu.test(nameOf(player));
