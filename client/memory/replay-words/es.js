/** The words of the replay of Memory Scramble in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { brief, count, list, number, plural } = grammar("es");

const at = (/** @type {number} */ row, /** @type {number} */ column) => `fila ${row}, columna ${column}`;
const cardsOf = (/** @type {number} */ cards) => count(cards, { one: "carta", other: "cartas" });
const inVain = (/** @type {{players: string[]}} */ { players }) =>
  `${list(players)} ${plural(players.length, { one: "esperó", other: "esperaron" })} en vano`;

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "parejas",
  heatOf: "cuántas veces se levantó",
  heat: (flips) => count(flips, { one: "vez levantada", other: "veces levantada" }),
  waiting: "espera",
  faceDown: "boca abajo",
  taken: (name) => `se la llevó ${name}`,
  free: (card) => `${card}, libre`,
  held: (card, name) => `${card}, la tiene ${name}`,

  // --- titles of the totals, and formats of totals that are not plain numbers ---
  columns: {
    flips: "levantadas",
    matches: "aciertos",
    no_card: "carta ya quitada",
    no_second: "segunda ya quitada",
    second_held: "segunda ocupada",
    waits: "esperas",
    waited: "tiempo esperado",
    longest: "la más larga",
    pairs: "parejas",
    turns: "turnos",
    streak: "racha",
    memory: "memoria",
  },
  figures: { waited: brief, longest: brief },

  // --- events, by code ---
  moves: {
    busy: ({ player, row, column }) => `${player} lo intenta en ${at(row, column)}, pero aún espera otra carta`,
    waits: ({ player, row, column }) => `${player} espera la carta en ${at(row, column)}`,
    held: ({ player, row, column }) => `${player} no consigue la carta en ${at(row, column)}: está ocupada`,
    "same-card": ({ player, row, column }) =>
      `${player} no consigue la carta en ${at(row, column)}: es la misma primera carta`,
    "no-card": ({ player, row, column }) => `${player} no encuentra carta en ${at(row, column)}`,
    "turned-up": ({ player, card, row, column }) => `${player} levanta ${card} en ${at(row, column)}`,
    took: ({ player, card, row, column }) => `${player} toma ${card}, que está boca arriba, en ${at(row, column)}`,
    pair: ({ player, card, row, column }) => `${player} toma ${card} en ${at(row, column)}: una pareja`,
    "pair-face-up": ({ player, card, row, column }) =>
      `${player} toma ${card}, que está boca arriba, en ${at(row, column)}: una pareja`,
    "no-pair": ({ player, card, row, column }) => `${player} levanta ${card} en ${at(row, column)}: no hay pareja`,
    "no-pair-face-up": ({ player, card, row, column }) =>
      `${player} prueba con ${card}, que está boca arriba, en ${at(row, column)}: no hay pareja`,
    "gives-up": ({ player, card, row, column }) => `${player} suelta ${card} en ${at(row, column)}`,
    replaced: ({ player, cards, seen }) =>
      `${player} cambia ${cardsOf(cards)}: ${list(seen.map(([old, now]) => `${old} → ${now}`))}`,
    "replaced-unseen": ({ player, cards }) => `${player} cambia ${cardsOf(cards)}, ninguna boca arriba`,
    "replaced-none": ({ player }) => `${player} cambia una carta que no existe`,
    "new-game": ({ player }) => `${player} empieza una partida nueva: las cartas están barajadas y boca abajo`,
    withdrew: ({ player }) => `${player} ya no espera`,
    "gave-up": ({ player }) => `${player} lleva mucho tiempo fuera: sus cartas quedan libres`,
    bounded: ({ most }) => `desde ahora tienen puntos como máximo ${number(most)} jugadores`,
    "pair-left": ({ player }) => `${player} se lleva su pareja del tablero`,
    "turned-down": ({ places }) =>
      `${count(places.length, { one: "carta vuelve", other: "cartas vuelven" })} a estar boca abajo`,
    "in-vain": inVain,
    "waited-in-vain": inVain,
    got: ({ player, row, column }) => `${player}, que esperaba, consigue la carta en ${at(row, column)}`,
  },
};

export default words;
