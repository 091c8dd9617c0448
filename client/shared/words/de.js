/** The words that the pages share, in German. */

import { grammar } from "../grammar.js";

const { brief, count, list, number, percent, plural, seconds, span } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  // --- words in the markup of most pages ---
  language: "Sprache",
  theme: { system: "Farben: wie das System", light: "Farben: hell", dark: "Farben: dunkel" },
  messages: "Meldungen",
  dismiss: "Ausblenden",
  players: "Mitspielende",
  playersAndMore: "Mitspielende und mehr",
  playWithOthers: "Mit anderen spielen",
  link: "Link zu diesem Spiel",
  copy: "Kopieren",
  copied: "Link kopiert. Schick ihn denen, mit denen du spielen möchtest.",
  copyByHand: "Bitte kopiere den Link von Hand.",
  onlyHere: "Dieser Link geht nur auf diesem Computer. Für andere starte den Server mit {1}.",
  howToPlay: "So geht’s",
  whatHappened: "Was geschah",
  whatHappenedLatest: "Was geschah, das Neueste zuerst",
  replay: "Verlauf",
  newGame: "Neues Spiel",
  lookAtBoard: "Spielfeld ansehen",
  keepPlaying: "Weiterspielen",
  play: "Spielen",
  cancel: "Abbrechen",
  ok: "OK",
  rule: (text, rule) => `${text} (Regel ${rule})`,

  percent,

  // --- names ---
  yourName: "Dein Name",
  another: "Anderer",
  suggestName: "Anderer Name als Vorschlag",
  changeName: "Namen ändern",
  youAre: "Du bist",
  you: "du",
  nameRule: "1 bis 20 Buchstaben von A bis Z, Ziffern oder Unterstriche.",
  badName: "Nimm 1 bis 20 Buchstaben von A bis Z, Ziffern oder Unterstriche.",
  nameTaken: (name) => `Der Name ${name} gehört hier schon jemandem: Wähl einen anderen.`,
  tempers: [
    ["braver", "feiner", "fixer", "flinker", "flotter", "frecher", "froher", "guter", "heiterer", "heller", "kecker"],
    ["kluger", "leiser", "lieber", "munterer", "mutiger", "netter", "sanfter", "schlauer", "stiller", "tapferer"],
    ["wacher", "wilder", "zarter"],
  ].flat(),
  creatures: [
    ["Adler", "Biber", "Bison", "Dachs", "Delfin", "Elch", "Esel", "Falke", "Fasan", "Fink", "Fuchs", "Gecko"],
    ["Hamster", "Hase", "Hirsch", "Igel", "Iltis", "Jaguar", "Kauz", "Koala", "Kranich", "Lachs", "Luchs", "Marder"],
    ["Mungo", "Otter", "Panda", "Pinguin", "Puma", "Rabe", "Specht", "Storch", "Tapir", "Uhu", "Wal", "Yak"],
  ].flat(),
  madeName: (temper, creature) => `${temper}_${creature}`,
  others: (others) => count(others, { one: "weitere Person", other: "weitere" }),

  // --- the connection ---
  connecting: "Verbinde…",
  connected: "Verbunden",
  reconnecting: "Verbinde neu…",
  oneMoment: "Einen Moment…",
  goesOn: "Einen Moment: Das Spiel geht gleich weiter.",
  disconnected: "Getrennt",
  serverFull: "Server voll…",
  tryNow: "Jetzt noch einmal versuchen",
  serverStopped: "Der Server wurde angehalten.",
  connectionLost: "Die Verbindung ist abgerissen.",
  tryingToReconnect: "Die Verbindung ist abgerissen. Sie wird neu aufgebaut…",
  connectedAgain: (milliseconds) => `Wieder verbunden nach ${span(milliseconds)}.`,
  nothingChanged: "Nichts hat sich geändert.",
  gameBroken: "Der Server hat dieses Spiel wegen eines internen Fehlers beendet.",
  serverBroken: "Der Server hat wegen eines internen Fehlers angehalten.",
  tooManyMoves: "Zu viele Züge auf einmal: Der Server hat die Verbindung getrennt. Warte einen Moment.",
  tooManyCommands: "Zu viele Befehle auf einmal: Der Server hat die Verbindung getrennt. Warte einen Moment.",
  notConnected: (otherwise) => `Nicht verbunden: ${otherwise}.`,
  notYet: (otherwise) => `Versuch es gleich noch einmal: ${otherwise}.`,
  noAnswer: "Der Server antwortet nicht. Versuch es gleich noch einmal.",
  incomplete: "Ein Teil dieser Seite wurde nicht geladen.",
  reload: "Noch einmal versuchen",
  moreMoves: (moves) => `${count(moves, { one: "weiterer Zug", other: "weitere Züge" })}.`,

  // --- the page of a small game (plain.js) ---
  place: (row, column) => `Zeile ${row}, Spalte ${column}`,
  empty: "leer",
  callOff: "Zurücknehmen",
  keyEscape: "Esc",
  calledOff: "Dein Zug wartet nicht mehr.",
  calledOffAway: "Dein Zug wartet nicht mehr, weil die Verbindung weg war.",
  lastMove: "Dein letzter Zug wurde vielleicht nicht ausgeführt.",
  noMove: "dein Zug wurde nicht ausgeführt",
  isHere: (name) => `${name} ist da.`,
  hasLeft: (name) => `${name} ist gegangen.`,

  // --- sounds ---
  sounds: "Töne",
  soundsOffered: "Möchtest du das Spiel hören?",
  soundsOn: "Töne an",
  soundsAreOn: "Die Töne sind an.",

  // --- avatars (avatarart.js has the same order) ---
  avatar: "Dein Bild",
  avatarTaken: (name) => `${name} (vergeben)`,
  avatars: [
    "Katze",
    "Fuchs",
    "Bär",
    "Hase",
    "Eule",
    "Frosch",
    "Maus",
    "Elefant",
    "Löwe",
    "Hirsch",
    "Hund",
    "Wal",
    "Fisch",
    "Krake",
    "Schnecke",
    "Schildkröte",
    "Ente",
    "Pinguin",
    "Schmetterling",
    "Krabbe",
    "Schlange",
    "Dinosaurier",
    "Igel",
    "Fledermaus",
    "Gespenst",
    "Außerirdischer",
    "Rakete",
    "Mond",
    "Stern",
    "Tanne",
    "Kaktus",
    "Pilz",
    "Blume",
    "Kirschen",
    "Eis",
    "Segelboot",
    "Heißluftballon",
    "Regenschirm",
    "Krone",
    "Schneemann",
  ],

  // --- calls, for the tab's title and notifications ---
  notify: "Benachrichtigen, wenn etwas auf mich wartet",
  notifyDenied:
    "Dieser Browser blockiert Benachrichtigungen dieser Seite. In seinen Einstellungen lassen sie sich erlauben.",
  calls: {
    yourCard: "Deine Karte ist da",
    cardGone: "Die Karte, auf die du gewartet hast, ist weg",
    matchBegun: "Deine Partie hat begonnen",
    challenged: "Dein Wort wurde angezweifelt",
    lost: (name) => `${name} hat die Verbindung verloren`,
    back: (name) => `${name} ist wieder da`,
    over: "Das Spiel ist vorbei",
    came: (name) => `${name} ist gekommen`,
    nextGame: "Das nächste Spiel hat begonnen",
    goOn: "Deine Pause ist vorbei",
  },

  // --- the form for a new game ---
  form: {
    removeText: "Entfernen",
    chooseFile: "Datei wählen",
    dropHint: "Hier einfügen oder eine Datei ablegen.",
    lineOf: (line, text) => `Zeile ${line}: ${text}`,
    tooLong: "Diese Datei ist zu lang.",
    turnClock: "So lange darf man halten, worauf andere warten",
    turnClocks: (clock) => (clock === "off" ? "Beliebig" : `${clock} s`),
  },

  // --- a game in a room ---
  room: {
    allGames: "Alle Spiele",
    toClass: "Zurück zur Klasse",
    invite: "Einladen",
    inviteTitle: "Andere einladen",
    inviteHow: "Sie scannen das hier oder öffnen den Link. Niemand braucht ein Konto.",
    inviteQr: "QR-Code mit dem Link zu diesem Spiel",
    share: "Teilen…",
    qr: "QR-Code",
    thisGame: "Dieses Spiel",
    forMe: "Für mich",
    forGame: "Das Spiel",
    forDanger: "Vorsicht",
    you: "Du",
    hostNow: "Du hast jetzt die Spielleitung: siehe „Dieses Spiel“.",
    standInNow: "Die Spielleitung ist nicht da: Du darfst das nächste Spiel beginnen, siehe „Dieses Spiel“.",
    standIn: "Die Spielleitung ist nicht da. Du darfst das nächste Spiel beginnen und seine Einstellungen wählen.",
    standInUntil: (time, minutes) =>
      `Ist sie um ${time} nicht zurück, in ${count(minutes, { one: "Minute", other: "Minuten" })}, darfst du auch das Spiel umbenennen, andere daraus entfernen und es schließen.`,
    title: "Titel dieses Spiels",
    rename: "Umbenennen",
    askForGame: "Um ein neues Spiel bitten",
    takeBackVote: "Doch kein neues Spiel",
    votes: (votes, needed) =>
      `${number(votes)} von ${number(needed)} ${plural(votes, { one: "möchte", other: "möchten" })} ein neues Spiel.`,
    nextSettings: "Nächstes Spiel…",
    nextTitle: "Einstellungen des nächsten Spiels",
    badSettings: "Daraus lässt sich kein Spiel machen.",
    choose: "Übernehmen",
    whoToRemove: "Wer entfernt werden soll",
    remove: "Entfernen",
    close: "Dieses Spiel schließen",
    sureAgain: "Ein neues Spiel beginnen?",
    sureAgainWords: "Alle hier ziehen dorthin um, und dieses bleibt, wie es ist.",
    sureRemove: (name) => `${name} entfernen?`,
    sureRemoveWords: "Zusehen geht dann noch, mitspielen nicht mehr, unter keinem Namen.",
    sureClose: "Dieses Spiel schließen?",
    sureCloseWords: "Es endet für alle, und niemand kann zurückkommen.",
    otherDevice: "Anderes Gerät…",
    otherTitle: "Auf einem anderen Gerät weiterspielen",
    seatHow: "Scanne das mit dem anderen Gerät oder öffne dort den Link. Er gilt für ein Gerät, fünf Minuten lang.",
    movedTitle: "Du spielst jetzt auf deinem anderen Gerät",
    movedHint: (name) => `${name} spielt dort. Hier kannst du zusehen oder den Platz auf dieses Gerät zurückholen.`,
    movedForGood: (name) =>
      `${name} spielt dort. Der Rückweg ist abgelaufen: Um wieder hier zu spielen, wähle dort „Anderes Gerät…“.`,
    watchHere: "Zusehen",
    takeBack: "Zurückholen",
    anotherName: "Unter anderem Namen spielen",
    seatQr: "QR-Code mit dem Link für ein anderes Gerät",
    seatLink: "Link für ein anderes Gerät",
    seatCopied: "Link kopiert. Behalte ihn für dich: Wer ihn öffnet, spielt als du.",
    finished: "Fertig",
    react: "Reagieren",
    reactWith: (emoji) => `Mit ${emoji} reagieren`,
    tooManyReactions: "Das sind viele auf einmal. Warte einen Moment.",
    acts: {
      again: (by, { me }) =>
        me
          ? "Du hast ein neues Spiel begonnen."
          : by
            ? `${by} hat ein neues Spiel begonnen.`
            : "Ein neues Spiel beginnt.",
      settings: (by, { me }) =>
        `${me ? "Du hast" : `${by ?? "Die Spielleitung"} hat`} die Einstellungen des nächsten Spiels geändert.`,
      vote: (by, { me }) => `${me ? "Du möchtest" : `${by} möchte`} ein neues Spiel.`,
      rename: (by, { me, title }) =>
        `${me ? "Du hast" : `${by ?? "Die Spielleitung"} hat`} dieses Spiel „${title}“ genannt.`,
      remove: (by, { me, player_name }) =>
        `${me ? "Du hast" : `${by ?? "Die Spielleitung"} hat`} ${player_name} aus diesem Spiel entfernt.`,
      close: (by, { me }) => `${me ? "Du hast" : `${by ?? "Die Spielleitung"} hat`} dieses Spiel geschlossen.`,
    },
    noNextGame: (/** @type {string} */ reason) => `Das nächste Spiel beginnt nicht: ${reason}`,
    nameRule: "Bis zu 24 Zeichen, in jeder Schrift.",
    playAs: (name) => `Als ${name} spielen`,
    watch: "Nur zusehen",
    join: "Mitspielen",
    watchingWords: "Du siehst zu.",
    watchingOnly: "Du siehst zu: Zum Spielen drück auf „Mitspielen“.",
    watchers: (watching) => count(watching, { one: "sieht zu", other: "sehen zu" }),
    over: "Dieses Spiel ist zu Ende.",
    done: "Geschafft!",
    draw: "Unentschieden",
    youWon: "Du hast gewonnen!",
    youWonWith: "Du hast gewonnen, zusammen mit anderen!",
    won: (names) => `${list(names)} ${plural(names.length, { one: "hat", other: "haben" })} gewonnen`,
    played: (milliseconds) => `Es hat ${span(milliseconds)} gedauert.`,
    points: "Punkte",
    nextGame: "Zum nächsten Spiel",
    noSuchRoom: "Dieses Spiel gibt es nicht mehr.",
    damaged: "Dieses Spiel lässt sich nicht öffnen: Seine Datei auf dem Server ist beschädigt.",
    again: "Noch einmal",
    another: "Anderes Spiel",
    showResult: "Ergebnis",
    myBest: (values) => `Deine Bestwerte hier: ${values}`,
    newBest: (values) => `Neuer Bestwert hier: ${values}`,
    values: ({ seconds, turns, score }) =>
      [
        seconds === undefined ? "" : brief(seconds),
        turns === undefined ? "" : count(turns, { one: "Zug", other: "Züge" }),
        score === undefined ? "" : count(score, { one: "Punkt", other: "Punkte" }),
      ]
        .filter((value) => value !== "")
        .join(", "),
    myGames: ({ games, won, longest }) =>
      [
        count(games, { one: "Spiel", other: "Spiele" }),
        ...(won > 0 ? [`${number(won)} gewonnen`] : []),
        ...(longest > 1 ? [`${number(longest)} hintereinander`] : []),
      ].join(", "),
    series: (games, wins) => `Nach ${count(games, { one: "Spiel", other: "Spielen" })}: ${wins}`,
    closed: "Die Spielleitung hat dieses Spiel geschlossen.",
    scanToPlay: "Scannen und mitspielen",
    scanToWatch: "Scannen und zusehen",

    // --- what was special about a game ---
    headlines: {
      inARow: (number) => `${number} in Folge!`,
      byOne: () => "Mit einem einzigen Punkt!",
      flawless: () => "Ohne Fehler!",
      farAhead: (number) => `Weit vorn: mit ${number}!`,
    },

    // --- the daily challenge ---
    daily: (number) => `Tagesaufgabe Nr. ${number}`,
    placeOf: (place, players) => `Platz ${place} von ${players}`,
    shareResult: "Ergebnis teilen",
    resultCopied: "Das Ergebnis ist kopiert: Füge es ein, wo du willst.",
    resultNotCopied: "Dieser Browser kann das Ergebnis nicht kopieren.",
  },

  // --- refusals of the server, by code ---
  refusals: {
    "may-not-open": () => "Auf diesem Server dürfen nur manche Spiele starten. Spiel bei einem offenen mit.",
    "too-many-opened": ({ wait_s }) =>
      `Das waren viele Spiele auf einmal. Versuch es in ${seconds(Number(wait_s))} noch einmal.`,
    "too-many-held": ({ most }) =>
      `Aus deinem Netz sind ${most} Spiele offen, mehr gehen hier nicht. Spielt welche zu Ende, oder schließt sie.`,
    busy: ({ wait_s }) =>
      `Es werden gerade viele Spiele vorbereitet. Versuch es in ${seconds(Number(wait_s))} noch einmal.`,
    "rooms-full": () =>
      "Mehr Spiele fasst dieser Server nicht. Versuch es später noch einmal oder spiel bei einem offenen mit.",
    "settings-full": () => "Mehr Spielfelder fasst dieser Server nicht. Versuch es später noch einmal.",
    "memory-full": () =>
      "Die laufenden Spiele brauchen allen Speicher, den dieser Server dafür hat. Versuch es später.",
    "awake-full": () => "In mehr Spielen kann man auf diesem Server nicht gleichzeitig spielen. Versuch es später.",
    "disk-full": () => "Die Festplatte des Servers ist voll: Gerade lässt sich nichts ändern.",
    "no-such-room": () => "Dieses Spiel gibt es nicht.",
    "room-lost": () => "Dieses Spiel gibt es nicht. Der Server hat Spiele verloren, vielleicht auch dieses.",
    "room-removed": () => "Dieses Spiel gibt es nicht mehr: Seine Zeit war um, oder die Spielleitung hat es entfernt.",
    "room-closed": () => "Dieses Spiel wurde geschlossen.",
    "room-broken": () => "Dieses Spiel wurde durch einen Fehler beendet.",
    "room-damaged": () => "Dieses Spiel lässt sich nicht öffnen: Seine Datei auf dem Server ist beschädigt.",
    "name-too-long": ({ most }) => `Ein Name hat höchstens ${most} Zeichen.`,
    "invisible-in-name": ({ character }) => `Ein Name hat keine unsichtbaren Zeichen, und dieser hat ${character}.`,
    "stray-mark": () => "Ein Akzent braucht einen Buchstaben vor sich, und ein Buchstabe hat nur wenige.",
    "empty-name": () => "Ein Name hat einen Buchstaben, eine Ziffer oder ein Symbol.",
    "bots-name": () => "Namen, die mit bot anfangen, sind für Bots.",
    "title-too-long": ({ most }) => `Ein Titel hat höchstens ${most} Zeichen.`,
    "bad-title": () => "Ein Titel ist eine Zeile sichtbarer Text.",
    "not-the-host": () => "Das darf nur die Spielleitung.",
    "stands-in": ({ minutes }) =>
      `Du vertrittst die Spielleitung: Das darfst du erst, wenn sie ${count(Number(minutes), { one: "Minute", other: "Minuten" })} lang nicht da ist.`,
    "not-moved": () => "Mach zuerst einen Zug: Nur wer hier gezogen hat, kann um ein neues Spiel bitten.",
    "not-playing": () => "Das darf nur, wer hier mitspielt.",
    "player-removed": () => "Die Spielleitung hat dich aus diesem Spiel entfernt: Zusehen darfst du.",
    "others-attempt": () => "Das ist die Tagesaufgabe einer anderen Person: Zusehen darfst du.",
    "day-over": () => "Dieser Tag ist vorbei: Spiel die Aufgabe von heute.",
    "attempt-gone": () => "Du hattest heute deinen Versuch, und sein Spiel wurde entfernt. Komm morgen wieder.",
    "attempts-full": () =>
      "Heute haben schon so viele diese Aufgabe gespielt, wie dieser Server zulässt. Komm morgen wieder.",
    "no-such-class": () => "Diese Klasse gibt es nicht oder nicht mehr.",
    "class-over": () => "Diese Klasse ist zu Ende.",
    "class-full": ({ most }) => `Eine Klasse hat höchstens ${count(Number(most), { one: "Kind", other: "Kinder" })}.`,
    "classes-full": () =>
      "Auf diesem Server gibt es so viele Klassen, wie er haben kann. Versuch es später noch einmal.",
    "not-the-teacher": () => "Das darf nur die Lehrkraft dieser Klasse.",
    "round-moved": () => "Die Klasse hat sich gerade geändert. Sieh noch einmal hin.",
    "nobody-waits": () => "Noch ist niemand in dieser Klasse.",
    "seat-taken": ({ player }) => `Der Name ${player} gehört jemand anderem.`,
    "seat-free": ({ player }) => `Hier heißt niemand ${player}.`,
    "no-such-player": ({ player }) => `Hier heißt niemand ${player}.`,
    "name-taken": ({ name }) => `Der Name ${name} ist hier vergeben oder sieht einem vergebenen zu ähnlich.`,
    "host-stays": () => "Dich selbst kannst du nicht entfernen: Schließ das Spiel oder verlass es.",
    "opener-stays": () => "Wer dieses Spiel geöffnet hat, kann nicht entfernt werden.",
    "names-are-open": () => "Hier gehören die Namen allen: Spiel auf jedem Gerät unter deinem.",
    "no-such-ticket": () =>
      "Dieser Link wurde schon benutzt oder ist zu alt: Hol dir auf dem ersten Gerät einen neuen.",
    "too-fast": () => "Das sind viele auf einmal: Warte einen Moment.",
    moved: () => "Einen Moment: Das ist nicht angekommen. Versuch es noch einmal.",
    "switched-off": ({ move }) =>
      move === "new"
        ? "Neue Spiele sind auf diesem Server abgeschaltet."
        : "Karten zu ersetzen ist auf diesem Server abgeschaltet.",
    "too-soon": ({ wait_s }) => `Ein neues Spiel geht erst wieder in ${seconds(Number(wait_s))}.`,

    // of one field of a new game
    "bad-board-size": ({ most }) =>
      `Zeilen x Spalten mit einer geraden Zahl von Karten, höchstens ${number(Number(most))}: etwa 6x6.`,
    "bad-field-size": ({ most }) => `Zeilen x Spalten, höchstens ${number(Number(most))} Felder: etwa 16x16.`,
    "not-solvable-in-time": () =>
      "Es fand sich kein Feld, das ohne Raten geht. Nimm weniger Bomben, oder versuch es noch einmal.",
    "bad-file": ({ line }) => `Zeile ${line} passt nicht zum Format.`,
    "too-long": ({ most }) => `Höchstens ${number(Number(most))} Zeichen.`,
    "too-many-cards": ({ most, cards }) =>
      `Höchstens ${number(Number(most))} Karten, und das sind ${number(Number(cards))}.`,
    "too-many-squares": ({ most, squares }) =>
      `Höchstens ${number(Number(most))} Felder, und das sind ${number(Number(squares))}.`,
    "no-pair": () => "Mindestens zwei Karten müssen gleich sein: Hier gibt es kein Paar.",
    "only-bombs": () => "Mindestens ein Feld darf keine Bombe haben: Hier gibt es nichts auszugraben.",
    "not-in-range": ({ least, most }) => `Eine ganze Zahl von ${number(Number(least))} bis ${number(Number(most))}.`,
    "not-one-of": ({ choices }) => `Eins von ${choices}.`,
  },
};

export default words;
