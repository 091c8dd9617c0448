/** The page's words in its language, and sentences about the field: labels of squares, next steps, moves of players. */

import { clockWords } from "../shared/grammar.js";
import { language } from "../shared/language.js";
import { nameOf } from "../shared/names.js";
import { retry } from "../shared/retry.js";
import { SHARED } from "../shared/words.js";

/** @import { Field, MoveEvent } from "./field.js" */

/** @type {typeof import("./words/en.js").default} */
export const WORDS = (await retry(() => import(`./words/${language}.js`))).default;

/**
 * A player's name on the page. If two players have the same name, the player's number is added.
 * @param {Field} field
 * @param {{id: number, name: string}} player
 */
export const nameWords = (field, player) => {
  const name = nameOf(player.name);
  return field.isNamesake(player) ? `${name} (${player.id})` : name;
};

/**
 * The place of a square, such as "column 3, row 2", counted from 1.
 * @param {Field} field
 * @param {number} index
 */
export const placeWords = (field, index) => {
  const [x, y] = field.place(index);
  return WORDS.place(x + 1, y + 1);
};

/**
 * The label of a square for screen readers, such as "column 3, row 2, untouched".
 * @param {Field} field
 * @param {number} index
 */
export function squareLabel(field, index, pending = false) {
  const others = field.playersAt(index).filter(({ id }) => id !== field.you);
  const names = others.slice(0, 3).map((player) => nameWords(field, player));
  return [
    placeWords(field, index),
    ...(field.contest.end === null ? stateWords(field, index) : endWords(field, index)),
    ...(pending ? [WORDS.waiting] : []),
    ...(field.craters.has(index) ? [WORDS.crater] : []),
    ...(names.length > 0 ? [WORDS.wasHere(names)] : []),
  ].join(", ");
}

/**
 * @param {Field} field
 * @param {number} index
 */
function stateWords(field, index) {
  const { start } = field.contest;
  if (field.isUntouched(index))
    return [start !== null && field.index(...start) === index ? WORDS.untouchedStart : WORDS.untouched];
  if (field.isFlagged(index)) return [WORDS.flagged];
  return [WORDS.dug(field.count(index)), ...(field.canChord(index) ? [WORDS.chord] : [])];
}

/**
 * The words about a square at the end of the game: a bomb, or the owner.
 * @param {Field} field
 * @param {number} index
 */
function endWords(field, index) {
  const { end } = field.contest;
  if (end === null) return [];
  const [x, y] = field.place(index);
  const owner = end.ownerOf(x, y);
  const by = owner === null ? null : nameOf(owner);
  if (field.isUntouched(index)) return [WORDS.hiddenBomb];
  if (field.isFlagged(index)) return [WORDS.flaggedBomb(by)];
  const wrong = end.wrongBy(x, y);
  return [
    WORDS.dug(field.count(index)),
    ...(by === null ? [] : [WORDS.openedFor(by)]),
    ...(end.isWrong(x, y) ? [WORDS.wrongFlag(wrong === null ? null : nameOf(wrong))] : []),
  ];
}

/**
 * The next step for the player: `{text, tone, rejoin}`. `hasBlown` is true if this player has dug a bomb and is out of
 * the game. `pauseMs` is the remaining time of this player's pause.
 * @param {Field} field
 * @param {{state: string, mode: string, hasBlown: boolean, pauseMs: number}} now
 * @returns {{text: string, tone: string, rejoin: boolean}}
 */
export function nextWords(field, { state, mode, hasBlown, pauseMs }) {
  /** @type {(text: string, tone?: string) => {text: string, tone: string, rejoin: boolean}} */
  const say = (text, tone = "plain") => ({ text, tone, rejoin: false });
  if (state === "moving" || state === "slow") return say(SHARED.goesOn);
  if (state === "lost") return say(SHARED.tryingToReconnect, "lost");
  if (field.rows === 0) return say(SHARED.connecting);
  const { contest } = field;
  if (contest.end !== null) return say(WORDS.won(clockWords(contest.clock(0) ?? 0)), "mine");
  if (field.you === null) return { text: hasBlown ? WORDS.boomHere : WORDS.lost, tone: "lost", rejoin: true };
  if (contest.left === 0 || (contest.left === null && field.untouched === 0 && field.flagged === 0))
    return say(WORDS.allDone, "mine");
  if (pauseMs > 0) return say(WORDS.pausing(Math.ceil(pauseMs / 1000)), "lost");
  if (contest.start !== null) return say(WORDS.startHere, "mine");
  if (field.untouched === 0) return say(WORDS.allFlagged);
  if (mode === "flag") return say(WORDS.flagNow);
  return say(field.hasMoved ? WORDS.digOn : WORDS.digFirst);
}

/**
 * A sentence about a player's move. `who` is null for the player of this page. `changed` is the number of changed
 * squares.
 * @param {MoveEvent} event
 * @param {string | null} who
 * @param {number} changed
 */
export function moveWords(event, who, changed) {
  if (event.is === "exploded" || event.booms !== undefined) return WORDS.blewUp(who);
  if (event.is === "flagged") return WORDS.setFlag(who);
  if (event.is === "deflagged") return WORDS.tookFlag(who);
  return WORDS.openedBy(who, changed);
}

/** @typedef {{version: number, columns: number, squares: Uint8Array}} Before the connection was lost */

/**
 * A summary of the changes while the connection was lost, from the earlier squares and the present field. If `awayMs`
 * is null because the game moved to another process, the summary has only the changes.
 * @param {Before} before
 * @param {Field} field
 * @param {number | null} awayMs
 */
export function returnWords(before, field, awayMs) {
  const now = field.squares();
  const back = awayMs === null ? "" : SHARED.connectedAgain(awayMs);
  if (before.columns !== field.columns || before.squares.length !== now.length || before.version > field.version)
    return `${back} ${WORDS.otherField(field.columns, field.rows)}`.trim();
  let different = 0;
  for (let i = 0; i < now.length; i += 1) if (now[i] !== before.squares[i]) different += 1;
  if (different === 0) return awayMs === null ? "" : `${back} ${SHARED.nothingChanged}`;
  return `${back} ${WORDS.changedMeanwhile(different)}`.trim();
}
