/** Words for Minesweeper in the lobby and in the table at the end of a game, in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, percent } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Buscaminas",
  pitch: "Despejad un campo entre todos",

  // --- choices ---
  preset: "Campo",
  presets: { beginner: "Fácil", intermediate: "Medio", expert: "Difícil", custom: "A medida" },
  rows: "Filas",
  columns: "Columnas",
  bombs: "Bombas",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "bomba", other: "bombas" })}, ${percent(bombs / squares)}`,
  safeStart: "La primera casilla es segura",
  noGuessing: "Se resuelve sin adivinar",
  noGuessingHint: "La primera casilla está marcada. Hay que encontrar un campo así: puede tardar hasta 10 segundos.",
  ownField: "Mi propio campo",
  ownFieldHint:
    "Primero columnas y filas, como 3 2. Después, una línea por fila: 1 es una bomba, 0 ninguna, separados por espacios.",

  // --- figures at the end of a game ---
  squares: "Casillas",
  flags: "Banderas",
  booms: "Bum",
  flawless: "¡Despejado sin un fallo!",
};

export default words;
