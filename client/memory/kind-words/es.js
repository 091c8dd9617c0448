/** Words for Memory Scramble in the lobby and in the table at the end of a game, in Spanish. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Encontrad parejas, todos a la vez",

  // --- choices ---
  theme: "Cartas",
  themes: {
    animals: "Animales",
    nature: "Naturaleza",
    food: "Comida",
    sport: "Deporte",
    travel: "Viajes",
    things: "Cosas",
    faces: "Caras",
    flags: "Banderas",
    letters: "Letras",
    numbers: "Números",
    words: "Palabras",
    emoji: "Variadas",
  },
  tooFewCards: (cards, pairs) =>
    `Hay ${cards} cartas distintas y este tablero tiene ${pairs} parejas: algunas cartas llevarán dos dibujos.`,
  size: "Tamaño",
  fitsHint: "○ es más grande que esta pantalla: habrá que ampliar y desplazarse.",
  ownBoard: "Mi propio tablero",
  ownBoardHint: "En la primera línea, filas x columnas; después, una carta en cada línea.",

  // --- figures at the end of a game ---
  pairs: "Parejas",
  accuracy: "Aciertos",
  streak: "Racha",
  memory: "Memoria",
  hint: "Aciertos: turnos con pareja. Racha: más parejas seguidas. Memoria: más turnos, de todos, entre ver una carta y volver a encontrarla.",
  byOnePair: "¡Por una sola pareja!",
};

export default words;
