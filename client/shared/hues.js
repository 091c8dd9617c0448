/**
 * The players' hues: colours of the palette (tokens.css), as numbers from 0 to HUES - 1.
 *
 * The player's ID determines a default hue, the same on every page and in every browser. If the default hues of two
 * players are equal or similar, the server gives the second player another hue, and sends it to every page in a `hues`
 * frame (scramble/players/hues.py). An element with a player's colours has the player's ID in `data-hue-of`, so that
 * the page can change its hue later.
 */

export const HUES = 12;

const CLEAR = 20; // people may confuse two hues with a smaller difference

/** The difference (CIEDE2000) of each pair of hues: the minimum for both themes and all kinds of colour vision. */
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
 * The default hue for a player's ID.
 * @param {string} player
 */
export const wishOf = (player) => hashOf(player) % HUES;

/**
 * A number from 0 to 2³² - 1 for a player's ID.
 * @param {string} player
 */
export function hashOf(player) {
  // FNV-1a, then an avalanche step, so that alice1 and alice2 differ. The server uses the same hash.
  let hash = 18229;
  for (const character of player) hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return hash >>> 0;
}

/**
 * The hue of a player in this game.
 * @param {string} player
 */
export function hueOf(player) {
  return given.get(player) ?? wishOf(player);
}

/**
 * Note the hues of players that do not have their default hue, and change all elements of these players.
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
 * Hues for the players of a page outside rooms, in the form for `noteHues`. A player keeps a default hue that
 * differs clearly from the hues of the earlier players, else gets the free hue that differs most. Players have equal
 * hues only if no hue is free.
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
 * Give an element the colours of a player: --player, and the colours that tokens.css derives from it.
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
 * Give an element the colours of a hue.
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
