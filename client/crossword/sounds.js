/** The events of a crossword in a room that cause a sound or a notification. */

/** @import { Match } from "./match.js" */
/** @import { Sound } from "../shared/sound.js" */

/**
 * The sound for the changes between two frames of one match, or null if they do not concern this player.
 * @param {Match} before
 * @param {Match} now
 * @returns {Sound | null}
 */
export function soundOf(before, now) {
  const me = now.you;
  if (me === null) return null;
  const gain = now.points[me] - before.points[me];
  if (gain !== 0) return gain > 0 ? "match" : "boom";
  const entered = now.words.some(({ id, by, entered: text }) => by === me && before.word(id)?.entered !== text);
  return entered ? "turn" : null;
}

/**
 * True if the other player has just challenged a word of this player.
 * @param {Match} before
 * @param {Match} now
 */
export function isChallenged(before, now) {
  const me = now.you;
  if (me === null || before.points[now.other] === now.points[now.other]) return false;
  return before.words.some(({ id, by, entered, confirmed }) => {
    if (by !== me || entered === null) return false;
    const word = now.word(id);
    return word?.entered !== entered || word.confirmed !== confirmed;
  });
}
