/** The words of the page of a class in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  titleOf: (game) => `Classe : ${game}`,

  // --- for a pupil ---
  joinTitle: "Rejoins la classe",
  join: "Rejoindre",
  waitFirst: "Tu y es. La première manche commence bientôt.",
  waitNext: "La prochaine manche commence bientôt.",
  waitPlace: "Tu joues à partir de la prochaine manche.",
  atTable: "Ta partie a commencé.",
  toTable: "Aller à ta table",
  left: "Tu as quitté cette classe.",
  comeBack: "Revenir",
  leave: "Quitter la classe",

  // --- for the teacher ---
  scan: "Scanne pour rejoindre",
  qr: "Code QR du lien vers cette classe",
  start: (round) => `Lancer la manche ${round}`,
  readyFirst: "Attends que tout le monde soit là, puis lance la manche.",
  playing: (tables) => `${count(tables, { one: "table joue", other: "tables jouent" })}.`,
  ready: "Toutes les parties sont finies.",
  startEarly: "Une nouvelle manche ferme les parties encore en cours.",
  end: "Terminer la classe",
  sureEnd: "Terminer la classe ?",
  sureEndWords: "Plus personne ne peut la rejoindre, et il n’y a plus de manche. Les parties en cours comptent.",
  goOn: "Continuer",
  remove: (name) => `Retirer ${name} de la classe`,

  // --- for both ---
  waiting: (pupils) => `En attente : ${pupils}`,
  nobodyWaits: "Personne n’attend.",
  round: (round) => `Manche ${round}`,
  watch: "Regarder",
  watchTable: (names) => `Regarder ${list(names)}`,
  running: "en cours",
  over: "finie",
  standings: "Classement",
  finalTable: "Classement final",
  points: "Points",
  wins: "Victoires",
  games: "Parties",
  ended: "La classe est terminée.",
  first: (names) => (names.length === 0 ? "La classe est terminée." : `En tête : ${list(names)}`),
};

export default words;
