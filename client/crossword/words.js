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
 * The state of a word: "not entered", or "entered by bob: crane, confirmed"; in the end the `right` word, too, if
 * another one stands there, or none.
 * @param {Match} match
 * @param {Word} word
 * @param {string | null} right
 */
export function standing(match, { entered, by, confirmed }, right = null) {
  const solution = right === null ? "" : `, solution: ${right}`;
  if (entered === null) return `not entered${solution}`;
  return `entered by ${who(match, by)}: ${entered}, ${confirmed ? "confirmed" : "not confirmed"}${solution}`;
}

/**
 * The label of a cell for screen readers, whose letter the player may have typed over with `typed`.
 * @param {Match} match
 * @param {number} index
 * @param {string | undefined} typed
 */
export function cellLabel(match, index, typed) {
  const [row, column] = match.place(index);
  const missed = match.missedAt(index);
  const stands = match.cell(index)?.letter ?? "empty";
  const letter = missed === null ? stands : `${stands}, solution ${missed}`;
  const words = match.wordsAt(index).map((word) => {
    const nth = match.cellsOf(word).indexOf(index) + 1;
    const state =
      word.entered === null ? "not entered" : `entered by ${who(match, word.by)}${word.confirmed ? ", confirmed" : ""}`;
    return `${placeWords(word)}, letter ${nth} of ${word.length}, ${state}`;
  });
  const over = typed === undefined ? "" : `, you have typed ${typed}`;
  return `${letter}${over}, row ${row + 1}, column ${column + 1}; ${words.join("; ")}`;
}

export const LOST = "Connection lost,";
export const MAY_RETURN = "may come back";
export const NOBODY = "Nobody";
export const NOBODY_ENTERED = "Nobody entered this word.";
export const CONSOLE = "Commands";

/** @param {number} seconds */
export const secondsLeftWords = (seconds) => `${timeWords(seconds)} to come back`;

/**
 * "7 of 26 words".
 * @param {number} found
 * @param {number} all
 */
export const foundWords = (found, all) => `${found} of ${counted(all, "word")}`;

/** @param {number} mistakes */
export const mistakeWords = (mistakes) => counted(mistakes, "mistake");

/**
 * "12:05", "1:00:00".
 * @param {number} seconds
 */
export function timeWords(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/**
 * The columns and the cells of the table of who had what: "right", "wrong", "open" as Match.outcomeOf says.
 */
export const TABLE = {
  title: "Who had what",
  word: "Word",
  answer: "Answer",
  player: "Player",
  instead: (/** @type {string} */ entered) => `said ${entered}`,
  right: "Right",
  wrong: "Wrong",
};

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
  const solution = match.solution?.[word.id - 1] ?? null;
  if (solution !== null && word.entered !== solution)
    return word.entered === null
      ? `Nobody had it: ${solution}.`
      : `${Who(match, word.by)} had ${word.entered}, and it is ${solution}.`;
  if (match.isAlone && word.confirmed) return `Right: ${word.entered}.`;
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
  /** @type {string[]} */
  const said = [];
  /** @type {Word[]} */
  const cleared = [];
  for (const word of now.words) {
    const old = before.word(word.id) ?? word;
    const place = placeWords(word);
    const same = old.entered === word.entered && old.by === word.by;
    if (same && old.confirmed === word.confirmed) continue;
    const author = word.by === null ? "" : Who(now, word.by);
    if (now.isAlone) {
      said.push(`${place} is right: ${word.entered}.`);
      continue;
    }
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
 * What somebody who plays alone is told of a wrong word.
 * @param {Word} word
 */
export const mistakenWords = (word) => `That is not ${placeWords(word)}: a mistake, and one point less.`;

/**
 * What begins: a match with somebody, or a puzzle for one.
 * @param {Match} match
 */
export function beginWords(match) {
  const words = counted(match.words.length, "word");
  return match.isAlone
    ? `The clock runs: ${words} to find.`
    : `The match with ${nameOf(match.other)} has begun: ${words} to find.`;
}

/**
 * The end: `{title, words}`.
 * @param {Result} result
 * @param {Match} match
 */
export function endWords({ winner, points, forfeited_by: forfeiter, ended, seconds }, match) {
  const { me, you } = match;
  if (match.isAlone) {
    const score = [
      timeWords(seconds ?? 0),
      mistakeWords(-match.points[me]),
      counted(points[me], "point").replace("-", "−"),
    ].join(", ");
    return { title: winner === null ? "Not completed" : "Complete!", words: `${score}.` };
  }
  const other = Object.keys(points).find((player) => player !== me) ?? "";
  const score = `${points[me]} to ${points[other]}`;
  const loser = forfeiter === you ? "You" : nameOf(forfeiter ?? "");
  const end =
    ended === "timed out"
      ? "Nobody has moved for too long."
      : forfeiter === null
        ? "The puzzle is complete."
        : ended === "left"
          ? `${loser} left: the connection was lost for too long.`
          : `${loser} gave up the match.`;
  if (winner === null) return { title: "A draw!", words: `${end} ${counted(points[me], "point")} each.` };
  const title = winner === you ? "You win!" : `${nameOf(winner)} wins!`;
  const isAhead = points[winner] > points[winner === me ? other : me]; // or has won by what the other player did
  if (!isAhead) return { title, words: `${end} The points are ${score}.` };
  if (winner === you) return { title, words: `${end} ${score} for you.` };
  if (winner === me) return { title, words: `${end} ${score} for ${nameOf(winner)}.` };
  return { title, words: `${end} ${points[other]} to ${points[me]} for ${nameOf(winner)}.` };
}

/**
 * "+2", "0", "−1".
 * @param {number} number
 */
export const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));
