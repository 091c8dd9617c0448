/** The crossword's words in English. The other catalogues of this folder have the same keys, with the same parameters. */

import { grammar } from "../../shared/grammar.js";

const { count, seconds } = grammar("en-GB");

/** @typedef {string | null} Who a player's name, or null for "you" */
/** @typedef {Record<string, string | number>} Params of a refusal, from the server */

const letters = { one: "letter", other: "letters" };
const words = { one: "word", other: "words" };
const points = { one: "point", other: "points" };

const who = (/** @type {Who} */ name) => name ?? "you";
const Who = (/** @type {Who} */ name) => name ?? "You";

export default {
  title: "Crossword Extravaganza",
  pitch: "Two players race to fill in one crossword. Right words earn points, and so does catching a wrong one.",
  pitchRoom: "Fill in one crossword, against somebody or the clock.",
  titles: /** @type {Record<string, string>} */ ({
    CHOOSE: "Choose a match",
    WAIT: "Waiting",
    PLAY: "Playing",
    "SHOW SCORE": "The score",
  }),

  // --- choosing a match ---
  chooseTitle: "Join a match, or start one",
  logOut: "Log out",
  waiting: "Waiting for a second player",
  nobodyWaits:
    "Nobody is waiting just now. A match that somebody starts appears here by itself, or start one yourself.",
  startOwn: "Start a match of your own",
  matchName: "Match name",
  description: "Description",
  descriptionFirst: "Come and play!",
  inCommands: "In commands: ",
  start: "Start",
  startOn: (/** @type {string} */ puzzle) => `Start a match on ${puzzle}`,
  join: "Join",
  joinMatch: (/** @type {string} */ player, /** @type {string} */ match) => `Join ${player}'s match ${match}`,
  onPuzzle: (/** @type {string} */ puzzle) => ` on ${puzzle}`,
  quoted: (/** @type {string} */ text) => `“${text}”`,
  match: "Match ",
  matchGone: (/** @type {string} */ match, /** @type {string} */ player) =>
    `The match ${match} of ${player} is no longer waiting.`,
  matchCame: (/** @type {string} */ player, /** @type {string} */ match, /** @type {string} */ puzzle) =>
    `${player} waits for a second player in ${match}, on ${puzzle}.`,

  // --- waiting ---
  waitTitle: "Waiting for a second player…",
  waitMatch: "{1} on {2} {3}",
  waitHow: "The match begins as soon as somebody joins: they open this page, enter a name, and press Join beside {1}.",
  waitLink: "Send them this link",
  stopWaiting: "Stop waiting {1}",

  // --- the board ---
  board: "Board",
  crossword: "Crossword",
  chosenWord: "Chosen word",
  wordBefore: "Word before",
  wordNext: "Next word",
  try: "Try {1}",
  challenge: "Challenge",
  keys: "Arrow keys move, Tab goes to the next word, Space changes between across and down. Type a word and press Enter to try it, Shift Enter to challenge with it. Escape takes back what you have typed, and once more leaves the board.",
  letters: "Letters",
  hyphen: "hyphen",
  rubOut: "Rub out",
  fit: "Fit",
  fitWhole: "Fit the whole board",
  players: "Players",
  clues: "Clues",
  across: "Across",
  down: "Down",
  more: "More",
  telnet: "Or in a terminal: {1}",

  // --- how to play ---
  ruleType: "Choose a word on the board or in the clues, type it, and press {1}{2}.",
  ruleTypeDuel: "It is yours; change it as often as you like.",
  ruleAgree: "It must agree with the letters of the other player's words and of confirmed ones, where they cross.",
  ruleChallenge:
    "Is a word of the other player wrong? Type the right one and challenge: two points and the word if you are right, one point less if not.",
  ruleEnd:
    "When every letter is right the match ends: each right word under your name is a point, and challenges count.",
  ruleAlone: "A right word stays, and is a point. A wrong one is a mistake, and costs a point.",
  ruleClock: "The clock stops when every letter is right. It stands still while you are away.",
  keyEnter: "Enter",
  keyEscape: "Esc",
  keyTry: "Try",

  // --- giving up ---
  giveUp: "Give up…",
  giveUpSure: "Give up the match?",
  giveUpWords: "The other player wins, whatever the points.",
  giveUpAlone: "The clock stops, and the solution is shown.",
  giveUpGo: "Give up",

  // --- the text box ---
  textBox: "Text box",
  typeCommands: "Show a text box for commands",
  commandsOf: /** @type {Record<string, string[]>} */ ({
    CHOOSE: ["PLAY match", 'NEW match puzzle "description"', "EXIT"],
    WAIT: ["EXIT"],
    PLAY: ["TRY id word", "CHALLENGE id word", "EXIT"],
    "SHOW SCORE": ["NEW MATCH", "EXIT"],
  }),
  exampleOf: /** @type {Record<string, string>} */ ({
    CHOOSE: 'PLAY match  or  NEW match puzzle "come and play"',
    WAIT: "EXIT",
    PLAY: "TRY id word",
    "SHOW SCORE": "NEW MATCH",
  }),
  exampleWord: (/** @type {string} */ command, /** @type {number} */ id) => `${command} ${id} word`,
  command: "Command",
  enter: "Enter",

  // --- labels of words and squares for screen readers ---
  place: (/** @type {number} */ id, /** @type {boolean} */ across) => `${id} ${across ? "across" : "down"}`,
  placeOnly: (/** @type {boolean} */ across) => /** @type {string} */ (across ? "across" : "down"),
  length: (/** @type {number} */ length) => count(length, letters),
  clue: (/** @type {string} */ clue) => `clue: ${clue}`,
  notEntered: "not entered",
  enteredBy: (/** @type {Who} */ by) => `entered by ${who(by)}`,
  enteredAs: (/** @type {Who} */ by, /** @type {string} */ entered) => `entered by ${who(by)}: ${entered}`,
  confirmed: "confirmed",
  notConfirmed: "not confirmed",
  confirmedMark: "Confirmed",
  solution: (/** @type {string} */ word) => `solution: ${word}`,
  empty: "empty",
  typed: (/** @type {string} */ letter) => `you have typed ${letter}`,
  square: (/** @type {number} */ row, /** @type {number} */ column) => `row ${row}, column ${column}`,
  letterOf: (/** @type {number} */ nth, /** @type {number} */ length) => `letter ${nth} of ${length}`,

  // --- the next step for the chosen word ---
  nobodyHad: (/** @type {string} */ word) => `Nobody had it: ${word}.`,
  hadInstead: (/** @type {Who} */ by, /** @type {string} */ entered, /** @type {string} */ word) =>
    `${Who(by)} had ${entered}, and it is ${word}.`,
  nobodyEntered: "Nobody entered this word.",
  isRight: (/** @type {string} */ word) => `Right: ${word}.`,
  isConfirmed: (/** @type {Who} */ by, /** @type {string} */ word) =>
    `Confirmed: ${word}, ${by === null ? "yours" : `${by}'s`}.`,
  says: (/** @type {string} */ by, /** @type {string} */ word) => `${by} says ${word}.`,
  saysWrong: (/** @type {string} */ by, /** @type {string} */ word) =>
    `${by} says ${word}. Wrong? Type the right word and challenge.`,
  toGo: (/** @type {number} */ missing) => `${count(missing, letters)} to go.`,
  challengeWith: (/** @type {string} */ word) => `Challenge with ${word}: +2 if you are right, −1 if not.`,
  pressToEnter: (/** @type {string} */ key, /** @type {string} */ word) => `Press ${key} to enter ${word}.`,
  yours: (/** @type {string} */ word) => `Your word: ${word}. Type another to change it.`,
  allThere: (/** @type {string} */ key) => `All its letters are there: press ${key} to make it yours.`,
  typeAll: (/** @type {number} */ length, /** @type {string} */ key) =>
    `Type all ${count(length, letters)}, then press ${key}.`,
  lettersMissing: (/** @type {string} */ place, /** @type {number} */ length, /** @type {number} */ missing) =>
    `${place} has ${count(length, letters)}, and ${missing === 1 ? "one is" : `${missing} are`} missing.`,

  // --- events ---
  begun: (/** @type {string} */ other, /** @type {number} */ all) =>
    `The match with ${other} has begun: ${count(all, words)} to find.`,
  begunAlone: (/** @type {number} */ all) => `The clock runs: ${count(all, words)} to find.`,
  found: (/** @type {string} */ place, /** @type {string} */ word) => `${place} is right: ${word}.`,
  mistaken: (/** @type {string} */ place) => `That is not ${place}: a mistake, and one point less.`,
  gotConfirmed: (/** @type {string} */ place, /** @type {string} */ word) => `${place} is confirmed: ${word}.`,
  challenged: (/** @type {Who} */ by, /** @type {string} */ word, /** @type {string} */ place) =>
    `${Who(by)} challenged ${word}, ${place}.`,
  wasRight: (/** @type {Who} */ by) =>
    `The word is right and now confirmed; ${who(by)} ${by ? "loses" : "lose"} a point.`,
  bothWrong: (/** @type {Who} */ by) =>
    `Both words were wrong: the word is cleared, and ${who(by)} ${by ? "loses" : "lose"} a point.`,
  won: (/** @type {Who} */ by, /** @type {string} */ place, /** @type {string} */ word) =>
    `${Who(by)} challenged ${place} and won two points: it is ${word}, confirmed.`,
  entered: (/** @type {Who} */ by, /** @type {string} */ word, /** @type {string} */ place) =>
    `${Who(by)} entered ${word}, ${place}.`,
  enteredConfirmed: (/** @type {Who} */ by, /** @type {string} */ word, /** @type {string} */ place) =>
    `${Who(by)} entered ${word}, ${place}, confirmed.`,
  cleared: (/** @type {string} */ cleared) => `Cleared: ${cleared}.`,

  // --- the players ---
  expectedTotal: (/** @type {number} */ number) => `Expected total: ${count(number, points)}`,
  ifAllRight: " if all is right",
  challengeUnit: " from challenges",
  wordCount: (/** @type {number} */ number) => count(number, words),
  confirmedCount: " confirmed",
  foundOf: (/** @type {number} */ found, /** @type {number} */ all) => `${found} of ${count(all, words)}`,
  mistakes: (/** @type {number} */ number) => count(number, { one: "mistake", other: "mistakes" }),
  lost: "Connection lost,",
  mayReturn: "may come back",
  timeToReturn: (/** @type {string} */ time) => `${time} to come back`,
  pointCount: (/** @type {number} */ number) => count(number, points),
  scoreHow: (/** @type {number} */ right, /** @type {string} */ challenges) =>
    `${count(right, { one: "correct word", other: "correct words" })}, ${challenges} from challenges`,

  // --- the end ---
  newMatch: "New match",
  drawn: "A draw!",
  youWin: "You win!",
  wins: (/** @type {string} */ name) => `${name} wins!`,
  complete: "The puzzle is complete.",
  timedOut: "Nobody has moved for too long.",
  gaveUp: (/** @type {Who} */ by) => `${Who(by)} gave up the match.`,
  left: (/** @type {Who} */ by) => `${Who(by)} left: the connection was lost for too long.`,
  each: (/** @type {number} */ number) => `${count(number, points)} each.`,
  score: (/** @type {number} */ one, /** @type {number} */ other) => `The points are ${one} to ${other}.`,
  scoreFor: (/** @type {number} */ most, /** @type {number} */ least, /** @type {Who} */ by) =>
    `${most} to ${least} for ${who(by)}.`,
  completeAlone: "Complete!",
  notComplete: "Not completed",
  scoreAlone: (/** @type {string} */ time, /** @type {number} */ mistakes, /** @type {number} */ number) =>
    `${time}, ${count(mistakes, { one: "mistake", other: "mistakes" })}, ${count(number, points).replace("-", "−")}.`,

  whoHad: "Who had what",
  word: "Word",
  answer: "Answer",
  player: "Player",
  nobody: "Nobody",
  right: "Right",
  wrong: "Wrong",
  said: (/** @type {string} */ word) => `said ${word}`,

  // --- the connection ---
  nothingSent: "nothing was sent",
  triesAgain: (/** @type {string} */ why) => `${why} This page tries again by itself.`,
  full: (/** @type {string} */ words) => words.replace(" Try again later.", ""), // the server's words
  loggedOut: (/** @type {string} */ player) => `${player} is logged out.`,
  isBack: (/** @type {string} */ player) => `${player} is back.`,
  youAre: (/** @type {string} */ player) => `You are ${player}`,
  idle: (/** @type {string} */ reason) => `You are disconnected: ${reason}. To go on, press “Disconnected” above.`,
  elsewhere: (/** @type {string | null} */ player) =>
    `${player ?? "This player"} plays on another connection now. To play on here, press “Disconnected” above.`,
  reconnecting: "The connection is lost. Reconnecting…",
  reconnectingFor: (/** @type {number} */ grace) =>
    `The connection is lost. Reconnecting… If you are not back within ${seconds(grace)}, the match is given up.`,
  maybeNotEntered: (/** @type {string} */ word) => `The word “${word}” may not have been entered.`,
  maybeNotDone: "Your last command may not have been carried out.",
  backInMatch: "Back in your match.",
  thingsHappened: (/** @type {number} */ things) =>
    `${count(things, { one: "thing", other: "things" })} happened meanwhile.`,
  away: (/** @type {string} */ player) => `${player} has lost the connection. You may play on.`,
  awayFor: (/** @type {string} */ player, /** @type {number} */ left) =>
    `${player} has lost the connection, and has ${seconds(left)} to come back. You may play on.`,
  matchGoneAway: (/** @type {string} */ match) =>
    `Your match ${match} is gone: you were away for too long, or the server was restarted.`,
  matchWithdrawn: (/** @type {string} */ match) => `Your match ${match} was withdrawn while you were away.`,

  /** Plain words for the parameter names in the server's sentences about typed commands, in this order. */
  protocolNames: /** @type {Record<string, string>} */ ({
    "a Match_ID": "the name of a match",
    Match_ID: "match",
    Puzzle_ID: "puzzle",
    Player_ID: "name",
  }),

  // --- refusals of the server, by code; for other codes the page shows the server's words ---
  refusals: /** @type {Record<string, (params: Params) => string>} */ ({
    "word-confirmed": () => "That word is already confirmed.",
    "word-of-other": () =>
      "That word was entered by the other player and can only be changed through a challenge with the right word.",
    "crosses-confirmed": ({ guess, word }) =>
      `${guess} does not agree with word ${word}, which is confirmed, where they cross.`,
    "crosses-other": ({ guess, word, player }) =>
      `${guess} does not agree with word ${word}, which ${player} entered, where they cross. Challenge word ${word} if you think that it is wrong.`,
    "word-empty": () => "Nobody has entered that word yet, so there is nothing to challenge. Try it instead.",
    "word-own": () => "You entered that word yourself, so you cannot challenge it. Try it again to change it.",
    "word-same": ({ guess }) => `${guess} is the word that stands there. A challenge needs a different one.`,
    "word-letters": () => "A word consists of the letters a to z and hyphens only.",
    "word-length": ({ word, length, given }) => `Word ${word} has ${length} letters, and yours has ${given}.`,
    "no-such-word": ({ most }) => `There is no word with that id: the words of this puzzle have the ids 1 to ${most}.`,
    "name-in-use": ({ player }) => `The name ${player} is in use. Enter another one.`,
    "match-taken": ({ match }) => `The name ${match} is in use by another match. Make up another one.`,
    "match-begun": ({ match }) => `The match ${match} has its two players already. Choose one of the list.`,
    "no-such-match": ({ match }) => `No match ${match} is waiting for a player. Choose one of the list, or start one.`,
    "too-many-matches": () => "There are as many matches as this server allows. Join one, or try again later.",
    "match-full": () => "The match has its players already. You may watch it.",
    "match-over": () => "The match is over. You may look at its score.",
  }),
};
