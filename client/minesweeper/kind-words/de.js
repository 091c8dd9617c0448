/** Words for Minesweeper in the lobby and in the table at the end of a game, in German. */

import { grammar } from "../../shared/grammar.js";

const { count, percent } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Minesweeper",
  pitch: "Gemeinsam ein Minenfeld räumen",

  // --- choices ---
  preset: "Minenfeld",
  presets: { beginner: "Leicht", intermediate: "Mittel", expert: "Schwer", custom: "Eigenes Maß" },
  rows: "Zeilen",
  columns: "Spalten",
  bombs: "Bomben",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "Bombe", other: "Bomben" })}, ${percent(bombs / squares)}`,
  safeStart: "Das erste Feld ist sicher",
  noGuessing: "Lösbar ohne Raten",
  noGuessingHint:
    "Das erste Feld ist markiert. So ein Spielfeld muss erst gefunden werden: das dauert bis zu 10 Sekunden.",
  ownField: "Eigenes Minenfeld",
  ownFieldHint:
    "Zuerst Spalten und Zeilen, etwa 3 2. Dann für jede Zeile eine Zeile: 1 eine Bombe, 0 keine, mit Leerzeichen dazwischen.",

  // --- figures at the end of a game ---
  squares: "Felder",
  flags: "Flaggen",
  booms: "Bumm",
  flawless: "Ohne Fehler geräumt!",
};

export default words;
