/** Sentences about the moves of a recording, in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("fr");

/** @type {typeof import("./en.js").default} */
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
  triesWrong: (who, word) => `${who} essaie un mot faux au mot ${word}`,
  wins: (who, text, word) => `${who} conteste le mot ${word} et gagne deux points : c’est ${text}`,
  bothWrong: (who, word) => `${who} conteste le mot ${word} : les deux mots étaient faux`,
  wasRight: (who, word) => `${who} conteste le mot ${word}, mais il était juste`,
  cleared: (words) => `effacés car en conflit : ${list(words)}`,
  givesUp: (who) => `${who} abandonne la partie`,
  over: (winner) =>
    winner === null ? "La partie est terminée, sans victoire" : `La partie est terminée : ${winner} gagne`,

  // --- what happened beside the game ---
  somebody: "quelqu’un",
  events: {
    seated: (who) => `${who} prend place`,
    "seat-refused": (who) => `${who} demande une place qui est à quelqu’un d’autre`,
    "handed-over": (who) => `${who} continue sur un autre appareil`,
    joined: (who) => `${who} arrive`,
    left: (who) => `${who} s’en va`,
    "called-off": (_who) => "une demande qui a déjà sa réponse est retirée",
    replaced: (who) => `${who} remplace des cartes`,
    withdrew: (who) => `${who} n’attend plus`,
    "gave-up": (who) => `${who} n’est plus là depuis longtemps : ses cartes sont libres`,
    bounded: (_who) => "désormais, seul un nombre limité de joueurs a des points",
    connected: (who) => `${who} se connecte`,
    "no-room": (who) => `${who} ne trouve pas de place`,
    waits: (who) => `${who} attend une deuxième personne`,
    begun: (who) => `${who} arrive, et la partie commence`,
    "begun-alone": (who) => `${who} commence en solo`,
    back: (who) => `${who} est de retour`,
    lost: (who) => `${who} a perdu la connexion et peut revenir`,
    "not-back": (who) => `${who} n’a pas repris sa place à temps`,
    "grace-over": (_who) => "un délai est écoulé",
    idle: (who) => `${who} n’a rien fait depuis longtemps et perd sa place`,
    "nobody-did": (_who) => "personne n’a rien fait depuis longtemps",
    "timed-out": (_who) => "personne n’a joué depuis longtemps",
    "in-vain": (who) => `${who} essaie en vain`,
    "took-back": (who) => `${who} retire la partie en attente`,
    "next-match": (who) => `${who} passe à une autre partie`,
  },
};

export default moves;
