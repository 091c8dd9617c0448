/** Everything the page says about a match in words of its own: labels, hints, what happened. Words only. */

import { counted } from "../shared/dom.js";

const who = (match, player) => (player === match.me ? "you" : player);

/** As the first word of a sentence; a player's ID is as it is, for Ann may be somebody else than ann. */
const Who = (match, player) => (player === match.me ? "You" : player);

/** "4 across". */
export const placeWords = ({ id, direction }) => `${id} ${direction.toLowerCase()}`;

/** What a screen reader says of a clue: "4 across, 5 letters, clue: ..., entered by bob: crane, not confirmed". */
export function wordLabel(match, word) {
  return `${placeWords(word)}, ${counted(word.length, "letter")}, clue: ${word.clue}, ${standing(match, word)}`;
}

function standing(match, { entered, by, confirmed }) {
  if (entered === null) return "not entered";
  return `entered by ${who(match, by)}: ${entered}, ${confirmed ? "confirmed" : "not confirmed"}`;
}

/** What a screen reader says of a cell, whose letter the player may have typed over with `typed`. */
export function cellLabel(match, index, typed) {
  const [row, column] = match.place(index);
  const letter = match.cell(index).letter ?? "empty";
  const words = match.wordsAt(index).map((word) => {
    const nth = match.cellsOf(word).indexOf(index) + 1;
    const state = word.entered === null ? "not entered" : `entered by ${who(match, word.by)}${word.confirmed ? ", confirmed" : ""}`;
    return `${placeWords(word)}, letter ${nth} of ${word.length}, ${state}`;
  });
  return `${letter}${typed === undefined ? "" : `, you have typed ${typed}`}, row ${row + 1}, column ${column + 1}; ${words.join("; ")}`;
}

/**
 * What to do with the chosen word, short enough for a phone: `typed` of its letters are the player's own typing, `missing` are not there yet,
 * and `text` is what they spell.
 */
export function wordHint(match, word, { typed, missing, text, touch }) {
  const side = match.sideOf(word);
  const enter = touch ? "Try" : "Enter";
  if (word.confirmed) return `Confirmed: ${word.entered}, ${side === "mine" ? "yours" : `${word.by}'s`}.`;
  if (typed > 0 && missing > 0) return `${counted(missing, "letter")} to go.`;
  if (side === "theirs") {
    if (typed === 0) return `${word.by} says ${word.entered}. Wrong? Type the right word and challenge.`;
    return `Challenge with ${text}: +2 if you are right, −1 if not.`;
  }
  if (typed > 0) return `Press ${enter} to enter ${text}.`;
  if (side === "mine") return `Your word: ${word.entered}. Type another to change it.`;
  if (missing === 0) return `All its letters are there: press ${enter} to make it yours.`;
  return `Type all ${word.length} letters, then press ${enter}.`;
}

/** Sentences for what is different between two frames of one match. */
export function changeWords(before, now) {
  const gain = (player) => now.points[player] - before.points[player];
  const rival = (player) => now.players.find((other) => other !== player);
  const said = [];
  const cleared = [];
  for (const word of now.words) {
    const old = before.word(word.id);
    const place = placeWords(word);
    const same = old.entered === word.entered && old.by === word.by;
    if (same && old.confirmed === word.confirmed) continue;
    if (same) {
      const challenger = rival(word.by);
      if (gain(challenger) < 0) said.push(`${Who(now, challenger)} challenged ${word.entered}, ${place}. It is right, confirmed now, and costs ${who(now, challenger)} a point.`);
      else said.push(`${place} is confirmed: ${word.entered}.`);
    } else if (word.confirmed) {
      if (gain(word.by) > 0) said.push(`${Who(now, word.by)} challenged ${place} and won two points: it is ${word.entered}, confirmed.`);
      else said.push(`${Who(now, word.by)} entered ${word.entered}, ${place}, confirmed.`);
    } else if (word.entered !== null) said.push(`${Who(now, word.by)} entered ${word.entered}, ${place}.`);
    else cleared.push({ place, challenger: rival(old.by), old });
  }
  const [only] = cleared;
  if (cleared.length === 1 && said.length === 0 && gain(only.challenger) < 0) {
    said.push(`${Who(now, only.challenger)} challenged ${only.old.entered}, ${only.place}. Both words were wrong: it is cleared, and costs ${who(now, only.challenger)} a point.`);
  } else if (cleared.length > 0) {
    said.push(`Cleared: ${cleared.map(({ place, old }) => `${old.entered}, ${place}`).join("; ")}.`);
  }
  return said;
}

/** What happened while the connection was away; `before` is null after a reload. */
export function returnWords(before, now, awayMs) {
  const back = awayMs === null ? "Back in your match" : `Connected again after ${spanWords(awayMs)}`;
  if (before === null) return `${back}.`;
  const different = changeWords(before, now);
  if (different.length === 0) return `${back}. Nothing has changed.`;
  return `${back}. ${different.length > 2 ? `${counted(different.length, "thing")} happened meanwhile.` : different.join(" ")}`;
}

/** "3 seconds", "2 minutes". */
export function spanWords(ms) {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
}

/** What is lost with a connection that could not be taken back. */
export function lossWords({ state, match }) {
  if (state === "PLAY") return `Your match ${match} is gone: you were away for too long, or the server was started anew.`;
  if (state === "WAIT") return `Your match ${match} was withdrawn while you were away.`;
  return null;
}

/** The end: `{title, words}`. */
export function endWords({ winner, points, forfeited_by: forfeiter }, me) {
  const other = Object.keys(points).find((player) => player !== me);
  const score = `${points[me]} to ${points[other]}`;
  const end = forfeiter === null ? "The puzzle is complete." : `${forfeiter === me ? "You" : forfeiter} gave up the match.`;
  if (winner === null) return { title: "A draw!", words: `${end} ${counted(points[me], "point")} each.` };
  if (winner === me) return { title: "You win!", words: `${end} ${score} for you.` };
  return { title: `${winner} wins!`, words: `${end} ${points[other]} to ${points[me]} for ${winner}.` };
}

/** "+2", "0", "−1". */
export const signed = (number) => (number > 0 ? `+${number}` : String(number).replace("-", "−"));
