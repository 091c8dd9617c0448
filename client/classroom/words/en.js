/** The words of the page of a class in English. The other catalogues of this folder have the same keys. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("en-GB");

export default {
  titleOf: (/** @type {string} */ game) => `Class: ${game}`,

  // --- for a pupil ---
  joinTitle: "Join the class",
  join: "Join",
  waitFirst: "You are in. The first round begins soon.",
  waitNext: "The next round begins soon.",
  waitPlace: "You play from the next round on.",
  atTable: "Your game has begun.",
  toTable: "Go to your table",
  left: "You have left this class.",
  comeBack: "Come back",
  leave: "Leave the class",

  // --- for the teacher ---
  scan: "Scan to join",
  qr: "QR code of the link to this class",
  start: (/** @type {number} */ round) => `Start round ${round}`,
  readyFirst: "Let your pupils come, then start.",
  playing: (/** @type {number} */ tables) => `${count(tables, { one: "table plays", other: "tables play" })}.`,
  ready: "All games are over.",
  startEarly: "A new round closes the games that still run.",
  end: "End the class",
  sureEnd: "End the class?",
  sureEndWords: "Nobody can join any more, and there is no further round. Games that still run count.",
  goOn: "Go on",
  remove: (/** @type {string} */ name) => `Remove ${name} from the class`,

  // --- for both ---
  waiting: (/** @type {number} */ pupils) => `Waiting: ${pupils}`,
  nobodyWaits: "Nobody waits.",
  round: (/** @type {number} */ round) => `Round ${round}`,
  watch: "Watch",
  watchTable: (/** @type {string[]} */ names) => `Watch ${list(names)}`,
  running: "playing",
  over: "over",
  standings: "Standings",
  finalTable: "Final table",
  points: "Points",
  wins: "Wins",
  games: "Games",
  ended: "The class is over.",
  first: (/** @type {string[]} */ names) => (names.length === 0 ? "The class is over." : `First: ${list(names)}!`),
};
