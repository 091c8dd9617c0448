/**
 * The two players' colours. A hue follows from the name, as everywhere; only when two names happen to give hues that
 * are hard to tell apart does the second player get another one, the same on both players' pages.
 */

import { within } from "../shared/dom.js";
import { chip, hueOf } from "../shared/player.js";

const CLEAR = 70; // degrees between two hues that nobody takes for one another
const TURN = 150;

/**
 * The hue of `name` in a match of these two players (the one who made it first); without a match, just the name's.
 * @param {string[] | null} players
 * @param {string} name
 */
export function hueIn(players, name) {
  const hue = hueOf(name);
  if (players === null || name !== players[1]) return hue;
  const apart = Math.abs(hue - hueOf(players[0])) % 360;
  return Math.min(apart, 360 - apart) < CLEAR ? (hueOf(players[0]) + TURN) % 360 : hue;
}

/**
 * Give an element a player's colours, as paint() does.
 * @template {HTMLElement} Kind
 * @param {Kind} target
 * @param {string} name
 * @param {string[] | null} players
 * @returns {Kind}
 */
export function tint(target, name, players = null) {
  target.classList.add("hue");
  target.style.setProperty("--hue", String(hueIn(players, name)));
  return target;
}

/**
 * A chip in the player's colours.
 * @param {string} name
 * @param {{you?: boolean, players?: string[] | null}} options
 */
export function playerChip(name, { you = false, players = null } = {}) {
  const made = chip(name, { you });
  tint(within(made, ".badge"), name, players);
  return made;
}
