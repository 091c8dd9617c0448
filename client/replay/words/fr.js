/** The replay's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  replay: "Revoir la partie",
  reading: "Lecture…",
  readingRecording: "Lecture de l’enregistrement…",
  upToDate: "À jour",
  lost: "Déconnecté",
  toGame: "À la partie",
  timeline: "Frise du temps",
  toBeginning: "Au début",
  toBeginningKey: "Au début (Début)",
  back: "Un coup en arrière",
  backKey: "Un coup en arrière (←)",
  play: "Lire",
  pause: "Pause",
  playKey: "Lire ou mettre en pause (espace)",
  forth: "Un coup en avant",
  forthKey: "Un coup en avant (→)",
  toEnd: "À la fin",
  toEndKey: "À la fin (Fin)",
  speed: "Vitesse",
  heatMap: "Carte de chaleur",
  heatMapKey: "Carte de chaleur (H)",
  move: "Coup",
  moves: "Coups",
  playersAndMoves: "Joueurs et coups",
  player: "joueur",
  totals: "Totaux",
  keys: "Touches",
  space: "Espace",
  playPause: "lire, pause",
  oneMove: "un coup",
  pageUp: "Page ↑",
  pageDown: "Page ↓",
  twentieth: "un vingtième de la partie",
  home: "Début",
  end: "Fin",
  beginningEnd: "le début, la fin",
  theHeatMap: "la carte de chaleur",
  beginning: "Le début.",
  board: "Le plateau.",

  nothing: (reason) => `Il n’y a rien à revoir : ${reason}`,
  titleOf: (game) => `Revoir : ${game}`,
  at: (span, move, moves) => `/ ${span} · coup ${move} / ${moves}`,
  atMove: (move, moves, time, words) => `coup ${move} sur ${moves}, ${time} : ${words}`,
  boardAfter: (move, words) => `Le plateau après le coup ${move} : ${words}`,
  label: (place, what, moves) => `${place} : ${what}, ${moves}`,
  upToHere: (words) => `${words}, jusqu’à ce coup`,
  heatSaid: (what) => `Carte de chaleur : ${what}, jusqu’à ce coup.`,
  heatTitle: (what) => `Carte de chaleur : ${what} (H)`,

  // --- defaults for games without their own words ---
  points: "points",
  columns: /** @type {Record<string, string>} */ ({ score: "points", moves: "coups", waits: "attentes" }),
  movesThere: "coups",
  moveCount: (number) => count(number, { one: "coup", other: "coups" }),

  // --- events of all games, by code ---
  somebody: "quelqu’un",
  happenings: {
    seated: ({ player }) => `${player} prend place`,
    "seat-refused": ({ player, seat }) => `${player} demande la place de ${seat}, sans l’obtenir`,
    "handed-over": ({ player }) => `${player} continue sur un autre appareil`,
    joined: ({ player }) => `${player} arrive`,
    left: ({ player }) => `${player} s’en va`,
    "called-off": () => "une demande est retirée",
    other: ({ player, command }) => `${player} : ${command}`,
  },
};

export default words;
