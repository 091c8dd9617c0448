/** The crossword's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, seconds } = grammar("es");

const letters = { one: "letra", other: "letras" };
const words = { one: "palabra", other: "palabras" };
const points = { one: "punto", other: "puntos" };
const errors = { one: "error", other: "errores" };

const de = (/** @type {string | null} */ name) => (name === null ? "por ti" : `por ${name}`);
const has = (/** @type {string | null} */ name) => (name === null ? "Has" : `${name} ha`);
const pierdes = (/** @type {string | null} */ name) => (name === null ? "pierdes" : `${name} pierde`);

/** @type {typeof import("./en.js").default} */
export default {
  title: "Crucigrama",
  pitch: "Dos compiten por completar un crucigrama. Las palabras correctas dan puntos, y cazar una falsa también.",
  pitchRoom: "Completa un crucigrama, contra alguien o contra el reloj.",
  titles: { CHOOSE: "Elige una partida", WAIT: "Esperando", PLAY: "En juego", "SHOW SCORE": "El resultado" },

  chooseTitle: "Únete a una partida o empieza una",
  logOut: "Salir",
  waiting: "Esperan a alguien",
  nobodyWaits: "Ahora no espera nadie. Una partida que alguien empiece aparecerá aquí sola; o empieza tú una.",
  startOwn: "Empieza tu propia partida",
  matchName: "Nombre de la partida",
  description: "Descripción",
  descriptionFirst: "¡Ven a jugar!",
  inCommands: "En órdenes: ",
  start: "Empezar",
  startOn: (puzzle) => `Empezar una partida con ${puzzle}`,
  join: "Jugar",
  joinMatch: (player, match) => `Jugar en la partida ${match} de ${player}`,
  onPuzzle: (puzzle) => ` con ${puzzle}`,
  quoted: (text) => `«${text}»`,
  match: "Partida ",
  matchGone: (match, player) => `La partida ${match} de ${player} ya no espera.`,
  matchCame: (player, match, puzzle) => `${player} espera a alguien en ${match}, con ${puzzle}.`,

  waitTitle: "Esperando a alguien…",
  waitMatch: "{1} con {2} {3}",
  waitHow:
    "La partida empieza en cuanto alguien se una: abre esta página, escribe un nombre y pulsa «Jugar» junto a {1}.",
  waitLink: "Envíales este enlace",
  stopWaiting: "Dejar de esperar {1}",

  board: "Tablero",
  crossword: "Crucigrama",
  chosenWord: "Palabra elegida",
  wordBefore: "Palabra anterior",
  wordNext: "Palabra siguiente",
  try: "Probar {1}",
  challenge: "Impugnar",
  keys: "Las flechas mueven, Tab va a la palabra siguiente, Espacio cambia entre horizontal y vertical. Escribe una palabra: Intro la prueba, Mayúsculas e Intro impugna con ella. Escape quita lo escrito, y otra vez deja el tablero.",
  letters: "Letras",
  hyphen: "guion",
  rubOut: "Borrar",
  fit: "Todo",
  fitWhole: "Ver todo el tablero",
  players: "Jugadores",
  clues: "Pistas",
  across: "Horizontales",
  down: "Verticales",
  more: "Más",
  telnet: "O en un terminal: {1}",

  ruleType: "Elige una palabra en el tablero o en las pistas, escríbela y pulsa {1}{2}.",
  ruleTypeDuel: "Es tuya; cámbiala cuantas veces quieras.",
  ruleAgree: "Debe cuadrar con las letras de las palabras del otro jugador y de las confirmadas, donde se crucen.",
  ruleChallenge:
    "¿Es falsa una palabra del otro? Escribe la correcta e impugna: dos puntos y la palabra si aciertas, un punto menos si no.",
  ruleEnd:
    "Cuando todas las letras son correctas acaba la partida: cada palabra correcta a tu nombre es un punto, y las impugnaciones cuentan.",
  ruleAlone: "Una palabra correcta se queda y es un punto. Una falsa es un error y cuesta un punto.",
  ruleClock: "El reloj se para cuando todas las letras son correctas. No corre mientras no estás.",
  keyEnter: "Intro",
  keyEscape: "Esc",
  keyTry: "Probar",

  giveUp: "Rendirse…",
  giveUpSure: "¿Rendirte?",
  giveUpWords: "Gana el otro jugador, sean cuales sean los puntos.",
  giveUpAlone: "El reloj se para y se muestra la solución.",
  giveUpGo: "Rendirse",

  textBox: "Cuadro de texto",
  typeCommands: "Mostrar un cuadro de texto para órdenes",
  commandsOf: {
    CHOOSE: ["PLAY partida", 'NEW partida crucigrama "descripción"', "EXIT"],
    WAIT: ["EXIT"],
    PLAY: ["TRY número palabra", "CHALLENGE número palabra", "EXIT"],
    "SHOW SCORE": ["NEW MATCH", "EXIT"],
  },
  exampleOf: {
    CHOOSE: 'PLAY partida  o  NEW partida crucigrama "ven a jugar"',
    WAIT: "EXIT",
    PLAY: "TRY número palabra",
    "SHOW SCORE": "NEW MATCH",
  },
  exampleWord: (command, id) => `${command} ${id} palabra`,
  command: "Orden",
  enter: "Intro",

  place: (id, across) => `${id} ${across ? "horizontal" : "vertical"}`,
  placeOnly: (across) => (across ? "horizontal" : "vertical"),
  length: (length) => count(length, letters),
  clue: (clue) => `pista: ${clue}`,
  notEntered: "sin poner",
  enteredBy: (by) => `puesta ${de(by)}`,
  enteredAs: (by, entered) => `puesta ${de(by)}: ${entered}`,
  confirmed: "confirmada",
  notConfirmed: "sin confirmar",
  confirmedMark: "Confirmada",
  solution: (word) => `solución: ${word}`,
  empty: "vacía",
  typed: (letter) => `has escrito ${letter}`,
  square: (row, column) => `fila ${row}, columna ${column}`,
  letterOf: (nth, length) => `letra ${nth} de ${length}`,

  nobodyHad: (word) => `Nadie la tenía: ${word}.`,
  hadInstead: (by, entered, word) => `${by === null ? "Tenías" : `${by} tenía`} ${entered}, y es ${word}.`,
  nobodyEntered: "Nadie puso esta palabra.",
  isRight: (word) => `Correcta: ${word}.`,
  isConfirmed: (by, word) => `Confirmada: ${word}, ${by === null ? "tuya" : `de ${by}`}.`,
  says: (by, word) => `${by} dice ${word}.`,
  saysWrong: (by, word) => `${by} dice ${word}. ¿Falsa? Escribe la correcta e impugna.`,
  toGo: (missing) => `${missing === 1 ? "Falta" : "Faltan"} ${count(missing, letters)}.`,
  challengeWith: (word) => `Impugna con ${word}: +2 si aciertas, −1 si no.`,
  pressToEnter: (key, word) => `Pulsa ${key} para poner ${word}.`,
  yours: (word) => `Tu palabra: ${word}. Escribe otra para cambiarla.`,
  allThere: (key) => `Están todas sus letras: pulsa ${key} para hacerla tuya.`,
  typeAll: (length, key) => `Escribe ${count(length, letters)} y pulsa ${key}.`,
  lettersMissing: (place, length, missing) =>
    `${place} tiene ${count(length, letters)}, y ${missing === 1 ? "falta una" : `faltan ${missing}`}.`,

  begun: (other, all) => `La partida con ${other} ha empezado: hay que encontrar ${count(all, words)}.`,
  begunAlone: (all) => `El reloj corre: hay que encontrar ${count(all, words)}.`,
  found: (place, word) => `${place} es correcta: ${word}.`,
  mistaken: (place) => `Eso no es ${place}: un error, un punto menos.`,
  gotConfirmed: (place, word) => `${place} queda confirmada: ${word}.`,
  challenged: (by, word, place) => `${has(by)} impugnado ${word}, ${place}.`,
  wasRight: (by) => `La palabra es correcta y queda confirmada; ${pierdes(by)} un punto.`,
  bothWrong: (by) => `Las dos palabras eran falsas: la palabra se borra, y ${pierdes(by)} un punto.`,
  won: (by, place, word) => `${has(by)} impugnado ${place} y ganado dos puntos: es ${word}, confirmada.`,
  entered: (by, word, place) => `${has(by)} puesto ${word}, ${place}.`,
  enteredConfirmed: (by, word, place) => `${has(by)} puesto ${word}, ${place}, confirmada.`,
  cleared: (cleared) => `Se borra: ${cleared}.`,

  expectedTotal: (number) => `Total previsto: ${count(number, points)}`,
  ifAllRight: " si todo es correcto",
  challengeUnit: " por impugnar",
  wordCount: (number) => count(number, words),
  confirmedCount: " confirmadas",
  foundOf: (found, all) => `${found} de ${count(all, words)}`,
  mistakes: (number) => count(number, errors),
  lost: "Sin conexión,",
  mayReturn: "puede volver",
  timeToReturn: (time) => `${time} para volver`,
  pointCount: (number) => count(number, points),
  scoreHow: (right, challenges) =>
    `${count(right, { one: "palabra correcta", other: "palabras correctas" })}, ${challenges} por impugnar`,

  newMatch: "Otra partida",
  drawn: "¡Empate!",
  youWin: "¡Ganas!",
  wins: (name) => `¡Gana ${name}!`,
  complete: "El crucigrama está completo.",
  timedOut: "Nadie ha jugado durante demasiado tiempo.",
  gaveUp: (by) => `${by === null ? "Te has" : `${by} se ha`} rendido.`,
  left: (by) => `${by === null ? "Te has" : `${by} se ha`} ido: la conexión faltó demasiado tiempo.`,
  each: (number) => `${count(number, points)} para cada uno.`,
  score: (one, other) => `El resultado es ${one} a ${other}.`,
  scoreFor: (most, least, by) => `${most} a ${least} para ${by ?? "ti"}.`,
  completeAlone: "¡Completo!",
  notComplete: "Sin completar",
  scoreAlone: (time, wrong, number) => `${time}, ${count(wrong, errors)}, ${count(number, points).replace("-", "−")}.`,

  whoHad: "Quién tenía qué",
  word: "Palabra",
  answer: "Solución",
  player: "Jugador",
  nobody: "Nadie",
  right: "Correcta",
  wrong: "Falsa",
  said: (word) => `dijo ${word}`,

  nothingSent: "no se ha enviado nada",
  triesAgain: (why) => `${why} Esta página lo intenta de nuevo por sí sola.`,
  full: (_words) => "Hay tantos jugadores como permite este servidor.",
  loggedOut: (player) => `${player} ha salido.`,
  isBack: (player) => `${player} ha vuelto.`,
  youAre: (player) => `Eres ${player}`,
  idle: (_reason) => "Estás desconectado: no has hecho nada en mucho tiempo. Para seguir, pulsa «Sin conexión» arriba.",
  elsewhere: (player) =>
    `${player ?? "Este nombre"} juega ahora por otra conexión. Para seguir aquí, pulsa «Sin conexión» arriba.`,
  reconnecting: "Se ha perdido la conexión. Reconectando…",
  reconnectingFor: (grace) =>
    `Se ha perdido la conexión. Reconectando… Si no vuelves en ${seconds(grace)}, la partida se da por perdida.`,
  maybeNotEntered: (word) => `Puede que la palabra «${word}» no se haya introducido.`,
  maybeNotDone: "Puede que tu última orden no se haya cumplido.",
  backInMatch: "De vuelta en tu partida.",
  thingsHappened: (things) => `Mientras tanto: ${count(things, { one: "cambio", other: "cambios" })}.`,
  away: (player) => `${player} ha perdido la conexión. Puedes seguir jugando.`,
  awayFor: (player, left) =>
    `${player} ha perdido la conexión, y tiene ${seconds(left)} para volver. Puedes seguir jugando.`,
  matchGoneAway: (match) =>
    `Tu partida ${match} ya no existe: has faltado demasiado tiempo, o el servidor se ha reiniciado.`,
  matchWithdrawn: (match) => `Tu partida ${match} se retiró mientras no estabas.`,

  protocolNames: { "a Match_ID": "the name of a match", Match_ID: "match", Puzzle_ID: "puzzle", Player_ID: "name" },

  refusals: {
    "word-confirmed": () => "Esa palabra ya está confirmada.",
    "word-of-other": () => "Esa palabra la puso el otro jugador: solo se cambia impugnándola con la correcta.",
    "crosses-confirmed": ({ guess, word }) =>
      `${guess} no cuadra con la palabra ${word}, que está confirmada, donde se cruzan.`,
    "crosses-other": ({ guess, word, player }) =>
      `${guess} no cuadra con la palabra ${word}, que puso ${player}, donde se cruzan. Impugna la palabra ${word} si crees que es falsa.`,
    "word-empty": () => "Nadie ha puesto aún esa palabra: no hay nada que impugnar. Pruébala.",
    "word-own": () => "Esa palabra la has puesto tú. Prueba otra para cambiarla.",
    "word-same": ({ guess }) => `${guess} es la palabra que hay. Para impugnar hace falta otra.`,
    "word-letters": () => "Una palabra solo tiene letras de la a a la z y guiones.",
    "word-length": ({ word, length, given }) => `La palabra ${word} tiene ${length} letras, y la tuya ${given}.`,
    "no-such-word": ({ most }) => `No hay palabra con ese número: van del 1 al ${most}.`,
    "name-in-use": ({ player }) => `El nombre ${player} está en uso. Elige otro.`,
    "match-taken": ({ match }) => `Otra partida se llama ya ${match}. Inventa otro nombre.`,
    "match-begun": ({ match }) => `La partida ${match} ya tiene sus dos jugadores. Elige una de la lista.`,
    "no-such-match": ({ match }) => `Ninguna partida ${match} espera a nadie. Elige una de la lista o empieza una.`,
    "too-many-matches": () => "Hay tantas partidas como permite este servidor. Únete a una o prueba más tarde.",
    "match-full": () => "La partida ya está completa. Puedes mirarla.",
    "match-over": () => "La partida ha terminado. Puedes ver el resultado.",
  },
};
