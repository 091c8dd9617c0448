/** Words for Memory Scramble in the lobby and in the table at the end of a game, in German. */

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Paare finden, alle zur gleichen Zeit",

  // --- choices ---
  theme: "Karten",
  themes: {
    animals: "Tiere",
    nature: "Natur",
    food: "Essen",
    sport: "Sport",
    travel: "Reisen",
    things: "Dinge",
    faces: "Gesichter",
    flags: "Flaggen",
    letters: "Buchstaben",
    numbers: "Zahlen",
    words: "Wörter",
    emoji: "Gemischt",
  },
  tooFewCards: (cards, pairs) =>
    `Es gibt ${cards} verschiedene Karten, und dieses Spielfeld hat ${pairs} Paare: Manche Karten zeigen zwei Bilder.`,
  size: "Größe",
  fitsHint: "○ ist größer als dieser Bildschirm: Du musst hineinzoomen und scrollen.",
  ownBoard: "Eigenes Spielfeld",
  ownBoardHint: "In der ersten Zeile Zeilen x Spalten, dann in jeder Zeile eine Karte.",

  // --- figures at the end of a game ---
  pairs: "Paare",
  accuracy: "Treffer",
  streak: "Serie",
  memory: "Merken",
  hint: "Treffer: Versuche mit einem Paar. Serie: die meisten Paare hintereinander. Merken: die meisten Versuche aller zwischen dem Sehen und dem Wiederfinden einer Karte.",
  byOnePair: "Mit einem einzigen Paar!",
};

export default words;
