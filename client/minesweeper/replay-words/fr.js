/** The words of the replay of Minesweeper in French. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("fr");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `ligne ${row}, colonne ${column}`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "cases ouvertes",
  heatOf: "combien de fois creusée",
  heat: (digs) => count(digs, { one: "fois creusée", other: "fois creusée" }),
  program: "le programme",
  untouched: "intacte",
  flagged: "marquée",
  dug: (bombs) => `ouverte, ${count(bombs, { one: "bombe", other: "bombes" })} autour`,
  blewUp: (what, name) => `${what}, ${name} a sauté ici`,
  booms: (booms) => count(booms, { one: "explosion", other: "explosions" }),

  // --- titles of the totals ---
  columns: {
    digs: "coups",
    opened: "cases",
    booms: "explosions",
    flags: "drapeaux",
    deflags: "drapeaux retirés",
    chords: "reste ouvert",
    idle: "sans effet",
  },

  // --- events, by code ---
  moves: {
    dug: ({ player, row, column }) => `${player} creuse en ${at(row, column)}`,
    boom: ({ player, row, column }) => `BOUM ! ${player} creuse une bombe en ${at(row, column)}`,
    flagged: ({ player, row, column }) => `${player} pose un drapeau en ${at(row, column)}`,
    deflagged: ({ player, row, column }) => `${player} enlève le drapeau en ${at(row, column)}`,
    chorded: ({ player, row, column }) => `${player} ouvre le reste autour de ${at(row, column)}`,
    "chord-boom": ({ player, row, column }) => `BOUM ! ${player} creuse des bombes autour de ${at(row, column)}`,
    "dig-in-vain": ({ player, row, column }) => `${player} creuse en ${at(row, column)}, où il n’y a rien à creuser`,
    "flag-in-vain": ({ player, row, column }) =>
      `${player} pose un drapeau en ${at(row, column)}, où il n’y a rien à marquer`,
    "deflag-in-vain": ({ player, row, column }) =>
      `${player} enlève un drapeau en ${at(row, column)}, où il n’y en a pas`,
    "chord-in-vain": ({ player, row, column }) =>
      `${player} veut ouvrir le reste autour de ${at(row, column)}, où il n’y a rien à ouvrir`,
    "left-already": ({ player }) => `${player} n’est déjà plus là`,
    cleared: () => "la dernière case sans bombe est ouverte",
  },
};

export default words;
