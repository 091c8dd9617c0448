/** My own result at the end of a game: it is stored in the browser, and compared with my earlier results. */

import { element } from "./dom.js";
import { outcomeOf } from "./headline.js";
import { bestOf, newBests, noteGame, played, statisticsOf } from "./records.js";
import { ROOM } from "./words.js";

/** @import { KnownKind } from "./kinds.js" */
/** @import { Outcome } from "./records.js" */
/** @import { Figures, RoomInfo } from "./rooms.js" */

/**
 * Store the result of the player `me`, once. Return the words for a new `best` value on this board, else "", and two
 * lines: the best values on this board, and the statistics of the game. `figures` are my figures, with the duration in
 * `seconds` if it is known.
 * @param {{me: string, players: string[], record: RoomInfo, kind: KnownKind, figures: Figures}} result
 */
export function myRecord({ me, players, record, kind, figures }) {
  const { room, game, settings = {}, ended } = record;
  const winners = record.result?.winners ?? [];
  const outcome = /** @type {Outcome} */ (outcomeOf({ scores: {}, winners }, players, me)); // I have played
  const { board, values: reached } = kind.record(settings, figures);
  const values = winners.includes(me) ? reached : {}; // a lost game says little about my own time
  const place = outcome === "solo" ? `${board} solo` : board;
  const before = noteGame({ room, game, board: place, outcome, at: 1000 * (ended ?? 0), values });
  const best = bestOf([...before.map((one) => one.values), values]);
  const isBest = newBests(values, before).length > 0;
  const mine = isBest || Object.keys(best).length === 0 ? "" : ROOM.myBest(ROOM.values(best));
  return {
    best: isBest ? ROOM.newBest(ROOM.values(best)) : "",
    lines: [
      element("p", { class: "my-best", text: mine }),
      element("p", { class: "hint", text: ROOM.myGames(statisticsOf(played().filter((one) => one.game === game))) }),
    ],
  };
}
