/** The page's words about the field: labels of squares, what to do next, what others did. */

import { nameOf } from "../shared/names.js";
import { counted, spanWords } from "../shared/words.js";

/** @import { Field, MoveEvent, Player } from "./field.js" */

/**
 * People count from 1; telnet counts from 0, and its hint says so.
 * @param {Field} field
 * @param {number} index
 */
export const placeWords = (field, index) => {
  const [x, y] = field.place(index);
  return `column ${x + 1}, row ${y + 1}`;
};

/**
 * A player's name to show: the name, and the number if two have the same.
 * @param {Field} field
 * @param {{id: number, name: string}} player
 */
export const nameWords = (field, player) => {
  const name = nameOf(player.name);
  return field.isNamesake(player) ? `${name} (${player.id})` : name;
};

/**
 * The label of a square for screen readers, such as "column 3, row 2, untouched".
 * @param {Field} field
 * @param {number} index
 */
export function squareLabel(field, index, pending = false) {
  const others = field.playersAt(index).filter(({ id }) => id !== field.you);
  const here =
    others.length === 0
      ? ""
      : `, ${others
          .slice(0, 3)
          .map((player) => nameWords(field, player))
          .join(" and ")} was here`;
  const crater = field.craters.has(index) ? ", a bomb went off here" : "";
  const waiting = pending ? ", waiting for the server" : "";
  return `${placeWords(field, index)}, ${stateWords(field, index)}${waiting}${crater}${endWords(field, index)}${here}`;
}

/**
 * @param {Field} field
 * @param {number} index
 */
function stateWords(field, index) {
  const { end, start } = field.contest;
  if (field.isUntouched(index)) {
    if (end !== null) return "a bomb";
    return start !== null && field.index(...start) === index ? "untouched, start here" : "untouched";
  }
  if (field.isFlagged(index)) return end === null ? "flagged" : "a bomb, flagged";
  const bombs = field.count(index);
  const near = bombs === 0 ? "dug, no bombs near" : `dug, ${counted(bombs, "bomb")} near`;
  return end === null && field.canChord(index) ? `${near}, all flagged: dig here to open the rest` : near;
}

/**
 * What the end tells of a square: whose it is.
 * @param {Field} field
 * @param {number} index
 */
function endWords(field, index) {
  const { end } = field.contest;
  if (end === null) return "";
  const [x, y] = field.place(index);
  const owner = end.ownerOf(x, y);
  const by = owner === null || field.isFlagged(index) ? "" : `, opened by ${nameOf(owner)}`;
  const flag = owner !== null && field.isFlagged(index) ? ` by ${nameOf(owner)}` : "";
  const wrong = end.wrongBy(x, y);
  const mistake = !end.isWrong(x, y) ? "" : `, a wrong flag${wrong === null ? "" : ` by ${nameOf(wrong)}`} stood here`;
  return `${flag}${by}${mistake}`;
}

/**
 * The next step for the player: `{text, tone, rejoin}`; `hasBlown` says that this player has dug a bomb and is out,
 * `pauseMs` for how long this player still pauses after one.
 * @param {Field} field
 * @param {{state: string, mode: string, hasBlown: boolean, pauseMs: number}} now
 * @returns {{text: string, tone: string, rejoin: boolean}}
 */
export function nextWords(field, { state, mode, hasBlown, pauseMs }) {
  /** @type {(text: string, tone?: string) => {text: string, tone: string, rejoin: boolean}} */
  const say = (text, tone = "plain") => ({ text, tone, rejoin: false });
  if (state === "lost") return say("The connection is lost. Trying to reconnect…", "lost");
  if (field.rows === 0) return say("Connecting…");
  const { contest } = field;
  if (contest.end !== null) return say(WORDS.won(clockWords(contest.clock(0) ?? 0)), "mine");
  if (field.you === null) return { text: hasBlown ? WORDS.boomHere : WORDS.lost, tone: "lost", rejoin: true };
  if (contest.left === 0 || (contest.left === null && field.untouched === 0 && field.flagged === 0))
    return say(WORDS.allDone, "mine");
  if (pauseMs > 0) return say(WORDS.pausing(Math.ceil(pauseMs / 1000)), "lost");
  if (contest.start !== null) return say(WORDS.startHere, "mine");
  if (field.untouched === 0) return say(WORDS.allFlagged);
  if (mode === "flag") return say(WORDS.flagNow);
  return say(field.players.get(field.you)?.at === null ? WORDS.digFirst : WORDS.digOn);
}

/**
 * A sentence that tells what a player did; `changed` is how many squares look different since.
 * @param {MoveEvent} event
 * @param {string} who
 * @param {number} changed
 */
export function moveWords(event, who, changed) {
  if (event.is === "exploded" || event.booms !== undefined) return `${who} blew up.`;
  if (event.is === "flagged") return `${who} set a flag.`;
  if (event.is === "deflagged") return `${who} took a flag away.`;
  return `${who} opened ${counted(changed, "square")}.`;
}

/**
 * A time on the clock: "1:05", "1:02:03".
 * @param {number} milliseconds
 */
export function clockWords(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export const WORDS = {
  won: (/** @type {string} */ time) => `The field is clear, in ${time}. The colours say who opened what.`,
  allDone: "All done: every square without a bomb is open.",
  boomHere: "BOOM! That was a bomb.",
  lost: "You have lost.",
  pausing: (/** @type {number} */ seconds) => `Boom! A short break: you go on in ${seconds} s.`,
  paused: (/** @type {number} */ seconds) => `pauses ${seconds} s`,
  boomPause: (/** @type {number} */ seconds) => `Boom! That was a bomb. You go on in ${counted(seconds, "second")}.`,
  goOn: "You can go on.",
  boomDebug: "BOOM! That was a bomb. You play on because this server runs in debug mode.",
  startHere: "Begin at the marked square: from there nobody needs to guess.",
  startFirst: "Begin at the marked square.",
  allFlagged: "Every square is dug or flagged. Only digging shows whether a flag is right.",
  flagNow: "Flag the squares where bombs must be.",
  digFirst: "Dig a square. The number says how many bombs touch it.",
  digOn: "Dig where no bomb can be, flag where one must be.",
  tapAgain: "Tap the number again to open the rest around it.",
  flagFirst: "A flagged square cannot be dug: take the flag away first.",
  show: "Show on the field",
  toDig: (/** @type {number} */ left) => `${counted(left, "square")} to dig`,
  result: "The field is clear",
  resultTime: (/** @type {string} */ time) => `It took ${time}.`,
  points: "Points",
  squares: "Squares",
  flags: "Flags",
  booms: "Booms",
};

/** @typedef {{version: number, columns: number, squares: Uint8Array}} Before the connection was lost */

/**
 * A summary of what changed while the connection was lost, from the squares before and the field now.
 * @param {Before} before
 * @param {Field} field
 * @param {number} awayMs
 */
export function returnWords(before, field, awayMs) {
  const back = `Connected again after ${spanWords(awayMs)}`;
  const now = field.squares();
  if (before.columns !== field.columns || before.squares.length !== now.length || before.version > field.version) {
    return `${back}. It is another field now: ${counted(field.columns, "column")} by ${counted(field.rows, "row")}.`;
  }
  let different = 0;
  for (let i = 0; i < now.length; i += 1) if (now[i] !== before.squares[i]) different += 1;
  return different === 0
    ? `${back}. Nothing has changed.`
    : `${back}. ${counted(different, "square")} changed meanwhile.`;
}
