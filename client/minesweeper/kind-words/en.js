/**
 * Words for Minesweeper in the lobby and in the table at the end of a game, in English.
 * The other catalogues of this folder have the same keys, with the same parameters.
 */

import { grammar } from "../../shared/grammar.js";

const { count, percent } = grammar("en-GB");

export default {
  title: "Minesweeper",
  pitch: "Clear one field together",

  // --- choices ---
  preset: "Field",
  presets: /** @type {Record<string, string>} */ ({
    beginner: "Beginner",
    intermediate: "Intermediate",
    expert: "Expert",
    custom: "Custom",
  }),
  rows: "Rows",
  columns: "Columns",
  bombs: "Bombs",
  bombsOf: (/** @type {number} */ bombs, /** @type {number} */ squares) =>
    `${count(bombs, { one: "bomb", other: "bombs" })}, ${percent(bombs / squares)}`,
  safeStart: "The first dig is safe",
  noGuessing: "Solvable without guessing",
  noGuessingHint: "The first square is marked. Such a field has to be found first: that may take up to 10 seconds.",
  ownField: "My own field",
  ownFieldHint: "First columns and rows, such as 3 2. Then a line for each row: 1 a bomb, 0 none, and spaces between.",

  // --- figures at the end of a game ---
  squares: "Squares",
  flags: "Flags",
  booms: "Booms",
  flawless: "Cleared without a mistake!",
};
