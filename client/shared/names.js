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

/**
 * The name of a player.
 * @param {string} player
 */
export function nameOf(player) {
  return names.get(player) ?? player;
}

/**
 * Note names by player, and show them wherever the page shows these players.
 * @param {Record<string, string>} given
 */
export function noteNames(given) {
  const fresh = Object.entries(given).filter(([player, name]) => nameOf(player) !== name);
  if (fresh.length === 0) return;
  for (const [player, name] of fresh) names.set(player, name);
  for (const shown of document.querySelectorAll("[data-name-of]")) {
    const name = nameOf(/** @type {HTMLElement} */ (shown).dataset.nameOf ?? "");
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
  return initialsAmong(player, nameOf(player));
}
