/** The replay's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  replay: "Verlauf",
  reading: "Lese…",
  readingRecording: "Die Aufzeichnung wird gelesen…",
  upToDate: "Aktuell",
  lost: "Getrennt",
  toGame: "Zum Spiel",
  timeline: "Zeitleiste",
  toBeginning: "Zum Anfang",
  toBeginningKey: "Zum Anfang (Pos1)",
  back: "Einen Zug zurück",
  backKey: "Einen Zug zurück (←)",
  play: "Abspielen",
  pause: "Anhalten",
  playKey: "Abspielen oder anhalten (Leertaste)",
  forth: "Einen Zug weiter",
  forthKey: "Einen Zug weiter (→)",
  toEnd: "Zum Ende",
  toEndKey: "Zum Ende (Ende)",
  speed: "Tempo",
  heatMap: "Wärmekarte",
  heatMapKey: "Wärmekarte (H)",
  move: "Zug",
  moves: "Züge",
  playersAndMoves: "Mitspielende und Züge",
  player: "Name",
  totals: "Gesamtzahlen",
  keys: "Tasten",
  space: "Leertaste",
  playPause: "abspielen, anhalten",
  oneMove: "ein Zug",
  pageUp: "Bild ↑",
  pageDown: "Bild ↓",
  twentieth: "ein Zwanzigstel des Spiels",
  home: "Pos1",
  end: "Ende",
  beginningEnd: "Anfang, Ende",
  theHeatMap: "die Wärmekarte",
  beginning: "Der Anfang.",
  board: "Das Spielfeld.",

  nothing: (reason) => `Es gibt nichts zu zeigen: ${reason}`,
  titleOf: (game) => `Verlauf: ${game}`,
  at: (span, move, moves) => `/ ${span} · Zug ${move} / ${moves}`,
  atMove: (move, moves, time, words) => `Zug ${move} von ${moves}, ${time}: ${words}`,
  boardAfter: (move, words) => `Das Spielfeld nach Zug ${move}: ${words}`,
  label: (place, what, moves) => `${place}: ${what}, ${moves}`,
  upToHere: (words) => `${words}, bis zu diesem Zug`,
  heatSaid: (what) => `Wärmekarte: ${what}, bis zu diesem Zug.`,
  heatTitle: (what) => `Wärmekarte: ${what} (H)`,

  // --- defaults for games without their own words ---
  points: "Punkte",
  columns: /** @type {Record<string, string>} */ ({ score: "Punkte", moves: "Züge", waits: "gewartet" }),
  movesThere: "Züge",
  moveCount: (number) => count(number, { one: "Zug", other: "Züge" }),

  // --- events of all games, by code ---
  somebody: "jemand",
  happenings: {
    seated: ({ player }) => `${player} nimmt Platz`,
    "seat-refused": ({ player, seat }) => `${player} will den Platz von ${seat} und bekommt ihn nicht`,
    "handed-over": ({ player }) => `${player} spielt auf einem anderen Gerät weiter`,
    joined: ({ player }) => `${player} kommt dazu`,
    left: ({ player }) => `${player} geht`,
    "called-off": () => "eine Anfrage wird zurückgezogen",
    other: ({ player, command }) => `${player}: ${command}`,
  },
};

export default words;
