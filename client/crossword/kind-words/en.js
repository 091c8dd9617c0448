/**
 * Words for the crossword in the lobby and in the table at the end of a game, in English.
 * The other catalogues of this folder have the same keys, with the same parameters.
 */

import { grammar } from "../../shared/grammar.js";

/** @typedef {Record<string, string | number>} Params of a refusal, from the server */

const { count } = grammar("en-GB");

export default {
  title: "Crossword",
  pitch: "Two race through one puzzle",

  // --- choices ---
  puzzle: "Puzzle",
  wordCount: (/** @type {number} */ words) => count(words, { one: "word", other: "words" }),
  alone: "Alone, against the clock",
  ownPuzzle: "My own puzzle",
  ownPuzzleHint: "A .puz or .ipuz file, or a puzzle file, as the how-to “Write a puzzle” describes it.",
  atSquare: (/** @type {number} */ row, /** @type {number} */ column, /** @type {string} */ words) =>
    `Row ${row}, column ${column}: ${words}`,
  cannotImport: /** @type {Record<string, (params: Params) => string>} */ ({
    "unknown-format": () => "This is neither a .puz nor an .ipuz file.",
    "too-long": () => "This puzzle is too long to be played here.",
    "too-large": ({ most }) => `A puzzle has at most ${most} rows and columns.`,
    damaged: () => "This file is damaged.",
    "other-kind": () => "This kind of puzzle cannot be played here.",
    locked: () => "The solution is locked. Unlock it in another program, and save it again.",
    "no-solution": () => "The file has no solution.",
    rebus: () => "several letters in one square cannot be played here.",
    circles: () => "a circle in a square cannot be shown here.",
    shading: () => "a shaded square cannot be shown here.",
    bars: () => "a bar between squares cannot be shown here.",
    marks: () => "this square has a mark or a picture, which cannot be shown here.",
    "not-a-letter": ({ found }) => `“${found}” is none of the letters A to Z.`,
    "no-clue": () => "this square belongs to no word with a clue.",
    "no-word": () => "there is a clue, but no word.",
    "strange-clue": ({ clue }) => `The clue “${clue}” has no word of its own that runs straight across or down.`,
    "word-twice": ({ word }) => `“${word}” is the solution of two clues, and here a word appears only once.`,
  }),

  // --- figures at the end of a game ---
  tries: "Words",
  challenges: "Caught",
  saveText: "Save the match as text",
  flawless: "Solved without a mistake!",
};
