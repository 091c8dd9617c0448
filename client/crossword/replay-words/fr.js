/** The words of the replay of Crossword Extravaganza in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "points",
  heatOf: "coups sur un mot",
  heat: (moves) => count(moves, { one: "coup sur un mot", other: "coups sur un mot" }),
  choice: "Partie",
  latestMove: "Dernier coup",
  noMatchYet: "Aucune partie n’a encore commencé.",
  notEntered: (id, clue) => `${id}. ${clue} : pas posé`,
  entered: (id, clue, word, name) => `${id}. ${clue} : ${word}, de ${name}`,
  confirmed: (id, clue, word, name) => `${id}. ${clue} : ${word}, de ${name}, confirmé`,
  matchOn: (match, puzzle) => `Partie ${match} sur ${puzzle}`,
  matchOver: (match, puzzle, over) => `Partie ${match} sur ${puzzle} : ${over}`,
  matchOf: (match, puzzle, names) => `${match} sur ${puzzle} : ${list(names)}`,

  // --- titles of the totals ---
  columns: {
    tries: "posés",
    refused: "refusés",
    challenges_won: "contestations gagnées",
    challenges_lost: "contestations perdues",
    by_match: "points par partie",
  },

  // --- events, by code ---
  moves: {
    connected: ({ player }) => `${player} se connecte`,
    "no-room": ({ player }) => `${player} ne trouve pas de place`,
    "no-place": ({ player }) => `${player} ne trouve pas de place dans la partie`,
    "entered-lobby": ({ player }) => `${player} arrive`,
    back: ({ player }) => `${player} est de retour`,
    lost: ({ player }) => `${player} a perdu la connexion et peut revenir`,
    "not-back": ({ player }) => `${player} n’a pas repris sa place à temps`,
    "not-back-left": ({ player }) => `${player} n’a pas repris sa place à temps et s’en va`,
    "grace-over": () => "un délai est écoulé",
    idle: ({ player }) => `${player} n’a rien fait depuis longtemps et perd sa place`,
    "nobody-did": () => "personne n’a rien fait depuis longtemps",
    "nobody-moved": () => "personne n’a joué depuis longtemps",
    "too-late": () => "une saisie arrive trop tard : la session est terminée",
    "logged-out": ({ player }) => `${player} se déconnecte`,
    waits: ({ player }) => `${player} attend une deuxième personne`,
    made: ({ player, match, puzzle }) =>
      `${player} attend une deuxième personne, dans la partie ${match} sur ${puzzle}`,
    "took-back": ({ player }) => `${player} retire la partie en attente`,
    begun: ({ player }) => `${player} arrive, et la partie commence`,
    "begun-alone": ({ player }) => `${player} commence en solo`,
    "next-match": ({ player }) => `${player} passe à une autre partie`,
    entered: ({ player, text, word }) => `${player} pose ${text} au mot ${word}`,
    "tried-wrong": ({ player, word }) => `${player} essaie un mot faux au mot ${word}`,
    "challenge-won": ({ player, word, right }) =>
      `${player} conteste le mot ${word} et gagne deux points : c’est ${right}`,
    "challenge-lost": ({ player, word }) => `${player} conteste le mot ${word}, mais il était juste`,
    "challenge-both-wrong": ({ player, word }) => `${player} conteste le mot ${word} : les deux mots étaient faux`,
    "gave-up": ({ player }) => `${player} abandonne la partie`,
    "try-refused": ({ player }) => `${player} essaie un mot en vain`,
    "line-refused": ({ player }) => `${player} essaie en vain`,
    "unknown-match": ({ player }) => `${player} joue dans une partie que personne ne connaît`,
    cleared: ({ words }) => `effacés car en conflit : ${list(words.map(String))}`,
    complete: () => "la grille est complète",
    won: ({ winner }) => `La partie est terminée : ${winner} gagne`,
    drawn: () => "La partie est terminée, sans victoire",
    "not-completed": () => "La grille est abandonnée",
    "both-left": () => "Les deux joueurs sont partis",
  },
};

export default words;
