/** Matches on one puzzle of the crossword, as in the server's frames. Words 1 and 3 begin in one cell. */

import { Match } from "../../../client/crossword/match.js";

/** The right words, by id. */
export const SOLUTION = ["cat", "mat", "car", "tax"];

const ROWS = 3;
const COLUMNS = 4;
const PLACES = [
  { id: 1, clue: "feline companion", row: 0, column: 1, direction: "DOWN", length: 3 },
  { id: 2, clue: "lounging place", row: 1, column: 0, direction: "ACROSS", length: 3 },
  { id: 3, clue: "it has four wheels", row: 0, column: 1, direction: "ACROSS", length: 3 },
  { id: 4, clue: "nobody likes to pay it", row: 2, column: 1, direction: "ACROSS", length: 3 },
];

const cellsOf = ({ row, column, direction, length }) =>
  Array.from({ length }, (_, nth) => (direction === "DOWN" ? [row + nth, column] : [row, column + nth]));

/**
 * A frame's match between ann and bob. `entered` has the entered words by id: `[text, player, isConfirmed]`. `points`
 * has the challenge points of ann and bob.
 */
export function viewOf(entered = {}, { points = [0, 0], id = "m1", players = ["ann", "bob"] } = {}) {
  const cells = Array.from({ length: ROWS }, () => Array(COLUMNS).fill(null));
  const words = PLACES.map((place) => {
    const [text = null, by = null, confirmed = false] = entered[place.id] ?? [];
    cellsOf(place).forEach(([row, column], nth) => {
      const cell = cells[row][column] ?? { letter: null, words: [] };
      cells[row][column] = { letter: text?.[nth] ?? cell.letter, words: [...cell.words, place.id] };
    });
    return { ...place, entered: text, by, confirmed };
  });
  const challengePoints = Object.fromEntries(players.map((player, nth) => [player, points[nth]]));
  const shape = { rows: ROWS, columns: COLUMNS, words, cells };
  return { id, puzzle: "cats", description: "", players, challenge_points: challengePoints, ...shape };
}

/** The match of `viewOf`, as ann sees it. If `you` is null, a spectator sees it. */
export const matchOf = (entered = {}, { you = "ann", solution = null, ...more } = {}) =>
  new Match(viewOf(entered, more), you, solution);
