/**
 * What happened in a recording, in the language of this page: sentences made from codes and params. A game has
 * sentences of its own, and those of all games are here. docs/reference/replay.md has the codes.
 */

import { isolated, nameOf } from "../shared/names.js";
import { WORDS } from "./words.js";

/** @typedef {{code: string, params: Record<string, any>}} Told what happened */
/** @typedef {(told: Told) => string | null} Tell makes a sentence; null for a code without one */

/**
 * What makes sentences of the given ones, by their codes. `players` are the params that are IDs of players, or lists of
 * them: a sentence gets their names. What people wrote does not take the words beside it along.
 * @param {Record<string, (params: any) => string>} sentences
 * @returns {Tell}
 */
export function teller(sentences, players = ["player"]) {
  return ({ code, params }) => {
    if (!Object.hasOwn(sentences, code)) return null;
    const read = (/** @type {[key: string, value: any]} */ [key, value]) => [
      key,
      players.includes(key) ? named(value) : own(value),
    ];
    return sentences[code](Object.fromEntries(Object.entries(params).map(read)));
  };
}

const tellOfAll = teller(WORDS.happenings, ["player", "seat"]);

/**
 * The sentence for what happened, made by the game, else here; a code that nobody knows is shown itself.
 * @param {Told} told
 * @param {Tell} tell of the game
 */
export const sentenceOf = (told, tell) => tell(told) ?? tellOfAll(told) ?? plainly(told);

/** @param {Told} told */
function plainly({ code, params: { player, ...others } }) {
  const about = Object.entries(others).map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`);
  const command = `${code.replaceAll("-", " ")}${about.length > 0 ? ` (${about.join(", ")})` : ""}`;
  return player === undefined ? command : WORDS.happenings.other({ player: named(player), command });
}

/** @type {(value: any) => any} */
const named = (value) =>
  Array.isArray(value) ? value.map(named) : value === null ? WORDS.somebody : nameOf(/** @type {string} */ (value));

/** @type {(value: any) => any} */
const own = (value) => (Array.isArray(value) ? value.map(own) : typeof value === "string" ? isolated(value) : value);
