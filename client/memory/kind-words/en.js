/**
 * Words for Memory Scramble in the lobby and in the table at the end of a game, in English.
 * The other catalogues of this folder have the same keys, with the same parameters.
 */

export default {
  title: "Memory Scramble",
  pitch: "Find pairs, all at the same time",

  // --- choices ---
  theme: "Cards",
  themes: /** @type {Record<string, string>} */ ({
    animals: "Animals",
    nature: "Nature",
    food: "Food",
    sport: "Sport",
    travel: "Travel",
    things: "Things",
    faces: "Faces",
    flags: "Flags",
    letters: "Letters",
    numbers: "Numbers",
    words: "Words",
    emoji: "Mixed",
  }),
  tooFewCards: (/** @type {number} */ cards, /** @type {number} */ pairs) =>
    `There are ${cards} different cards, and this board has ${pairs} pairs: some cards will be two in one.`,
  size: "Size",
  fitsHint: "○ is larger than this screen: you will zoom in and scroll.",
  ownBoard: "My own board",
  ownBoardHint: "Rows x columns in the first line, then one card on each line.",

  // --- figures at the end of a game ---
  pairs: "Pairs",
  accuracy: "Hits",
  streak: "Streak",
  memory: "Memory",
  hint: "Hits: turns that made a pair. Streak: most pairs in a row. Memory: most turns, of all, between seeing a card and finding it again.",
  byOnePair: "By one pair!",
};
