/**
 * Sentences for the events of a recording, in the language of this page, made from codes and params. Each game has
 * sentences for its own events. This module adds the sentences that all games share. docs/reference/replay.md lists the
 * codes.
 */

import { isolated, nameOf } from "../shared/names.js";
import { WORDS } from "./words.js";

/** @typedef {{code: string, params: Record<string, any>}} Told an event */
/** @typedef {(told: Told) => string | null} Tell makes a sentence, or returns null for an unknown code */

/**
 * Return a function that makes the sentence for an event, from `sentences` by code. `players` has the names of the
 * params that are player IDs, or lists of IDs: the sentence gets the players' names instead. Other texts are isolated:
 * their text direction does not change the words beside them.
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
 * The sentence for an event: the game's sentence, else the sentence of all games. For an unknown code, the code itself.
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
