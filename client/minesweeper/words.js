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
  return `${placeWords(field, index)}, ${stateWords(field, index)}${waiting}${crater}${here}`;
}

/**
 * @param {Field} field
 * @param {number} index
 */
function stateWords(field, index) {
  if (field.isUntouched(index)) return "untouched";
  if (field.isFlagged(index)) return "flagged";
  const bombs = field.count(index);
  return bombs === 0 ? "dug, no bombs near" : `dug, ${counted(bombs, "bomb")} near`;
}

/**
 * The next step for the player: `{text, tone, rejoin}`; `blown` is the index of the square that blew this player up.
 * @param {Field} field
 * @param {{state: string, mode: string, blown: number | null}} now
 * @returns {{text: string, tone: string, rejoin: boolean}}
 */
export function nextWords(field, { state, mode, blown }) {
  if (state === "lost") return { text: "The connection is lost. Trying to reconnect…", tone: "lost", rejoin: false };
  if (field.rows === 0) return { text: "Connecting…", tone: "plain", rejoin: false };
  if (field.you === null) {
    const where = blown === null ? "You have lost." : `BOOM! There was a bomb at ${placeWords(field, blown)}.`;
    return { text: where, tone: "lost", rejoin: true };
  }
  if (field.untouched === 0 && field.flagged === 0)
    return { text: "All done: every square is dug.", tone: "mine", rejoin: false };
  if (field.untouched === 0) {
    return {
      text: "Every square is dug or flagged. Only digging shows whether a flag is right.",
      tone: "plain",
      rejoin: false,
    };
  }
  if (mode === "flag") return { text: "Flag the squares where bombs must be.", tone: "plain", rejoin: false };
  if (field.players.get(field.you)?.at === null)
    return { text: "Dig a square. The number says how many bombs touch it.", tone: "plain", rejoin: false };
  return { text: "Dig where no bomb can be, flag where one must be.", tone: "plain", rejoin: false };
}

/**
 * A sentence that tells what a player did; `changed` is how many squares look different since.
 * @param {Field} field
 * @param {MoveEvent} event
 * @param {string} who
 * @param {number} changed
 */
export function moveWords(field, event, who, changed) {
  const place = placeWords(field, field.index(event.x, event.y));
  switch (event.is) {
    case "exploded":
      return `${who} blew up at ${place}.`;
    case "flagged":
      return `${who} flagged ${place}.`;
    case "deflagged":
      return `${who} took the flag from ${place}.`;
    default:
      return changed > 1 ? `${who} dug ${place} and opened ${changed} squares.` : `${who} dug ${place}.`;
  }
}

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
