/** The words of the replay of Minesweeper in English. The other catalogues have the same keys and parameters. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("en-GB");

/** @typedef {{player: string, row: number, column: number}} Place of a move */

const at = (/** @type {number} */ row, /** @type {number} */ column) => `row ${row}, column ${column}`;

export default {
  unit: "squares opened",
  heatOf: "digs",
  heat: (/** @type {number} */ digs) => count(digs, { one: "dig", other: "digs" }),
  program: "the program",
  untouched: "untouched",
  flagged: "flagged",
  dug: (/** @type {number} */ bombs) => `dug, ${count(bombs, { one: "bomb", other: "bombs" })} around`,
  blewUp: (/** @type {string} */ what, /** @type {string} */ name) => `${what}, ${name} blew up here`,
  booms: (/** @type {number} */ booms) => count(booms, { one: "boom", other: "booms" }),

  // --- titles of the totals ---
  columns: {
    digs: "digs",
    opened: "squares opened",
    booms: "booms",
    flags: "flags",
    deflags: "flags taken away",
    chords: "chords",
    idle: "without effect",
  },

  // --- events, by code ---
  moves: {
    dug: (/** @type {Place} */ { player, row, column }) => `${player} digs ${at(row, column)}`,
    boom: (/** @type {Place} */ { player, row, column }) => `BOOM! ${player} digs up a bomb at ${at(row, column)}`,
    flagged: (/** @type {Place} */ { player, row, column }) => `${player} flags ${at(row, column)}`,
    deflagged: (/** @type {Place} */ { player, row, column }) => `${player} takes the flag at ${at(row, column)} away`,
    chorded: (/** @type {Place} */ { player, row, column }) => `${player} opens the rest around ${at(row, column)}`,
    "chord-boom": (/** @type {Place} */ { player, row, column }) =>
      `BOOM! ${player} digs up bombs around ${at(row, column)}`,
    "dig-in-vain": (/** @type {Place} */ { player, row, column }) =>
      `${player} digs ${at(row, column)}, where there is nothing to dig`,
    "flag-in-vain": (/** @type {Place} */ { player, row, column }) =>
      `${player} flags ${at(row, column)}, where there is nothing to flag`,
    "deflag-in-vain": (/** @type {Place} */ { player, row, column }) =>
      `${player} takes a flag away at ${at(row, column)}, where there is none`,
    "chord-in-vain": (/** @type {Place} */ { player, row, column }) =>
      `${player} tries the rest around ${at(row, column)}, where there is nothing to open`,
    "left-already": (/** @type {{player: string}} */ { player }) => `${player} has left already`,
    cleared: () => "the last square without a bomb is open",
  },
};
