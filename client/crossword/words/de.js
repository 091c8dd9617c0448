/** The crossword's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count, seconds } = grammar("de");

const letters = { one: "Buchstabe", other: "Buchstaben" };
const words = { one: "Wort", other: "Wörter" };
const points = { one: "Punkt", other: "Punkte" };
const mistakes = { one: "Fehler", other: "Fehler" };

const who = (/** @type {string | null} */ name) => name ?? "dir";
const hast = (/** @type {string | null} */ name) => (name === null ? "Du hast" : `${name} hat`);
const verlierst = (/** @type {string | null} */ name) => (name === null ? "du verlierst" : `${name} verliert`);

/** @type {typeof import("./en.js").default} */
export default {
  title: "Kreuzworträtsel",
  pitch:
    "Zwei lösen um die Wette ein Kreuzworträtsel. Richtige Wörter bringen Punkte, und ein falsches zu entlarven auch.",
  pitchRoom: "Löse ein Kreuzworträtsel, gegen jemanden oder gegen die Uhr.",
  titles: { CHOOSE: "Partie wählen", WAIT: "Warten", PLAY: "Partie läuft", "SHOW SCORE": "Ergebnis" },

  chooseTitle: "Mach bei einer Partie mit oder beginne eine",
  logOut: "Abmelden",
  waiting: "Warten auf jemanden",
  nobodyWaits:
    "Gerade wartet niemand. Eine Partie, die jemand beginnt, erscheint hier von selbst; oder beginne selbst eine.",
  startOwn: "Eine eigene Partie beginnen",
  matchName: "Name der Partie",
  description: "Beschreibung",
  descriptionFirst: "Komm und spiel mit!",
  inCommands: "In Befehlen: ",
  start: "Beginnen",
  startOn: (puzzle) => `Eine Partie mit ${puzzle} beginnen`,
  join: "Mitspielen",
  joinMatch: (player, match) => `Mitspielen in der Partie ${match} von ${player}`,
  onPuzzle: (puzzle) => ` mit ${puzzle}`,
  quoted: (text) => `„${text}“`,
  match: "Partie ",
  matchGone: (match, player) => `Die Partie ${match} von ${player} wartet nicht mehr.`,
  matchCame: (player, match, puzzle) => `${player} wartet in ${match} auf jemanden, mit ${puzzle}.`,

  waitTitle: "Warten auf jemanden…",
  waitMatch: "{1} mit {2} {3}",
  waitHow:
    "Die Partie beginnt, sobald jemand mitspielt: Diese Seite öffnen, einen Namen eingeben und neben {1} auf „Mitspielen“ drücken.",
  waitLink: "Schick ihnen diesen Link",
  stopWaiting: "Nicht mehr warten {1}",

  board: "Rätsel",
  crossword: "Kreuzworträtsel",
  chosenWord: "Gewähltes Wort",
  wordBefore: "Voriges Wort",
  wordNext: "Nächstes Wort",
  try: "Eintragen {1}",
  challenge: "Anfechten",
  keys: "Pfeiltasten bewegen, Tab geht zum nächsten Wort, die Leertaste wechselt zwischen waagerecht und senkrecht. Tippe ein Wort: Enter trägt es ein, Umschalt und Enter ficht damit an. Escape nimmt Getipptes zurück und verlässt danach das Rätsel.",
  letters: "Buchstaben",
  hyphen: "Bindestrich",
  rubOut: "Löschen",
  fit: "Ganz",
  fitWhole: "Das ganze Rätsel zeigen",
  players: "Mitspielende",
  clues: "Hinweise",
  across: "Waagerecht",
  down: "Senkrecht",
  more: "Mehr",
  telnet: "Oder in einem Terminal: {1}",

  ruleType: "Wähle ein Wort im Rätsel oder in den Hinweisen, tippe es und drück {1}{2}.",
  ruleTypeDuel: "Es gehört dir; ändern kannst du es, so oft du willst.",
  ruleAgree: "Es muss zu den Buchstaben der Wörter der anderen Person und der bestätigten passen, wo sie sich kreuzen.",
  ruleChallenge:
    "Ist ein Wort der anderen Person falsch? Tippe das richtige und ficht an: Zwei Punkte und das Wort, wenn du recht hast, sonst ein Punkt weniger.",
  ruleEnd:
    "Sind alle Buchstaben richtig, ist die Partie zu Ende: Jedes richtige Wort unter deinem Namen ist ein Punkt, und Anfechtungen zählen dazu.",
  ruleAlone: "Ein richtiges Wort bleibt und ist ein Punkt. Ein falsches ist ein Fehler und kostet einen Punkt.",
  ruleClock: "Die Uhr hält an, wenn alle Buchstaben richtig sind. Sie steht, solange du weg bist.",
  keyEnter: "Enter",
  keyEscape: "Esc",
  keyTry: "Eintragen",

  giveUp: "Aufgeben…",
  giveUpSure: "Die Partie aufgeben?",
  giveUpWords: "Dann gewinnt die andere Person, wie auch immer es steht.",
  giveUpAlone: "Die Uhr hält an, und die Lösung wird gezeigt.",
  giveUpGo: "Aufgeben",

  textBox: "Textfeld",
  typeCommands: "Textfeld für Befehle zeigen",
  commandsOf: {
    CHOOSE: ["PLAY Partie", 'NEW Partie Rätsel "Beschreibung"', "EXIT"],
    WAIT: ["EXIT"],
    PLAY: ["TRY Nummer Wort", "CHALLENGE Nummer Wort", "EXIT"],
    "SHOW SCORE": ["NEW MATCH", "EXIT"],
  },
  exampleOf: {
    CHOOSE: 'PLAY Partie  oder  NEW Partie Rätsel "Komm, spiel mit"',
    WAIT: "EXIT",
    PLAY: "TRY Nummer Wort",
    "SHOW SCORE": "NEW MATCH",
  },
  exampleWord: (command, id) => `${command} ${id} Wort`,
  command: "Befehl",
  enter: "Enter",

  place: (id, across) => `${id} ${across ? "waagerecht" : "senkrecht"}`,
  placeOnly: (across) => (across ? "waagerecht" : "senkrecht"),
  length: (length) => count(length, letters),
  clue: (clue) => `Hinweis: ${clue}`,
  notEntered: "nicht eingetragen",
  enteredBy: (by) => `eingetragen von ${who(by)}`,
  enteredAs: (by, entered) => `eingetragen von ${who(by)}: ${entered}`,
  confirmed: "bestätigt",
  notConfirmed: "nicht bestätigt",
  confirmedMark: "Bestätigt",
  solution: (word) => `Lösung: ${word}`,
  empty: "leer",
  typed: (letter) => `du hast ${letter} getippt`,
  square: (row, column) => `Zeile ${row}, Spalte ${column}`,
  letterOf: (nth, length) => `Buchstabe ${nth} von ${length}`,

  nobodyHad: (word) => `Niemand hatte es: ${word}.`,
  hadInstead: (by, entered, word) => `${by === null ? "Du hattest" : `${by} hatte`} ${entered}, es ist ${word}.`,
  nobodyEntered: "Dieses Wort hat niemand eingetragen.",
  isRight: (word) => `Richtig: ${word}.`,
  isConfirmed: (by, word) => `Bestätigt: ${word}, von ${who(by)}.`,
  says: (by, word) => `${by} sagt ${word}.`,
  saysWrong: (by, word) => `${by} sagt ${word}. Falsch? Tippe das richtige Wort und ficht an.`,
  toGo: (missing) => `Noch ${count(missing, letters)}.`,
  challengeWith: (word) => `Mit ${word} anfechten: +2, wenn du recht hast, sonst −1.`,
  pressToEnter: (key, word) => `${key} trägt ${word} ein.`,
  yours: (word) => `Dein Wort: ${word}. Tippe ein anderes, um es zu ändern.`,
  allThere: (key) => `Alle Buchstaben sind da: mit ${key} gehört es dir.`,
  typeAll: (length, key) => `Tippe ${length === 1 ? "den" : "alle"} ${count(length, letters)}, dann ${key}.`,
  lettersMissing: (place, length, missing) =>
    `${place} hat ${count(length, letters)}, und ${missing === 1 ? "einer fehlt" : `${missing} fehlen`}.`,

  begun: (other, all) => `Die Partie mit ${other} hat begonnen: ${count(all, words)} sind zu finden.`,
  begunAlone: (all) => `Die Uhr läuft: ${count(all, words)} sind zu finden.`,
  found: (place, word) => `${place} ist richtig: ${word}.`,
  mistaken: (place) => `Das ist nicht ${place}: ein Fehler, ein Punkt weniger.`,
  gotConfirmed: (place, word) => `${place} ist bestätigt: ${word}.`,
  challenged: (by, word, place) => `${hast(by)} ${word} angefochten, ${place}.`,
  wasRight: (by) => `Das Wort ist richtig und jetzt bestätigt; ${verlierst(by)} einen Punkt.`,
  bothWrong: (by) => `Beide Wörter waren falsch: Das Wort ist gelöscht, und ${verlierst(by)} einen Punkt.`,
  won: (by, place, word) => `${hast(by)} ${place} angefochten und zwei Punkte gewonnen: Es ist ${word}, bestätigt.`,
  entered: (by, word, place) => `${hast(by)} ${word} eingetragen, ${place}.`,
  enteredConfirmed: (by, word, place) => `${hast(by)} ${word} eingetragen, ${place}, bestätigt.`,
  cleared: (cleared) => `Gelöscht: ${cleared}.`,

  expectedTotal: (number) => `Voraussichtlich insgesamt: ${count(number, points)}`,
  ifAllRight: " wenn alles stimmt",
  challengeUnit: " aus Anfechtungen",
  wordCount: (number) => count(number, words),
  confirmedCount: " bestätigt",
  foundOf: (found, all) => `${found} von ${count(all, { one: "Wort", other: "Wörtern" })}`,
  mistakes: (number) => count(number, mistakes),
  lost: "Verbindung weg,",
  mayReturn: "kann wiederkommen",
  timeToReturn: (time) => `noch ${time} Zeit`,
  pointCount: (number) => count(number, points),
  scoreHow: (right, challenges) =>
    `${count(right, { one: "richtiges Wort", other: "richtige Wörter" })}, ${challenges} aus Anfechtungen`,

  newMatch: "Neue Partie",
  drawn: "Unentschieden!",
  youWin: "Du gewinnst!",
  wins: (name) => `${name} gewinnt!`,
  complete: "Das Rätsel ist gelöst.",
  timedOut: "Zu lange hat niemand einen Zug gemacht.",
  gaveUp: (by) => `${hast(by)} aufgegeben.`,
  left: (by) => `${by === null ? "Du bist" : `${by} ist`} gegangen: Die Verbindung war zu lange weg.`,
  each: (number) => `${count(number, points)} für beide.`,
  score: (one, other) => `Es steht ${one} zu ${other}.`,
  scoreFor: (most, least, by) => `${most} zu ${least} für ${by ?? "dich"}.`,
  completeAlone: "Gelöst!",
  notComplete: "Nicht gelöst",
  scoreAlone: (time, wrong, number) =>
    `${time}, ${count(wrong, mistakes)}, ${count(number, points).replace("-", "−")}.`,

  whoHad: "Wer hatte was",
  word: "Wort",
  answer: "Lösung",
  player: "Von",
  nobody: "Niemand",
  right: "Richtig",
  wrong: "Falsch",
  said: (word) => `sagte ${word}`,

  nothingSent: "nichts wurde gesendet",
  triesAgain: (why) => `${why} Diese Seite versucht es von selbst wieder.`,
  full: (_words) => "Es spielen so viele, wie dieser Server zulässt.",
  loggedOut: (player) => `${player} ist abgemeldet.`,
  isBack: (player) => `${player} ist wieder da.`,
  youAre: (player) => `Du bist ${player}`,
  idle: (_reason) => "Du bist abgemeldet, weil lange nichts geschah. Zum Weitermachen drück oben auf „Getrennt“.",
  elsewhere: (player) =>
    `${player ?? "Dieser Name"} spielt jetzt über eine andere Verbindung. Um hier weiterzuspielen, drück oben auf „Getrennt“.`,
  reconnecting: "Die Verbindung ist weg. Wird wieder verbunden…",
  reconnectingFor: (grace) =>
    `Die Verbindung ist weg. Wird wieder verbunden… Bist du nicht bald zurück (${seconds(grace)}), ist die Partie aufgegeben.`,
  maybeNotEntered: (word) => `Das Wort „${word}“ wurde vielleicht nicht eingetragen.`,
  maybeNotDone: "Dein letzter Befehl wurde vielleicht nicht ausgeführt.",
  backInMatch: "Zurück in deiner Partie.",
  thingsHappened: (things) => `Inzwischen ist einiges geschehen: ${count(things, { one: "Zug", other: "Züge" })}.`,
  away: (player) => `${player} hat die Verbindung verloren. Du darfst weiterspielen.`,
  awayFor: (player, left) =>
    `${player} hat die Verbindung verloren. Zeit zum Wiederkommen: ${seconds(left)}. Du darfst weiterspielen.`,
  matchGoneAway: (match) =>
    `Deine Partie ${match} gibt es nicht mehr: Du warst zu lange weg, oder der Server wurde neu gestartet.`,
  matchWithdrawn: (match) => `Deine Partie ${match} wurde zurückgezogen, während du weg warst.`,

  protocolNames: { "a Match_ID": "the name of a match", Match_ID: "match", Puzzle_ID: "puzzle", Player_ID: "name" },

  refusals: {
    "word-confirmed": () => "Dieses Wort ist schon bestätigt.",
    "word-of-other": () =>
      "Dieses Wort hat die andere Person eingetragen; es lässt sich nur durch eine Anfechtung mit dem richtigen Wort ändern.",
    "crosses-confirmed": ({ guess, word }) => `${guess} passt nicht zum bestätigten Wort ${word}, wo sie sich kreuzen.`,
    "crosses-other": ({ guess, word, player }) =>
      `${guess} passt nicht zu Wort ${word} von ${player}, wo sie sich kreuzen. Ficht Wort ${word} an, wenn du es für falsch hältst.`,
    "word-empty": () => "Dieses Wort hat noch niemand eingetragen, also gibt es nichts anzufechten. Trag es ein.",
    "word-own": () => "Dieses Wort hast du selbst eingetragen. Trag ein anderes ein, um es zu ändern.",
    "word-same": ({ guess }) => `${guess} steht dort schon. Eine Anfechtung braucht ein anderes Wort.`,
    "word-letters": () => "Ein Wort besteht nur aus den Buchstaben a bis z und Bindestrichen.",
    "word-length": ({ word, length, given }) => `Wort ${word} hat ${length} Buchstaben, deines hat ${given}.`,
    "no-such-word": ({ most }) => `Ein Wort mit dieser Nummer gibt es nicht: Sie gehen von 1 bis ${most}.`,
    "name-in-use": ({ player }) => `Der Name ${player} ist vergeben. Nimm einen anderen.`,
    "match-taken": ({ match }) => `Eine andere Partie heißt schon ${match}. Denk dir einen anderen Namen aus.`,
    "match-begun": ({ match }) => `Die Partie ${match} ist schon zu zweit. Wähle eine aus der Liste.`,
    "no-such-match": ({ match }) =>
      `Keine Partie ${match} wartet auf jemanden. Wähle eine aus der Liste oder beginne eine.`,
    "too-many-matches": () => "Mehr Partien lässt dieser Server nicht zu. Spiel bei einer mit oder versuch es später.",
    "match-full": () => "Die Partie ist schon vollzählig. Du darfst zusehen.",
    "match-over": () => "Die Partie ist zu Ende. Du darfst das Ergebnis ansehen.",
  },
};
