/** The outcome of a game for one player, and the headline: what was special about the game. */

/** @import { Figures, Result } from "./rooms.js" */

/** @typedef {"won" | "lost" | "draw" | "solo" | "watched"} Outcome */
/** @typedef {{code: "inARow" | "byOne" | "flawless" | "farAhead", number: number}} Headline */

const LONG_STREAK = 4;
const FAR_AHEAD = 2; // times as many points as the second player

/**
 * The outcome for the player `me`, or null for a spectator. A game of one player has no winner and no loser.
 * @param {Result} result
 * @param {string[]} players
 * @param {string | null} me
 * @returns {Outcome}
 */
export function outcomeOf({ winners = [] }, players, me) {
  if (me === null || !players.includes(me)) return "watched";
  if (players.length === 1) return "solo";
  if (winners.length === 0) return "draw";
  return winners.includes(me) ? "won" : "lost";
}

/**
 * The headline of a game, or null if nothing was special. The player is `me`, or the winner if a spectator looks.
 * `figures` has the figures of each player. A game without figures of mistakes is never flawless.
 * @param {Result} result
 * @param {Map<string, Figures>} figures
 * @param {string | null} me
 * @returns {Headline | null}
 */
export function headlineOf({ scores, winners = [] }, figures, me) {
  const players = new Set([...Object.keys(scores), ...figures.keys()]); // the scores lack a player who made no move
  const points = [...players].map((player) => scores[player] ?? 0);
  const [first = 0, second = 0] = points.sort((one, other) => other - one);
  const several = players.size > 1;
  const hero = me ?? winners[0];
  const { streak = 0, booms, mistakes } = (hero === undefined ? undefined : figures.get(hero)) ?? {};
  const hasWon = winners.includes(hero); // who gives up a game alone has not won
  if (hasWon && streak >= LONG_STREAK) return { code: "inARow", number: streak };
  if (several && winners.length > 0 && first - second === 1) return { code: "byOne", number: 1 };
  if (hasWon && (booms === 0 || mistakes === 0)) return { code: "flawless", number: 0 };
  if (several && hasWon && second > 0 && first >= FAR_AHEAD * second)
    return { code: "farAhead", number: first - second };
  return null;
}
