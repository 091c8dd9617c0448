/** Words for the crossword in the lobby and in the table at the end of a game, in German. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Kreuzworträtsel",
  pitch: "Zu zweit um die Wette durch ein Rätsel",

  // --- choices ---
  puzzle: "Rätsel",
  wordCount: (words) => count(words, { one: "Wort", other: "Wörter" }),
  alone: "Allein, gegen die Uhr",
  ownPuzzle: "Eigenes Rätsel",
  ownPuzzleHint:
    "Eine .puz- oder .ipuz-Datei oder eine Rätseldatei, wie sie die Anleitung „Write a puzzle“ beschreibt.",
  atSquare: (row, column, words) => `Zeile ${row}, Spalte ${column}: ${words}`,
  cannotImport: {
    "unknown-format": () => "Das ist weder eine .puz- noch eine .ipuz-Datei.",
    "too-long": () => "Dieses Rätsel ist zu lang, um hier gespielt zu werden.",
    "too-large": ({ most }) => `Ein Rätsel hat höchstens ${most} Zeilen und Spalten.`,
    damaged: () => "Diese Datei ist beschädigt.",
    "other-kind": () => "Rätsel dieser Art können hier nicht gespielt werden.",
    locked: () => "Die Lösung ist gesperrt. Entsperre sie in einem anderen Programm und speichere sie neu.",
    "no-solution": () => "Die Datei enthält keine Lösung.",
    rebus: () => "Mehrere Buchstaben in einem Feld können hier nicht gespielt werden.",
    circles: () => "Ein Kreis in einem Feld kann hier nicht gezeigt werden.",
    shading: () => "Ein gefärbtes Feld kann hier nicht gezeigt werden.",
    bars: () => "Ein Balken zwischen Feldern kann hier nicht gezeigt werden.",
    marks: () => "Dieses Feld hat ein Zeichen oder ein Bild, das hier nicht gezeigt werden kann.",
    "not-a-letter": ({ found }) => `„${found}“ ist keiner der Buchstaben A bis Z.`,
    "no-clue": () => "Dieses Feld gehört zu keinem Wort mit einer Frage.",
    "no-word": () => "Zu einer Frage gibt es kein Wort.",
    "strange-clue": ({ clue }) =>
      `Zur Frage „${clue}“ gibt es kein eigenes Wort, das gerade waagrecht oder senkrecht läuft.`,
    "word-twice": ({ word }) => `„${word}“ ist die Lösung von zwei Fragen, und hier kommt ein Wort nur einmal vor.`,
  },

  // --- figures at the end of a game ---
  tries: "Wörter",
  challenges: "Ertappt",
  saveText: "Partie als Text speichern",
  flawless: "Ohne Fehler gelöst!",
};

export default words;
