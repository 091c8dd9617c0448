/** The words of the replay of Memory Scramble in German. */

import { grammar } from "../../shared/grammar.js";

const { brief, count, list, number, plural } = grammar("de");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `Zeile ${row}, Spalte ${column}`;
const cardsOf = (/** @type {number} */ cards) => count(cards, { one: "Karte", other: "Karten" });
const inVain = (/** @type {{players: string[]}} */ { players }) =>
  `${list(players)} ${plural(players.length, { one: "hat", other: "haben" })} umsonst gewartet`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "Paare",
  heatOf: "wie oft aufgedeckt",
  heat: (flips) => count(flips, { one: "Mal aufgedeckt", other: "Mal aufgedeckt" }),
  waiting: "wartet",
  faceDown: "verdeckt",
  taken: (name) => `von ${name} genommen`,
  free: (card) => `${card}, frei`,
  held: (card, name) => `${card}, bei ${name}`,

  // --- titles of the totals, and formats of totals that are not plain numbers ---
  columns: {
    flips: "aufgedeckt",
    matches: "Treffer",
    no_card: "Karte schon weg",
    no_second: "zweite schon weg",
    second_held: "zweite vergeben",
    waits: "gewartet",
    waited: "Wartezeit",
    longest: "längste",
    pairs: "Paare",
    turns: "Züge",
    streak: "Serie",
    memory: "Merken",
  },
  figures: { waited: brief, longest: brief },

  // --- events, by code ---
  moves: {
    busy: ({ player, row, column }) =>
      `${player} versucht es in ${at(row, column)}, wartet aber noch auf eine andere Karte`,
    waits: ({ player, row, column }) => `${player} wartet auf die Karte in ${at(row, column)}`,
    held: ({ player, row, column }) => `${player} bekommt die Karte in ${at(row, column)} nicht: Sie ist vergeben`,
    "same-card": ({ player, row, column }) =>
      `${player} bekommt die Karte in ${at(row, column)} nicht: Es ist die erste Karte selbst`,
    "no-card": ({ player, row, column }) => `${player} findet keine Karte in ${at(row, column)}`,
    "turned-up": ({ player, card, row, column }) => `${player} deckt ${card} in ${at(row, column)} auf`,
    took: ({ player, card, row, column }) => `${player} nimmt die offene Karte ${card} in ${at(row, column)}`,
    pair: ({ player, card, row, column }) => `${player} nimmt ${card} in ${at(row, column)}: ein Paar`,
    "pair-face-up": ({ player, card, row, column }) =>
      `${player} nimmt die offene Karte ${card} in ${at(row, column)}: ein Paar`,
    "no-pair": ({ player, card, row, column }) => `${player} deckt ${card} in ${at(row, column)} auf: kein Paar`,
    "no-pair-face-up": ({ player, card, row, column }) =>
      `${player} versucht es mit der offenen Karte ${card} in ${at(row, column)}: kein Paar`,
    "gives-up": ({ player, card, row, column }) => `${player} gibt ${card} in ${at(row, column)} wieder her`,
    replaced: ({ player, cards, seen }) =>
      `${player} tauscht ${cardsOf(cards)} aus: ${list(seen.map(([old, now]) => `${old} → ${now}`))}`,
    "replaced-unseen": ({ player, cards }) => `${player} tauscht ${cardsOf(cards)} aus, keine davon offen`,
    "replaced-none": ({ player }) => `${player} tauscht eine Karte aus, die es nicht gibt`,
    "new-game": ({ player }) => `${player} beginnt ein neues Spiel: Die Karten liegen gemischt und verdeckt`,
    withdrew: ({ player }) => `${player} wartet nicht mehr`,
    "gave-up": ({ player }) => `${player} war lange nicht da: Die Karten sind wieder frei`,
    bounded: ({ most }) => `von nun an haben höchstens ${number(most)} Mitspielende Punkte`,
    "pair-left": ({ player }) => `${player} nimmt das Paar vom Spielfeld`,
    "turned-down": ({ places }) =>
      `${count(places.length, { one: "Karte ist", other: "Karten sind" })} wieder verdeckt`,
    "in-vain": inVain,
    "waited-in-vain": inVain,
    got: ({ player, row, column }) => `${player} hat gewartet und bekommt die Karte in ${at(row, column)}`,
  },
};

export default words;
