/**
 * Which colour of the palette (tokens.css) is whose: a number from 0 to HUES - 1.
 *
 * A hue follows from the player's ID, the same on every page and in every browser. Where two players would have one,
 * the server gives the second another one, and tells every page in a `hues` frame (scramble/kernel/hues.py). What
 * has a player's colours has `data-hue-of` with the ID, so that a hue that comes later is shown everywhere.
 */

export const HUES = 12;

/** @type {Map<string, number>} */
const given = new Map();

/**
 * The hue that follows from a player's ID.
 * @param {string} player
 */
export function wishOf(player) {
  // FNV-1a, then an avalanche, so that alice1 and alice2 differ. The server counts in the same way.
  let hash = 18229;
  for (const character of player) hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0) % HUES;
}

/**
 * The hue of a player at this table.
 * @param {string} player
 */
export function hueOf(player) {
  return given.get(player) ?? wishOf(player);
}

/**
 * Note the hues of players who have not the one that follows from their ID, and show them everywhere.
 * @param {Record<string, number>} hues
 */
export function noteHues(hues) {
  given.clear();
  for (const [player, hue] of Object.entries(hues)) given.set(player, hue);
  for (const shown of document.querySelectorAll(".hue[data-hue-of]")) {
    paint(/** @type {HTMLElement} */ (shown), /** @type {HTMLElement} */ (shown).dataset.hueOf ?? "");
  }
}

/**
 * Hues for players of whom no server says which they have, as `noteHues` takes them: each has another one, as long as
 * there are enough. The first in the list have theirs first.
 * @param {Iterable<string>} players
 */
export function spread(players) {
  /** @type {Record<string, number>} */ const others = {};
  /** @type {Set<number>} */ const taken = new Set();
  for (const player of players) {
    const wish = wishOf(player);
    const hue = taken.has(wish) ? (Array.from({ length: HUES }, (_, n) => n).find((n) => !taken.has(n)) ?? wish) : wish;
    taken.add(hue);
    if (hue !== wish) others[player] = hue;
  }
  return others;
}

/**
 * Give an element the colours of a player: --player, --player-ink, --player-soft.
 * @template {HTMLElement | SVGElement} Kind
 * @param {Kind} target
 * @param {string} player
 * @returns {Kind}
 */
export function paint(target, player) {
  dye(target, hueOf(player));
  target.dataset.hueOf = player;
  return target;
}

/**
 * The same of a hue, whoever has it.
 * @template {HTMLElement | SVGElement} Kind
 * @param {Kind} target
 * @param {number} hue
 * @returns {Kind}
 */
export function dye(target, hue) {
  target.classList.add("hue");
  delete target.dataset.hueOf;
  target.style.setProperty("--player", `var(--player-${hue})`);
  return target;
}
