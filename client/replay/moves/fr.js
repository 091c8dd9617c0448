/** Sentences about the moves of a recording, in French; the server has those in English. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("fr");

/** @type {typeof import("./de.js").default} */
const moves = {
  aCard: "une carte",
  newGame: (who) => `${who} commence une nouvelle partie : les cartes sont mélangées, face cachée`,
  nothing: (who, _card, at) => `${who} ne trouve pas de carte en ${at}`,
  turnsUp: (who, card, at) => `${who} retourne ${card} en ${at}`,
  takes: (who, card, at) => `${who} prend ${card}, déjà visible, en ${at}`,
  waits: (who, _card, at) => `${who} attend la carte en ${at}`,
  held: (who, _card, at) => `${who} n’obtient pas la carte en ${at} : elle est prise`,
  pair: (who, card, at) => `${who} prend ${card} en ${at} : une paire`,
  noPair: (who, card, at) => `${who} retourne ${card} en ${at} : pas de paire`,
  busy: (who, _card, at) => `${who} essaie en ${at}, mais attend encore une autre carte`,
  leaves: (who) => `${who} retire sa paire du plateau`,
  down: (cards) => `${count(cards, { one: "carte est", other: "cartes sont" })} de nouveau face cachée`,
  gets: (who, at) => `${who}, qui attendait, obtient la carte en ${at}`,
  inVain: (who) => `${who} a attendu en vain`,
  digs: (who, at) => `${who} creuse en ${at}`,
  digsInVain: (who, at) => `${who} creuse en ${at}, où il n’y a rien à creuser`,
  boom: (who, at) => `BOUM ! ${who} creuse une bombe en ${at}`,
  flags: (who, at) => `${who} pose un drapeau en ${at}`,
  deflags: (who, at) => `${who} enlève le drapeau en ${at}`,
  chord: (who, at) => `${who} ouvre le reste autour de ${at}`,
  chordBoom: (who, at) => `BOUM ! ${who} creuse des bombes autour de ${at}`,
  enters: (who, text, word) => `${who} pose ${text} au mot ${word}`,
  wins: (who, text, word) => `${who} conteste le mot ${word} et gagne deux points : c’est ${text}`,
  bothWrong: (who, word) => `${who} conteste le mot ${word} : les deux mots étaient faux`,
  wasRight: (who, word) => `${who} conteste le mot ${word}, mais il était juste`,
  cleared: (words) => `effacés car en conflit : ${list(words)}`,
  givesUp: (who) => `${who} abandonne la partie`,
  over: "La partie est terminée",
};

export default moves;
