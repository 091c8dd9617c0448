/** The words of the replay of Minesweeper in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("es");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `fila ${row}, columna ${column}`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "casillas abiertas",
  heatOf: "cuántas veces se excavó",
  heat: (digs) => count(digs, { one: "vez excavada", other: "veces excavada" }),
  program: "el programa",
  untouched: "intacta",
  flagged: "marcada",
  dug: (bombs) => `abierta, ${count(bombs, { one: "bomba", other: "bombas" })} alrededor`,
  blewUp: (what, name) => `${what}, aquí explotó ${name}`,
  booms: (booms) => count(booms, { one: "explosión", other: "explosiones" }),

  // --- titles of the totals ---
  columns: {
    digs: "excavadas",
    opened: "casillas",
    booms: "explosiones",
    flags: "banderas",
    deflags: "banderas quitadas",
    chords: "resto abierto",
    idle: "sin efecto",
  },

  // --- events, by code ---
  moves: {
    dug: ({ player, row, column }) => `${player} excava en ${at(row, column)}`,
    boom: ({ player, row, column }) => `¡BUM! ${player} excava una bomba en ${at(row, column)}`,
    flagged: ({ player, row, column }) => `${player} pone una bandera en ${at(row, column)}`,
    deflagged: ({ player, row, column }) => `${player} quita la bandera de ${at(row, column)}`,
    chorded: ({ player, row, column }) => `${player} abre el resto alrededor de ${at(row, column)}`,
    "chord-boom": ({ player, row, column }) => `¡BUM! ${player} excava bombas alrededor de ${at(row, column)}`,
    "dig-in-vain": ({ player, row, column }) => `${player} excava en ${at(row, column)}, donde no hay nada que excavar`,
    "flag-in-vain": ({ player, row, column }) =>
      `${player} pone una bandera en ${at(row, column)}, donde no hay nada que marcar`,
    "deflag-in-vain": ({ player, row, column }) =>
      `${player} quita una bandera de ${at(row, column)}, donde no hay ninguna`,
    "chord-in-vain": ({ player, row, column }) =>
      `${player} prueba a abrir el resto alrededor de ${at(row, column)}, donde no hay nada que abrir`,
    "left-already": ({ player }) => `${player} ya se había ido`,
    cleared: () => "la última casilla sin bomba está abierta",
  },
};

export default words;
