/** The words of the replay of Minesweeper in German. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("de");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `Zeile ${row}, Spalte ${column}`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "geöffnete Felder",
  heatOf: "wie oft gegraben",
  heat: (digs) => count(digs, { one: "Mal gegraben", other: "Mal gegraben" }),
  program: "das Programm",
  untouched: "unberührt",
  flagged: "markiert",
  dug: (bombs) => `offen, ringsum ${count(bombs, { one: "Bombe", other: "Bomben" })}`,
  blewUp: (what, name) => `${what}, ${name} ist hier explodiert`,
  booms: (booms) => `${booms}-mal explodiert`,

  // --- titles of the totals ---
  columns: {
    digs: "gegraben",
    opened: "Felder",
    booms: "explodiert",
    flags: "Flaggen",
    deflags: "Flaggen entfernt",
    chords: "Rest geöffnet",
    idle: "ohne Wirkung",
  },

  // --- events, by code ---
  moves: {
    dug: ({ player, row, column }) => `${player} gräbt ${at(row, column)} auf`,
    boom: ({ player, row, column }) => `BUMM! ${player} gräbt in ${at(row, column)} eine Bombe aus`,
    flagged: ({ player, row, column }) => `${player} setzt eine Flagge auf ${at(row, column)}`,
    deflagged: ({ player, row, column }) => `${player} nimmt die Flagge von ${at(row, column)} weg`,
    chorded: ({ player, row, column }) => `${player} öffnet den Rest um ${at(row, column)}`,
    "chord-boom": ({ player, row, column }) => `BUMM! ${player} gräbt um ${at(row, column)} Bomben aus`,
    "dig-in-vain": ({ player, row, column }) => `${player} gräbt in ${at(row, column)}, wo es nichts zu graben gibt`,
    "flag-in-vain": ({ player, row, column }) =>
      `${player} setzt eine Flagge auf ${at(row, column)}, wo nichts zu markieren ist`,
    "deflag-in-vain": ({ player, row, column }) =>
      `${player} nimmt eine Flagge von ${at(row, column)} weg, wo keine ist`,
    "chord-in-vain": ({ player, row, column }) =>
      `${player} will den Rest um ${at(row, column)} öffnen, wo nichts zu öffnen ist`,
    "left-already": ({ player }) => `${player} ist schon gegangen`,
    cleared: () => "das letzte Feld ohne Bombe ist offen",
  },
};

export default words;
