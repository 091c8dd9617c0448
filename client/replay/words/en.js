/** The replay's words in English. The other catalogues have the same keys, with the same parameters. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("en-GB");

export default {
  replay: "Replay",
  reading: "Reading…",
  readingRecording: "Reading the recording…",
  upToDate: "Up to date",
  lost: "Lost",
  toGame: "To the game",
  timeline: "Timeline",
  toBeginning: "To the beginning",
  toBeginningKey: "To the beginning (Home)",
  back: "One move back",
  backKey: "One move back (←)",
  play: "Play",
  pause: "Pause",
  playKey: "Play or pause (space)",
  forth: "One move on",
  forthKey: "One move on (→)",
  toEnd: "To the end",
  toEndKey: "To the end (End)",
  speed: "Speed",
  heatMap: "Heat map",
  heatMapKey: "Heat map (H)",
  move: "Move",
  moves: "Moves",
  playersAndMoves: "Players and moves",
  player: "player",
  totals: "Totals",
  keys: "Keys",
  space: "Space",
  playPause: "play, pause",
  oneMove: "one move",
  pageUp: "PgUp",
  pageDown: "PgDn",
  twentieth: "a twentieth of the game",
  home: "Home",
  end: "End",
  beginningEnd: "the beginning, the end",
  theHeatMap: "the heat map",
  beginning: "The beginning.",
  board: "The board.",

  nothing: (/** @type {string} */ reason) => `There is nothing to replay: ${reason}`,
  titleOf: (/** @type {string} */ game) => `Replay: ${game}`,
  at: (/** @type {string} */ span, /** @type {number} */ move, /** @type {number} */ moves) =>
    `/ ${span} · move ${move} / ${moves}`,
  atMove: (
    /** @type {number} */ move,
    /** @type {number} */ moves,
    /** @type {string} */ time,
    /** @type {string} */ words,
  ) => `move ${move} of ${moves}, ${time}: ${words}`,
  boardAfter: (/** @type {number} */ move, /** @type {string} */ words) => `The board after move ${move}: ${words}`,
  label: (/** @type {string} */ place, /** @type {string} */ what, /** @type {string} */ moves) =>
    `${place}: ${what}, ${moves}`,
  upToHere: (/** @type {string} */ words) => `${words} up to this move`,
  heatSaid: (/** @type {string} */ what) => `Heat map: ${what} up to this move.`,
  heatTitle: (/** @type {string} */ what) => `Heat map: ${what} (H)`,

  // --- defaults for games without their own words ---
  points: "points",
  columns: /** @type {Record<string, string>} */ ({ score: "points", moves: "moves", waits: "waits" }),
  movesThere: "moves",
  moveCount: (/** @type {number} */ number) => count(number, { one: "move", other: "moves" }),

  // --- events of all games, by code ---
  somebody: "somebody",
  happenings: {
    seated: (/** @type {{player: string}} */ { player }) => `${player} took the seat`,
    "seat-refused": (/** @type {{player: string, seat: string}} */ { player, seat }) =>
      `${player} asks for the seat of ${seat}, and does not get it`,
    "handed-over": (/** @type {{player: string}} */ { player }) => `${player} goes on with another device`,
    joined: (/** @type {{player: string}} */ { player }) => `${player} joins`,
    left: (/** @type {{player: string}} */ { player }) => `${player} leaves`,
    "called-off": () => "a request is withdrawn",
    other: (/** @type {{player: string, command: string}} */ { player, command }) => `${player}: ${command}`,
  },
};
