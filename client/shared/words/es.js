/** The words that the pages share, in Spanish. */

import { grammar } from "../grammar.js";

const { brief, count, list, number, percent, plural, seconds, span } = grammar("es");

/** @type {typeof import("./en.js").default} */
const words = {
  // --- words in the markup of most pages ---
  language: "Idioma",
  theme: { system: "Tema: el del sistema", light: "Tema: claro", dark: "Tema: oscuro" },
  messages: "Mensajes",
  dismiss: "Cerrar",
  players: "Jugadores",
  playersAndMore: "Jugadores y más",
  playWithOthers: "Juega con otros",
  link: "Enlace a esta partida",
  copy: "Copiar",
  copied: "Enlace copiado. Envíaselo a quienes quieras que jueguen contigo.",
  copyByHand: "Copia el enlace a mano, por favor.",
  onlyHere: "Este enlace solo funciona en este ordenador. Para los demás, inicia el servidor con {1}.",
  howToPlay: "Cómo se juega",
  whatHappened: "Qué ha pasado",
  whatHappenedLatest: "Qué ha pasado, lo último primero",
  replay: "Repetición",
  newGame: "Partida nueva",
  lookAtBoard: "Ver el tablero",
  keepPlaying: "Seguir jugando",
  play: "Jugar",
  cancel: "Cancelar",
  ok: "Aceptar",
  rule: (text, rule) => `${text} (regla ${rule})`,

  percent,

  // --- names ---
  yourName: "Tu nombre",
  another: "Otro",
  suggestName: "Otro nombre, como sugerencia",
  changeName: "Cambiar tu nombre",
  youAre: "Eres",
  you: "tú",
  nameRule: "De 1 a 20 letras de la A a la Z, cifras o guiones bajos.",
  badName: "Usa de 1 a 20 letras de la A a la Z, cifras o guiones bajos.",
  nameTaken: (name) => `El nombre ${name} ya es de otra persona aquí: elige otro.`,
  tempers: [
    ["agil", "alegre", "amable", "audaz", "brillante", "dulce", "elegante", "feliz", "fiel", "fuerte", "genial"],
    ["gentil", "grande", "humilde", "jovial", "leal", "libre", "noble", "prudente", "sagaz", "suave", "tenaz"],
    ["valiente", "veloz"],
  ].flat(),
  creatures: [
    ["alce", "bisonte", "bufalo", "buitre", "camello", "canguro", "castor", "ciervo", "colibri", "conejo", "cuervo"],
    ["delfin", "erizo", "flamenco", "gato", "gecko", "gorrion", "halcon", "jaguar", "koala", "leopardo", "lince"],
    ["lobo", "loro", "mapache", "mirlo", "oso", "panda", "pato", "pinguino", "puma", "tapir", "tejon", "tigre"],
    ["yak", "zorro"],
  ].flat(),
  madeName: (temper, creature) => `${creature}_${temper}`,
  others: (others) => `y ${count(others, { one: "persona más", other: "más" })}`,

  // --- the connection ---
  connecting: "Conectando…",
  connected: "En línea",
  reconnecting: "Reconectando…",
  oneMoment: "Un momento…",
  goesOn: "Un momento: la partida sigue enseguida.",
  disconnected: "Sin conexión",
  serverFull: "Servidor lleno…",
  tryNow: "Intentarlo ahora",
  serverStopped: "El servidor se ha detenido.",
  connectionLost: "Se ha perdido la conexión.",
  tryingToReconnect: "Se ha perdido la conexión. Reconectando…",
  connectedAgain: (milliseconds) => `De nuevo en línea después de ${span(milliseconds)}.`,
  nothingChanged: "No ha cambiado nada.",
  gameBroken: "El servidor ha detenido esta partida por un error interno.",
  serverBroken: "El servidor se ha detenido por un error interno.",
  tooManyMoves: "Demasiadas jugadas a la vez: el servidor ha cerrado la conexión. Espera un momento.",
  tooManyCommands: "Demasiadas órdenes a la vez: el servidor ha cerrado la conexión. Espera un momento.",
  notConnected: (otherwise) => `Sin conexión: ${otherwise}.`,
  notYet: (otherwise) => `Inténtalo de nuevo en un momento: ${otherwise}.`,
  noAnswer: "El servidor no responde. Inténtalo de nuevo en un momento.",
  incomplete: "No se ha cargado una parte de esta página.",
  reload: "Reintentar",
  moreMoves: (moves) => `${count(moves, { one: "jugada más", other: "jugadas más" })}.`,

  // --- the page of a small game (plain.js) ---
  place: (row, column) => `fila ${row}, columna ${column}`,
  empty: "vacía",
  callOff: "Retirar",
  keyEscape: "Esc",
  calledOff: "Tu jugada ya no espera.",
  calledOffAway: "Tu jugada ya no espera, porque se perdió la conexión.",
  lastMove: "Puede que tu última jugada no se haya hecho.",
  noMove: "tu jugada no se ha hecho",
  isHere: (name) => `${name} está aquí.`,
  hasLeft: (name) => `${name} se ha ido.`,

  // --- sounds ---
  sounds: "Sonidos",
  soundsOffered: "¿Quieres oír la partida?",
  soundsOn: "Activar sonidos",
  soundsAreOn: "Los sonidos están activados.",

  // --- calls, for the tab's title and notifications ---
  notify: "Avisarme cuando algo me espere",
  notifyDenied: "Este navegador bloquea los avisos de esta página. Puedes permitirlos en sus ajustes.",
  calls: {
    yourCard: "Ha llegado tu carta",
    cardGone: "La carta que esperabas ya no está",
    matchBegun: "Tu partida ha empezado",
    challenged: "Han puesto en duda tu palabra",
    lost: (name) => `${name} ha perdido la conexión`,
    back: (name) => `${name} ha vuelto`,
    over: "La partida ha terminado",
    came: (name) => `Ha llegado ${name}`,
    nextGame: "Ha empezado la siguiente partida",
    goOn: "Tu pausa ha terminado",
  },

  // --- the form for a new game ---
  form: {
    removeText: "Quitar",
    chooseFile: "Elegir un archivo",
    dropHint: "Pégalo aquí o suelta un archivo.",
    lineOf: (line, text) => `Línea ${line}: ${text}`,
    tooLong: "Este archivo es demasiado largo.",
    turnClock: "Tiempo para retener lo que otros esperan",
    turnClocks: (clock) => (clock === "off" ? "Sin límite" : `${clock} s`),
  },

  // --- a game in a room ---
  room: {
    allGames: "Todas las partidas",
    toClass: "Volver a la clase",
    invite: "Invitar",
    inviteTitle: "Invita a tus amigos",
    inviteHow: "Que escaneen esto o abran el enlace. Nadie necesita una cuenta.",
    inviteQr: "Código QR del enlace a esta partida",
    share: "Compartir…",
    qr: "Código QR",
    thisGame: "Esta partida",
    forMe: "Para mí",
    forGame: "La partida",
    forDanger: "Cuidado",
    you: "Tú",
    hostNow: "Ahora eres el anfitrión: mira en «Esta partida».",
    standInNow: "El anfitrión no está: puedes empezar la próxima partida, mira en «Esta partida».",
    standIn: "El anfitrión no está. Puedes empezar la próxima partida y elegir sus ajustes.",
    standInUntil: (time, minutes) =>
      `Si no ha vuelto a las ${time}, dentro de ${count(minutes, { one: "minuto", other: "minutos" })}, también podrás cambiar el título de esta partida, expulsar a jugadores y cerrarla.`,
    title: "Título de esta partida",
    rename: "Cambiar",
    askForGame: "Pedir una partida nueva",
    takeBackVote: "Mejor sin partida nueva",
    votes: (votes, needed) =>
      `${number(votes)} de ${number(needed)} ${plural(votes, { one: "quiere", other: "quieren" })} una partida nueva.`,
    nextSettings: "Próxima partida…",
    nextTitle: "Ajustes de la próxima partida",
    badSettings: "Con esto no se puede hacer una partida.",
    choose: "Elegir",
    whoToRemove: "Jugador que hay que expulsar",
    remove: "Expulsar",
    close: "Cerrar esta partida",
    sureAgain: "¿Empezar una partida nueva?",
    sureAgainWords: "Todos los que están aquí pasan a ella, y esta se queda como está.",
    sureRemove: (name) => `¿Expulsar a ${name}?`,
    sureRemoveWords: "Podrá mirar esta partida, pero ya no jugar en ella, con ningún nombre.",
    sureClose: "¿Cerrar esta partida?",
    sureCloseWords: "Termina para todos, y nadie puede volver a ella.",
    otherDevice: "Otro dispositivo…",
    otherTitle: "Seguir en otro dispositivo",
    seatHow:
      "Escanea esto con el otro dispositivo o abre allí el enlace. Vale para un solo dispositivo, durante cinco minutos.",
    movedTitle: "Ahora juegas en tu otro dispositivo",
    movedHint: (name) => `${name} juega allí. Aquí puedes mirar o recuperar el puesto en este dispositivo.`,
    movedForGood: (name) =>
      `${name} juega allí. El camino de vuelta ha caducado: para volver a jugar aquí, elige allí «Otro dispositivo…».`,
    watchHere: "Mirar",
    takeBack: "Recuperarlo",
    anotherName: "Jugar con otro nombre",
    seatQr: "Código QR del enlace para otro dispositivo",
    seatLink: "Enlace para otro dispositivo",
    seatCopied: "Enlace copiado. Guárdalo para ti: quien lo abra jugará como tú.",
    finished: "Listo",
    react: "Reaccionar",
    reactWith: (emoji) => `Reaccionar con ${emoji}`,
    tooManyReactions: "Son muchas a la vez. Espera un momento.",
    acts: {
      again: (by, { me }) =>
        me
          ? "Has empezado una partida nueva."
          : by
            ? `${by} ha empezado una partida nueva.`
            : "Empieza una partida nueva.",
      settings: (by, { me }) =>
        `${me ? "Has" : `${by ?? "El anfitrión"} ha`} cambiado los ajustes de la próxima partida.`,
      vote: (by, { me }) => `${me ? "Quieres" : `${by} quiere`} una partida nueva.`,
      rename: (by, { me, title }) => `${me ? "Has" : `${by ?? "El anfitrión"} ha`} llamado a esta partida «${title}».`,
      remove: (by, { me, player_name }) =>
        `${me ? "Has" : `${by ?? "El anfitrión"} ha`} expulsado a ${player_name} de esta partida.`,
      close: (by, { me }) => `${me ? "Has" : `${by ?? "El anfitrión"} ha`} cerrado esta partida.`,
    },
    noNextGame: (/** @type {string} */ reason) => `La próxima partida no empieza: ${reason}`,
    nameRule: "Hasta 24 caracteres, en cualquier escritura.",
    playAs: (name) => `Jugar como ${name}`,
    watch: "Solo mirar",
    join: "Jugar",
    watchingWords: "Estás mirando.",
    watchingOnly: "Estás mirando: pulsa «Jugar» para participar.",
    watchers: (watching) => `${number(watching)} mirando`,
    over: "Esta partida ha terminado.",
    done: "¡Bien hecho!",
    draw: "Empate",
    youWon: "¡Has ganado!",
    youWonWith: "¡Has ganado, junto con otros!",
    won: (names) => `${plural(names.length, { one: "Ha", other: "Han" })} ganado ${list(names)}`,
    played: (milliseconds) => `Ha durado ${span(milliseconds)}.`,
    points: "Puntos",
    nextGame: "A la próxima partida",
    noSuchRoom: "Esta partida ya no existe.",
    damaged: "Esta partida no se puede abrir: su archivo en el servidor está dañado.",
    again: "Otra vez",
    another: "Otro juego",
    showResult: "Resultado",
    myBest: (values) => `Tu mejor marca aquí: ${values}`,
    newBest: (values) => `Tu nueva mejor marca aquí: ${values}`,
    values: ({ seconds, turns, score }) =>
      [
        seconds === undefined ? "" : brief(seconds),
        turns === undefined ? "" : count(turns, { one: "turno", other: "turnos" }),
        score === undefined ? "" : count(score, { one: "punto", other: "puntos" }),
      ]
        .filter((value) => value !== "")
        .join(", "),
    myGames: ({ games, won, longest }) =>
      [
        count(games, { one: "partida", other: "partidas" }),
        ...(won > 0 ? [plural(won, { one: `${number(won)} ganada`, other: `${number(won)} ganadas` })] : []),
        ...(longest > 1 ? [`${number(longest)} seguidas`] : []),
      ].join(", "),
    series: (games, wins) => `Después de ${count(games, { one: "partida", other: "partidas" })}: ${wins}`,
    closed: "El anfitrión ha cerrado esta partida.",
    scanToPlay: "Escanea y juega",
    scanToWatch: "Escanea y mira",

    // --- what was special about a game ---
    headlines: {
      inARow: (number) => `¡${number} seguidas!`,
      byOne: () => "¡Por un solo punto!",
      flawless: () => "¡Sin un fallo!",
      farAhead: (number) => `¡Con mucha ventaja: ${number}!`,
    },

    // --- the daily challenge ---
    daily: (number) => `Reto diario n.º ${number}`,
    placeOf: (place, players) => `Puesto ${place} de ${players}`,
    shareResult: "Compartir el resultado",
    resultCopied: "El resultado está copiado: pégalo donde quieras.",
    resultNotCopied: "Este navegador no puede copiar el resultado.",
  },

  // --- refusals of the server, by code ---
  refusals: {
    "may-not-open": () => "En este servidor solo algunos pueden empezar partidas. Entra en una abierta.",
    "too-many-opened": ({ wait_s }) =>
      `Son muchas partidas de golpe. Inténtalo de nuevo dentro de ${seconds(Number(wait_s))}.`,
    "too-many-held": ({ most }) =>
      `Tu red tiene ${most} partidas abiertas, el máximo aquí. Terminad alguna o cerradla.`,
    busy: ({ wait_s }) => `Ahora se preparan muchas partidas. Inténtalo de nuevo en ${seconds(Number(wait_s))}.`,
    "rooms-full": () => "En este servidor no caben más partidas. Inténtalo más tarde o entra en una abierta.",
    "settings-full": () => "En este servidor no caben más tableros. Inténtalo más tarde.",
    "memory-full": () => "Las partidas en curso ocupan toda la memoria que este servidor les da. Inténtalo más tarde.",
    "awake-full": () => "En este servidor no se puede jugar en más partidas a la vez. Inténtalo más tarde.",
    "disk-full": () => "El disco del servidor está lleno: ahora no se puede cambiar nada.",
    "no-such-room": () => "Esa partida no existe.",
    "room-lost": () => "Esa partida no existe. Este servidor ha perdido partidas, y quizá esta sea una de ellas.",
    "room-removed": () => "Esa partida ya no existe: se le acabó el tiempo o el anfitrión la quitó.",
    "room-closed": () => "Esa partida se cerró.",
    "room-broken": () => "Esa partida se detuvo por un fallo.",
    "room-damaged": () => "Esa partida no se puede abrir: su archivo en el servidor está dañado.",
    "name-too-long": ({ most }) => `Un nombre tiene ${most} caracteres como máximo.`,
    "invisible-in-name": ({ character }) => `Un nombre no tiene caracteres invisibles, y este tiene ${character}.`,
    "stray-mark": () => "Un acento necesita una letra delante, y una letra lleva pocos.",
    "empty-name": () => "Un nombre tiene una letra, una cifra o un símbolo.",
    "bots-name": () => "Los nombres que empiezan por bot son para los bots.",
    "title-too-long": ({ most }) => `Un título tiene ${most} caracteres como máximo.`,
    "bad-title": () => "Un título es una línea de texto visible.",
    "not-the-host": () => "Eso solo puede hacerlo el anfitrión de esta partida.",
    "stands-in": ({ minutes }) =>
      `Sustituyes al anfitrión: podrás hacer eso cuando lleve ${count(Number(minutes), { one: "minuto", other: "minutos" })} fuera.`,
    "not-moved": () => "Haz antes una jugada: solo quien ha hecho una en esta partida puede pedir otra.",
    "not-playing": () => "Eso solo puede hacerlo quien juega en esta partida.",
    "player-removed": () => "El anfitrión te ha expulsado de esta partida: puedes mirarla.",
    "others-attempt": () => "Este es el reto diario de otra persona: puedes mirarlo.",
    "day-over": () => "Este día ha terminado: juega el reto de hoy.",
    "attempt-gone": () => "Hoy ya has hecho tu intento, y su partida se ha eliminado. Vuelve mañana.",
    "attempts-full": () => "Hoy ya han jugado este reto tantas personas como permite este servidor. Vuelve mañana.",
    "no-such-class": () => "Esta clase no existe, o ya no existe.",
    "class-over": () => "Esta clase ha terminado.",
    "class-full": ({ most }) =>
      `Una clase tiene como máximo ${count(Number(most), { one: "alumno", other: "alumnos" })}.`,
    "classes-full": () => "Este servidor tiene todas las clases que puede tener. Inténtalo más tarde.",
    "not-the-teacher": () => "Eso solo puede hacerlo quien dirige la clase.",
    "round-moved": () => "La clase acaba de cambiar. Vuelve a mirar.",
    "nobody-waits": () => "Todavía no ha llegado nadie a esta clase.",
    "seat-taken": ({ player }) => `El nombre ${player} es de otra persona.`,
    "seat-free": ({ player }) => `Aquí nadie se llama ${player}.`,
    "no-such-player": ({ player }) => `Aquí nadie se llama ${player}.`,
    "name-taken": ({ name }) => `El nombre ${name} ya está ocupado aquí, o se parece a uno que lo está.`,
    "host-stays": () => "No puedes expulsarte: cierra la partida o sal de ella.",
    "opener-stays": () => "No se puede expulsar a quien abrió esta partida.",
    "names-are-open": () => "Aquí los nombres son de todos: juega con el tuyo en cualquier dispositivo.",
    "no-such-ticket": () => "Este enlace ya se usó o es demasiado viejo: pide otro en tu primer dispositivo.",
    "too-fast": () => "Son muchas a la vez: espera un momento.",
    moved: () => "Un momento: eso no ha llegado. Inténtalo otra vez.",
    "switched-off": ({ move }) =>
      move === "new"
        ? "Las partidas nuevas están desactivadas en este servidor."
        : "Cambiar cartas está desactivado en este servidor.",
    "too-soon": ({ wait_s }) => `La próxima partida nueva será posible dentro de ${seconds(Number(wait_s))}.`,

    // of one field of a new game
    "bad-board-size": ({ most }) =>
      `Filas x columnas, con un número par de cartas, ${number(Number(most))} como máximo: por ejemplo, 6x6.`,
    "bad-field-size": ({ most }) =>
      `Filas x columnas, ${number(Number(most))} casillas como máximo: por ejemplo, 16x16.`,
    "not-solvable-in-time": () => "No se encontró ningún campo sin adivinar. Pon menos bombas o inténtalo de nuevo.",
    "bad-file": ({ line }) => `La línea ${line} no tiene el formato correcto.`,
    "too-long": ({ most }) => `${number(Number(most))} caracteres como máximo.`,
    "too-many-cards": ({ most, cards }) =>
      `${number(Number(most))} cartas como máximo, y aquí hay ${number(Number(cards))}.`,
    "too-many-squares": ({ most, squares }) =>
      `${number(Number(most))} casillas como máximo, y aquí hay ${number(Number(squares))}.`,
    "no-pair": () => "Al menos dos cartas tienen que ser iguales: aquí no hay ninguna pareja.",
    "only-bombs": () => "Al menos una casilla no debe tener bomba: aquí no hay nada que excavar.",
    "not-in-range": ({ least, most }) => `Un número entero de ${number(Number(least))} a ${number(Number(most))}.`,
    "not-one-of": ({ choices }) => `Uno de ${choices}.`,
  },
};

export default words;
