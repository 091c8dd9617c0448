/** The words of the page of a class in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  titleOf: (game) => `Clase: ${game}`,

  // --- for a pupil ---
  joinTitle: "Únete a la clase",
  join: "Unirse",
  waitFirst: "Ya estás dentro. La primera ronda empieza pronto.",
  waitNext: "La próxima ronda empieza pronto.",
  waitPlace: "Juegas a partir de la próxima ronda.",
  atTable: "Tu partida ha empezado.",
  toTable: "Ir a tu mesa",
  left: "Has salido de esta clase.",
  comeBack: "Volver a entrar",
  leave: "Salir de la clase",

  // --- for the teacher ---
  scan: "Escanea para unirte",
  qr: "Código QR del enlace a esta clase",
  start: (round) => `Empezar la ronda ${round}`,
  readyFirst: "Espera a que llegue la clase y empieza.",
  playing: (tables) => `${count(tables, { one: "mesa juega", other: "mesas juegan" })}.`,
  ready: "Todas las partidas han terminado.",
  startEarly: "Una ronda nueva cierra las partidas que aún están en marcha.",
  end: "Terminar la clase",
  sureEnd: "¿Terminar la clase?",
  sureEndWords: "Ya no podrá unirse nadie y no habrá más rondas. Las partidas en marcha cuentan.",
  goOn: "Seguir",
  remove: (name) => `Sacar a ${name} de la clase`,

  // --- for both ---
  waiting: (pupils) => `Esperan: ${pupils}`,
  nobodyWaits: "No espera nadie.",
  round: (round) => `Ronda ${round}`,
  watch: "Mirar",
  watchTable: (names) => `Mirar a ${list(names)}`,
  running: "en juego",
  over: "terminada",
  standings: "Clasificación",
  finalTable: "Clasificación final",
  points: "Puntos",
  wins: "Victorias",
  games: "Partidas",
  ended: "La clase ha terminado.",
  first: (names) => (names.length === 0 ? "La clase ha terminado." : `En primer lugar: ${list(names)}`),
};

export default words;
