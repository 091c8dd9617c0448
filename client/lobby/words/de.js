/** The lobby's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list, percent } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Neues Spiel",
  openGames: "Offene Spiele",
  yours: "Deine Spiele",
  noOpenGames: "Gerade ist kein Spiel offen. Starte oben eins, bei dem alle mitspielen dürfen: Dann steht es hier.",
  noGamesOfYours: "Hier stehen die Spiele, die du startest, mitspielst oder dir ansiehst, damit du sie wiederfindest.",
  changeName: "Namen ändern",
  youAre: "Du bist",
  nameRule: "Ein Name hat höchstens 24 Zeichen.",
  options: "Einstellungen",
  playBot: "Gegen Bot",
  playFriends: "Mit anderen",
  start: "Starten",
  forget: (title) => `${title} aus dieser Liste nehmen`,
  join: "Mitspielen",
  watch: "Zusehen",
  goOn: "Weiter",
  look: "Ansehen",
  replay: "Verlauf",
  notConnected: "Die Liste ist nicht mehr aktuell: Der Server antwortet nicht.",
  noServer: "Der Server antwortet nicht. Versuch es gleich noch einmal.",
  tooLong: "Diese Datei ist zu lang.",
  token: "Passwort für neue Spiele auf diesem Server",

  games: {
    memory: { title: "Memory Scramble", pitch: "Paare finden, alle zur gleichen Zeit" },
    minesweeper: { title: "Minesweeper", pitch: "Gemeinsam ein Minenfeld räumen" },
    crossword: { title: "Kreuzworträtsel", pitch: "Zu zweit um die Wette durch ein Rätsel" },
  },

  // --- choices ---
  theme: "Karten",
  themes: {
    animals: "Tiere",
    nature: "Natur",
    food: "Essen",
    sport: "Sport",
    travel: "Reisen",
    things: "Dinge",
    faces: "Gesichter",
    flags: "Flaggen",
    letters: "Buchstaben",
    numbers: "Zahlen",
    words: "Wörter",
    emoji: "Gemischt",
  },
  tooFewCards: (cards, pairs) =>
    `Es gibt ${cards} verschiedene Karten, und dieses Spielfeld hat ${pairs} Paare: Manche Karten zeigen zwei Bilder.`,
  size: "Größe",
  fitsHint: "○ ist größer als dieser Bildschirm: Du musst hineinzoomen und scrollen.",
  ownBoard: "Eigenes Spielfeld",
  ownBoardHint: "In der ersten Zeile Zeilen x Spalten, dann in jeder Zeile eine Karte.",
  ownField: "Eigenes Minenfeld",
  ownFieldHint:
    "Zuerst Spalten und Zeilen, etwa 3 2. Dann für jede Zeile eine Zeile: 1 eine Bombe, 0 keine, mit Leerzeichen dazwischen.",
  ownPuzzle: "Eigenes Rätsel",
  ownPuzzleHint: "Eine Rätseldatei, wie sie die Anleitung „Write a puzzle“ beschreibt.",
  chooseFile: "Datei wählen",
  dropHint: "Hier einfügen oder eine Datei ablegen.",
  lineOf: (line, text) => `Zeile ${line}: ${text}`,
  preset: "Minenfeld",
  presets: { beginner: "Leicht", intermediate: "Mittel", expert: "Schwer", custom: "Eigenes Maß" },
  rows: "Zeilen",
  columns: "Spalten",
  bombs: "Bomben",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "Bombe", other: "Bomben" })}, ${percent(bombs / squares)}`,
  safeStart: "Das erste Feld ist sicher",
  puzzle: "Rätsel",
  wordCount: (words) => count(words, { one: "Wort", other: "Wörter" }),
  bots: "Bots",
  noBots: "Keine",
  level: "Sie spielen",
  levels: { easy: "Leicht", medium: "Mittel", hard: "Schwer" },
  turnClock: "So lange darf man halten, worauf andere warten",
  turnClocks: (clock) => (clock === "off" ? "Beliebig" : `${clock} s`),
  access: "Wer mitspielen darf",
  byLink: "Wer den Link hat",
  anybody: "Alle",
  gameTitle: "Name des Spiels",

  // --- rows of the lists ---
  players: (number) => count(number, { one: "spielt mit", other: "spielen mit" }),
  watching: (number) => count(number, { one: "sieht zu", other: "sehen zu" }),
  nobody: "noch niemand da",
  over: "beendet",
  closed: "geschlossen",
  broken: "durch einen Fehler beendet",
  wonBy: (names) => (names.length === 0 ? "unentschieden" : `gewonnen von ${list(names)}`),
  justOpened: "neu",
  minutes: (number) => `${number} min`,
  hours: (number) => `${number} h`,
  days: (number) => count(number, { one: "Tag", other: "Tage" }),
};

export default words;
