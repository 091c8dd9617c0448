/** The replay's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  replay: "Repetición",
  reading: "Leyendo…",
  readingRecording: "Leyendo la grabación…",
  upToDate: "Al día",
  lost: "Sin conexión",
  toGame: "A la partida",
  timeline: "Línea de tiempo",
  toBeginning: "Al principio",
  toBeginningKey: "Al principio (Inicio)",
  back: "Una jugada atrás",
  backKey: "Una jugada atrás (←)",
  play: "Reproducir",
  pause: "Pausa",
  playKey: "Reproducir o pausar (espacio)",
  forth: "Una jugada adelante",
  forthKey: "Una jugada adelante (→)",
  toEnd: "Al final",
  toEndKey: "Al final (Fin)",
  speed: "Velocidad",
  heatMap: "Mapa de calor",
  heatMapKey: "Mapa de calor (H)",
  move: "Jugada",
  moves: "Jugadas",
  playersAndMoves: "Jugadores y jugadas",
  player: "jugador",
  totals: "Totales",
  keys: "Teclas",
  space: "Espacio",
  playPause: "reproducir, pausar",
  oneMove: "una jugada",
  pageUp: "RePág",
  pageDown: "AvPág",
  twentieth: "una vigésima parte de la partida",
  home: "Inicio",
  end: "Fin",
  beginningEnd: "el principio, el final",
  theHeatMap: "el mapa de calor",
  beginning: "El principio.",
  board: "El tablero.",

  nothing: (reason) => `No hay nada que repetir: ${reason}`,
  titleOf: (game) => `Repetición: ${game}`,
  at: (span, move, moves) => `/ ${span} · jugada ${move} / ${moves}`,
  atMove: (move, moves, time, words) => `jugada ${move} de ${moves}, ${time}: ${words}`,
  boardAfter: (move, words) => `El tablero después de la jugada ${move}: ${words}`,
  label: (place, what, moves) => `${place}: ${what}, ${moves}`,
  upToHere: (words) => `${words}, hasta esta jugada`,
  heatSaid: (what) => `Mapa de calor: ${what}, hasta esta jugada.`,
  heatTitle: (what) => `Mapa de calor: ${what} (H)`,

  // --- defaults for games without their own words ---
  points: "puntos",
  columns: /** @type {Record<string, string>} */ ({ score: "puntos", moves: "jugadas", waits: "esperas" }),
  movesThere: "jugadas",
  moveCount: (number) => count(number, { one: "jugada", other: "jugadas" }),

  // --- events of all games, by code ---
  somebody: "alguien",
  happenings: {
    seated: ({ player }) => `${player} ocupa su puesto`,
    "seat-refused": ({ player, seat }) => `${player} pide el puesto de ${seat}, y no lo consigue`,
    "handed-over": ({ player }) => `${player} sigue en otro dispositivo`,
    joined: ({ player }) => `${player} entra`,
    left: ({ player }) => `${player} se va`,
    "called-off": () => "se retira una petición",
    other: ({ player, command }) => `${player}: ${command}`,
  },
};

export default words;
