/** Sentences about the moves of a recording, in Spanish; the server has those in English. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("es");

/** @type {typeof import("./de.js").default} */
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
  wins: (who, text, word) => `${who} impugna la palabra ${word} y gana dos puntos: es ${text}`,
  bothWrong: (who, word) => `${who} impugna la palabra ${word}: las dos eran incorrectas`,
  wasRight: (who, word) => `${who} impugna la palabra ${word}, pero era correcta`,
  cleared: (words) => `borradas por no encajar: ${list(words)}`,
  givesUp: (who) => `${who} abandona la partida`,
  over: "La partida ha terminado",
};

export default moves;
