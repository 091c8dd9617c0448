/** Minesweeper's words in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, plural } = grammar("de");

const squares = { one: "Feld", other: "Felder" };

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Minesweeper",
  rejoin: "Wieder mitspielen",
  keys: "Pfeiltasten bewegen, Enter oder Leertaste gräbt und öffnet auf einer offenen Zahl mit ebenso vielen Flaggen den Rest, F setzt eine Flagge oder nimmt sie weg, Plus und Minus ändern die Größe der Felder, 0 zeigt das ganze Spielfeld.",
  press: "Tippen oder Klicken",
  dig: "Graben",
  flag: "Flagge",
  zoom: "Größe der Felder",
  smaller: "Kleinere Felder",
  whole: "Ganz",
  larger: "Größere Felder",
  field: "Spielfeld",
  telnet: "Oder in einem Terminal: {1}. Dort sind die erste Spalte und die erste Zeile 0.",
  pitch: "Ein Spielfeld, und alle graben gleichzeitig. Vorsicht vor den Bomben.",
  boom: "BUMM!",
  boomWords: "Das war eine Bombe.",
  boomMore: "Du bist draußen, die anderen spielen weiter. Die Bombe ist weg: Die Zahlen um sie sind jetzt kleiner.",
  justWatch: "Nur zusehen",
  bombsLeft: "Bomben übrig:",
  time: "Zeit:",

  // --- how to play ---
  ruleDigKeys: "Grab ein Feld mit einem Klick, einem Tippen oder mit {1} auf.",
  ruleDigTouch: "Tippe auf ein Feld, um es aufzugraben.",
  ruleNumber: "Die Zahl sagt, wie viele Bomben daran grenzen.",
  ruleFlagKeys: "Markiere eine Bombe mit Rechtsklick, langem Druck oder {1};",
  ruleFlagTouch: "Drück lange auf eine Bombe, um sie zu markieren, oder wähle Flagge und tippe;",
  ruleFlagAgain: "dasselbe noch einmal nimmt die Flagge weg.",
  ruleOpens: "Ein Feld ohne Bombe daneben öffnet alle um sich. Ein Feld mit Flagge lässt sich nicht aufgraben.",
  ruleChord: "So viele Flaggen um eine Zahl, wie sie sagt?",
  ruleChordKeys: "Ein Klick darauf oder {1} öffnet den Rest.",
  ruleChordTouch: "Tippe zweimal darauf, um den Rest zu öffnen.",
  rulePoints: "Alle graben gleichzeitig, für einen Punkt je Feld, höchstens zehn auf einmal.",
  ruleAlone: "Wer eine Bombe ausgräbt, ist draußen und darf wieder mitspielen; das Spielfeld bleibt, wie es ist.",
  ruleRoom: "Eine Bombe kostet zehn Punkte und eine kurze Pause; dann geht es weiter.",
  ruleWon: "Gewonnen ist, wenn alle Felder ohne Bombe offen sind.",
  keyEnter: "Enter",
  keySpace: "Leertaste",
  keyFlag: "F",

  // --- labels of squares for screen readers, counted from 1 ---
  place: (column, row) => `Spalte ${column}, Zeile ${row}`,
  untouched: "unberührt",
  untouchedStart: "unberührt, hier anfangen",
  flagged: "Flagge",
  dug: (bombs) =>
    bombs === 0 ? "offen, keine Bombe daneben" : `offen, ${count(bombs, { one: "Bombe", other: "Bomben" })} daneben`,
  chord: "alle markiert: Hier graben öffnet den Rest",
  waiting: "wartet auf den Server",
  crater: "hier ging eine Bombe hoch",
  hiddenBomb: "eine Bombe",
  flaggedBomb: (by) => (by === null ? "eine Bombe mit Flagge" : `eine Bombe mit Flagge von ${by}`),
  openedFor: (by) => `geöffnet von ${by}`,
  wrongFlag: (by) => (by === null ? "hier stand eine falsche Flagge" : `hier stand eine falsche Flagge von ${by}`),
  wasHere: (names) => `${list(names)} ${plural(names.length, { one: "war", other: "waren" })} hier`,
  opened: (changed) => `${count(changed, squares)} geöffnet`,

  // --- the next step ---
  won: (time) => `Frei, in ${time}! Die Farben zeigen, wer was öffnete.`,
  allDone: "Geschafft: Jedes Feld ohne Bombe ist offen.",
  boomHere: "BUMM! Das war eine Bombe.",
  lost: "Du hast verloren.",
  pausing: (seconds) => `Bumm! Eine kurze Pause: Weiter geht es in ${seconds} s.`,
  startHere: "Fang beim markierten Feld an: Von dort muss niemand raten.",
  allFlagged: "Alles offen oder markiert. Nur Graben zeigt, ob es stimmt.",
  flagNow: "Markiere die Felder, wo Bomben sein müssen.",
  digFirst: "Grab ein Feld auf. Die Zahl zählt die Bomben daneben.",
  digOn: "Grab, wo keine Bombe ist, markiere, wo eine sein muss.",

  // --- events; null means the player of this page ---
  blewUp: (who) => (who === null ? "Du bist in die Luft geflogen." : `${who} ist in die Luft geflogen.`),
  setFlag: (who) => (who === null ? "Du hast eine Flagge gesetzt." : `${who} hat eine Flagge gesetzt.`),
  tookFlag: (who) => (who === null ? "Du hast eine Flagge weggenommen." : `${who} hat eine Flagge weggenommen.`),
  openedBy: (who, changed) =>
    who === null ? `Du hast ${count(changed, squares)} geöffnet.` : `${who} hat ${count(changed, squares)} geöffnet.`,
  server: "Der Server",
  unnamed: (id) => `Nummer ${id}`,
  isHere: (who) => `${who} ist da.`,
  hasLeft: (who) => `${who} ist gegangen.`,
  result: "Alles frei",
  resultTime: (time) => `Es hat ${time} gedauert.`,
  lookAtField: "Spielfeld ansehen",

  // --- messages ---
  boomPause: (seconds) =>
    `Bumm! Das war eine Bombe. In ${count(seconds, { one: "Sekunde", other: "Sekunden" })} geht es weiter.`,
  goOn: "Es geht weiter.",
  boomDebug: "BUMM! Das war eine Bombe. Du spielst weiter, weil dieser Server im Debug-Modus läuft.",
  startFirst: "Fang beim markierten Feld an.",
  tapAgain: "Tippe noch einmal auf die Zahl, um den Rest um sie zu öffnen.",
  flagFirst: "Ein Feld mit Flagge lässt sich nicht aufgraben: Nimm zuerst die Flagge weg.",
  nothingDug: "nichts wurde aufgegraben",
  nothingFlagged: "keine Flagge wurde gesetzt",
  nothingDeflagged: "keine Flagge wurde weggenommen",
  rejoinLater: "Nicht verbunden: Spiel wieder mit, wenn die Verbindung da ist.",
  backInGame: "Du bist wieder im Spiel.",
  lastMove: "Dein letzter Zug wurde vielleicht nicht gemacht.",
  changeMissing: "Eine Änderung fehlt: Das ganze Spielfeld kommt noch einmal.",
  otherField: (columns, rows) =>
    `Es ist jetzt ein anderes Spielfeld: ${count(columns, { one: "Spalte", other: "Spalten" })} mal ${count(rows, { one: "Zeile", other: "Zeilen" })}.`,
  changedMeanwhile: (changed) =>
    `${count(changed, squares)} ${plural(changed, { one: "hat", other: "haben" })} sich inzwischen geändert.`,

  // --- refusals of the server, by code ---
  refusals: {
    "has-lost": () => "Du hast verloren: Spiel erst wieder mit, bevor du weitergräbst.",
    "has-not-lost": () => "Du spielst schon mit.",
    "bad-frame": (_params) => "Der Server versteht diese Seite nicht: Lade sie neu.",
    invalid: (_params) => "Das geht hier nicht, und nichts hat sich geändert.",
  },

  // --- beside the field ---
  show: "Auf dem Spielfeld zeigen",
  paused: (seconds) => `Pause ${seconds} s`,
  pointsOf: (points) => count(points, { one: "Punkt", other: "Punkte" }),
  toDig: (left) => `noch ${count(left, squares)}`,
  untouchedLeft: (left) => `${number(left)} unberührt`,
  flagsSet: (flags) => count(flags, { one: "Flagge", other: "Flaggen" }),
};

export default words;
