/** The two players' colours in a match. */

import { noteHues, paint, spread } from "../shared/hues.js";
import { chip } from "../shared/player.js";

/**
 * See to it that the two players of a match have different hues, where no server says which they have: the one who has
 * made the match has the hue that follows from the name.
 * @param {string[] | null} players
 */
export function keepApart(players) {
  noteHues(spread(players ?? []));
}

/**
 * Give an element a player's colours, as paint() does.
 * @template {HTMLElement} Kind
 * @param {Kind} target
 * @param {string} name
 * @param {string[] | null} _players
 * @returns {Kind}
 */
export function tint(target, name, _players = null) {
  return paint(target, name);
}

/**
 * A chip in the player's colours.
 * @param {string} name
 * @param {{you?: boolean, players?: string[] | null}} options
 */
export function playerChip(name, { you = false } = {}) {
  return chip(name, { you });
}
