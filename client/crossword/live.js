/** A running match of Crossword Extravaganza as a small picture: the scene of the replay, with views of spectators. */

import { Scene } from "./replay.js";

/** @import { MatchView } from "./match.js" */
/** @import { Palette } from "../replay/palette.js" */

export class Live extends Scene {
  /**
   * @param {unknown} _frame
   * @param {Palette} palette
   */
  constructor(_frame, palette) {
    super({ matches: [], puzzles: {} }, palette);
  }

  /**
   * Apply a view of the WebSocket for spectators. Return true if it changes the picture.
   * @param {any} view
   */
  receive(view) {
    /** @type {MatchView | undefined} */ const match = view.state === "PLAY" ? view.match : view.result?.match;
    if (match === undefined) return false; // before the match, or a frame about the room
    const { id, puzzle, players, rows, columns, words, challenge_points: extra } = match;
    this.frame({
      matches: [{ number: 1, id, puzzle, players, since: 0, until: null }],
      puzzles: { [puzzle]: { rows, columns, words } },
    });
    const entered = words.flatMap(({ id: word, entered: text, by, confirmed }) =>
      text === null ? [] : [/** @type {[number, string, string, boolean]} */ ([word, text, by, confirmed])],
    );
    const points = players.map((player) => [
      player,
      entered.filter(([, , by]) => by === player).length + extra[player],
    ]);
    this.reset({ matches: { 1: { words: entered, points: Object.fromEntries(points) } }, latest: 1, heat: {} });
    return true;
  }
}
