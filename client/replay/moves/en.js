/** Sentences about the moves of a recording, in English. The other catalogues have the same keys and parameters. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("en-GB");

export default {
  aCard: "a card",
  newGame: (/** @type {string} */ who) => `${who} starts a new game: the cards are shuffled and lie face down`,
  nothing: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} finds no card at ${at}`,
  turnsUp: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} turns up ${card} at ${at}`,
  takes: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} takes the face-up ${card} at ${at}`,
  waits: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} waits for the card at ${at}`,
  held: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} cannot have the card at ${at}: it is taken`,
  pair: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} takes ${card} at ${at}: a pair`,
  noPair: (/** @type {string} */ who, /** @type {string} */ card, /** @type {string} */ at) =>
    `${who} turns up ${card} at ${at}: no pair`,
  busy: (/** @type {string} */ who, /** @type {string} */ _card, /** @type {string} */ at) =>
    `${who} tries ${at}, but still waits for another card`,
  leaves: (/** @type {string} */ who) => `${who}’s pair leaves the board`,
  down: (/** @type {number} */ cards) => `${count(cards, { one: "card turns", other: "cards turn" })} face down again`,
  gets: (/** @type {string} */ who, /** @type {string} */ at) => `${who}, who waited, takes the card at ${at}`,
  inVain: (/** @type {string} */ who) => `${who} waited in vain`,
  digs: (/** @type {string} */ who, /** @type {string} */ at) => `${who} digs ${at}`,
  digsInVain: (/** @type {string} */ who, /** @type {string} */ at) =>
    `${who} digs ${at}, where there is nothing to dig`,
  boom: (/** @type {string} */ who, /** @type {string} */ at) => `BOOM! ${who} digs up a bomb at ${at}`,
  flags: (/** @type {string} */ who, /** @type {string} */ at) => `${who} flags ${at}`,
  deflags: (/** @type {string} */ who, /** @type {string} */ at) => `${who} takes the flag at ${at} away`,
  chord: (/** @type {string} */ who, /** @type {string} */ at) => `${who} opens the rest around ${at}`,
  chordBoom: (/** @type {string} */ who, /** @type {string} */ at) => `BOOM! ${who} digs up bombs around ${at}`,
  enters: (/** @type {string} */ who, /** @type {string} */ text, /** @type {number} */ word) =>
    `${who} enters ${text} for word ${word}`,
  triesWrong: (/** @type {string} */ who, /** @type {number} */ word) => `${who} tries a wrong word for word ${word}`,
  wins: (/** @type {string} */ who, /** @type {string} */ text, /** @type {number} */ word) =>
    `${who} challenges word ${word} and wins two points: it is ${text}`,
  bothWrong: (/** @type {string} */ who, /** @type {number} */ word) =>
    `${who} challenges word ${word}: it was wrong, and so is the proposal`,
  wasRight: (/** @type {string} */ who, /** @type {number} */ word) =>
    `${who} challenges word ${word}, which was right`,
  cleared: (/** @type {string[]} */ words) => `cleared, because in conflict with it: ${list(words)}`,
  givesUp: (/** @type {string} */ who) => `${who} gives up the match`,
  over: (/** @type {string | null} */ winner) =>
    winner === null ? "The match is over, without a winner" : `The match is over: ${winner} wins`,

  // --- what happened beside the game ---
  somebody: "somebody",
  events: /** @type {Record<string, (who: string) => string>} by the word of the server */ ({
    seated: (who) => `${who} took the seat`,
    "seat-refused": (who) => `${who} asks for a seat that is another player’s`,
    "handed-over": (who) => `${who} goes on with another device`,
    joined: (who) => `${who} joins`,
    left: (who) => `${who} leaves`,
    "called-off": (_who) => "a request is called off that has its answer already",
    replaced: (who) => `${who} replaces cards`,
    withdrew: (who) => `${who} waits no longer`,
    "gave-up": (who) => `${who} has been away for long, and gives up all cards`,
    bounded: (_who) => "from now on only so many players have a score",
    connected: (who) => `${who} connects`,
    "no-room": (who) => `${who} finds no place`,
    waits: (who) => `${who} waits for a second player`,
    begun: (who) => `${who} joins, and the match begins`,
    "begun-alone": (who) => `${who} begins alone`,
    back: (who) => `${who} comes back`,
    lost: (who) => `${who} has lost the connection, and may come back`,
    "not-back": (who) => `${who} has not come back in time`,
    "grace-over": (_who) => "a time of grace is over",
    idle: (who) => `${who} has done nothing for long, and is logged out`,
    "nobody-did": (_who) => "nobody has done anything for long",
    "timed-out": (_who) => "nobody has moved for long",
    "in-vain": (who) => `${who} tries something in vain`,
    "took-back": (who) => `${who} takes the waiting match back`,
    "next-match": (who) => `${who} goes on to another match`,
  }),
};
