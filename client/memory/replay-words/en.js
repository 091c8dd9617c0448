/** The words of the replay of Memory Scramble in English. The other catalogues have the same keys and parameters. */

import { grammar } from "../../shared/grammar.js";

const { brief, count, list, number } = grammar("en-GB");

/** @typedef {{player: string, row: number, column: number}} Place of a move */
/** @typedef {Place & {card: string}} Card at a place */

const at = (/** @type {number} */ row, /** @type {number} */ column) => `row ${row}, column ${column}`;
const cardsOf = (/** @type {number} */ cards) => count(cards, { one: "card", other: "cards" });

export default {
  unit: "pairs",
  heatOf: "flips",
  heat: (/** @type {number} */ flips) => count(flips, { one: "flip", other: "flips" }),
  waiting: "waiting",
  faceDown: "face down",
  taken: (/** @type {string} */ name) => `taken by ${name}`,
  free: (/** @type {string} */ card) => `${card}, free`,
  held: (/** @type {string} */ card, /** @type {string} */ name) => `${card}, held by ${name}`,

  // --- titles of the totals, and formats of totals that are not plain numbers ---
  columns: {
    flips: "flips",
    matches: "matches",
    no_card: "no card there",
    no_second: "no second card",
    second_held: "second card held",
    waits: "waits",
    waited: "waited",
    longest: "longest",
    pairs: "pairs",
    turns: "turns",
    streak: "streak",
    memory: "memory",
  },
  figures: { waited: brief, longest: brief },

  // --- events, by code ---
  moves: {
    busy: (/** @type {Place} */ { player, row, column }) =>
      `${player} tries ${at(row, column)}, but still waits for another card`,
    waits: (/** @type {Place} */ { player, row, column }) => `${player} waits for the card at ${at(row, column)}`,
    held: (/** @type {Place} */ { player, row, column }) =>
      `${player} cannot have the card at ${at(row, column)}: it is taken`,
    "same-card": (/** @type {Place} */ { player, row, column }) =>
      `${player} cannot have the card at ${at(row, column)}: it is the first card itself`,
    "no-card": (/** @type {Place} */ { player, row, column }) => `${player} finds no card at ${at(row, column)}`,
    "turned-up": (/** @type {Card} */ { player, card, row, column }) =>
      `${player} turns up ${card} at ${at(row, column)}`,
    took: (/** @type {Card} */ { player, card, row, column }) =>
      `${player} takes the face-up ${card} at ${at(row, column)}`,
    pair: (/** @type {Card} */ { player, card, row, column }) =>
      `${player} takes ${card} at ${at(row, column)}: a pair`,
    "pair-face-up": (/** @type {Card} */ { player, card, row, column }) =>
      `${player} takes the face-up ${card} at ${at(row, column)}: a pair`,
    "no-pair": (/** @type {Card} */ { player, card, row, column }) =>
      `${player} turns up ${card} at ${at(row, column)}: no pair`,
    "no-pair-face-up": (/** @type {Card} */ { player, card, row, column }) =>
      `${player} goes for the face-up ${card} at ${at(row, column)}: no pair`,
    "gives-up": (/** @type {Card} */ { player, card, row, column }) =>
      `${player} gives up ${card} at ${at(row, column)}`,
    replaced: (
      /** @type {{player: string, cards: number, seen: [old: string, now: string][]}} */ { player, cards, seen },
    ) => `${player} replaces ${cardsOf(cards)}: ${list(seen.map(([old, now]) => `${old} → ${now}`))}`,
    "replaced-unseen": (/** @type {{player: string, cards: number}} */ { player, cards }) =>
      `${player} replaces ${cardsOf(cards)}, none of them face up`,
    "replaced-none": (/** @type {{player: string}} */ { player }) => `${player} replaces a card that is not there`,
    "new-game": (/** @type {{player: string}} */ { player }) =>
      `${player} starts a new game: the cards are shuffled and lie face down`,
    withdrew: (/** @type {{player: string}} */ { player }) => `${player} waits no longer`,
    "gave-up": (/** @type {{player: string}} */ { player }) =>
      `${player} has been away for long, and gives up all cards`,
    bounded: (/** @type {{most: number}} */ { most }) => `from now on at most ${number(most)} players have a score`,
    "pair-left": (/** @type {{player: string}} */ { player }) => `${player}’s pair leaves the board`,
    "turned-down": (/** @type {{places: unknown[]}} */ { places }) =>
      `${count(places.length, { one: "card turns", other: "cards turn" })} face down again`,
    "in-vain": (/** @type {{players: string[]}} */ { players }) => `${list(players)} waited in vain`,
    "waited-in-vain": (/** @type {{players: string[]}} */ { players }) => `${list(players)} waited in vain`,
    got: (/** @type {Place} */ { player, row, column }) =>
      `${player}, who waited, takes the card at ${at(row, column)}`,
  },
};
