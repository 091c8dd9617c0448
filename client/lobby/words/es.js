/** The lobby's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Partida nueva",
  liveNow: "En directo",
  openGames: "Partidas abiertas",
  yours: "Tus partidas",
  lastResult: "Tu último resultado",
  noOpenGames: "Ahora no hay ninguna partida abierta. Empieza una arriba y deja entrar a cualquiera: aparecerá aquí.",
  noGamesOfYours: "Aquí aparecen las partidas que empiezas, juegas o miras, para que las vuelvas a encontrar.",
  changeName: "Cambiar tu nombre",
  youAre: "Eres",
  nameRule: "Un nombre tiene 24 caracteres como máximo.",
  options: "Opciones",
  playBot: "Contra un bot",
  playFriends: "Con amigos",
  playAlone: "A solas",
  forGame: (act, game) => `${act}: ${game}`,
  start: "Empezar",
  forget: (title) => `Quitar ${title} de esta lista`,
  join: "Jugar",
  watch: "Mirar",
  goOn: "Seguir",
  replay: "Repetición",
  notConnected: "La lista ya no está al día: el servidor no responde.",
  token: "Contraseña para partidas nuevas en este servidor",

  // --- choices ---
  bots: "Bots",
  noBots: "Ninguno",
  level: "Juegan",
  levels: { easy: "Fácil", medium: "Medio", hard: "Difícil" },
  access: "Quién puede jugar",
  byLink: "Quien tenga el enlace",
  anybody: "Cualquiera",
  aClass: "Una clase",
  gameTitle: "Nombre de la partida",

  // --- rows of the lists ---
  hostedBy: (name) => `de ${name}`,
  players: (number) => count(number, { one: "jugador", other: "jugadores" }),
  botCount: (number) => count(number, { one: "bot", other: "bots" }),
  watching: (number) => `${number} mirando`,
  nobody: "sin jugadores",
  over: "terminada",
  closed: "cerrada",
  broken: "detenida por un fallo",
  wonBy: (names) => (names.length === 0 ? "empate" : `ganó ${list(names)}`),
  justOpened: "nueva",
  minutes: (number) => `${number} min`,
  hours: (number) => `${number} h`,
  days: (number) => count(number, { one: "día", other: "días" }),

  // --- the daily challenge ---
  streak: (days) => `🔥 ${count(days, { one: "día", other: "días" })} seguidos`,
  nextIn: (hours) =>
    hours > 1 ? `El próximo reto llega en ${hours} horas` : "El próximo reto llega en menos de una hora",
  nobodyYet: "Hoy todavía no ha jugado nadie",
  bestToday: (name, time) => `Lo mejor de hoy: ${name}, ${time}`,
  bestBefore: (name, time) => `Lo mejor del último reto: ${name}, ${time}.`,
  play: "Jugar",
  table: "Tabla",
  share: "Compartir",
  points: (points) => count(points, { one: "punto", other: "puntos" }),
  records: "Mis récords",
  noRecords: "Tus resultados aparecen aquí después de tu primera partida. Se quedan en este navegador.",
  saveRecords: "Guardar en un archivo",
  addRecords: "Añadir de un archivo",
  closeRecords: "Cerrar",
  wrongRecords: "Este archivo no contiene récords. No ha cambiado nada.",
  recordsNotKept: "Los récords no se pueden guardar en este navegador.",
  recordsAdded: (games) => `${count(games, { one: "partida añadida", other: "partidas añadidas" })}`,
};

export default words;
