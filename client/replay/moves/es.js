/** Sentences about the moves of a recording, in Spanish. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("es");

/** @type {typeof import("./en.js").default} */
const moves = {
  aCard: "una carta",
  newGame: (who) => `${who} empieza una partida nueva: las cartas están barajadas y boca abajo`,
  nothing: (who, _card, at) => `${who} no encuentra carta en ${at}`,
  turnsUp: (who, card, at) => `${who} levanta ${card} en ${at}`,
  takes: (who, card, at) => `${who} toma ${card}, que está boca arriba, en ${at}`,
  waits: (who, _card, at) => `${who} espera la carta en ${at}`,
  held: (who, _card, at) => `${who} no consigue la carta en ${at}: está ocupada`,
  pair: (who, card, at) => `${who} toma ${card} en ${at}: una pareja`,
  noPair: (who, card, at) => `${who} levanta ${card} en ${at}: no hay pareja`,
  busy: (who, _card, at) => `${who} lo intenta en ${at}, pero aún espera otra carta`,
  leaves: (who) => `${who} se lleva su pareja del tablero`,
  down: (cards) => `${count(cards, { one: "carta vuelve", other: "cartas vuelven" })} a estar boca abajo`,
  gets: (who, at) => `${who}, que esperaba, consigue la carta en ${at}`,
  inVain: (who) => `${who} esperó en vano`,
  digs: (who, at) => `${who} excava en ${at}`,
  digsInVain: (who, at) => `${who} excava en ${at}, donde no hay nada que excavar`,
  boom: (who, at) => `¡BUM! ${who} excava una bomba en ${at}`,
  flags: (who, at) => `${who} pone una bandera en ${at}`,
  deflags: (who, at) => `${who} quita la bandera de ${at}`,
  chord: (who, at) => `${who} abre el resto alrededor de ${at}`,
  chordBoom: (who, at) => `¡BUM! ${who} excava bombas alrededor de ${at}`,
  enters: (who, text, word) => `${who} pone ${text} en la palabra ${word}`,
  triesWrong: (who, word) => `${who} prueba una palabra incorrecta en la palabra ${word}`,
  wins: (who, text, word) => `${who} impugna la palabra ${word} y gana dos puntos: es ${text}`,
  bothWrong: (who, word) => `${who} impugna la palabra ${word}: las dos eran incorrectas`,
  wasRight: (who, word) => `${who} impugna la palabra ${word}, pero era correcta`,
  cleared: (words) => `borradas por no encajar: ${list(words)}`,
  givesUp: (who) => `${who} abandona la partida`,
  over: (winner) =>
    winner === null ? "La partida ha terminado sin que gane nadie" : `La partida ha terminado: gana ${winner}`,

  // --- what happened beside the game ---
  somebody: "alguien",
  events: {
    seated: (who) => `${who} ocupa su puesto`,
    "seat-refused": (who) => `${who} pide un puesto que es de otra persona`,
    "handed-over": (who) => `${who} sigue en otro dispositivo`,
    joined: (who) => `${who} entra`,
    left: (who) => `${who} se va`,
    "called-off": (_who) => "se retira una petición que ya tiene respuesta",
    replaced: (who) => `${who} cambia cartas`,
    withdrew: (who) => `${who} ya no espera`,
    "gave-up": (who) => `${who} lleva mucho tiempo fuera: sus cartas quedan libres`,
    bounded: (_who) => "desde ahora solo un número limitado de jugadores tiene puntos",
    connected: (who) => `${who} se conecta`,
    "no-room": (who) => `${who} no encuentra puesto libre`,
    waits: (who) => `${who} espera a otra persona`,
    begun: (who) => `${who} entra, y la partida empieza`,
    "begun-alone": (who) => `${who} empieza en solitario`,
    back: (who) => `${who} ha vuelto`,
    lost: (who) => `${who} ha perdido la conexión y puede volver`,
    "not-back": (who) => `${who} no ha vuelto a tiempo`,
    "grace-over": (_who) => "un tiempo de espera ha terminado",
    idle: (who) => `${who} no ha hecho nada en mucho tiempo y queda fuera`,
    "nobody-did": (_who) => "nadie ha hecho nada en mucho tiempo",
    "timed-out": (_who) => "nadie ha jugado en mucho tiempo",
    "in-vain": (who) => `${who} lo intenta en vano`,
    "took-back": (who) => `${who} retira la partida que esperaba`,
    "next-match": (who) => `${who} pasa a otra partida`,
  },
};

export default moves;
