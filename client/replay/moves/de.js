/** Sentences about the moves of a recording, in German; the server has those in English. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("de");

export default {
  aCard: "eine Karte",
  newGame: (/** @type {string} */ who) => `${who} beginnt ein neues Spiel: Die Karten liegen gemischt und verdeckt`,
  nothing: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} findet keine Karte in ${at}`,
  turnsUp: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} deckt ${card} in ${at} auf`,
  takes: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} nimmt die offene Karte ${card} in ${at}`,
  waits: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} wartet auf die Karte in ${at}`,
  held: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} bekommt die Karte in ${at} nicht: Sie ist vergeben`,
  pair: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} nimmt ${card} in ${at}: ein Paar`,
  noPair: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} deckt ${card} in ${at} auf: kein Paar`,
  busy: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} versucht es in ${at}, wartet aber noch auf eine andere Karte`,
  leaves: (/** @type {string} */ who) => `${who} nimmt das Paar vom Spielfeld`,
  down: (/** @type {number} */ cards) => `${count(cards, { one: "Karte ist", other: "Karten sind" })} wieder verdeckt`,
  gets: (/** @type {string} */ who, /** @type {string} */ at) => `${who} hat gewartet und bekommt die Karte in ${at}`,
  inVain: (/** @type {string} */ who) => `${who} hat umsonst gewartet`,
  digs: (/** @type {string} */ who, /** @type {string} */ at) => `${who} gräbt ${at} auf`,
  digsInVain: (/** @type {string} */ who, /** @type {string} */ at) =>
    `${who} gräbt in ${at}, wo es nichts zu graben gibt`,
  boom: (/** @type {string} */ who, /** @type {string} */ at) => `BUMM! ${who} gräbt in ${at} eine Bombe aus`,
  flags: (/** @type {string} */ who, /** @type {string} */ at) => `${who} setzt eine Flagge auf ${at}`,
  deflags: (/** @type {string} */ who, /** @type {string} */ at) => `${who} nimmt die Flagge von ${at} weg`,
  chord: (/** @type {string} */ who, /** @type {string} */ at) => `${who} öffnet den Rest um ${at}`,
  chordBoom: (/** @type {string} */ who, /** @type {string} */ at) => `BUMM! ${who} gräbt um ${at} Bomben aus`,
  enters: (/** @type {string} */ who, /** @type {string} */ text, /** @type {number} */ word) =>
    `${who} trägt ${text} bei Wort ${word} ein`,
  wins: (/** @type {string} */ who, /** @type {string} */ text, /** @type {number} */ word) =>
    `${who} ficht Wort ${word} an und gewinnt zwei Punkte: Es ist ${text}`,
  bothWrong: (/** @type {string} */ who, /** @type {number} */ word) =>
    `${who} ficht Wort ${word} an: Beide Wörter waren falsch`,
  wasRight: (/** @type {string} */ who, /** @type {number} */ word) =>
    `${who} ficht Wort ${word} an, aber es war richtig`,
  cleared: (/** @type {string[]} */ words) => `gelöscht, weil sie sich damit widersprechen: ${list(words)}`,
  givesUp: (/** @type {string} */ who) => `${who} gibt die Partie auf`,
  over: "Die Partie ist zu Ende",

  // --- what happened beside the game ---
  somebody: "jemand",
  events: /** @type {Record<string, (who: string) => string>} by the word of the server */ ({
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
  }),
};
