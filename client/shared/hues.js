/**
 * Which colour of the palette (tokens.css) is whose: a number from 0 to HUES - 1.
 *
 * A hue follows from the player's ID, the same on every page and in every browser. Where two players would have one, or
 * two that are alike, the server gives the second another one, and tells every page in a `hues` frame
 * (scramble/players/hues.py). What has a player's colours has `data-hue-of` with the ID, so that a hue that comes later
 * is shown everywhere.
 */

export const HUES = 12;

const CLEAR = 20; // two hues that differ by less may be taken for one another

/** How much two hues differ (CIEDE2000): in the theme, and to the eyes, that tell them apart least. */
// biome-ignore format: a table
const APART = [
  [0, 9, 21, 44, 10, 20, 20, 24, 9, 10, 19, 19],
  [9, 0, 12, 10, 10, 11, 11, 24, 11, 15, 11, 15],
  [21, 12, 0, 9, 27, 14, 10, 9, 11, 20, 9, 16],
  [44, 10, 9, 0, 17, 9, 9, 13, 41, 36, 15, 25],
  [10, 10, 27, 17, 0, 10, 10, 14, 10, 10, 11, 18],
  [20, 11, 14, 9, 10, 0, 13, 10, 11, 14, 14, 20],
  [20, 11, 10, 9, 10, 13, 0, 10, 12, 11, 11, 11],
  [24, 24, 9, 13, 14, 10, 10, 0, 21, 20, 10, 18],
  [9, 11, 11, 41, 10, 11, 12, 21, 0, 11, 15, 10],
  [10, 15, 20, 36, 10, 14, 11, 20, 11, 0, 20, 10],
  [19, 11, 9, 15, 11, 14, 11, 10, 15, 20, 0, 11],
  [19, 15, 16, 25, 18, 20, 11, 18, 10, 10, 11, 0],
];

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
 * there are enough, which differs clearly from the others. The first in the list have theirs first.
 * @param {Iterable<string>} players
 */
export function spread(players) {
  /** @type {Record<string, number>} */ const others = {};
  /** @type {number[]} */ const taken = [];
  /** @param {number} hue */
  const leastApart = (hue) => Math.min(...taken.map((one) => Number(APART[hue]?.[one])));
  for (const player of players) {
    const wish = wishOf(player);
    const free = Array.from({ length: HUES }, (_, hue) => hue).filter((hue) => !taken.includes(hue));
    const isClear = free.includes(wish) && leastApart(wish) >= CLEAR;
    const hue = isClear
      ? wish
      : free.reduce((best, one) => (leastApart(one) > leastApart(best) ? one : best), free[0] ?? wish);
    taken.push(hue);
    if (hue !== wish) others[player] = hue;
  }
  return others;
}

/**
 * Give an element the colours of a player: --player, and those that tokens.css makes of it.
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
