/** The words of the replay of Crossword Extravaganza in German. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("de");

/** @type {typeof import("./en.js").default} */
const words = {
  unit: "Punkte",
  heatOf: "Züge an einem Wort",
  heat: (moves) => count(moves, { one: "Zug an einem Wort", other: "Züge an einem Wort" }),
  choice: "Partie",
  latestMove: "Letzter Zug",
  noMatchYet: "Noch hat keine Partie begonnen.",
  notEntered: (id, clue) => `${id}. ${clue}: nicht eingetragen`,
  entered: (id, clue, word, name) => `${id}. ${clue}: ${word}, von ${name}`,
  confirmed: (id, clue, word, name) => `${id}. ${clue}: ${word}, von ${name}, bestätigt`,
  matchOn: (match, puzzle) => `Partie ${match} mit ${puzzle}`,
  matchOver: (match, puzzle, over) => `Partie ${match} mit ${puzzle}: ${over}`,
  matchOf: (match, puzzle, names) => `${match} mit ${puzzle}: ${list(names)}`,

  // --- titles of the totals ---
  columns: {
    tries: "eingetragen",
    refused: "abgelehnt",
    challenges_won: "Anfechtungen gewonnen",
    challenges_lost: "Anfechtungen verloren",
    by_match: "Punkte je Partie",
  },

  // --- events, by code ---
  moves: {
    connected: ({ player }) => `${player} verbindet sich`,
    "no-room": ({ player }) => `${player} findet keinen Platz`,
    "no-place": ({ player }) => `${player} findet keinen Platz in der Partie`,
    "entered-lobby": ({ player }) => `${player} kommt dazu`,
    back: ({ player }) => `${player} ist wieder da`,
    lost: ({ player }) => `${player} hat die Verbindung verloren und kann zurückkommen`,
    "not-back": ({ player }) => `${player} ist nicht rechtzeitig zurückgekommen`,
    "not-back-left": ({ player }) => `${player} ist nicht rechtzeitig zurückgekommen und gegangen`,
    "grace-over": () => "eine Wartezeit ist vorbei",
    idle: ({ player }) => `${player} hat lange nichts getan und ist abgemeldet`,
    "nobody-did": () => "lange hat niemand etwas getan",
    "nobody-moved": () => "lange hat niemand einen Zug gemacht",
    "too-late": () => "eine Eingabe kommt zu spät: Die Sitzung ist zu Ende",
    "logged-out": ({ player }) => `${player} meldet sich ab`,
    waits: ({ player }) => `${player} wartet auf eine zweite Person`,
    made: ({ player, match, puzzle }) =>
      `${player} wartet auf eine zweite Person, in der Partie ${match} mit ${puzzle}`,
    "took-back": ({ player }) => `${player} zieht die wartende Partie zurück`,
    begun: ({ player }) => `${player} kommt dazu, und die Partie beginnt`,
    "begun-alone": ({ player }) => `${player} beginnt allein`,
    "next-match": ({ player }) => `${player} geht zu einer anderen Partie`,
    entered: ({ player, text, word }) => `${player} trägt ${text} bei Wort ${word} ein`,
    "tried-wrong": ({ player, word }) => `${player} versucht bei Wort ${word} ein falsches Wort`,
    "challenge-won": ({ player, word, right }) =>
      `${player} ficht Wort ${word} an und gewinnt zwei Punkte: Es ist ${right}`,
    "challenge-lost": ({ player, word }) => `${player} ficht Wort ${word} an, aber es war richtig`,
    "challenge-both-wrong": ({ player, word }) => `${player} ficht Wort ${word} an: Beide Wörter waren falsch`,
    "gave-up": ({ player }) => `${player} gibt die Partie auf`,
    "try-refused": ({ player }) => `${player} versucht vergeblich ein Wort`,
    "line-refused": ({ player }) => `${player} versucht etwas vergeblich`,
    "unknown-match": ({ player }) => `${player} zieht in einer Partie, die niemand kennt`,
    cleared: ({ words }) => `gelöscht, weil sie sich damit widersprechen: ${list(words.map(String))}`,
    complete: () => "das Rätsel ist vollständig",
    won: ({ winner }) => `Die Partie ist zu Ende: ${winner} gewinnt`,
    drawn: () => "Die Partie ist ohne Sieg zu Ende",
    "not-completed": () => "Das Rätsel ist aufgegeben",
    "both-left": () => "Beide sind gegangen",
  },
};

export default words;
