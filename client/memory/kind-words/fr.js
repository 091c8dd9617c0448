/** Words for Memory Scramble in the lobby and in the table at the end of a game, in French. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Trouvez des paires, tous en même temps",

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

  // --- figures at the end of a game ---
  pairs: "Paires",
  accuracy: "Réussite",
  streak: "Série",
  memory: "Mémoire",
  hint: "Réussite : essais qui ont donné une paire. Série : le plus de paires d’affilée. Mémoire : le plus d’essais, de tous, entre voir une carte et la retrouver.",
  byOnePair: "D’une seule paire !",
};

export default words;
