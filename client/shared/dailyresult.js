/** The result of a daily challenge at the end of its game: the place in the table, and a button that shares it. */

import { noteResult, resultText, shareText, squares, timeWords } from "./daily.js";
import { element, setText } from "./dom.js";
import { ask, Refused } from "./rooms.js";
import { ROOM } from "./words.js";

/** @import { Daily } from "./daily.js" */
/** @import { KnownKind } from "./kinds.js" */
/** @import { Room } from "./room.js" */
/** @import { RoomInfo } from "./rooms.js" */

/**
 * Load the table of the challenge that was played in `room`. Return the result, or null if it is not in today's table:
 * the day is over, another browser played, or the server does not answer.
 * @param {Room} room
 * @param {RoomInfo} record
 * @param {KnownKind} kind
 */
export async function dailyResult(room, record, kind) {
  if (!record.daily) return null;
  const { day, number } = record.daily;
  if (record.host && record.result) noteResult(day); // also after midnight, when the table of the day is closed
  /** @type {Daily} */ let daily;
  try {
    daily = await ask("rooms/daily", { base: room.lobby });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return null;
  }
  const challenge = daily.games.find(({ game }) => game === record.game);
  const entry = challenge?.table.find(({ mine }) => mine);
  if (daily.day !== day || challenge === undefined || entry === undefined) return null;
  const said = element("p", { class: "hint", role: "status" });
  const share = element("button", { type: "button", class: "button", text: ROOM.shareResult });
  share.addEventListener("click", async () => {
    const done = await shareText(
      resultText({ title: kind.title || record.title, number, entry, kind, link: room.lobby }),
    );
    if (done !== "shared") setText(said, done === "copied" ? ROOM.resultCopied : ROOM.resultNotCopied);
  });
  const place = [ROOM.daily(number), timeWords(entry.seconds), ROOM.placeOf(entry.place, challenge.players)];
  return element(
    "div",
    { class: "ending-daily" },
    element("p", { class: "ending-place", text: place.join(" · ") }),
    element("p", { class: "ending-squares", "aria-hidden": "true", text: squares(kind, entry.figures) }),
    share,
    said,
  );
}
