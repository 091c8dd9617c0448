/** Words for the crossword in the lobby and in the table at the end of a game, in French. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Mots croisés",
  pitch: "Une course à deux dans une grille",

  // --- choices ---
  puzzle: "Grille",
  wordCount: (words) => count(words, { one: "mot", other: "mots" }),
  alone: "En solo, contre la montre",
  ownPuzzle: "Ma propre grille",
  ownPuzzleHint: "Un fichier .puz ou .ipuz, ou un fichier de grille, tel que le décrit le guide « Write a puzzle ».",
  atSquare: (row, column, words) => `Ligne ${row}, colonne ${column} : ${words}`,
  cannotImport: {
    "unknown-format": () => "Ce n’est ni un fichier .puz ni un fichier .ipuz.",
    "too-long": () => "Cette grille est trop longue pour être jouée ici.",
    "too-large": ({ most }) => `Une grille a au plus ${most} lignes et colonnes.`,
    damaged: () => "Ce fichier est endommagé.",
    "other-kind": () => "Ce type de grille ne peut pas être joué ici.",
    locked: () =>
      "La solution est verrouillée. Déverrouille-la dans un autre programme, puis enregistre-la de nouveau.",
    "no-solution": () => "Le fichier n’a pas de solution.",
    rebus: () => "plusieurs lettres dans une case ne peuvent pas être jouées ici.",
    circles: () => "un cercle dans une case ne peut pas être montré ici.",
    shading: () => "une case colorée ne peut pas être montrée ici.",
    bars: () => "une barre entre deux cases ne peut pas être montrée ici.",
    marks: () => "cette case a une marque ou une image, qui ne peut pas être montrée ici.",
    "not-a-letter": ({ found }) => `« ${found} » n’est pas une lettre de A à Z.`,
    "no-clue": () => "cette case n’appartient à aucun mot qui a une définition.",
    "no-word": () => "il y a une définition, mais aucun mot.",
    "strange-clue": ({ clue }) =>
      `La définition « ${clue} » n’a pas de mot à elle qui aille tout droit, horizontal ou vertical.`,
    "word-twice": ({ word }) =>
      `« ${word} » est la solution de deux définitions, et ici un mot n’apparaît qu’une fois.`,
  },

  // --- figures at the end of a game ---
  tries: "Mots",
  challenges: "Pris",
  saveText: "Enregistrer la partie en texte",
  flawless: "Résolu sans une faute !",
};

export default words;
