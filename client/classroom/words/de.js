/** The words of the page of a class in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  titleOf: (game) => `Klasse: ${game}`,

  // --- for a pupil ---
  joinTitle: "Komm in die Klasse",
  join: "Mitmachen",
  waitFirst: "Du bist dabei. Die erste Runde beginnt bald.",
  waitNext: "Die nächste Runde beginnt bald.",
  waitPlace: "Du spielst ab der nächsten Runde mit.",
  atTable: "Dein Spiel hat begonnen.",
  toTable: "Zu deinem Tisch",
  left: "Du hast die Klasse verlassen.",
  comeBack: "Wieder mitmachen",
  leave: "Klasse verlassen",

  // --- for the teacher ---
  scan: "Zum Mitmachen scannen",
  qr: "QR-Code des Links zu dieser Klasse",
  start: (round) => `Runde ${round} starten`,
  readyFirst: "Warte, bis alle da sind, und starte dann.",
  playing: (tables) => `${count(tables, { one: "Tisch spielt", other: "Tische spielen" })}.`,
  ready: "Alle Spiele sind zu Ende.",
  startEarly: "Eine neue Runde schließt die Spiele, die noch laufen.",
  end: "Klasse beenden",
  sureEnd: "Die Klasse beenden?",
  sureEndWords: "Niemand kommt mehr dazu, und es gibt keine weitere Runde. Spiele, die noch laufen, zählen.",
  goOn: "Weitermachen",
  remove: (name) => `${name} aus der Klasse nehmen`,

  // --- for both ---
  waiting: (pupils) => `Warten: ${pupils}`,
  nobodyWaits: "Niemand wartet.",
  round: (round) => `Runde ${round}`,
  watch: "Zusehen",
  watchTable: (names) => `${list(names)} zusehen`,
  running: "spielt",
  over: "zu Ende",
  standings: "Zwischenstand",
  finalTable: "Endstand",
  points: "Punkte",
  wins: "Siege",
  games: "Spiele",
  ended: "Die Klasse ist zu Ende.",
  first: (names) => (names.length === 0 ? "Die Klasse ist zu Ende." : `Auf Platz 1: ${list(names)}!`),
};

export default words;
