/** Minesweeper's words in English. The other catalogues of this folder have the same keys, with the same parameters. */

import { grammar } from "../../shared/grammar.js";

/** @import { Refusals } from "../../shared/words/en.js" */

const { count, list, number, plural } = grammar("en-GB");

const squares = { one: "square", other: "squares" };

export default {
  title: "Minesweeper",
  rejoin: "Rejoin",
  keys: "Arrow keys move, Enter or Space digs, and on an open number with as many flags around opens the rest, F flags or takes a flag away, plus and minus change the size of the squares, 0 shows the whole field.",
  press: "A tap or click",
  dig: "Dig",
  flag: "Flag",
  zoom: "Size of the squares",
  smaller: "Smaller squares",
  whole: "Whole field",
  larger: "Larger squares",
  field: "Field",
  telnet: "Or in a terminal: {1}. There the first column and the first row are 0.",
  pitch: "One field, and everybody digs at the same time. Mind the bombs.",
  boom: "BOOM!",
  boomWords: "That was a bomb.",
  boomMore: "You are out, and the others play on. The bomb is gone: the numbers around it are smaller now.",
  justWatch: "Just watch",
  bombsLeft: "Bombs left:",
  time: "Time:",

  // --- how to play ---
  ruleDigKeys: "Dig a square with a click, a tap or {1}.",
  ruleDigTouch: "Tap a square to dig it.",
  ruleNumber: "The number says how many bombs touch it.",
  ruleFlagKeys: "Flag a bomb with a right click, a long press or {1};",
  ruleFlagTouch: "Press long on a bomb to flag it, or choose Flag and tap;",
  ruleFlagAgain: "the same again takes the flag away.",
  ruleOpens: "A square that no bomb touches opens all around it. A flagged square cannot be dug.",
  ruleChord: "As many flags around a number as it says?",
  ruleChordKeys: "A click on it, or {1}, opens the rest.",
  ruleChordTouch: "Tap it twice to open the rest.",
  rulePoints: "Everybody digs at once, for a point a square, at most ten for one dig.",
  ruleAlone: "If you dig a bomb you are out, and may rejoin; the field stays as it is.",
  ruleRoom: "A bomb costs ten points and a short break; then you go on.",
  ruleWon: "The field is won when all squares without a bomb are open.",
  keyEnter: "Enter",
  keySpace: "Space",
  keyFlag: "F",

  // --- labels of squares for screen readers, counted from 1 ---
  place: (/** @type {number} */ column, /** @type {number} */ row) => `column ${column}, row ${row}`,
  untouched: "untouched",
  untouchedStart: "untouched, start here",
  flagged: "flagged",
  dug: (/** @type {number} */ bombs) =>
    bombs === 0 ? "dug, no bombs near" : `dug, ${count(bombs, { one: "bomb", other: "bombs" })} near`,
  chord: "all flagged: dig here to open the rest",
  waiting: "waiting for the server",
  crater: "a bomb went off here",
  hiddenBomb: "a bomb",
  flaggedBomb: (/** @type {string | null} */ by) => (by === null ? "a bomb, flagged" : `a bomb, flagged by ${by}`),
  openedFor: (/** @type {string} */ by) => `opened by ${by}`,
  wrongFlag: (/** @type {string | null} */ by) =>
    by === null ? "a wrong flag stood here" : `a wrong flag by ${by} stood here`,
  wasHere: (/** @type {string[]} */ names) =>
    `${list(names)} ${plural(names.length, { one: "was", other: "were" })} here`,
  opened: (/** @type {number} */ changed) => `${count(changed, squares)} opened`,

  // --- the next step ---
  won: (/** @type {string} */ time) => `Clear, in ${time}! The colours say who opened what.`,
  allDone: "All done: every square without a bomb is open.",
  boomHere: "BOOM! That was a bomb.",
  lost: "You have lost.",
  pausing: (/** @type {number} */ seconds) => `Boom! A short break: you go on in ${seconds} s.`,
  startHere: "Begin at the marked square. No guessing needed.",
  allFlagged: "All dug or flagged. Only digging shows if a flag is right.",
  flagNow: "Flag the squares where bombs must be.",
  digFirst: "Dig a square. The number says how many bombs touch it.",
  digOn: "Dig where no bomb can be, flag where one must be.",

  // --- events; null means the player of this page ---
  blewUp: (/** @type {string | null} */ who) => `${who ?? "You"} blew up.`,
  setFlag: (/** @type {string | null} */ who) => `${who ?? "You"} set a flag.`,
  tookFlag: (/** @type {string | null} */ who) => `${who ?? "You"} took a flag away.`,
  openedBy: (/** @type {string | null} */ who, /** @type {number} */ changed) =>
    `${who ?? "You"} opened ${count(changed, squares)}.`,
  server: "The server",
  unnamed: (/** @type {number} */ id) => `Player ${id}`,
  isHere: (/** @type {string} */ who) => `${who} is here.`,
  hasLeft: (/** @type {string} */ who) => `${who} has left.`,
  result: "The field is clear",
  resultTime: (/** @type {string} */ time) => `It took ${time}.`,
  lookAtField: "Look at the field",

  // --- messages ---
  boomPause: (/** @type {number} */ seconds) =>
    `Boom! That was a bomb. You go on in ${count(seconds, { one: "second", other: "seconds" })}.`,
  goOn: "You can go on.",
  boomDebug: "BOOM! That was a bomb. You play on because this server runs in debug mode.",
  startFirst: "Begin at the marked square.",
  tapAgain: "Tap the number again to open the rest around it.",
  flagFirst: "A flagged square cannot be dug: take the flag away first.",
  nothingDug: "nothing was dug",
  nothingFlagged: "nothing was flagged",
  nothingDeflagged: "nothing was deflagged",
  rejoinLater: "Not connected: rejoin when the connection is back.",
  backInGame: "You are back in the game.",
  lastMove: "Your last move may not have been made.",
  changeMissing: "A change is missing: asking for the whole field.",
  otherField: (/** @type {number} */ columns, /** @type {number} */ rows) =>
    `It is another field now: ${count(columns, { one: "column", other: "columns" })} by ${count(rows, { one: "row", other: "rows" })}.`,
  changedMeanwhile: (/** @type {number} */ changed) => `${count(changed, squares)} changed meanwhile.`,

  // --- refusals of the server, by code; `reason` is the server's English text ---
  refusals: /** @type {Refusals} */ ({
    "has-lost": () => "You have lost: rejoin before you move again.",
    "has-not-lost": () => "You play already.",
    "bad-frame": ({ reason }) => `The server does not understand this page: ${reason}. Load it again.`,
    invalid: ({ reason }) => `That is not possible: ${reason}.`,
  }),

  // --- beside the field ---
  show: "Show on the field",
  paused: (/** @type {number} */ seconds) => `pauses ${seconds} s`,
  pointsOf: (/** @type {number} */ points) => count(points, { one: "point", other: "points" }),
  toDig: (/** @type {number} */ left) => `${count(left, squares)} to dig`,
  untouchedLeft: (/** @type {number} */ left) => `${number(left)} untouched`,
  flagsSet: (/** @type {number} */ flags) => count(flags, { one: "flag", other: "flags" }),
};
