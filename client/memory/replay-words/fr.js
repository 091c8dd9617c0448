/** The words of the replay of Memory Scramble in French. */

import { grammar } from "../../shared/grammar.js";

const { brief, count, list, number, plural } = grammar("fr");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `ligne ${row}, colonne ${column}`;
const cardsOf = (/** @type {number} */ cards) => count(cards, { one: "carte", other: "cartes" });
const inVain = (/** @type {{players: string[]}} */ { players }) =>
  `${list(players)} ${plural(players.length, { one: "a", other: "ont" })} attendu en vain`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "paires",
  heatOf: "combien de fois retournée",
  heat: (flips) => count(flips, { one: "fois retournée", other: "fois retournée" }),
  waiting: "attend",
  faceDown: "face cachée",
  taken: (name) => `prise par ${name}`,
  free: (card) => `${card}, libre`,
  held: (card, name) => `${card}, tenue par ${name}`,

  // --- titles of the totals, and formats of totals that are not plain numbers ---
  columns: {
    flips: "retournées",
    matches: "réussites",
    no_card: "carte déjà prise",
    no_second: "seconde déjà prise",
    second_held: "seconde occupée",
    waits: "attentes",
    waited: "temps d’attente",
    longest: "la plus longue",
    pairs: "paires",
    turns: "tours",
    streak: "série",
    memory: "mémoire",
  },
  figures: { waited: brief, longest: brief },

  // --- events, by code ---
  moves: {
    busy: ({ player, row, column }) => `${player} essaie en ${at(row, column)}, mais attend encore une autre carte`,
    waits: ({ player, row, column }) => `${player} attend la carte en ${at(row, column)}`,
    held: ({ player, row, column }) => `${player} n’obtient pas la carte en ${at(row, column)} : elle est prise`,
    "same-card": ({ player, row, column }) =>
      `${player} n’obtient pas la carte en ${at(row, column)} : c’est la première carte elle-même`,
    "no-card": ({ player, row, column }) => `${player} ne trouve pas de carte en ${at(row, column)}`,
    "turned-up": ({ player, card, row, column }) => `${player} retourne ${card} en ${at(row, column)}`,
    took: ({ player, card, row, column }) => `${player} prend ${card}, déjà visible, en ${at(row, column)}`,
    pair: ({ player, card, row, column }) => `${player} prend ${card} en ${at(row, column)} : une paire`,
    "pair-face-up": ({ player, card, row, column }) =>
      `${player} prend ${card}, déjà visible, en ${at(row, column)} : une paire`,
    "no-pair": ({ player, card, row, column }) => `${player} retourne ${card} en ${at(row, column)} : pas de paire`,
    "no-pair-face-up": ({ player, card, row, column }) =>
      `${player} tente ${card}, déjà visible, en ${at(row, column)} : pas de paire`,
    "gives-up": ({ player, card, row, column }) => `${player} rend ${card} en ${at(row, column)}`,
    replaced: ({ player, cards, seen }) =>
      `${player} remplace ${cardsOf(cards)} : ${list(seen.map(([old, now]) => `${old} → ${now}`))}`,
    "replaced-unseen": ({ player, cards }) => `${player} remplace ${cardsOf(cards)}, dont aucune n’est visible`,
    "replaced-none": ({ player }) => `${player} remplace une carte qui n’existe pas`,
    "new-game": ({ player }) => `${player} commence une nouvelle partie : les cartes sont mélangées, face cachée`,
    withdrew: ({ player }) => `${player} n’attend plus`,
    "gave-up": ({ player }) => `${player} n’est plus là depuis longtemps : ses cartes sont libres`,
    bounded: ({ most }) => `désormais, au plus ${number(most)} joueurs ont des points`,
    "pair-left": ({ player }) => `${player} retire sa paire du plateau`,
    "turned-down": ({ places }) =>
      `${count(places.length, { one: "carte est", other: "cartes sont" })} de nouveau face cachée`,
    "in-vain": inVain,
    "waited-in-vain": inVain,
    got: ({ player, row, column }) => `${player}, qui attendait, obtient la carte en ${at(row, column)}`,
  },
};

export default words;
