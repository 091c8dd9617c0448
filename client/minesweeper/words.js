/** Everything the page says about the field: labels of squares, what to do next, what others did. Words only. */

import { counted } from "../shared/dom.js";

/** People count from 1; telnet counts from 0, and its hint says so. */
export const placeWords = (field, index) => {
  const [x, y] = field.place(index);
  return `column ${x + 1}, row ${y + 1}`;
};

/** What a player is called: the name, and the number if two have the same. */
export const nameWords = (field, player) => (field.isNamesake(player) ? `${player.name} (${player.id})` : player.name);

/** What a screen reader says of a square, such as "column 3, row 2, untouched". */
export function squareLabel(field, index, pending = false) {
  const others = field.playersAt(index).filter(({ id }) => id !== field.you);
  const here = others.length === 0 ? "" : `, ${others.slice(0, 3).map((player) => nameWords(field, player)).join(" and ")} was here`;
  const crater = field.craters.has(index) ? ", a bomb went off here" : "";
  return `${placeWords(field, index)}, ${stateWords(field, index)}${pending ? ", asked" : ""}${crater}${here}`;
}

function stateWords(field, index) {
  if (field.isUntouched(index)) return "untouched";
  if (field.isFlagged(index)) return "flagged";
  const bombs = field.count(index);
  return bombs === 0 ? "dug, no bombs near" : `dug, ${counted(bombs, "bomb")} near`;
}

/** What to do next: `{text, tone, rejoin}`; `blown` is the index of the square that blew this player up. */
export function nextWords(field, { state, mode, blown }) {
  if (state === "lost") return { text: "The connection is lost. Trying to reconnect…", tone: "lost", rejoin: false };
  if (field.rows === 0) return { text: "Connecting…", tone: "plain", rejoin: false };
  if (field.you === null) {
    const where = blown === null ? "You have lost." : `BOOM! There was a bomb at ${placeWords(field, blown)}.`;
    return { text: where, tone: "lost", rejoin: true };
  }
  if (field.untouched === 0) return { text: "All done: every square is dug or flagged.", tone: "mine", rejoin: false };
  if (mode === "flag") return { text: "Flag the squares where bombs must be.", tone: "plain", rejoin: false };
  if (field.players.get(field.you)?.at === null) return { text: "Dig a square. A number tells how many bombs touch it.", tone: "plain", rejoin: false };
  return { text: "Dig where no bomb can be, flag where one must be.", tone: "plain", rejoin: false };
}

/** A sentence that tells what a player did; `changed` is how many squares look different since. */
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

/** What happened while the connection was away, from the squares before and the field now. */
export function returnWords(before, field, awayMs) {
  const seconds = Math.max(1, Math.round(awayMs / 1000));
  const away = seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
  const back = `Connected again after ${away}`;
  const now = field.squares();
  if (before.columns !== field.columns || before.squares.length !== now.length || before.version > field.version) {
    return `${back}. It is another field now: ${counted(field.columns, "column")} by ${counted(field.rows, "row")}.`;
  }
  let different = 0;
  for (let i = 0; i < now.length; i += 1) if (now[i] !== before.squares[i]) different += 1;
  return different === 0 ? `${back}. Nothing has changed.` : `${back}. ${counted(different, "square")} changed meanwhile.`;
}
