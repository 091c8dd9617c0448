/** The words of the replay of Crossword Extravaganza in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "puntos",
  heatOf: "jugadas en una palabra",
  heat: (moves) => count(moves, { one: "jugada en una palabra", other: "jugadas en una palabra" }),
  choice: "Partida",
  latestMove: "Última jugada",
  noMatchYet: "Aún no ha empezado ninguna partida.",
  notEntered: (id, clue) => `${id}. ${clue}: sin poner`,
  entered: (id, clue, word, name) => `${id}. ${clue}: ${word}, de ${name}`,
  confirmed: (id, clue, word, name) => `${id}. ${clue}: ${word}, de ${name}, confirmada`,
  matchOn: (match, puzzle) => `Partida ${match} con ${puzzle}`,
  matchOver: (match, puzzle, over) => `Partida ${match} con ${puzzle}: ${over}`,
  matchOf: (match, puzzle, names) => `${match} con ${puzzle}: ${list(names)}`,

  // --- titles of the totals ---
  columns: {
    tries: "puestas",
    refused: "rechazadas",
    challenges_won: "impugnaciones ganadas",
    challenges_lost: "impugnaciones perdidas",
    by_match: "puntos por partida",
  },

  // --- events, by code ---
  moves: {
    connected: ({ player }) => `${player} se conecta`,
    "no-room": ({ player }) => `${player} no encuentra puesto libre`,
    "no-place": ({ player }) => `${player} no encuentra puesto en la partida`,
    "entered-lobby": ({ player }) => `${player} entra`,
    back: ({ player }) => `${player} ha vuelto`,
    lost: ({ player }) => `${player} ha perdido la conexión y puede volver`,
    "not-back": ({ player }) => `${player} no ha vuelto a tiempo`,
    "not-back-left": ({ player }) => `${player} no ha vuelto a tiempo y se ha ido`,
    "grace-over": () => "un tiempo de espera ha terminado",
    idle: ({ player }) => `${player} no ha hecho nada en mucho tiempo y queda fuera`,
    "nobody-did": () => "nadie ha hecho nada en mucho tiempo",
    "nobody-moved": () => "nadie ha jugado en mucho tiempo",
    "too-late": () => "se escribe algo demasiado tarde: la sesión ha terminado",
    "logged-out": ({ player }) => `${player} cierra la sesión`,
    waits: ({ player }) => `${player} espera a otra persona`,
    made: ({ player, match, puzzle }) => `${player} espera a otra persona, en la partida ${match} con ${puzzle}`,
    "took-back": ({ player }) => `${player} retira la partida que esperaba`,
    begun: ({ player }) => `${player} entra, y la partida empieza`,
    "begun-alone": ({ player }) => `${player} empieza en solitario`,
    "next-match": ({ player }) => `${player} pasa a otra partida`,
    entered: ({ player, text, word }) => `${player} pone ${text} en la palabra ${word}`,
    "tried-wrong": ({ player, word }) => `${player} prueba una palabra incorrecta en la palabra ${word}`,
    "challenge-won": ({ player, word, right }) => `${player} impugna la palabra ${word} y gana dos puntos: es ${right}`,
    "challenge-lost": ({ player, word }) => `${player} impugna la palabra ${word}, pero era correcta`,
    "challenge-both-wrong": ({ player, word }) => `${player} impugna la palabra ${word}: las dos eran incorrectas`,
    "gave-up": ({ player }) => `${player} abandona la partida`,
    "try-refused": ({ player }) => `${player} prueba una palabra en vano`,
    "line-refused": ({ player }) => `${player} lo intenta en vano`,
    "unknown-match": ({ player }) => `${player} juega en una partida que nadie conoce`,
    cleared: ({ words }) => `borradas por no encajar: ${list(words.map(String))}`,
    complete: () => "el crucigrama está completo",
    won: ({ winner }) => `La partida ha terminado: gana ${winner}`,
    drawn: () => "La partida ha terminado sin que gane nadie",
    "not-completed": () => "El crucigrama queda abandonado",
    "both-left": () => "Se han ido los dos",
  },
};

export default words;
