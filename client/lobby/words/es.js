/** The lobby's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list, percent } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Partida nueva",
  openGames: "Partidas abiertas",
  yours: "Tus partidas",
  noOpenGames: "Ahora no hay ninguna partida abierta. Empieza una arriba y deja entrar a cualquiera: aparecerá aquí.",
  noGamesOfYours: "Aquí aparecen las partidas que empiezas, juegas o miras, para que las vuelvas a encontrar.",
  changeName: "Cambiar tu nombre",
  youAre: "Eres",
  nameRule: "Un nombre tiene 24 caracteres como máximo.",
  options: "Opciones",
  playBot: "Contra un bot",
  playFriends: "Con amigos",
  start: "Empezar",
  forget: (title) => `Quitar ${title} de esta lista`,
  join: "Jugar",
  watch: "Mirar",
  goOn: "Seguir",
  look: "Ver",
  replay: "Repetición",
  notConnected: "La lista ya no está al día: el servidor no responde.",
  noServer: "El servidor no responde. Inténtalo de nuevo en un momento.",
  tooLong: "Este archivo es demasiado largo.",
  token: "Contraseña para partidas nuevas en este servidor",

  games: {
    memory: { title: "Memory Scramble", pitch: "Encontrad parejas, todos a la vez" },
    minesweeper: { title: "Buscaminas", pitch: "Despejad un campo entre todos" },
    crossword: { title: "Crucigrama", pitch: "Una carrera de dos por un crucigrama" },
  },

  // --- choices ---
  theme: "Cartas",
  themes: {
    animals: "Animales",
    nature: "Naturaleza",
    food: "Comida",
    sport: "Deporte",
    travel: "Viajes",
    things: "Cosas",
    faces: "Caras",
    flags: "Banderas",
    letters: "Letras",
    numbers: "Números",
    words: "Palabras",
    emoji: "Variadas",
  },
  tooFewCards: (cards, pairs) =>
    `Hay ${cards} cartas distintas y este tablero tiene ${pairs} parejas: algunas cartas llevarán dos dibujos.`,
  size: "Tamaño",
  fitsHint: "○ es más grande que esta pantalla: habrá que ampliar y desplazarse.",
  ownBoard: "Mi propio tablero",
  ownBoardHint: "En la primera línea, filas x columnas; después, una carta en cada línea.",
  ownField: "Mi propio campo",
  ownFieldHint:
    "Primero columnas y filas, como 3 2. Después, una línea por fila: 1 es una bomba, 0 ninguna, separados por espacios.",
  ownPuzzle: "Mi propio crucigrama",
  ownPuzzleHint: "Un archivo de crucigrama, como lo describe la guía «Write a puzzle».",
  chooseFile: "Elegir un archivo",
  dropHint: "Pégalo aquí o suelta un archivo.",
  lineOf: (line, text) => `Línea ${line}: ${text}`,
  preset: "Campo",
  presets: { beginner: "Fácil", intermediate: "Medio", expert: "Difícil", custom: "A medida" },
  rows: "Filas",
  columns: "Columnas",
  bombs: "Bombas",
  bombsOf: (bombs, squares) => `${count(bombs, { one: "bomba", other: "bombas" })}, ${percent(bombs / squares)}`,
  safeStart: "La primera casilla es segura",
  puzzle: "Crucigrama",
  wordCount: (words) => count(words, { one: "palabra", other: "palabras" }),
  bots: "Bots",
  noBots: "Ninguno",
  level: "Juegan",
  levels: { easy: "Fácil", medium: "Medio", hard: "Difícil" },
  turnClock: "Tiempo para retener lo que otros esperan",
  turnClocks: (clock) => (clock === "off" ? "Sin límite" : `${clock} s`),
  access: "Quién puede jugar",
  byLink: "Quien tenga el enlace",
  anybody: "Cualquiera",
  gameTitle: "Nombre de la partida",

  // --- rows of the lists ---
  players: (number) => count(number, { one: "jugador", other: "jugadores" }),
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
};

export default words;
