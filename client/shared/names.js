/**
 * The names that people read, of players whose ID is another one: in a room a name may be of any script.
 *
 * What shows a name has `data-name-of` with the player's ID, and what shows initials `data-initials-of`, so that a name
 * that comes later is shown everywhere.
 */

import { setAttribute, setText } from "./dom.js";
import { initialsAmong } from "./initials.js";

/** @type {Map<string, string>} */
const names = new Map();

const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/; // Hebrew, Arabic and other scripts of that kind

/**
 * What people wrote, for a sentence: what runs from right to left would otherwise take the sentence's numbers and marks
 * beside it along. The two characters that isolate it are invisible (Unicode's FSI and PDI).
 * @param {string} text
 */
export const isolated = (text) => (FROM_RIGHT.test(text) && !text.startsWith("\u2068") ? `\u2068${text}\u2069` : text);

/**
 * A catalogue whose sentences isolate what people wrote and what they are made of: cards, for example.
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
 * The name of a player as it was typed; where it stands alone `dir="auto"` lays it out.
 * @param {string} player
 */
export const plainNameOf = (player) => names.get(player) ?? player;

/**
 * The name of a player in a sentence.
 * @param {string} player
 */
export const nameOf = (player) => isolated(plainNameOf(player));

/**
 * Note names by player, and show them wherever the page shows these players.
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
}

/**
 * Two letters for a player's badge, other ones than those of anybody else here.
 * @param {string} player
 */
export function initialsOf(player) {
  return initialsAmong(player, plainNameOf(player));
}
