/** Memory Scramble's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, percent, plural, seconds } = grammar("es");

const pairs = (/** @type {number} */ pairs) => count(pairs, { one: "pareja", other: "parejas" });

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Encuentra parejas de cartas iguales. Todos juegan a la vez.",
  begin: "Encuentra dos cartas iguales.",
  board: "Tablero",
  zoom: "Tamaño de las cartas",
  smaller: "Cartas más pequeñas",
  whole: "Todo el tablero",
  larger: "Cartas más grandes",
  goTo: (name) => `Ir a ${name}`,

  // --- how to play ---
  ruleFirst: "Levanta una carta: mientras sea tuya, nadie más puede usarla.",
  rulePair: "Levanta otra. ¿Son iguales? Las dos son tuyas, y tu próxima jugada las quita del tablero.",
  ruleMiss: "¿No son iguales? Quedan boca arriba para todos hasta que tu próxima jugada las gire.",
  ruleWait: "Todos juegan a la vez. Tu primera carta puede ser una que tenga otro: esperas hasta que quede libre.",

  // --- changes to the game for all players ---
  changeGame: "Cambiar la partida",
  replaceOpen: "Sustituir una carta…",
  newOpen: "Partida nueva…",
  replaceTitle: "Sustituir una carta",
  replaceHint: "Cada carta igual a la primera pasa a ser la segunda, boca arriba o boca abajo, para todos.",
  oldCard: "Carta anterior",
  newCard: "Carta nueva",
  replace: "Sustituir",
  noCard: "Una carta es una palabra o una imagen sin espacios.",
  sureReplace: "¿Sustituirla en plena partida?",
  sureReplaceWords: (before, after) => `Cada ${before} pasa a ser ${after}, para todos.`,
  sureReplaceGo: "Sustituirla",
  sureNew: "¿Empezar de nuevo?",
  sureNewWords: "Las mismas cartas se barajan y se ponen boca abajo, y todos vuelven a 0 parejas.",
  replaceOff: "En este servidor no se pueden sustituir cartas.",
  newOff: "En este servidor no se pueden empezar partidas nuevas.",
  bothOff: "En este servidor no se pueden sustituir cartas ni empezar partidas nuevas.",

  // --- a name that another browser also uses ---
  namesake: (name) => `${name} ya está aquí`,
  namesakeWords:
    "Alguien juega con este nombre en otro navegador. Si eres tú, sigue con él: serás un solo jugador, con las mismas cartas y parejas. Si no, toma un nombre propio.",
  playAlong: (name) => `Seguir como ${name}`,
  playAs: (name) => `Jugar como ${name}`,

  // --- labels of cards for screen readers, counted from 1 ---
  place: (row, column) => `fila ${row}, columna ${column}`,
  takenBy: (name) => `vacío, se la llevó ${name}`,
  takenByYou: "vacío, te la llevaste tú",
  faceDown: "boca abajo",
  free: "boca arriba, libre",
  yours: "boca arriba, tuya",
  heldBy: (name) => `boca arriba, la tiene ${name}`,
  heldByGone: (name) => `boca arriba, la tiene ${name}, que se ha ido`,
  waiting: (names) => `${list(names)} ${plural(names.length, { one: "espera", other: "esperan" })}`,
  youAreWaiting: "la esperas",
  waitingForIt: "esperas a",
  it: "la carta",

  // --- the next step ---
  over: "La partida ha terminado: ya no quedan dos cartas iguales.",
  waitElsewhere: (name) => `Esperas a ${name} en otra pestaña.`,
  waitFor: (name, card) => `Esperas a que ${name} suelte ${card}.`,
  waitForAtMost: (name, card, time) => `Esperas a que ${name} suelte ${card}: ${seconds(time)} como mucho.`,
  waitForGone: (left) => `${left} La esperas.`,
  awaited: (names, time) =>
    `${list(names)} ${plural(names.length, { one: "espera", other: "esperan" })} tu carta. Levanta una antes de ${seconds(time)} o la pierdes.`,
  takeLast: "No queda nada por encontrar. Cualquier jugada quita tu pareja del tablero.",
  lastHeldBy: (name) => `No queda nada por encontrar: ${name} tiene la última pareja.`,
  lastInHands: "No queda nada por encontrar: las últimas parejas están en manos de jugadores.",
  youSplit: (card, name) => `${name} tiene la otra ${card}: uno de los dos debe soltarla.`,
  youSplitGone: (card, name) =>
    `${name} se ha ido con la otra ${card}. Solo se puede seguir con ${name} o con una partida nueva.`,
  youSplitFree: (card, name, time) =>
    `${name} se ha ido: en ${seconds(time)} la otra ${card} queda libre y puedes tomarla.`,
  split: (card, names) => `${list(names)} tienen una ${card} cada uno: uno debe soltarla.`,
  splitGone: (card, name) =>
    `${name} se ha ido con una de las últimas ${card}. Solo se puede seguir con ${name} o con una partida nueva.`,
  canTakeBoth: (card, name) => `Tu ${card} vuelve a estar libre: ahora ${name} puede llevarse las dos.`,
  twinOpen: (card) => `Tienes ${card}, y la otra está boca arriba. ¡Tómala!`,
  twinHeld: (card, name) => `Tienes ${card}, y ${name} también. Con cualquier otra carta sueltas la tuya.`,
  pairYours: (card) => `¡Una pareja de ${card}! Es tuya. Sigue con otra carta.`,
  youHold: (card) => `Tienes ${card}. Ahora busca la otra.`,
  missed: "No son iguales. Sigue con otra carta.",
  freeAgain: "Tu primera carta vuelve a estar libre. Sigue con otra carta.",
  turnOver: "Levanta una carta.",
  stopWaiting: "No esperar más",
  takeIt: "Llevármela",
  letGo: "Soltar",
  escape: "Esc",

  // --- events ---
  isHere: (name) => `${name} está aquí.`,
  hasLeft: (name) => `${name} se ha ido.`,
  hasLeftWith: (name, cards) => `${name} se ha ido con ${list(cards)}.`,
  hasLeftFor: (name, cards, time) =>
    `${name} se ha ido: en ${seconds(time)} ${plural(cards.length, { one: "queda libre", other: "quedan libres" })} ${list(cards)}.`,
  newGameBegun: "Una partida nueva: las cartas están barajadas.",
  youBegan: "Has empezado una partida nueva: las cartas están barajadas.",
  began: (name) => `${name} ha empezado una partida nueva: las cartas están barajadas.`,
  replaced: (names, cards) =>
    `${list(names)} ${plural(names.length, { one: "ha", other: "han" })} sustituido ${list(cards.map(({ before, after }) => `${before} por ${after}`))}.`,
  replacedDown: (names) =>
    `${list(names)} ${plural(names.length, { one: "ha", other: "han" })} sustituido cartas que están boca abajo.`,
  everyIsNow: (before, after) => `Cada ${before} es ahora ${after}.`,
  letGoOf: (name, cards) => `${name} ha soltado ${list(cards)}.`,
  letGoOfPair: (name, card) => `${name} ha soltado la pareja de ${card}.`,
  isUp: (card, place) => `${card} está boca arriba: ${place}.`,
  turnedUp: (name, card, place) => `${name} ha levantado ${card}: ${place}.`,
  has: (name, card, place) => `${name} tiene ${card}: ${place}.`,
  became: (before, after, place) => `${before} ha pasado a ser ${after}: ${place}.`,
  took: (name, card) => `${name} se ha llevado la pareja de ${card}.`,
  youTook: (card) => `Te has llevado la pareja de ${card}.`,
  turnedDown: (cards) => `${count(cards, { one: "carta", other: "cartas" })} otra vez boca abajo.`,
  waitsAt: (name, place) => `${name} espera: ${place}.`,
  aPair: (card) => `${card}. ¡Una pareja!`,
  notAlike: (card) => `${card}. No son iguales.`,
  findTwin: (card) => `${card}. Ahora busca la otra.`,

  // --- own moves that failed or must wait ---
  nowWaiting: "Otro jugador tiene esa carta: la esperas.",
  noLongerWait: "Ya no esperas esa carta.",
  waitedFor: "La carta que esperabas es tuya.",
  gone: "Se llevaron la carta mientras la esperabas.",
  empty: "Ahí no hay ninguna carta.",
  emptySecond: "Ahí no hay ninguna carta, y sueltas la primera.",
  takenSecond: "Otro jugador tiene esa carta, y sueltas la primera.",
  sameSecond: "Es tu primera carta, y la sueltas.",
  noFlip: "ahora no puedes levantar ninguna carta",
  noReplacement: "no se ha sustituido nada",
  noNewGame: "no hay partida nueva",
  noLongerWaitAny: "Ya no esperas ninguna carta.",
  lastMove: "Puede que tu última jugada no haya llegado.",
  otherBoard: (rows, columns) =>
    `Ahora es otro tablero: ${count(rows, { one: "fila", other: "filas" })} de ${number(columns)}.`,
  changedMeanwhile: (cards) =>
    `Mientras tanto ${plural(cards, { one: "ha", other: "han" })} cambiado ${count(cards, { one: "carta", other: "cartas" })}.`,
  noLongerHold: (cards) => `Ya no tienes ${list(cards)}.`,
  refusals: {
    "already-waiting": () => "Todavía esperas una carta: una a la vez.",
    restarted: () => "Alguien empezó una partida nueva mientras esperabas.",
    "switched-off": () => "Esto está desactivado en este servidor.",
    "too-soon": ({ wait_s }) => `La próxima partida nueva será posible en ${seconds(Number(wait_s))}.`,
  },

  // --- beside the board ---
  pairsLeft: (left, all) => `${plural(left, { one: "queda", other: "quedan" })} ${pairs(left)} de ${number(all)}`,
  pairs,
  waits: "espera",
  away: "no está",
  leftWith: (cards) => `se ha ido: ${cards}`,
  freeIn: (time, cards) => `libre en ${time} s: ${cards}`,

  // --- the end ---
  gameOver: "Fin de la partida",
  noneAlike: "No hay dos cartas iguales.",
  allFound: "¡Todas encontradas!",
  youTookAll: (taken) =>
    plural(taken, { one: "Te has llevado la única pareja.", other: `Te has llevado las ${pairs(taken)}.` }),
  draw: "¡Empate!",
  drew: (names, you, taken) => `${list(you ? ["Tú", ...names] : names)}: ${pairs(taken)} cada uno.`,
  youWin: "¡Has ganado!",
  youTookMost: (taken) => `Te has llevado ${pairs(taken)}, más que nadie.`,
  wins: (name) => `¡Gana ${name}!`,
  tookPairs: (name, taken) => `${name} se ha llevado ${pairs(taken)}.`,
  figures: (hits, streak, memory) => `Aciertos ${percent(hits)} · racha ${number(streak)} · memoria ${number(memory)}`,
};

export default words;
