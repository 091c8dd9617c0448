/** The lobby's words in English. The other catalogues of this folder have the same keys, with the same parameters. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("en-GB");

export default {
  title: "Scramble",
  newGame: "New game",
  liveNow: "Live now",
  openGames: "Open games",
  yours: "Your games",
  lastResult: "Your last result",
  noOpenGames: "No open game just now. Start one above and let anybody join: then it stands here.",
  noGamesOfYours: "The games that you start, join or watch stand here, so that you find them again.",
  changeName: "Change your name",
  youAre: "You are",
  nameRule: "A name has up to 24 characters.",
  options: "Options",
  playBot: "Play a bot",
  playFriends: "With friends",
  playAlone: "Alone",
  forGame: (/** @type {string} */ act, /** @type {string} */ game) => `${act}: ${game}`,
  start: "Start",
  forget: (/** @type {string} */ title) => `Take ${title} off this list`,
  join: "Join",
  watch: "Watch",
  goOn: "Go on",
  replay: "Replay",
  notConnected: "The list is as it was: the server does not answer.",
  token: "Password for new games on this server",

  // --- choices ---
  bots: "Bots",
  noBots: "None",
  level: "They play",
  levels: /** @type {Record<string, string>} */ ({ easy: "Easy", medium: "Medium", hard: "Hard" }),
  access: "Who may join",
  byLink: "Who has the link",
  anybody: "Anybody",
  aClass: "A class",
  gameTitle: "Name of the game",

  // --- rows of the lists ---
  hostedBy: (/** @type {string} */ name) => `by ${name}`,
  players: (/** @type {number} */ number) => count(number, { one: "player", other: "players" }),
  botCount: (/** @type {number} */ number) => count(number, { one: "bot", other: "bots" }),
  watching: (/** @type {number} */ number) => `${number} watching`,
  nobody: "no players",
  over: "over",
  closed: "closed",
  broken: "stopped by a fault",
  wonBy: (/** @type {string[]} */ names) => (names.length === 0 ? "a draw" : `won by ${list(names)}`),
  justOpened: "new",
  minutes: (/** @type {number} */ number) => `${number} min`,
  hours: (/** @type {number} */ number) => `${number} h`,
  days: (/** @type {number} */ number) => count(number, { one: "day", other: "days" }),

  // --- the daily challenge ---
  streak: (/** @type {number} */ days) => `🔥 ${count(days, { one: "day", other: "days" })} in a row`,
  nextIn: (/** @type {number} */ hours) =>
    hours > 1 ? `The next challenge comes in ${hours} hours` : "The next challenge comes within the hour",
  nobodyYet: "Be the first today",
  bestToday: (/** @type {string} */ name, /** @type {string} */ time) => `Best today: ${name}, ${time}`,
  bestBefore: (/** @type {string} */ name, /** @type {string} */ time) =>
    `Best of the last challenge: ${name}, ${time}.`,
  play: "Play",
  table: "Table",
  share: "Share",
  points: (/** @type {number} */ points) => count(points, { one: "point", other: "points" }),
  records: "My records",
  noRecords: "Your results come here after your first game. They stay in this browser.",
  saveRecords: "Save as a file",
  addRecords: "Add from a file",
  closeRecords: "Close",
  wrongRecords: "This is not a file with records. Nothing has changed.",
  recordsNotKept: "The records cannot be stored in this browser.",
  recordsAdded: (/** @type {number} */ games) => `${count(games, { one: "game", other: "games" })} added`,
};
