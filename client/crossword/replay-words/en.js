/** The words of the replay of Crossword Extravaganza in English. The other catalogues have the same keys. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("en-GB");

/** @typedef {{player: string}} By a player */
/** @typedef {{player: string, word: number}} Word of the move */
/** @typedef {Word & {text: string}} Entry */

export default {
  unit: "points",
  heatOf: "moves on a word",
  heat: (/** @type {number} */ moves) => count(moves, { one: "move on a word", other: "moves on a word" }),
  choice: "Match",
  latestMove: "Latest move",
  noMatchYet: "No match has begun yet.",
  notEntered: (/** @type {number} */ id, /** @type {string} */ clue) => `${id}. ${clue}: not entered`,
  entered: (
    /** @type {number} */ id,
    /** @type {string} */ clue,
    /** @type {string} */ word,
    /** @type {string} */ name,
  ) => `${id}. ${clue}: ${word}, by ${name}`,
  confirmed: (
    /** @type {number} */ id,
    /** @type {string} */ clue,
    /** @type {string} */ word,
    /** @type {string} */ name,
  ) => `${id}. ${clue}: ${word}, by ${name}, confirmed`,
  matchOn: (/** @type {string} */ match, /** @type {string} */ puzzle) => `Match ${match} on ${puzzle}`,
  matchOver: (/** @type {string} */ match, /** @type {string} */ puzzle, /** @type {string} */ over) =>
    `Match ${match} on ${puzzle}: ${over}`,
  matchOf: (/** @type {string} */ match, /** @type {string} */ puzzle, /** @type {string[]} */ names) =>
    `${match} on ${puzzle}: ${list(names)}`,

  // --- titles of the totals ---
  columns: {
    tries: "tries",
    refused: "tries refused",
    challenges_won: "challenges won",
    challenges_lost: "challenges lost",
    by_match: "points by match",
  },

  // --- events, by code ---
  moves: {
    connected: (/** @type {By} */ { player }) => `${player} connects`,
    "no-room": (/** @type {By} */ { player }) => `${player} finds no place`,
    "no-place": (/** @type {By} */ { player }) => `${player} finds no place in the match`,
    "entered-lobby": (/** @type {By} */ { player }) => `${player} joins`,
    back: (/** @type {By} */ { player }) => `${player} comes back`,
    lost: (/** @type {By} */ { player }) => `${player} has lost the connection, and may come back`,
    "not-back": (/** @type {By} */ { player }) => `${player} has not come back in time`,
    "not-back-left": (/** @type {By} */ { player }) => `${player} has not come back in time, and has left`,
    "grace-over": () => "a time of grace is over",
    idle: (/** @type {By} */ { player }) => `${player} has done nothing for long, and is logged out`,
    "nobody-did": () => "nobody has done anything for long",
    "nobody-moved": () => "nobody has moved for long",
    "too-late": () => "something is typed too late: the session has ended",
    "logged-out": (/** @type {By} */ { player }) => `${player} logs out`,
    waits: (/** @type {By} */ { player }) => `${player} waits for a second player`,
    made: (/** @type {By & {match: string, puzzle: string}} */ { player, match, puzzle }) =>
      `${player} waits for a second player, in match ${match} on ${puzzle}`,
    "took-back": (/** @type {By} */ { player }) => `${player} takes the waiting match back`,
    begun: (/** @type {By} */ { player }) => `${player} joins, and the match begins`,
    "begun-alone": (/** @type {By} */ { player }) => `${player} begins alone`,
    "next-match": (/** @type {By} */ { player }) => `${player} goes on to another match`,
    entered: (/** @type {Entry} */ { player, text, word }) => `${player} enters ${text} for word ${word}`,
    "tried-wrong": (/** @type {Word} */ { player, word }) => `${player} tries a wrong word for word ${word}`,
    "challenge-won": (/** @type {Word & {right: string}} */ { player, word, right }) =>
      `${player} challenges word ${word} and wins two points: it is ${right}`,
    "challenge-lost": (/** @type {Word} */ { player, word }) => `${player} challenges word ${word}, which was right`,
    "challenge-both-wrong": (/** @type {Word} */ { player, word }) =>
      `${player} challenges word ${word}: it was wrong, and so is the proposal`,
    "gave-up": (/** @type {By} */ { player }) => `${player} gives up the match`,
    "try-refused": (/** @type {By} */ { player }) => `${player} tries a word in vain`,
    "line-refused": (/** @type {By} */ { player }) => `${player} tries something in vain`,
    "unknown-match": (/** @type {By} */ { player }) => `${player} moves in a match that nobody knows`,
    cleared: (/** @type {{words: number[]}} */ { words }) =>
      `cleared, because in conflict with it: ${list(words.map(String))}`,
    complete: () => "the puzzle is complete",
    won: (/** @type {{winner: string}} */ { winner }) => `The match is over: ${winner} wins`,
    drawn: () => "The match is over, without a winner",
    "not-completed": () => "The puzzle is given up",
    "both-left": () => "Both players have left",
  },
};
