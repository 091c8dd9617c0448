/** The lobby's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Neues Spiel",
  liveNow: "Gerade läuft",
  openGames: "Offene Spiele",
  yours: "Deine Spiele",
  lastResult: "Dein letztes Ergebnis",
  noOpenGames: "Gerade ist kein Spiel offen. Starte oben eins, bei dem alle mitspielen dürfen: Dann steht es hier.",
  noGamesOfYours: "Hier stehen die Spiele, die du startest, mitspielst oder dir ansiehst, damit du sie wiederfindest.",
  changeName: "Namen ändern",
  youAre: "Du bist",
  nameRule: "Ein Name hat höchstens 24 Zeichen.",
  options: "Einstellungen",
  playBot: "Gegen Bot",
  playFriends: "Mit anderen",
  playAlone: "Allein",
  forGame: (act, game) => `${act}: ${game}`,
  start: "Starten",
  forget: (title) => `${title} aus dieser Liste nehmen`,
  join: "Mitspielen",
  watch: "Zusehen",
  goOn: "Weiter",
  replay: "Verlauf",
  notConnected: "Die Liste ist nicht mehr aktuell: Der Server antwortet nicht.",
  token: "Passwort für neue Spiele auf diesem Server",

  // --- choices ---
  bots: "Bots",
  noBots: "Keine",
  level: "Sie spielen",
  levels: { easy: "Leicht", medium: "Mittel", hard: "Schwer" },
  access: "Wer mitspielen darf",
  byLink: "Wer den Link hat",
  anybody: "Alle",
  aClass: "Eine Klasse",
  gameTitle: "Name des Spiels",

  // --- rows of the lists ---
  hostedBy: (name) => `von ${name}`,
  players: (number) => count(number, { one: "spielt mit", other: "spielen mit" }),
  botCount: (number) => count(number, { one: "Bot", other: "Bots" }),
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

  // --- the daily challenge ---
  streak: (days) => `🔥 ${count(days, { one: "Tag", other: "Tage" })} in Folge`,
  nextIn: (hours) =>
    hours > 1
      ? `Die nächste Aufgabe kommt in ${hours} Stunden`
      : "Die nächste Aufgabe kommt in weniger als einer Stunde",
  nobodyYet: "Heute hat noch niemand gespielt",
  bestToday: (name, time) => `Heute am besten: ${name}, ${time}`,
  bestBefore: (name, time) => `Am besten bei der letzten Aufgabe: ${name}, ${time}.`,
  play: "Spielen",
  table: "Tabelle",
  share: "Teilen",
  points: (points) => count(points, { one: "Punkt", other: "Punkte" }),
  records: "Meine Rekorde",
  noRecords: "Nach deinem ersten Spiel stehen hier deine Ergebnisse. Sie bleiben in diesem Browser.",
  saveRecords: "Als Datei speichern",
  addRecords: "Aus Datei ergänzen",
  closeRecords: "Schließen",
  wrongRecords: "Das ist keine Datei mit Rekorden. Nichts hat sich geändert.",
  recordsNotKept: "Die Rekorde lassen sich in diesem Browser nicht speichern.",
  recordsAdded: (games) => `${count(games, { one: "Spiel", other: "Spiele" })} ergänzt`,
};

export default words;
