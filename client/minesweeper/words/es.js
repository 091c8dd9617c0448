/** Minesweeper's words in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, plural } = grammar("es");

const squares = { one: "casilla", other: "casillas" };
const open = { one: "abierta", other: "abiertas" };

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Buscaminas",
  rejoin: "Volver a jugar",
  keys: "Las flechas mueven, Intro o Espacio excava y, sobre un número abierto con tantas banderas alrededor, abre el resto; F pone o quita una bandera, más y menos cambian el tamaño de las casillas, 0 muestra todo el campo.",
  press: "Un toque o clic",
  dig: "Excavar",
  flag: "Bandera",
  zoom: "Tamaño de las casillas",
  smaller: "Casillas más pequeñas",
  whole: "Todo",
  larger: "Casillas más grandes",
  field: "Campo",
  telnet: "O en un terminal: {1}. Allí la primera columna y la primera fila son 0.",
  pitch: "Un campo, y todos excavan a la vez. Cuidado con las bombas.",
  boom: "¡BUM!",
  boomWords: "Era una bomba.",
  boomMore: "Estás fuera, y los demás siguen. La bomba ya no está: los números de alrededor son ahora más bajos.",
  justWatch: "Solo mirar",
  bombsLeft: "Bombas que quedan:",
  time: "Tiempo:",

  // --- how to play ---
  ruleDigKeys: "Excava una casilla con un clic, un toque o {1}.",
  ruleDigTouch: "Toca una casilla para excavarla.",
  ruleNumber: "El número dice cuántas bombas la tocan.",
  ruleFlagKeys: "Marca una bomba con el botón derecho, una pulsación larga o {1};",
  ruleFlagTouch: "Mantén pulsada una bomba para marcarla, o elige Bandera y toca;",
  ruleFlagAgain: "lo mismo otra vez quita la bandera.",
  ruleOpens:
    "Una casilla que ninguna bomba toca abre todas las de alrededor. Una casilla con bandera no se puede excavar.",
  ruleChord: "¿Tantas banderas alrededor de un número como dice?",
  ruleChordKeys: "Un clic sobre él, o {1}, abre el resto.",
  ruleChordTouch: "Tócalo dos veces para abrir el resto.",
  rulePoints: "Todos excavan a la vez, un punto por casilla, diez como máximo de una vez.",
  ruleAlone: "Quien excava una bomba queda fuera y puede volver; el campo se queda como está.",
  ruleRoom: "Una bomba cuesta diez puntos y una breve pausa; luego sigues.",
  ruleWon: "Se gana cuando todas las casillas sin bomba están abiertas.",
  keyEnter: "Intro",
  keySpace: "Espacio",
  keyFlag: "F",

  // --- labels of squares for screen readers, counted from 1 ---
  place: (column, row) => `columna ${column}, fila ${row}`,
  untouched: "sin tocar",
  untouchedStart: "sin tocar, empieza aquí",
  flagged: "con bandera",
  dug: (bombs) =>
    bombs === 0 ? "abierta, ninguna bomba cerca" : `abierta, ${count(bombs, { one: "bomba", other: "bombas" })} cerca`,
  chord: "todas marcadas: excava aquí para abrir el resto",
  waiting: "esperando al servidor",
  crater: "aquí estalló una bomba",
  hiddenBomb: "una bomba",
  flaggedBomb: (by) => (by === null ? "una bomba, con bandera" : `una bomba, con bandera de ${by}`),
  openedFor: (by) => `abierta por ${by}`,
  wrongFlag: (by) => (by === null ? "aquí hubo una bandera equivocada" : `aquí hubo una bandera equivocada de ${by}`),
  wasHere: (names) => `${list(names)} ${plural(names.length, { one: "estuvo", other: "estuvieron" })} aquí`,
  opened: (changed) => `${count(changed, squares)} ${plural(changed, { one: open.one, other: open.other })}`,

  // --- the next step ---
  won: (time) => `¡Despejado en ${time}! Los colores dicen quién abrió qué.`,
  allDone: "Hecho: todas las casillas sin bomba están abiertas.",
  boomHere: "¡BUM! Era una bomba.",
  lost: "Has perdido.",
  pausing: (seconds) => `¡Bum! Una breve pausa: sigues en ${seconds} s.`,
  startHere: "Empieza en la casilla marcada. No hay que adivinar.",
  allFlagged: "Todo excavado o marcado. Solo excavar muestra los errores.",
  flagNow: "Marca las casillas donde tiene que haber bombas.",
  digFirst: "Excava una casilla. El número dice cuántas bombas la tocan.",
  digOn: "Excava donde no hay bombas, marca donde las hay.",

  // --- events; null means the player of this page ---
  blewUp: (who) => (who === null ? "Has volado por los aires." : `${who} ha volado por los aires.`),
  setFlag: (who) => (who === null ? "Has puesto una bandera." : `${who} ha puesto una bandera.`),
  tookFlag: (who) => (who === null ? "Has quitado una bandera." : `${who} ha quitado una bandera.`),
  openedBy: (who, changed) =>
    who === null ? `Has abierto ${count(changed, squares)}.` : `${who} ha abierto ${count(changed, squares)}.`,
  server: "El servidor",
  unnamed: (id) => `Jugador ${id}`,
  isHere: (who) => `${who} está aquí.`,
  hasLeft: (who) => `${who} se ha ido.`,
  result: "Campo despejado",
  resultTime: (time) => `En ${time}.`,
  lookAtField: "Ver el campo",

  // --- messages ---
  boomPause: (seconds) => `¡Bum! Era una bomba. Sigues en ${count(seconds, { one: "segundo", other: "segundos" })}.`,
  goOn: "Ya puedes seguir.",
  boomDebug: "¡BUM! Era una bomba. Sigues jugando porque este servidor está en modo de depuración.",
  startFirst: "Empieza en la casilla marcada.",
  tapAgain: "Toca el número otra vez para abrir el resto a su alrededor.",
  flagFirst: "Una casilla con bandera no se puede excavar: quita antes la bandera.",
  nothingDug: "no se ha excavado nada",
  nothingFlagged: "no se ha puesto ninguna bandera",
  nothingDeflagged: "no se ha quitado ninguna bandera",
  rejoinLater: "Sin conexión: vuelve a jugar cuando haya conexión.",
  backInGame: "Estás otra vez en la partida.",
  lastMove: "Puede que tu última jugada no se haya hecho.",
  changeMissing: "Falta un cambio: se pide todo el campo.",
  otherField: (columns, rows) =>
    `Ahora es otro campo: ${count(columns, { one: "columna", other: "columnas" })} por ${count(rows, { one: "fila", other: "filas" })}.`,
  changedMeanwhile: (changed) =>
    `${count(changed, squares)} ${plural(changed, { one: "ha", other: "han" })} cambiado mientras tanto.`,

  // --- refusals of the server, by code ---
  refusals: {
    "has-lost": () => "Has perdido: vuelve a jugar antes de seguir.",
    "has-not-lost": () => "Ya estás jugando.",
    "bad-frame": (_params) => "El servidor no entiende esta página: vuelve a cargarla.",
    invalid: (_params) => "Eso no es posible aquí, y nada ha cambiado.",
  },

  // --- beside the field ---
  show: "Mostrar en el campo",
  paused: (seconds) => `pausa ${seconds} s`,
  pointsOf: (points) => count(points, { one: "punto", other: "puntos" }),
  toDig: (left) => `${count(left, squares)} por excavar`,
  untouchedLeft: (left) => `${number(left)} sin tocar`,
  flagsSet: (flags) => count(flags, { one: "bandera", other: "banderas" }),
};

export default words;
