/** Sentences about the moves of a recording, in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("de");

/** @type {typeof import("./en.js").default} */
const moves = {
  aCard: "eine Karte",
  newGame: (who) => `${who} beginnt ein neues Spiel: Die Karten liegen gemischt und verdeckt`,
  nothing: (who, _card, at) => `${who} findet keine Karte in ${at}`,
  turnsUp: (who, card, at) => `${who} deckt ${card} in ${at} auf`,
  takes: (who, card, at) => `${who} nimmt die offene Karte ${card} in ${at}`,
  waits: (who, _card, at) => `${who} wartet auf die Karte in ${at}`,
  held: (who, _card, at) => `${who} bekommt die Karte in ${at} nicht: Sie ist vergeben`,
  pair: (who, card, at) => `${who} nimmt ${card} in ${at}: ein Paar`,
  noPair: (who, card, at) => `${who} deckt ${card} in ${at} auf: kein Paar`,
  busy: (who, _card, at) => `${who} versucht es in ${at}, wartet aber noch auf eine andere Karte`,
  leaves: (who) => `${who} nimmt das Paar vom Spielfeld`,
  down: (cards) => `${count(cards, { one: "Karte ist", other: "Karten sind" })} wieder verdeckt`,
  gets: (who, at) => `${who} hat gewartet und bekommt die Karte in ${at}`,
  inVain: (who) => `${who} hat umsonst gewartet`,
  digs: (who, at) => `${who} gräbt ${at} auf`,
  digsInVain: (who, at) => `${who} gräbt in ${at}, wo es nichts zu graben gibt`,
  boom: (who, at) => `BUMM! ${who} gräbt in ${at} eine Bombe aus`,
  flags: (who, at) => `${who} setzt eine Flagge auf ${at}`,
  deflags: (who, at) => `${who} nimmt die Flagge von ${at} weg`,
  chord: (who, at) => `${who} öffnet den Rest um ${at}`,
  chordBoom: (who, at) => `BUMM! ${who} gräbt um ${at} Bomben aus`,
  enters: (who, text, word) => `${who} trägt ${text} bei Wort ${word} ein`,
  triesWrong: (who, word) => `${who} versucht bei Wort ${word} ein falsches Wort`,
  wins: (who, text, word) => `${who} ficht Wort ${word} an und gewinnt zwei Punkte: Es ist ${text}`,
  bothWrong: (who, word) => `${who} ficht Wort ${word} an: Beide Wörter waren falsch`,
  wasRight: (who, word) => `${who} ficht Wort ${word} an, aber es war richtig`,
  cleared: (words) => `gelöscht, weil sie sich damit widersprechen: ${list(words)}`,
  givesUp: (who) => `${who} gibt die Partie auf`,
  over: (winner) =>
    winner === null ? "Die Partie ist ohne Sieg zu Ende" : `Die Partie ist zu Ende: ${winner} gewinnt`,

  // --- what happened beside the game ---
  somebody: "jemand",
  events: {
    seated: (who) => `${who} nimmt Platz`,
    "seat-refused": (who) => `${who} will einen Platz, der jemand anderem gehört`,
    "handed-over": (who) => `${who} spielt auf einem anderen Gerät weiter`,
    joined: (who) => `${who} kommt dazu`,
    left: (who) => `${who} geht`,
    "called-off": (_who) => "eine Anfrage wird zurückgezogen, die schon beantwortet ist",
    replaced: (who) => `${who} tauscht Karten aus`,
    withdrew: (who) => `${who} wartet nicht mehr`,
    "gave-up": (who) => `${who} war lange nicht da: Die Karten sind wieder frei`,
    bounded: (_who) => "die Zahl derer, die Punkte haben, ist von nun an begrenzt",
    connected: (who) => `${who} verbindet sich`,
    "no-room": (who) => `${who} findet keinen Platz`,
    waits: (who) => `${who} wartet auf eine zweite Person`,
    begun: (who) => `${who} kommt dazu, und die Partie beginnt`,
    "begun-alone": (who) => `${who} beginnt allein`,
    back: (who) => `${who} ist wieder da`,
    lost: (who) => `${who} hat die Verbindung verloren und kann zurückkommen`,
    "not-back": (who) => `${who} ist nicht rechtzeitig zurückgekommen`,
    "grace-over": (_who) => "eine Wartezeit ist vorbei",
    idle: (who) => `${who} hat lange nichts getan und ist abgemeldet`,
    "nobody-did": (_who) => "lange hat niemand etwas getan",
    "timed-out": (_who) => "lange hat niemand einen Zug gemacht",
    "in-vain": (who) => `${who} versucht etwas vergeblich`,
    "took-back": (who) => `${who} zieht die wartende Partie zurück`,
    "next-match": (who) => `${who} geht zu einer anderen Partie`,
  },
};

export default moves;
