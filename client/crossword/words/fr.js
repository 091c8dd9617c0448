/** The crossword's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count, seconds } = grammar("fr");

const letters = { one: "lettre", other: "lettres" };
const words = { one: "mot", other: "mots" };
const points = { one: "point", other: "points" };
const errors = { one: "erreur", other: "erreurs" };

const par = (/** @type {string | null} */ name) => `par ${name ?? "toi"}`;
const as = (/** @type {string | null} */ name) => (name === null ? "Tu as" : `${name} a`);
const perds = (/** @type {string | null} */ name) => (name === null ? "tu perds" : `${name} perd`);

/** @type {typeof import("./en.js").default} */
export default {
  title: "Mots croisés",
  pitch:
    "Deux personnes font la course dans une grille. Les mots justes rapportent des points, démasquer un faux aussi.",
  pitchRoom: "Remplis une grille, contre quelqu’un ou contre la montre.",
  titles: { CHOOSE: "Choisis une partie", WAIT: "En attente", PLAY: "En jeu", "SHOW SCORE": "Le résultat" },

  chooseTitle: "Rejoins une partie ou commences-en une",
  logOut: "Quitter",
  waiting: "Attendent quelqu’un",
  nobodyWaits:
    "Personne n’attend en ce moment. Une partie que quelqu’un commence apparaît ici d’elle-même ; ou commences-en une.",
  startOwn: "Commence ta propre partie",
  matchName: "Nom de la partie",
  description: "Description",
  descriptionFirst: "Viens jouer !",
  inCommands: "En commandes : ",
  start: "Commencer",
  startOn: (puzzle) => `Commencer une partie avec ${puzzle}`,
  join: "Jouer",
  joinMatch: (player, match) => `Jouer dans la partie ${match} de ${player}`,
  onPuzzle: (puzzle) => ` avec ${puzzle}`,
  quoted: (text) => `« ${text} »`,
  match: "Partie ",
  matchGone: (match, player) => `La partie ${match} de ${player} n’attend plus.`,
  matchCame: (player, match, puzzle) => `${player} attend quelqu’un dans ${match}, avec ${puzzle}.`,

  waitTitle: "On attend quelqu’un…",
  waitMatch: "{1} avec {2} {3}",
  waitHow:
    "La partie commence dès que quelqu’un la rejoint : il ouvre cette page, entre un nom et appuie sur « Jouer » à côté de {1}.",
  waitLink: "Envoie-leur ce lien",
  stopWaiting: "Ne plus attendre {1}",

  board: "Grille",
  crossword: "Mots croisés",
  chosenWord: "Mot choisi",
  wordBefore: "Mot précédent",
  wordNext: "Mot suivant",
  try: "Essayer {1}",
  challenge: "Contester",
  keys: "Les flèches déplacent, Tab va au mot suivant, Espace passe de l’horizontale à la verticale. Tape un mot : Entrée l’essaie, Maj et Entrée conteste avec lui. Échap efface ce que tu as tapé, puis quitte la grille.",
  letters: "Lettres",
  hyphen: "trait d’union",
  rubOut: "Effacer",
  fit: "Tout",
  fitWhole: "Voir toute la grille",
  players: "Joueurs",
  clues: "Définitions",
  across: "Horizontalement",
  down: "Verticalement",
  more: "Plus",
  telnet: "Ou dans un terminal : {1}",

  ruleType: "Choisis un mot dans la grille ou les définitions, tape-le et appuie sur {1}{2}.",
  ruleTypeDuel: "Il est à toi ; change-le autant que tu veux.",
  ruleAgree: "Il doit s’accorder avec les lettres des mots de l’autre et des mots confirmés, là où ils se croisent.",
  ruleChallenge:
    "Un mot de l’autre est faux ? Tape le bon et conteste : deux points et le mot si tu as raison, un point de moins sinon.",
  ruleEnd:
    "Quand toutes les lettres sont justes, la partie est finie : chaque mot juste à ton nom vaut un point, et les contestations comptent.",
  ruleAlone: "Un mot juste reste et vaut un point. Un faux est une erreur et coûte un point.",
  ruleClock: "La montre s’arrête quand toutes les lettres sont justes. Elle ne tourne pas en ton absence.",
  keyEnter: "Entrée",
  keyEscape: "Échap",
  keyTry: "Essayer",

  giveUp: "Abandonner…",
  giveUpSure: "Abandonner la partie ?",
  giveUpWords: "L’autre gagne, quels que soient les points.",
  giveUpAlone: "La montre s’arrête, et la solution s’affiche.",
  giveUpGo: "Abandonner",

  textBox: "Zone de texte",
  typeCommands: "Afficher une zone de texte pour les commandes",
  commandsOf: {
    CHOOSE: ["PLAY partie", 'NEW partie grille "description"', "EXIT"],
    WAIT: ["EXIT"],
    PLAY: ["TRY numéro mot", "CHALLENGE numéro mot", "EXIT"],
    "SHOW SCORE": ["NEW MATCH", "EXIT"],
  },
  exampleOf: {
    CHOOSE: 'PLAY partie  ou  NEW partie grille "viens jouer"',
    WAIT: "EXIT",
    PLAY: "TRY numéro mot",
    "SHOW SCORE": "NEW MATCH",
  },
  exampleWord: (command, id) => `${command} ${id} mot`,
  command: "Commande",
  enter: "Entrée",

  place: (id, across) => `${id} ${across ? "horizontal" : "vertical"}`,
  placeOnly: (across) => (across ? "horizontal" : "vertical"),
  length: (length) => count(length, letters),
  clue: (clue) => `définition : ${clue}`,
  notEntered: "pas encore posé",
  enteredBy: (by) => `posé ${par(by)}`,
  enteredAs: (by, entered) => `posé ${par(by)} : ${entered}`,
  confirmed: "confirmé",
  notConfirmed: "pas confirmé",
  confirmedMark: "Confirmé",
  solution: (word) => `solution : ${word}`,
  empty: "vide",
  typed: (letter) => `tu as tapé ${letter}`,
  square: (row, column) => `ligne ${row}, colonne ${column}`,
  letterOf: (nth, length) => `lettre ${nth} sur ${length}`,

  nobodyHad: (word) => `Personne ne l’avait : ${word}.`,
  hadInstead: (by, entered, word) => `${by === null ? "Tu avais" : `${by} avait`} ${entered}, et c’est ${word}.`,
  nobodyEntered: "Personne n’a posé ce mot.",
  isRight: (word) => `Juste : ${word}.`,
  isConfirmed: (by, word) => `Confirmé : ${word}, ${by === null ? "à toi" : `à ${by}`}.`,
  says: (by, word) => `${by} dit ${word}.`,
  saysWrong: (by, word) => `${by} dit ${word}. Faux ? Tape le bon mot et conteste.`,
  toGo: (missing) => `Encore ${count(missing, letters)}.`,
  challengeWith: (word) => `Conteste avec ${word} : +2 si tu as raison, −1 sinon.`,
  pressToEnter: (key, word) => `Appuie sur ${key} pour poser ${word}.`,
  yours: (word) => `Ton mot : ${word}. Tapes-en un autre pour le changer.`,
  allThere: (key) => `Toutes ses lettres sont là : appuie sur ${key} pour l’avoir.`,
  typeAll: (length, key) => `Tape ${count(length, letters)}, puis ${key}.`,
  lettersMissing: (place, length, missing) =>
    `${place} a ${count(length, letters)}, et il en manque ${missing === 1 ? "une" : missing}.`,

  begun: (other, all) => `La partie avec ${other} a commencé : ${count(all, words)} à trouver.`,
  begunAlone: (all) => `La montre tourne : ${count(all, words)} à trouver.`,
  found: (place, word) => `${place} est juste : ${word}.`,
  mistaken: (place) => `Ce n’est pas le ${place} : une erreur, un point de moins.`,
  gotConfirmed: (place, word) => `${place} est confirmé : ${word}.`,
  challenged: (by, word, place) => `${as(by)} contesté ${word}, ${place}.`,
  wasRight: (by) => `Le mot est juste, et maintenant confirmé ; ${perds(by)} un point.`,
  bothWrong: (by) => `Les deux mots étaient faux : le mot est effacé, et ${perds(by)} un point.`,
  won: (by, place, word) => `${as(by)} contesté ${place} et gagné deux points : c’est ${word}, confirmé.`,
  entered: (by, word, place) => `${as(by)} posé ${word}, ${place}.`,
  enteredConfirmed: (by, word, place) => `${as(by)} posé ${word}, ${place}, confirmé.`,
  cleared: (cleared) => `Effacé : ${cleared}.`,

  expectedTotal: (number) => `Total prévu : ${count(number, points)}`,
  ifAllRight: " si tout est juste",
  challengeUnit: " de contestation",
  wordCount: (number) => count(number, words),
  confirmedCount: " confirmés",
  foundOf: (found, all) => `${found} sur ${count(all, words)}`,
  mistakes: (number) => count(number, errors),
  lost: "Connexion perdue,",
  mayReturn: "peut revenir",
  timeToReturn: (time) => `${time} pour revenir`,
  pointCount: (number) => count(number, points),
  scoreHow: (right, challenges) =>
    `${count(right, { one: "mot juste", other: "mots justes" })}, ${challenges} de contestation`,

  newMatch: "Nouvelle partie",
  drawn: "Égalité !",
  youWin: "Tu gagnes !",
  wins: (name) => `${name} gagne !`,
  complete: "La grille est complète.",
  timedOut: "Personne n’a joué depuis trop longtemps.",
  gaveUp: (by) => `${as(by)} abandonné.`,
  left: (by) => `${by === null ? "Tu es parti" : `${by} est parti`} : la connexion a manqué trop longtemps.`,
  each: (number) => `${count(number, points)} chacun.`,
  score: (one, other) => `Le score est de ${one} à ${other}.`,
  scoreFor: (most, least, by) => `${most} à ${least} pour ${by ?? "toi"}.`,
  completeAlone: "Complète !",
  notComplete: "Pas terminée",
  scoreAlone: (time, wrong, number) => `${time}, ${count(wrong, errors)}, ${count(number, points).replace("-", "−")}.`,

  whoHad: "Qui avait quoi",
  word: "Mot",
  answer: "Solution",
  player: "Joueur",
  nobody: "Personne",
  right: "Juste",
  wrong: "Faux",
  said: (word) => `a dit ${word}`,

  nothingSent: "rien n’a été envoyé",
  triesAgain: (why) => `${why} Cette page réessaie d’elle-même.`,
  full: (_words) => "Il y a autant de joueurs que ce serveur en permet.",
  loggedOut: (player) => `${player} a quitté.`,
  isBack: (player) => `${player} est de retour.`,
  youAre: (player) => `Tu es ${player}`,
  idle: (_reason) =>
    "Tu es déconnecté : rien ne s’est passé depuis longtemps. Pour continuer, appuie sur « Déconnecté » en haut.",
  elsewhere: (player) =>
    `${player ?? "Ce nom"} joue maintenant par une autre connexion. Pour continuer ici, appuie sur « Déconnecté » en haut.`,
  reconnecting: "La connexion est perdue. Reconnexion…",
  reconnectingFor: (grace) =>
    `La connexion est perdue. Reconnexion… Sans retour d’ici ${seconds(grace)}, la partie est abandonnée.`,
  maybeNotEntered: (word) => `Le mot « ${word} » n’a peut-être pas été inscrit.`,
  maybeNotDone: "Ta dernière commande n’a peut-être pas été exécutée.",
  backInMatch: "De retour dans ta partie.",
  thingsHappened: (things) => `Entre-temps : ${count(things, { one: "changement", other: "changements" })}.`,
  away: (player) => `${player} a perdu la connexion. Tu peux continuer.`,
  awayFor: (player, left) => `${player} a perdu la connexion, et a ${seconds(left)} pour revenir. Tu peux continuer.`,
  matchGoneAway: (match) => `Ta partie ${match} n’existe plus : ton absence a trop duré, ou le serveur a redémarré.`,
  matchWithdrawn: (match) => `Ta partie ${match} a été retirée pendant ton absence.`,

  protocolNames: { "a Match_ID": "the name of a match", Match_ID: "match", Puzzle_ID: "puzzle", Player_ID: "name" },

  refusals: {
    "word-confirmed": () => "Ce mot est déjà confirmé.",
    "word-of-other": () => "L’autre a posé ce mot : il ne change que si tu le contestes avec le bon.",
    "crosses-confirmed": ({ guess, word }) =>
      `${guess} ne s’accorde pas avec le mot ${word}, qui est confirmé, là où ils se croisent.`,
    "crosses-other": ({ guess, word, player }) =>
      `${guess} ne s’accorde pas avec le mot ${word}, posé par ${player}, là où ils se croisent. Conteste le mot ${word} si tu le crois faux.`,
    "word-empty": () => "Personne n’a encore posé ce mot : il n’y a rien à contester. Essaie-le.",
    "word-own": () => "Tu as posé ce mot toi-même. Essaies-en un autre pour le changer.",
    "word-same": ({ guess }) => `${guess} est le mot qui s’y trouve. Pour contester, il en faut un autre.`,
    "word-letters": () => "Un mot n’a que les lettres a à z et des traits d’union.",
    "word-length": ({ word, length, given }) => `Le mot ${word} a ${length} lettres, et le tien ${given}.`,
    "no-such-word": ({ most }) => `Il n’y a pas de mot de ce numéro : ils vont de 1 à ${most}.`,
    "name-in-use": ({ player }) => `Le nom ${player} est déjà pris. Prends-en un autre.`,
    "match-taken": ({ match }) => `Une autre partie s’appelle déjà ${match}. Trouve un autre nom.`,
    "match-begun": ({ match }) => `La partie ${match} a déjà ses deux joueurs. Choisis-en une dans la liste.`,
    "no-such-match": ({ match }) => `Aucune partie ${match} n’attend quelqu’un. Choisis-en une ou commences-en une.`,
    "too-many-matches": () =>
      "Il y a autant de parties que ce serveur en permet. Rejoins-en une ou réessaie plus tard.",
    "match-full": () => "La partie est déjà complète. Tu peux la regarder.",
    "match-over": () => "La partie est finie. Tu peux regarder le résultat.",
  },
};
