/** The words of the lobby: its one catalogue. Another language needs another object of the same shape, and no more. */

import { counted } from "../shared/words.js";

/** @typedef {Record<string, string | number>} Params of a refusal, from the server */

export const WORDS = {
  title: "Scramble",
  newGame: "New game",
  openGames: "Open games",
  yours: "Your games",
  noOpenGames: "No open game just now. Start one above and let anybody join: then it stands here.",
  noGamesOfYours: "The games that you start, join or watch stand here, so that you find them again.",
  changeName: "Change your name",
  youAre: "You are",
  yourName: "Your name",
  nameRule: "A name has up to 24 characters.",
  another: "Another",
  cancel: "Cancel",
  ok: "OK",
  options: "Options",
  playBot: "Play a bot",
  playFriends: "With friends",
  start: "Start",
  starting: "Starting…",
  forget: (/** @type {string} */ title) => `Take ${title} off this list`,
  join: "Join",
  watch: "Watch",
  goOn: "Go on",
  look: "Look",
  replay: "Replay",
  notConnected: "The list is as it was: the server does not answer.",
  noServer: "The server does not answer. Try again in a moment.",
  tooLong: "That file is too long.",
  token: "Password for new games on this server",

  games: /** @type {Record<string, {title: string, pitch: string}>} */ ({
    memory: { title: "Memory Scramble", pitch: "Find pairs, all at the same time" },
    minesweeper: { title: "Minesweeper", pitch: "Clear one field together" },
    crossword: { title: "Crossword", pitch: "Two race through one puzzle" },
  }),

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
  sizeOf: (/** @type {string} */ size) => size.replace("x", " × "),
  fitsHint: "○ is larger than this screen: you will zoom in and scroll.",
  ownBoard: "My own board",
  ownBoardHint: "Rows x columns in the first line, then one card on each line.",
  ownField: "My own field",
  ownFieldHint: "First columns and rows, such as 3 2. Then a line for each row: 1 a bomb, 0 none, and spaces between.",
  ownPuzzle: "My own puzzle",
  ownPuzzleHint: "A puzzle file, as the how-to “Write a puzzle” describes it.",
  chooseFile: "Choose a file",
  dropHint: "Paste it here, or drop a file.",
  lineOf: (/** @type {number} */ line, /** @type {string} */ text) => `Line ${line}: ${text}`,
  preset: "Field",
  presets: /** @type {Record<string, string>} */ ({
    beginner: "Beginner",
    intermediate: "Intermediate",
    expert: "Expert",
    custom: "Custom",
  }),
  rows: "Rows",
  columns: "Columns",
  bombs: "Bombs",
  bombsOf: (/** @type {number} */ bombs, /** @type {number} */ squares) =>
    `${counted(bombs, "bomb")}, ${Math.round((100 * bombs) / squares)} %`,
  safeStart: "The first dig is safe",
  puzzle: "Puzzle",
  wordCount: (/** @type {number} */ words) => counted(words, "word"),
  bots: "Bots",
  noBots: "None",
  level: "They play",
  levels: /** @type {Record<string, string>} */ ({ easy: "Easy", medium: "Medium", hard: "Hard" }),
  turnClock: "Time to hold what others wait for",
  turnClocks: (/** @type {string} */ clock) => (clock === "off" ? "Any" : `${clock} s`),
  access: "Who may join",
  byLink: "Who has the link",
  anybody: "Anybody",
  gameTitle: "Name of the game",
  gameTitleHint: "optional",

  // --- rows of the lists ---
  players: (/** @type {number} */ number) => counted(number, "player"),
  watching: (/** @type {number} */ number) => `${number} watching`,
  nobody: "no players",
  over: "over",
  closed: "closed",
  broken: "stopped by a fault",
  wonBy: (/** @type {string[]} */ names) => (names.length === 0 ? "a draw" : `won by ${listed(names)}`),
  age: (/** @type {number} */ milliseconds) => {
    const minutes = Math.floor(milliseconds / 60_000);
    if (minutes < 1) return "new";
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    return hours < 24 ? `${hours} h` : counted(Math.floor(hours / 24), "day");
  },

  // --- refusals, by their code; what has none here is said in the server's words ---
  refusals: /** @type {Record<string, (params: Params) => string>} */ ({
    "may-not-open": () => "This server lets only some people start games. Join an open one.",
    "too-many-opened": ({ wait_s }) => `That were many games at once. Try again in ${wait_s} s.`,
    "rooms-full": () => "There are as many games as this server can have. Try again later, or join an open one.",
  }),
};

/**
 * "ann", "ann and bob", "ann, bob and carl".
 * @param {string[]} names
 */
function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}
