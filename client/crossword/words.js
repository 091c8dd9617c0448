/** The page's words in the language of the page, and sentences about a match: labels, hints, news. */

import { clockWords } from "../shared/grammar.js";
import { language } from "../shared/language.js";
import { isolating, nameOf } from "../shared/names.js";
import { retry } from "../shared/retry.js";
import { SHARED } from "../shared/words.js";

/** @import { Direction, Frame, Match, Missing, Result, Word } from "./match.js" */

/** @type {typeof import("./words/en.js").default} */
export const WORDS = isolating((await retry(() => import(`./words/${language}.js`))).default);

/**
 * A player as a parameter for the catalogues: the name, or null for the user. Comparing IDs is case-sensitive: Ann and
 * ann are two players.
 * @param {{you: string | null}} match
 * @param {string} player
 */
const who = (match, player) => (player === match.you ? null : nameOf(player));

/** @param {Direction} direction */
const isAcross = (direction) => direction === "ACROSS";

/**
 * The place of a word: "4 across".
 * @param {Pick<Word, "id" | "direction">} word
 */
export const placeWords = ({ id, direction }) => WORDS.place(id, isAcross(direction));

/**
 * The label of a clue for screen readers: "4 across, 5 letters, clue: ..., entered by bob: crane, not confirmed".
 * @param {Match} match
 * @param {Word} word
 */
export function wordLabel(match, word) {
  return [placeWords(word), WORDS.length(word.length), WORDS.clue(word.clue), standing(match, word)].join(", ");
}

/**
 * The words between the number and the text of a clue, for screen readers.
 * @param {Word} word
 */
export const clueBegins = ({ direction, length }) =>
  ` ${WORDS.placeOnly(isAcross(direction))}, ${WORDS.length(length)}, ${WORDS.clue("")}`;

/**
 * The state of a word: "not entered", or "entered by bob: crane, confirmed". At the end, the state includes the `right`
 * word if that word is not on the board.
 * @param {Match} match
 * @param {Word} word
 * @param {string | null} right
 */
export function standing(match, { entered, by, confirmed }, right = null) {
  return [
    ...(entered === null
      ? [WORDS.notEntered]
      : [WORDS.enteredAs(who(match, by), entered), confirmed ? WORDS.confirmed : WORDS.notConfirmed]),
    ...(right === null ? [] : [WORDS.solution(right)]),
  ].join(", ");
}

/**
 * The label of a cell for screen readers. `typed` is the letter that the player has typed in the cell, or undefined.
 * @param {Match} match
 * @param {number} index
 * @param {string | undefined} typed
 */
export function cellLabel(match, index, typed) {
  const [row, column] = match.place(index);
  const missed = match.missedAt(index);
  const words = match.wordsAt(index).map((word) => {
    const nth = match.cellsOf(word).indexOf(index) + 1;
    return [
      placeWords(word),
      WORDS.letterOf(nth, word.length),
      word.entered === null ? WORDS.notEntered : WORDS.enteredBy(who(match, word.by)),
      ...(word.confirmed ? [WORDS.confirmed] : []),
    ].join(", ");
  });
  const square = [
    match.cell(index)?.letter ?? WORDS.empty,
    ...(missed === null ? [] : [WORDS.solution(missed)]),
    ...(typed === undefined ? [] : [WORDS.typed(typed)]),
    WORDS.square(row + 1, column + 1),
  ];
  return `${square.join(", ")}; ${words.join("; ")}`;
}

/**
 * A time in the form of a clock: "12:05", "1:00:00".
 * @param {number} seconds
 */
export const timeWords = (seconds) => clockWords(1000 * seconds);

/**
 * The next step for the chosen word, short enough for a phone. `typed` is the number of typed letters, `missing` the
 * number of missing letters, and `text` the word so far.
 * @param {Match} match
 * @param {Word} word
 * @param {{typed: number, missing: number, text: string, touch: boolean}} draft
 */
export function wordHint(match, word, { typed, missing, text, touch }) {
  const key = touch ? WORDS.keyTry : WORDS.keyEnter;
  const { entered, by } = word;
  const solution = match.solution?.[word.id - 1] ?? null;
  if (solution !== null && entered === null) return WORDS.nobodyHad(solution);
  if (solution !== null && entered !== null && entered !== solution)
    return WORDS.hadInstead(who(match, by), entered, solution);
  if (entered !== null && word.confirmed)
    return match.isAlone ? WORDS.isRight(entered) : WORDS.isConfirmed(who(match, by), entered);
  if (match.you === null) return entered === null ? "" : WORDS.says(nameOf(by), entered);
  if (typed > 0 && missing > 0) return WORDS.toGo(missing);
  if (entered !== null && match.sideOf(word) === "theirs")
    return typed === 0 ? WORDS.saysWrong(nameOf(by), entered) : WORDS.challengeWith(text);
  if (typed > 0) return WORDS.pressToEnter(key, text);
  if (entered !== null) return WORDS.yours(entered);
  if (missing === 0) return WORDS.allThere(key);
  if (missing < word.length) return WORDS.toGo(missing); // the player types only the missing letters
  return WORDS.typeAll(word.length, key);
}

/**
 * Sentences about the changes between two frames of one match.
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
    if (word.entered === null) cleared.push(old);
    else if (now.isAlone) said.push(WORDS.found(place, word.entered));
    else if (same) {
      const challenger = rival(word.by);
      if (gain(challenger) >= 0) said.push(WORDS.gotConfirmed(place, word.entered));
      else {
        const by = who(now, challenger);
        said.push(`${WORDS.challenged(by, word.entered, place)} ${WORDS.wasRight(by)}`);
      }
    } else if (word.confirmed && gain(word.by) > 0) said.push(WORDS.won(who(now, word.by), place, word.entered));
    else if (word.confirmed) said.push(WORDS.enteredConfirmed(who(now, word.by), word.entered, place));
    else said.push(WORDS.entered(who(now, word.by), word.entered, place));
  }
  const [only] = cleared;
  const challenger = only === undefined ? "" : rival(only.by);
  if (cleared.length === 1 && said.length === 0 && gain(challenger) < 0) {
    const by = who(now, challenger);
    said.push(`${WORDS.challenged(by, only.entered ?? "", placeWords(only))} ${WORDS.bothWrong(by)}`);
  } else if (cleared.length > 0) {
    said.push(WORDS.cleared(cleared.map((old) => `${old.entered}, ${placeWords(old)}`).join("; ")));
  }
  return said;
}

/**
 * A summary of the changes while the connection was lost. `before` is null after a reload.
 * @param {Match | null} before
 * @param {Match} now
 * @param {number | null} awayMs
 */
export function returnWords(before, now, awayMs) {
  const back = awayMs === null ? WORDS.backInMatch : SHARED.connectedAgain(awayMs);
  if (before === null) return back;
  const different = changeWords(before, now);
  if (different.length === 0) return `${back} ${SHARED.nothingChanged}`;
  if (different.length > 2) return `${back} ${WORDS.thingsHappened(different.length)}`;
  return `${back} ${different.join(" ")}`;
}

/**
 * The words about a command that got no answer because the connection was lost. Null if its word is on the board.
 * @param {string} line
 * @param {Frame} frame the first frame after the loss
 */
export function unansweredWords(line, { state, match, player }) {
  const [, id, word] = /^\s*(?:TRY|CHALLENGE)\s+(\d+)\s+(\S+)\s*$/i.exec(line) ?? [];
  if (word === undefined) return WORDS.maybeNotDone;
  const there = state === "PLAY" && match.words.find((/** @type {Word} */ one) => one.id === Number(id));
  const isEntered = there && there.by === player && there.entered?.toLowerCase() === word.toLowerCase();
  return isEntered ? null : WORDS.maybeNotEntered(word);
}

/**
 * The words about the loss of a session that could not be resumed.
 * @param {{state: string, match: string | null}} lost
 */
export function lossWords({ state, match }) {
  if (state === "PLAY") return WORDS.matchGoneAway(match ?? "");
  if (state === "WAIT") return WORDS.matchWithdrawn(match ?? "");
  return null;
}

/**
 * The reason for a refusal, in the words of this page. The server's text is written for typed commands.
 * @param {Frame} frame
 */
export function refusalWords({ error, code, params }) {
  const known = WORDS.refusals[code ?? ""]?.(params ?? {});
  return known ?? (error === null ? null : plainWords(error));
}

/**
 * The server's text with plain words in place of the parameter names of typed commands.
 * @param {string} text
 */
function plainWords(text) {
  return Object.entries(WORDS.protocolNames).reduce((plain, [name, word]) => plain.replaceAll(name, word), text);
}

/**
 * The notice that the other player has lost the connection.
 * @param {Missing} missing
 */
export const awayWords = ({ player, seconds_left: seconds }) =>
  seconds === undefined ? WORDS.away(nameOf(player)) : WORDS.awayFor(nameOf(player), seconds);

/**
 * The words for the beginning of a match with another player, or of a single-player match.
 * @param {Match} match
 */
export const beginWords = (match) =>
  match.isAlone ? WORDS.begunAlone(match.words.length) : WORDS.begun(nameOf(match.other), match.words.length);

/**
 * The text at the end of a match: `{title, words}`.
 * @param {Result} result
 * @param {Match} match
 */
export function endWords({ winner, points, forfeited_by: forfeiter, ended, seconds }, match) {
  const { me, you, other } = match;
  if (match.isAlone)
    return {
      title: winner === null ? WORDS.notComplete : WORDS.completeAlone,
      words: WORDS.scoreAlone(timeWords(seconds ?? 0), Math.abs(match.points[me]), points[me]),
    };
  const loser = forfeiter === null ? null : who(match, forfeiter);
  const played = ended?.startsWith("timed") ? WORDS.timedOut : WORDS.complete;
  const end = forfeiter === null ? played : ended === "left" ? WORDS.left(loser) : WORDS.gaveUp(loser);
  if (winner === null) return { title: WORDS.drawn, words: `${end} ${WORDS.each(points[me])}` };
  const title = winner === you ? WORDS.youWin : WORDS.wins(nameOf(winner));
  const [most, least] = winner === me ? [points[me], points[other]] : [points[other], points[me]];
  // the other player left or gave up
  if (most <= least) return { title, words: `${end} ${WORDS.score(points[me], points[other])}` };
  return { title, words: `${end} ${WORDS.scoreFor(most, least, who(match, winner))}` };
}

/**
 * A number with a minus sign if it is negative: "2", "0", "−1".
 * @param {number} number
 */
export const figure = (number) => String(number).replace("-", "−");

/**
 * A number with its sign: "+2", "0", "−1".
 * @param {number} number
 */
export const signed = (number) => (number > 0 ? `+${number}` : figure(number));
