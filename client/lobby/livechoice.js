/** The choice of the game for the lobby's live picture, and whether the line is good enough for it. */

/** @import { RoomInfo } from "../shared/rooms.js" */

const SLOW = ["slow-2g", "2g", "3g"];

/**
 * The running game to show, or null: a game of people first, then a demonstration; with the most players, then the
 * newest. A game that is shown stays until it is over, or nobody plays it any more.
 * @param {RoomInfo[]} rooms
 * @param {string | null} shown the name of the room that is shown
 * @param {(game: string) => boolean} canShow true if the game has a live picture
 * @returns {RoomInfo | null}
 */
export function chosenRoom(rooms, shown, canShow) {
  const running = rooms.filter(
    ({ state, game, players = 0, demo = false }) => state === "open" && canShow(game) && (players > 0 || demo),
  );
  const order = ({ players = 0, opened = 0 }) => [players, opened];
  running.sort((one, other) => {
    const [[players, opened], [others, later]] = [order(one), order(other)];
    return others - players || later - opened;
  });
  return running.find(({ room }) => room === shown) ?? running[0] ?? null;
}

/**
 * True if the line is fast, and the user does not save data. A browser that does not know its line has a good one.
 * @param {{saveData?: boolean, effectiveType?: string}} [line] navigator.connection
 */
export function isGoodLine({ saveData = false, effectiveType = "4g" } = {}) {
  return !saveData && !SLOW.includes(effectiveType);
}
