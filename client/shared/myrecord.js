/** My own result at the end of a game: it is stored in the browser, and compared with my earlier results. */

import { element } from "./dom.js";
import { bestOf, newBests, noteGame, played, statisticsOf } from "./records.js";
import { ROOM } from "./words.js";

/** @import { KnownKind } from "./kinds.js" */
/** @import { Outcome } from "./records.js" */
/** @import { Figures, RoomInfo } from "./rooms.js" */

/**
 * Store the result of the player `me`, once. Return two lines: the best values on this board, and the statistics of
 * the game. `figures` are my figures, with the duration in `seconds` if it is known.
 * @param {{me: string, players: string[], record: RoomInfo, kind: KnownKind, figures: Figures}} result
 */
export function myRecord({ me, players, record, kind, figures }) {
  const { room, game, settings = {}, ended } = record;
  const winners = record.result?.winners ?? [];
  /** @type {Outcome} */ let outcome = winners.includes(me) ? "won" : "lost";
  if (players.length === 1) outcome = "alone";
  else if (winners.length === 0) outcome = "draw";
  const { board, values } = kind.record(settings, figures);
  const place = outcome === "alone" ? `${board} alone` : board;
  const before = noteGame({ room, game, board: place, outcome, at: 1000 * (ended ?? 0), values });
  const best = bestOf([...before.map((one) => one.values), values]);
  const words = newBests(values, before).length > 0 ? ROOM.newBest : ROOM.myBest;
  return [
    element("p", { class: "my-best", text: Object.keys(best).length === 0 ? "" : words(ROOM.values(best)) }),
    element("p", { class: "hint", text: ROOM.myGames(statisticsOf(played().filter((one) => one.game === game))) }),
  ];
}
