/** The page's own words about a match: labels, hints, what happened. */

import { nameOf } from "../shared/names.js";
import { counted, spanWords } from "../shared/words.js";

/** @import { Match, Missing, Result, Word } from "./match.js" */

/**
 * @param {{you: string | null}} match
 * @param {string} player
 */
const who = (match, player) => (player === match.you ? "you" : nameOf(player));

/**
 * The same at the start of a sentence. A player's ID keeps its case, because Ann and ann are two players.
 * @param {{you: string | null}} match
 * @param {string} player
 */
const Who = (match, player) => (player === match.you ? "You" : nameOf(player));

/**
 * "4 across".
 * @param {Pick<Word, "id" | "direction">} word
 */
export const placeWords = ({ id, direction }) => `${id} ${direction.toLowerCase()}`;

/**
 * The label of a clue for screen readers: "4 across, 5 letters, clue: ..., entered by bob: crane, not confirmed".
 * @param {Match} match
 * @param {Word} word
 */
export function wordLabel(match, word) {
  return `${placeWords(word)}, ${counted(word.length, "letter")}, clue: ${word.clue}, ${standing(match, word)}`;
}

/**
 * The state of a word: "not entered", or "entered by bob: crane, confirmed".
 * @param {Match} match
 * @param {Word} word
 */
export function standing(match, { entered, by, confirmed }) {
  if (entered === null) return "not entered";
  return `entered by ${who(match, by)}: ${entered}, ${confirmed ? "confirmed" : "not confirmed"}`;
}

/**
 * The label of a cell for screen readers, whose letter the player may have typed over with `typed`.
 * @param {Match} match
 * @param {number} index
 * @param {string | undefined} typed
 */
export function cellLabel(match, index, typed) {
  const [row, column] = match.place(index);
  const letter = match.cell(index)?.letter ?? "empty";
  const words = match.wordsAt(index).map((word) => {
    const nth = match.cellsOf(word).indexOf(index) + 1;
    const state =
      word.entered === null ? "not entered" : `entered by ${who(match, word.by)}${word.confirmed ? ", confirmed" : ""}`;
    return `${placeWords(word)}, letter ${nth} of ${word.length}, ${state}`;
  });
  const over = typed === undefined ? "" : `, you have typed ${typed}`;
  return `${letter}${over}, row ${row + 1}, column ${column + 1}; ${words.join("; ")}`;
}

/**
 * The next step for the chosen word, short enough for a phone: `typed` of its letters are the player's own typing,
 * `missing` are not there yet, and `text` is what they spell.
 * @param {Match} match
 * @param {Word} word
 * @param {{typed: number, missing: number, text: string, touch: boolean}} draft
 */
export function wordHint(match, word, { typed, missing, text, touch }) {
  const side = match.sideOf(word);
  const enter = touch ? "Try" : "Enter";
  if (word.confirmed) return `Confirmed: ${word.entered}, ${word.by === match.you ? "yours" : `${nameOf(word.by)}'s`}.`;
  if (match.you === null) return word.entered === null ? "" : `${nameOf(word.by)} says ${word.entered}.`;
  if (typed > 0 && missing > 0) return `${counted(missing, "letter")} to go.`;
  if (side === "theirs") {
    if (typed === 0) return `${nameOf(word.by)} says ${word.entered}. Wrong? Type the right word and challenge.`;
    return `Challenge with ${text}: +2 if you are right, −1 if not.`;
  }
  if (typed > 0) return `Press ${enter} to enter ${text}.`;
  if (side === "mine") return `Your word: ${word.entered}. Type another to change it.`;
  if (missing === 0) return `All its letters are there: press ${enter} to make it yours.`;
  return `Type all ${word.length} letters, then press ${enter}.`;
}

/**
 * Sentences for what is different between two frames of one match.
 * @param {Match} before
 * @param {Match} now
 */
export function changeWords(before, now) {
  const gain = (/** @type {string} */ player) => now.points[player] - before.points[player];
  const rival = (/** @type {string} */ player) => now.players.find((other) => other !== player) ?? "";
  const said = [];
  /** @type {Word[]} */
  const cleared = [];
  for (const word of now.words) {
    const old = before.word(word.id) ?? word;
    const place = placeWords(word);
    const same = old.entered === word.entered && old.by === word.by;
    if (same && old.confirmed === word.confirmed) continue;
    const author = word.by === null ? "" : Who(now, word.by);
    if (same) {
      const challenger = rival(word.by);
      if (gain(challenger) >= 0) said.push(`${place} is confirmed: ${word.entered}.`);
      else {
        const cost = costWords(now, challenger);
        said.push(`${challengeWords(now, challenger, word)} The word is right and now confirmed; ${cost}.`);
      }
    } else if (word.confirmed && gain(word.by) > 0) {
      said.push(`${author} challenged ${place} and won two points: it is ${word.entered}, confirmed.`);
    } else if (word.confirmed) said.push(`${author} entered ${word.entered}, ${place}, confirmed.`);
    else if (word.entered !== null) said.push(`${author} entered ${word.entered}, ${place}.`);
    else cleared.push(old);
  }
  const [only] = cleared;
  const challenger = only === undefined ? "" : rival(only.by);
  if (cleared.length === 1 && said.length === 0 && gain(challenger) < 0) {
    const challenged = challengeWords(now, challenger, only);
    said.push(`${challenged} Both words were wrong: the word is cleared, and ${costWords(now, challenger)}.`);
  } else if (cleared.length > 0) {
    said.push(`Cleared: ${cleared.map((old) => `${old.entered}, ${placeWords(old)}`).join("; ")}.`);
  }
  return said;
}

/**
 * @param {Match} match
 * @param {string} challenger
 * @param {Word} word
 */
const challengeWords = (match, challenger, word) =>
  `${Who(match, challenger)} challenged ${word.entered}, ${placeWords(word)}.`;

/**
 * @param {Match} match
 * @param {string} challenger
 */
const costWords = (match, challenger) =>
  `${who(match, challenger)} ${challenger === match.you ? "lose" : "loses"} a point`;

/**
 * A summary of what changed while the connection was lost; `before` is null after a reload.
 * @param {Match | null} before
 * @param {Match} now
 * @param {number | null} awayMs
 */
export function returnWords(before, now, awayMs) {
  const back = awayMs === null ? "Back in your match" : `Connected again after ${spanWords(awayMs)}`;
  if (before === null) return `${back}.`;
  const different = changeWords(before, now);
  if (different.length === 0) return `${back}. Nothing has changed.`;
  if (different.length > 2) return `${back}. ${counted(different.length, "thing")} happened meanwhile.`;
  return `${back}. ${different.join(" ")}`;
}

/**
 * The loss when a session could not be resumed.
 * @param {{state: string, match: string | null}} lost
 */
export function lossWords({ state, match }) {
  if (state === "PLAY") return `Your match ${match} is gone: you were away for too long, or the server was restarted.`;
  if (state === "WAIT") return `Your match ${match} was withdrawn while you were away.`;
  return null;
}

/**
 * The server's text in the words of this page: the server uses those of the typed commands.
 * @param {string} text
 */
export function plainWords(text) {
  return text
    .replaceAll("a Match_ID", "the name of a match")
    .replaceAll("Match_ID", "match")
    .replaceAll("Puzzle_ID", "puzzle")
    .replaceAll("Player_ID", "name");
}

/**
 * The notice that the other player has lost the connection.
 * @param {Missing} missing
 */
export function awayWords({ player, seconds_left: seconds }) {
  const time = seconds === undefined ? "" : `, and has ${counted(seconds, "second")} to come back`;
  return `${nameOf(player)} has lost the connection${time}. You may play on.`;
}

/**
 * The end: `{title, words}`.
 * @param {Result} result
 * @param {string} me
 */
export function endWords({ winner, points, forfeited_by: forfeiter, ended }, me) {
  const other = Object.keys(points).find((player) => player !== me) ?? "";
  const score = `${points[me]} to ${points[other]}`;
  const loser = forfeiter === me ? "You" : nameOf(forfeiter ?? "");
  const end =
    ended === "timed out"
      ? "Nobody has moved for too long."
      : forfeiter === null
        ? "The puzzle is complete."
        : ended === "left"
          ? `${loser} left: the connection was lost for too long.`
          : `${loser} gave up the match.`;
  if (winner === null) return { title: "A draw!", words: `${end} ${counted(points[me], "point")} each.` };
  const title = winner === me ? "You win!" : `${nameOf(winner)} wins!`;
  const isAhead = points[winner] > points[winner === me ? other : me]; // or has won by what the other player did
  if (!isAhead) return { title, words: `${end} The points are ${score}.` };
  if (winner === me) return { title, words: `${end} ${score} for you.` };
  return { title, words: `${end} ${points[other]} to ${points[me]} for ${nameOf(winner)}.` };
}

/**
 * "+2", "0", "−1".
 * @param {number} number
 */
export const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));
