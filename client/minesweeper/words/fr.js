/** Minesweeper's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, plural } = grammar("fr");

const squares = { one: "case", other: "cases" };

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Démineur",
  rejoin: "Rejouer",
  keys: "Les flèches déplacent, Entrée ou Espace creuse et, sur un nombre ouvert entouré d’autant de drapeaux, ouvre le reste, F pose ou enlève un drapeau, plus et moins changent la taille des cases, 0 montre tout le champ.",
  press: "Un appui ou un clic",
  dig: "Creuser",
  flag: "Drapeau",
  zoom: "Taille des cases",
  smaller: "Cases plus petites",
  whole: "Tout",
  larger: "Cases plus grandes",
  field: "Champ",
  telnet: "Ou dans un terminal : {1}. La première colonne et la première ligne y sont 0.",
  pitch: "Un champ, et tout le monde creuse en même temps. Gare aux bombes.",
  boom: "BOUM !",
  boomWords: "C’était une bombe.",
  boomMore: "Tu es hors jeu, les autres continuent. La bombe n’est plus là : les nombres autour ont diminué.",
  justWatch: "Regarder seulement",
  bombsLeft: "Bombes restantes :",
  time: "Temps :",

  // --- how to play ---
  ruleDigKeys: "Creuse une case d’un clic, d’un appui ou avec {1}.",
  ruleDigTouch: "Touche une case pour la creuser.",
  ruleNumber: "Le nombre dit combien de bombes la touchent.",
  ruleFlagKeys: "Marque une bombe d’un clic droit, d’un appui long ou avec {1} ;",
  ruleFlagTouch: "Appuie longtemps sur une bombe pour la marquer, ou choisis Drapeau et touche ;",
  ruleFlagAgain: "la même chose encore enlève le drapeau.",
  ruleOpens:
    "Une case qu’aucune bombe ne touche ouvre toutes celles autour. Une case marquée ne peut pas être creusée.",
  ruleChord: "Autant de drapeaux autour d’un nombre qu’il le dit ?",
  ruleChordKeys: "Un clic dessus, ou {1}, ouvre le reste.",
  ruleChordTouch: "Touche-le deux fois pour ouvrir le reste.",
  rulePoints: "Tout le monde creuse en même temps, pour un point par case, dix au plus d’un coup.",
  ruleAlone: "Qui creuse une bombe est hors jeu et peut revenir ; le champ reste comme il est.",
  ruleRoom: "Une bombe coûte dix points et une courte pause ; puis tu continues.",
  ruleWon: "C’est gagné quand toutes les cases sans bombe sont ouvertes.",
  keyEnter: "Entrée",
  keySpace: "Espace",
  keyFlag: "F",

  // --- labels of squares for screen readers, counted from 1 ---
  place: (column, row) => `colonne ${column}, ligne ${row}`,
  untouched: "intacte",
  untouchedStart: "intacte, commence ici",
  flagged: "marquée",
  dug: (bombs) =>
    bombs === 0 ? "ouverte, aucune bombe à côté" : `ouverte, ${count(bombs, { one: "bombe", other: "bombes" })} à côté`,
  chord: "toutes marquées : creuse ici pour ouvrir le reste",
  waiting: "en attente du serveur",
  crater: "une bombe a explosé ici",
  hiddenBomb: "une bombe",
  flaggedBomb: (by) => (by === null ? "une bombe, marquée" : `une bombe, marquée par ${by}`),
  openedFor: (by) => `ouverte par ${by}`,
  wrongFlag: (by) => (by === null ? "un faux drapeau se trouvait ici" : `un faux drapeau de ${by} se trouvait ici`),
  wasHere: (names) => `${list(names)} ${plural(names.length, { one: "était", other: "étaient" })} ici`,
  opened: (changed) => `${count(changed, squares)} ${plural(changed, { one: "ouverte", other: "ouvertes" })}`,

  // --- the next step ---
  won: (time) => `Libre, en ${time} ! Les couleurs disent qui a ouvert quoi.`,
  allDone: "C’est fait : chaque case sans bombe est ouverte.",
  boomHere: "BOUM ! C’était une bombe.",
  lost: "Tu as perdu.",
  pausing: (seconds) => `Boum ! Une courte pause : tu continues dans ${seconds} s.`,
  startHere: "Commence à la case marquée. Rien à deviner.",
  allFlagged: "Tout est creusé ou marqué. Seul creuser dit si c’est juste.",
  flagNow: "Marque les cases où il y a forcément des bombes.",
  digFirst: "Creuse une case. Son nombre compte les bombes autour.",
  digOn: "Creuse où il n’y a pas de bombe, marque où il y en a.",

  // --- events; null means the player of this page ---
  blewUp: (who) => (who === null ? "Tu as sauté." : `${who} a sauté.`),
  setFlag: (who) => (who === null ? "Tu as posé un drapeau." : `${who} a posé un drapeau.`),
  tookFlag: (who) => (who === null ? "Tu as enlevé un drapeau." : `${who} a enlevé un drapeau.`),
  openedBy: (who, changed) =>
    who === null ? `Tu as ouvert ${count(changed, squares)}.` : `${who} a ouvert ${count(changed, squares)}.`,
  server: "Le serveur",
  unnamed: (id) => `Joueur ${id}`,
  isHere: (who) => `${who} est là.`,
  hasLeft: (who) => `${who} est parti.`,
  result: "Le champ est libre",
  resultTime: (time) => `En ${time}.`,
  lookAtField: "Voir le champ",

  // --- messages ---
  boomPause: (seconds) =>
    `Boum ! C’était une bombe. Tu continues dans ${count(seconds, { one: "seconde", other: "secondes" })}.`,
  goOn: "Tu peux continuer.",
  boomDebug: "BOUM ! C’était une bombe. Tu continues parce que ce serveur est en mode débogage.",
  startFirst: "Commence à la case marquée.",
  tapAgain: "Touche encore le nombre pour ouvrir le reste autour.",
  flagFirst: "Une case marquée ne peut pas être creusée : enlève d’abord le drapeau.",
  nothingDug: "rien n’a été creusé",
  nothingFlagged: "aucun drapeau n’a été posé",
  nothingDeflagged: "aucun drapeau n’a été enlevé",
  rejoinLater: "Pas de connexion : reviens quand elle sera rétablie.",
  backInGame: "Tu es de nouveau dans la partie.",
  lastMove: "Ton dernier coup n’a peut-être pas été joué.",
  changeMissing: "Un changement manque : tout le champ est redemandé.",
  otherField: (columns, rows) =>
    `C’est un autre champ maintenant : ${count(columns, { one: "colonne", other: "colonnes" })} sur ${count(rows, { one: "ligne", other: "lignes" })}.`,
  changedMeanwhile: (changed) =>
    `${count(changed, squares)} ${plural(changed, { one: "a", other: "ont" })} changé entre-temps.`,

  // --- refusals of the server, by code ---
  refusals: {
    "has-lost": () => "Tu as perdu : rejoue avant de continuer.",
    "has-not-lost": () => "Tu joues déjà.",
    "bad-frame": (_params) => "Le serveur ne comprend pas cette page : recharge-la.",
    invalid: (_params) => "Ce n’est pas possible ici, et rien n’a changé.",
  },

  // --- beside the field ---
  show: "Montrer sur le champ",
  paused: (seconds) => `pause ${seconds} s`,
  pointsOf: (points) => count(points, { one: "point", other: "points" }),
  toDig: (left) => `${count(left, squares)} à creuser`,
  untouchedLeft: (left) => `${number(left)} ${left === 1 ? "intacte" : "intactes"}`,
  flagsSet: (flags) => count(flags, { one: "drapeau", other: "drapeaux" }),
};

export default words;
