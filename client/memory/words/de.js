/** Memory Scramble's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, percent, plural, seconds } = grammar("de");

const pairs = (/** @type {number} */ pairs) => count(pairs, { one: "Paar", other: "Paare" });
const within = (/** @type {number} */ s) => `${number(s)} ${plural(s, { one: "Sekunde", other: "Sekunden" })}`; // dative

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Finde Paare gleicher Karten. Alle spielen gleichzeitig.",
  begin: "Finde zwei gleiche Karten.",
  board: "Spielfeld",
  zoom: "Größe der Karten",
  smaller: "Kleinere Karten",
  whole: "Ganzes Spielfeld",
  larger: "Größere Karten",
  goTo: (name) => `Zu ${name}`,

  // --- how to play ---
  ruleFirst: "Deck eine Karte auf: Solange sie dir gehört, kann niemand sonst sie benutzen.",
  rulePair: "Deck eine zweite auf. Zwei gleiche? Beide gehören dir, und dein nächster Zug nimmt sie vom Spielfeld.",
  ruleMiss: "Nicht gleich? Dann liegen sie für alle offen, bis dein nächster Zug sie umdreht.",
  ruleWait:
    "Alle spielen gleichzeitig. Deine erste Karte darf eine sein, die jemand anders hält: Du wartest, bis sie frei ist.",

  // --- changes to the game for all players ---
  changeGame: "Spiel ändern",
  replaceOpen: "Karte ersetzen…",
  newOpen: "Neues Spiel…",
  replaceTitle: "Karte ersetzen",
  replaceHint: "Jede Karte, die wie die erste aussieht, wird für alle zur zweiten, offen oder verdeckt.",
  oldCard: "Alte Karte",
  newCard: "Neue Karte",
  replace: "Ersetzen",
  noCard: "Eine Karte ist ein Wort oder ein Bild ohne Leerzeichen.",
  sureReplace: "Mitten im Spiel ersetzen?",
  sureReplaceWords: (before, after) => `Jede Karte ${before} wird zu ${after}, für alle.`,
  sureReplaceGo: "Ersetzen",
  sureNew: "Von vorn beginnen?",
  sureNewWords: "Dieselben Karten werden gemischt und verdeckt ausgelegt, und alle stehen wieder bei 0 Paaren.",
  replaceOff: "Karten zu ersetzen ist auf diesem Server abgeschaltet.",
  newOff: "Neue Spiele sind auf diesem Server abgeschaltet.",
  bothOff: "Karten zu ersetzen und neue Spiele sind auf diesem Server abgeschaltet.",

  // --- a name that another browser also uses ---
  namesake: (name) => `${name} ist schon da`,
  namesakeWords:
    "Jemand spielt in einem anderen Browser unter diesem Namen. Wenn du das bist, spiel mit: Dann spielt ihr als eine Person, mit denselben Karten und Paaren. Wenn nicht, nimm einen eigenen Namen.",
  playAlong: (name) => `Als ${name} mitspielen`,
  playAs: (name) => `Als ${name} spielen`,

  // --- labels of cards for screen readers, counted from 1 ---
  place: (row, column) => `Zeile ${row}, Spalte ${column}`,
  takenBy: (name) => `leer, genommen von ${name}`,
  takenByYou: "leer, genommen von dir",
  faceDown: "verdeckt",
  free: "offen, frei",
  yours: "offen, deine",
  heldBy: (name) => `offen, gehalten von ${name}`,
  heldByGone: (name) => `offen, gehalten von ${name}, nicht mehr da`,
  waiting: (names) => `${list(names)} ${plural(names.length, { one: "wartet", other: "warten" })}`,
  youAreWaiting: "du wartest darauf",
  waitingForIt: "Warten auf",
  it: "die Karte",

  // --- the next step ---
  over: "Das Spiel ist zu Ende: Keine zwei Karten sind mehr gleich.",
  waitElsewhere: (name) => `Du wartest in einem anderen Tab auf ${name}.`,
  waitFor: (name, card) => `Du wartest, bis ${name} ${card} loslässt.`,
  waitForAtMost: (name, card, time) => `Du wartest, bis ${name} ${card} loslässt: höchstens ${seconds(time)}.`,
  waitForGone: (left) => `${left} Du wartest darauf.`,
  awaited: (names, time) =>
    `${list(names)} ${plural(names.length, { one: "wartet", other: "warten" })} auf deine Karte. Deck binnen ${within(time)} eine auf, sonst ist sie weg.`,
  takeLast: "Nichts mehr zu finden. Mit irgendeinem Zug nimmst du dein Paar vom Spielfeld.",
  lastHeldBy: (name) => `Nichts mehr zu finden: ${name} hält das letzte Paar.`,
  lastInHands: "Nichts mehr zu finden: Die letzten Paare werden alle gehalten.",
  youSplit: (card, name) => `${name} hält die andere ${card}: Jemand von euch muss loslassen.`,
  youSplitGone: (card, name) =>
    `${name} ist mit der anderen ${card} gegangen. Nur ${name} oder ein neues Spiel hilft weiter.`,
  youSplitFree: (card, name, time) =>
    `${name} ist gegangen: In ${within(time)} wird die andere ${card} frei, und du kannst sie nehmen.`,
  split: (card, names) => `${list(names)} halten je eine ${card}: Jemand muss loslassen.`,
  splitGone: (card, name) =>
    `${name} ist mit einer der letzten ${card} gegangen. Nur ${name} oder ein neues Spiel hilft weiter.`,
  canTakeBoth: (card, name) => `Deine ${card} ist wieder frei: ${name} kann jetzt beide nehmen.`,
  twinOpen: (card) => `Du hältst ${card}, und die andere liegt offen. Nimm sie!`,
  twinHeld: (card, name) => `Du hältst ${card}, und ${name} auch. Jede andere Karte lässt deine los.`,
  pairYours: (card) => `Ein Paar ${card}! Es gehört dir. Weiter mit einer anderen Karte.`,
  youHold: (card) => `Du hältst ${card}. Finde jetzt die andere.`,
  missed: "Nicht gleich. Weiter mit einer anderen Karte.",
  freeAgain: "Deine erste Karte ist wieder frei. Weiter mit einer anderen Karte.",
  turnOver: "Deck eine Karte auf.",
  stopWaiting: "Nicht mehr warten",
  takeIt: "Nehmen",
  letGo: "Loslassen",
  escape: "Esc",

  // --- events ---
  isHere: (name) => `${name} ist da.`,
  hasLeft: (name) => `${name} ist gegangen.`,
  hasLeftWith: (name, cards) => `${name} ist mit ${list(cards)} gegangen.`,
  hasLeftFor: (name, cards, time) =>
    `${name} ist gegangen: In ${within(time)} ${plural(cards.length, { one: "wird", other: "werden" })} ${list(cards)} frei.`,
  newGameBegun: "Ein neues Spiel: Die Karten sind gemischt.",
  youBegan: "Du hast ein neues Spiel begonnen: Die Karten sind gemischt.",
  began: (name) => `${name} hat ein neues Spiel begonnen: Die Karten sind gemischt.`,
  replaced: (names, cards) =>
    `${list(names)} ${plural(names.length, { one: "hat", other: "haben" })} ${list(cards.map(({ before, after }) => `${before} durch ${after}`))} ersetzt.`,
  replacedDown: (names) =>
    `${list(names)} ${plural(names.length, { one: "hat", other: "haben" })} verdeckte Karten ersetzt.`,
  everyIsNow: (before, after) => `Jede Karte ${before} ist jetzt ${after}.`,
  letGoOf: (name, cards) => `${name} hat ${list(cards)} losgelassen.`,
  letGoOfPair: (name, card) => `${name} hat das Paar ${card} losgelassen.`,
  isUp: (card, place) => `${card} liegt offen: ${place}.`,
  turnedUp: (name, card, place) => `${name} hat ${card} aufgedeckt: ${place}.`,
  has: (name, card, place) => `${name} hat ${card}: ${place}.`,
  became: (before, after, place) => `${before} wurde zu ${after}: ${place}.`,
  took: (name, card) => `${name} hat das Paar ${card} genommen.`,
  youTook: (card) => `Du hast das Paar ${card} genommen.`,
  turnedDown: (cards) => `${count(cards, { one: "Karte", other: "Karten" })} wieder verdeckt.`,
  waitsAt: (name, place) => `${name} wartet: ${place}.`,
  aPair: (card) => `${card}. Ein Paar!`,
  notAlike: (card) => `${card}. Nicht gleich.`,
  findTwin: (card) => `${card}. Finde jetzt die andere.`,

  // --- own moves that failed or must wait ---
  nowWaiting: "Jemand anders hält diese Karte: Du wartest darauf.",
  noLongerWait: "Du wartest nicht mehr auf diese Karte.",
  waitedFor: "Die Karte, auf die du gewartet hast, gehört dir.",
  gone: "Die Karte wurde weggenommen, während du darauf gewartet hast.",
  empty: "Da ist keine Karte.",
  emptySecond: "Da ist keine Karte, und du gibst deine erste auf.",
  takenSecond: "Jemand anders hält diese Karte, und du gibst deine erste auf.",
  sameSecond: "Das ist deine erste Karte selbst, und du gibst sie auf.",
  noFlip: "gerade lässt sich keine Karte aufdecken",
  noReplacement: "nichts wurde ersetzt",
  noNewGame: "es gibt kein neues Spiel",
  noLongerWaitAny: "Du wartest auf keine Karte mehr.",
  lastMove: "Dein letzter Zug ist vielleicht nicht angekommen.",
  otherBoard: (rows, columns) =>
    `Es ist jetzt ein anderes Spielfeld: ${count(rows, { one: "Zeile", other: "Zeilen" })} zu ${number(columns)}.`,
  changedMeanwhile: (cards) =>
    `Inzwischen ${plural(cards, { one: "hat", other: "haben" })} sich ${count(cards, { one: "Karte", other: "Karten" })} geändert.`,
  noLongerHold: (cards) => `Du hältst ${list(cards)} nicht mehr.`,
  refusals: {
    "already-waiting": () => "Du wartest noch auf eine Karte: eine nach der anderen.",
    restarted: () => "Während du gewartet hast, hat jemand ein neues Spiel begonnen.",
    "switched-off": () => "Das ist auf diesem Server abgeschaltet.",
    "too-soon": ({ wait_s }) => `Das nächste neue Spiel geht in ${within(Number(wait_s))}.`,
  },

  // --- beside the board ---
  pairsLeft: (left, all) => `noch ${number(left)} / ${pairs(all)}`,
  pairs,
  waits: "wartet",
  away: "nicht da",
  leftWith: (cards) => `gegangen: ${cards}`,
  freeIn: (time, cards) => `frei in ${time} s: ${cards}`,

  // --- the end ---
  gameOver: "Spiel zu Ende",
  noneAlike: "Keine zwei Karten sind gleich.",
  allFound: "Alle gefunden!",
  youTookAll: (taken) =>
    plural(taken, { one: "Du hast das einzige Paar genommen.", other: `Du hast alle ${pairs(taken)} genommen.` }),
  draw: "Unentschieden!",
  drew: (names, you, taken) => `${list(you ? ["Du", ...names] : names)}: je ${pairs(taken)}.`,
  youWin: "Du gewinnst!",
  youTookMost: (taken) => `Du hast ${pairs(taken)} genommen, mehr als alle anderen.`,
  wins: (name) => `${name} gewinnt!`,
  tookPairs: (name, taken) => `${name} hat ${pairs(taken)} genommen.`,
  figures: (hits, streak, memory) => `Treffer ${percent(hits)} · Serie ${number(streak)} · Merken ${number(memory)}`,
};

export default words;
