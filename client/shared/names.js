/**
 * The names that people read, of players whose ID is another one: in a room a name may be of any script.
 *
 * What shows a name has `data-name-of` with the player's ID, and what shows initials `data-initials-of`, so that a name
 * that comes later is shown everywhere.
 */

import { setAttribute, setText } from "./dom.js";

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
    setAttribute(shown, "data-initials", initialsOf(nameOf(player)));
  }
}

/**
 * Two letters for a badge: "quiet_otter" is QO, "alice" is Al, "x" is X, "李小龙" is 李.
 * @param {string} name
 */
export function initialsOf(name) {
  /** @type {string[]} */
  const parts = name.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? [];
  const isPlain = /^[\w ]*$/.test(name);
  if (isPlain && parts.length > 1) return (parts[0][0] + parts[1][0]).toUpperCase();
  const [word = name] = parts;
  if (isPlain) return word[0].toUpperCase() + word.slice(1, 2);
  const words = name.split(/[\s_]+/).filter((word) => word !== "");
  const [first, second] = words.map((word) => firstOf(word).toLocaleUpperCase());
  // Wide characters, such as Chinese ones and emoji, fill a badge by themselves.
  return second === undefined || /[\u1100-\uffff]/.test(first + second) ? (first ?? name) : first + second;
}

/**
 * The first character as people count them, with its marks.
 * @param {string} word
 */
function firstOf(word) {
  const [first] = new Intl.Segmenter().segment(word);
  return first.segment;
}
