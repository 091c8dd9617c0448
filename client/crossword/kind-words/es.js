/** Words for the crossword in the lobby and in the table at the end of a game, in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Crucigrama",
  pitch: "Una carrera de dos por un crucigrama",

  // --- choices ---
  puzzle: "Crucigrama",
  wordCount: (words) => count(words, { one: "palabra", other: "palabras" }),
  alone: "En solitario, contrarreloj",
  ownPuzzle: "Mi propio crucigrama",
  ownPuzzleHint: "Un archivo .puz o .ipuz, o uno de crucigrama, como lo describe la guía «Write a puzzle».",
  atSquare: (row, column, words) => `Fila ${row}, columna ${column}: ${words}`,
  cannotImport: {
    "unknown-format": () => "No es un archivo .puz ni .ipuz.",
    "too-long": () => "Este crucigrama es demasiado largo para jugarlo aquí.",
    "too-large": ({ most }) => `Un crucigrama tiene como máximo ${most} filas y columnas.`,
    damaged: () => "Este archivo está dañado.",
    "other-kind": () => "Este tipo de crucigrama no se puede jugar aquí.",
    locked: () => "La solución está bloqueada. Desbloquéala en otro programa y vuelve a guardarla.",
    "no-solution": () => "El archivo no tiene solución.",
    rebus: () => "aquí no se pueden jugar varias letras en una casilla.",
    circles: () => "aquí no se puede mostrar un círculo en una casilla.",
    shading: () => "aquí no se puede mostrar una casilla sombreada.",
    bars: () => "aquí no se puede mostrar una barra entre casillas.",
    marks: () => "esta casilla tiene una marca o una imagen que aquí no se puede mostrar.",
    "not-a-letter": ({ found }) => `«${found}» no es una letra de la A a la Z.`,
    "no-clue": () => "esta casilla no pertenece a ninguna palabra con definición.",
    "no-word": () => "hay una definición, pero ninguna palabra.",
    "strange-clue": ({ clue }) =>
      `La definición «${clue}» no tiene una palabra propia que vaya recta en horizontal o vertical.`,
    "word-twice": ({ word }) =>
      `«${word}» es la solución de dos definiciones, y aquí una palabra aparece una sola vez.`,
  },

  // --- figures at the end of a game ---
  tries: "Palabras",
  challenges: "Cazadas",
  saveText: "Guardar la partida como texto",
  flawless: "¡Resuelto sin un fallo!",
};

export default words;
