/** The lobby's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list, percent } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Nouvelle partie",
  openGames: "Parties ouvertes",
  yours: "Tes parties",
  noOpenGames: "Aucune partie ouverte en ce moment. Lances-en une ci-dessus, ouverte à tous : elle apparaîtra ici.",
  noGamesOfYours: "Ici apparaissent les parties que tu lances, joues ou regardes, pour que tu les retrouves.",
  changeName: "Changer ton nom",
  youAre: "Tu es",
  nameRule: "Un nom a 24 caractères au plus.",
  options: "Options",
  playBot: "Contre un bot",
  playFriends: "Entre amis",
  start: "Commencer",
  forget: (title) => `Retirer ${title} de cette liste`,
  join: "Jouer",
  watch: "Regarder",
  goOn: "Continuer",
  look: "Voir",
  replay: "Revoir",
  notConnected: "La liste n’est plus à jour : le serveur ne répond pas.",
  noServer: "Le serveur ne répond pas. Réessaie dans un instant.",
  tooLong: "Ce fichier est trop long.",
  token: "Mot de passe pour lancer des parties sur ce serveur",

  games: {
    memory: { title: "Memory Scramble", pitch: "Trouvez des paires, tous en même temps" },
    minesweeper: { title: "Démineur", pitch: "Déminez un champ tous ensemble" },
    crossword: { title: "Mots croisés", pitch: "Une course à deux dans une grille" },
  },

  // --- choices ---
  theme: "Cartes",
  themes: {
    animals: "Animaux",
    nature: "Nature",
    food: "Cuisine",
    sport: "Sport",
    travel: "Voyages",
    things: "Objets",
    faces: "Visages",
    flags: "Drapeaux",
    letters: "Lettres",
    numbers: "Nombres",
    words: "Mots",
    emoji: "Mélange",
  },
  tooFewCards: (cards, pairs) =>
    `Il y a ${cards} cartes différentes et ce plateau a ${pairs} paires : certaines cartes auront deux images.`,
  size: "Taille",
  fitsHint: "○ est plus grand que cet écran : il faudra zoomer et faire défiler.",
  ownBoard: "Mon propre plateau",
  ownBoardHint: "Lignes x colonnes sur la première ligne, puis une carte par ligne.",
  ownField: "Mon propre champ",
  ownFieldHint:
    "D’abord colonnes et lignes, par exemple 3 2. Puis une ligne par rangée : 1 pour une bombe, 0 sinon, séparés par des espaces.",
  ownPuzzle: "Ma propre grille",
  ownPuzzleHint: "Un fichier de grille, tel que le décrit le guide « Write a puzzle ».",
  chooseFile: "Choisir un fichier",
  dropHint: "Colle ton texte ici ou dépose un fichier.",
  lineOf: (line, text) => `Ligne ${line} : ${text}`,
  preset: "Champ",
  presets: { beginner: "Facile", intermediate: "Moyen", expert: "Difficile", custom: "Sur mesure" },
  rows: "Lignes",
  columns: "Colonnes",
  bombs: "Bombes",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "bombe", other: "bombes" })}, ${percent(bombs / squares)}`,
  safeStart: "La première case est sûre",
  puzzle: "Grille",
  wordCount: (words) => count(words, { one: "mot", other: "mots" }),
  bots: "Bots",
  noBots: "Aucun",
  level: "Leur niveau",
  levels: { easy: "Facile", medium: "Moyen", hard: "Difficile" },
  turnClock: "Temps pour garder ce que d’autres attendent",
  turnClocks: (clock) => (clock === "off" ? "Illimité" : `${clock} s`),
  access: "Qui peut jouer",
  byLink: "Qui a le lien",
  anybody: "Tout le monde",
  gameTitle: "Nom de la partie",

  // --- rows of the lists ---
  players: (number) => count(number, { one: "joueur", other: "joueurs" }),
  watching: (number) => count(number, { one: "spectateur", other: "spectateurs" }),
  nobody: "personne encore",
  over: "terminée",
  closed: "fermée",
  broken: "arrêtée par une panne",
  wonBy: (names) => (names.length === 0 ? "égalité" : `gagnée par ${list(names)}`),
  justOpened: "nouvelle",
  minutes: (number) => `${number} min`,
  hours: (number) => `${number} h`,
  days: (number) => count(number, { one: "jour", other: "jours" }),
};

export default words;
