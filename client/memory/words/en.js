/** Memory Scramble's words in English. The other catalogues of this folder have the same keys and parameters. */

import { grammar } from "../../shared/grammar.js";

/** @import { Refusals } from "../../shared/words/en.js" */

const { count, list, number, percent, plural, seconds } = grammar("en-GB");

const pairs = (/** @type {number} */ pairs) => count(pairs, { one: "pair", other: "pairs" });

export default {
  title: "Memory Scramble",
  pitch: "Find pairs of cards that are alike. Everybody plays at the same time.",
  begin: "Find two cards that are alike.",
  board: "Board",
  zoom: "Size of the cards",
  smaller: "Smaller cards",
  whole: "Whole board",
  larger: "Larger cards",
  goTo: (/** @type {string} */ name) => `Go to ${name}`,

  // --- how to play ---
  ruleFirst: "Turn over a card: while it is yours, nobody else can use it.",
  rulePair: "Turn over a second. Two alike? You keep both, and your next move takes them off the board.",
  ruleMiss: "Not alike? They lie open for all until your next move turns them down.",
  ruleWait: "Everybody plays at once. Your first card may be one that another holds: you wait until it is free.",

  // --- changes to the game for all players ---
  changeGame: "Change the game",
  replaceOpen: "Replace a card…",
  newOpen: "New game…",
  replaceTitle: "Replace a card",
  replaceHint: "Every card that looks like the first becomes the second, face up or down, for everybody.",
  oldCard: "Old card",
  newCard: "New card",
  replace: "Replace",
  noCard: "A card is a word or a picture without spaces.",
  sureReplace: "Replace it in mid-game?",
  sureReplaceWords: (/** @type {string} */ before, /** @type {string} */ after) =>
    `Every ${before} becomes ${after}, for everybody.`,
  sureReplaceGo: "Replace it",
  sureNew: "Start over?",
  sureNewWords: "The same cards are shuffled and laid out face down, and every score goes back to 0, for everybody.",
  replaceOff: "Replacing cards is switched off on this server.",
  newOff: "New games are switched off on this server.",
  bothOff: "Replacing cards and new games are switched off on this server.",

  // --- a name that another browser also uses ---
  namesake: (/** @type {string} */ name) => `${name} is here already`,
  namesakeWords:
    "Somebody plays under this name in another browser. If that is you, play along: you are one player then, with the same cards and score. If not, take a name of your own.",
  playAlong: (/** @type {string} */ name) => `Play along as ${name}`,
  playAs: (/** @type {string} */ name) => `Play as ${name}`,

  // --- labels of cards for screen readers, counted from 1 ---
  place: (/** @type {number} */ row, /** @type {number} */ column) => `row ${row}, column ${column}`,
  takenBy: (/** @type {string} */ name) => `empty, taken by ${name}`,
  takenByYou: "empty, taken by you",
  faceDown: "face down",
  free: "face up, free",
  yours: "face up, yours",
  heldBy: (/** @type {string} */ name) => `face up, held by ${name}`,
  heldByGone: (/** @type {string} */ name) => `face up, held by ${name}, who has left`,
  waiting: (/** @type {string[]} */ names) => `${list(names)} waiting`,
  youAreWaiting: "you wait for it",
  waitingForIt: "waiting for",
  it: "it",

  // --- the next step ---
  over: "The game is over: no two cards left are alike.",
  waitElsewhere: (/** @type {string} */ name) => `You wait for ${name} in another tab.`,
  waitFor: (/** @type {string} */ name, /** @type {string} */ card) => `Waiting for ${name} to let go of ${card}.`,
  waitForAtMost: (/** @type {string} */ name, /** @type {string} */ card, /** @type {number} */ within) =>
    `Waiting for ${name} to let go of ${card}: ${seconds(within)} at most.`,
  waitForGone: (/** @type {string} */ left) => `${left} You wait for it.`,
  awaited: (/** @type {string[]} */ names, /** @type {number} */ within) =>
    `${list(names)} ${plural(names.length, { one: "waits", other: "wait" })} for your card. Turn one over within ${seconds(within)}, or it goes.`,
  takeLast: "Nothing left to find. Make any move to take your pair off the board.",
  lastHeldBy: (/** @type {string} */ name) => `Nothing left to find: ${name} holds the last pair.`,
  lastInHands: "Nothing left to find: the last pairs are in players' hands.",
  youSplit: (/** @type {string} */ card, /** @type {string} */ name) =>
    `${name} holds the other ${card}: one of you must let go.`,
  youSplitGone: (/** @type {string} */ card, /** @type {string} */ name) =>
    `${name} has left with the other ${card}. Only ${name} or a new game can go on.`,
  youSplitFree: (/** @type {string} */ card, /** @type {string} */ name, /** @type {number} */ within) =>
    `${name} has left: in ${seconds(within)} the other ${card} comes free, and you can take it.`,
  split: (/** @type {string} */ card, /** @type {string[]} */ names) =>
    `${list(names)} hold one ${card} each: one of them must let go.`,
  splitGone: (/** @type {string} */ card, /** @type {string} */ name) =>
    `${name} has left with one of the last ${card}. Only ${name} or a new game can go on.`,
  canTakeBoth: (/** @type {string} */ card, /** @type {string} */ name) =>
    `Your ${card} is free again: ${name} can take both now.`,
  twinOpen: (/** @type {string} */ card) => `You hold ${card}, and its twin lies open. Take it!`,
  twinHeld: (/** @type {string} */ card, /** @type {string} */ name) =>
    `You hold ${card}, and ${name} has one, too. Any other card lets yours go.`,
  pairYours: (/** @type {string} */ card) => `A pair of ${card}! It is yours. Go on with another card.`,
  youHold: (/** @type {string} */ card) => `You hold ${card}. Now find its twin.`,
  missed: "Not alike. Go on with another card.",
  freeAgain: "Your first card is free again. Go on with another card.",
  turnOver: "Turn over a card.",
  stopWaiting: "Stop waiting",
  takeIt: "Take it",
  letGo: "Let go",
  escape: "Esc",

  // --- events ---
  isHere: (/** @type {string} */ name) => `${name} is here.`,
  hasLeft: (/** @type {string} */ name) => `${name} has left.`,
  hasLeftWith: (/** @type {string} */ name, /** @type {string[]} */ cards) => `${name} has left with ${list(cards)}.`,
  hasLeftFor: (/** @type {string} */ name, /** @type {string[]} */ cards, /** @type {number} */ within) =>
    `${name} has left: in ${seconds(within)} ${list(cards)} comes free.`,
  newGameBegun: "A new game: the cards are shuffled.",
  youBegan: "You began a new game: the cards are shuffled.",
  began: (/** @type {string} */ name) => `${name} began a new game: the cards are shuffled.`,
  replaced: (/** @type {string[]} */ names, /** @type {{before: string, after: string}[]} */ cards) =>
    `${list(names)} replaced ${list(cards.map(({ before, after }) => `${before} by ${after}`))}.`,
  replacedDown: (/** @type {string[]} */ names) => `${list(names)} replaced cards that lie face down.`,
  everyIsNow: (/** @type {string} */ before, /** @type {string} */ after) => `Every ${before} is now ${after}.`,
  letGoOf: (/** @type {string} */ name, /** @type {string[]} */ cards) => `${name} let go of ${list(cards)}.`,
  letGoOfPair: (/** @type {string} */ name, /** @type {string} */ card) => `${name} let go of the pair of ${card}.`,
  isUp: (/** @type {string} */ card, /** @type {string} */ place) => `${card} is up at ${place}.`,
  turnedUp: (/** @type {string} */ name, /** @type {string} */ card, /** @type {string} */ place) =>
    `${name} turned up ${card} at ${place}.`,
  has: (/** @type {string} */ name, /** @type {string} */ card, /** @type {string} */ place) =>
    `${name} has ${card} at ${place}.`,
  became: (/** @type {string} */ before, /** @type {string} */ after, /** @type {string} */ place) =>
    `${before} became ${after} at ${place}.`,
  took: (/** @type {string} */ name, /** @type {string} */ card) => `${name} took the pair of ${card}.`,
  youTook: (/** @type {string} */ card) => `You took the pair of ${card}.`,
  turnedDown: (/** @type {number} */ cards) => `${count(cards, { one: "card", other: "cards" })} turned face down.`,
  waitsAt: (/** @type {string} */ name, /** @type {string} */ place) => `${name} waits at ${place}.`,
  aPair: (/** @type {string} */ card) => `${card}. A pair!`,
  notAlike: (/** @type {string} */ card) => `${card}. Not alike.`,
  findTwin: (/** @type {string} */ card) => `${card}. Now find its twin.`,

  // --- own moves that failed or must wait ---
  nowWaiting: "Another player controls that card: you wait for it.",
  noLongerWait: "You no longer wait for that card.",
  waitedFor: "The card you waited for is yours.",
  gone: "The card was removed while you were waiting for it.",
  empty: "There is no card there.",
  emptySecond: "There is no card there, and you give up your first card.",
  takenSecond: "Another player controls that card, and you give up your first card.",
  sameSecond: "It is your first card itself, and you give it up.",
  noFlip: "you cannot turn over a card now",
  noReplacement: "nothing was replaced",
  noNewGame: "there is no new game",
  noLongerWaitAny: "You no longer wait for a card.",
  lastMove: "Your last move may not have been made.",
  otherBoard: (/** @type {number} */ rows, /** @type {number} */ columns) =>
    `It is another board now: ${count(rows, { one: "row", other: "rows" })} of ${number(columns)}.`,
  changedMeanwhile: (/** @type {number} */ cards) =>
    `${count(cards, { one: "card", other: "cards" })} changed meanwhile.`,
  noLongerHold: (/** @type {string[]} */ cards) => `You no longer hold ${list(cards)}.`,
  refusals: /** @type {Refusals} */ ({
    "already-waiting": () => "You are still waiting for a card: one flip at a time.",
    restarted: () => "Somebody started a new game while you were waiting.",
    "switched-off": () => "This is switched off on this server.",
    "too-soon": ({ wait_s }) => `The next new game is possible in ${seconds(Number(wait_s))}.`,
  }),

  // --- beside the board ---
  pairsLeft: (/** @type {number} */ left, /** @type {number} */ all) => `${pairs(left)} left of ${number(all)}`,
  pairs,
  waits: "waiting",
  away: "away",
  leftWith: (/** @type {string} */ cards) => `has left: ${cards}`,
  freeIn: (/** @type {number} */ seconds, /** @type {string} */ cards) => `free in ${seconds} s: ${cards}`,

  // --- the end ---
  gameOver: "Game over",
  noneAlike: "No two cards are alike.",
  allFound: "All found!",
  youTookAll: (/** @type {number} */ taken) =>
    taken === 1 ? "You took the only pair." : `You took all ${pairs(taken)}.`,
  draw: "A draw!",
  /** Words for a draw. `you` is true if the player of this page is one of the winners; `names` has the others. */
  drew: (/** @type {string[]} */ names, /** @type {boolean} */ you, /** @type {number} */ taken) =>
    `${list(you ? ["You", ...names] : names)} took ${pairs(taken)} each.`,
  youWin: "You win!",
  youTookMost: (/** @type {number} */ taken) => `You took ${pairs(taken)}, more than anybody else.`,
  wins: (/** @type {string} */ name) => `${name} wins!`,
  tookPairs: (/** @type {string} */ name, /** @type {number} */ taken) => `${name} took ${pairs(taken)}.`,
  figures: (/** @type {number} */ hits, /** @type {number} */ streak, /** @type {number} */ memory) =>
    `Hits ${percent(hits)} · streak ${number(streak)} · memory ${number(memory)}`,
};
