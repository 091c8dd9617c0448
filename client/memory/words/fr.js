/** Memory Scramble's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list, number, percent, plural, seconds } = grammar("fr");

const pairs = (/** @type {number} */ pairs) => count(pairs, { one: "paire", other: "paires" });

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Memory Scramble",
  pitch: "Trouve des paires de cartes identiques. Tout le monde joue en même temps.",
  begin: "Trouve deux cartes identiques.",
  board: "Plateau",
  zoom: "Taille des cartes",
  smaller: "Cartes plus petites",
  whole: "Tout le plateau",
  larger: "Cartes plus grandes",
  goTo: (name) => `Aller à ${name}`,

  // --- how to play ---
  ruleFirst: "Retourne une carte : tant qu’elle est à toi, personne d’autre ne peut s’en servir.",
  rulePair: "Retournes-en une deuxième. Identiques ? Les deux sont à toi, et ton prochain coup les enlève du plateau.",
  ruleMiss: "Différentes ? Elles restent visibles pour tous jusqu’à ce que ton prochain coup les retourne.",
  ruleWait:
    "Tout le monde joue en même temps. Ta première carte peut être tenue par quelqu’un : tu attends qu’elle soit libre.",

  // --- changes to the game for all players ---
  changeGame: "Changer la partie",
  replaceOpen: "Remplacer une carte…",
  newOpen: "Nouvelle partie…",
  replaceTitle: "Remplacer une carte",
  replaceHint: "Chaque carte identique à la première devient la seconde, visible ou cachée, pour tout le monde.",
  oldCard: "Ancienne carte",
  newCard: "Nouvelle carte",
  replace: "Remplacer",
  noCard: "Une carte est un mot ou une image sans espaces.",
  sureReplace: "La remplacer en pleine partie ?",
  sureReplaceWords: (before, after) => `Chaque ${before} devient ${after}, pour tout le monde.`,
  sureReplaceGo: "La remplacer",
  sureNew: "Recommencer ?",
  sureNewWords: "Les mêmes cartes sont mélangées et posées face cachée, et tout le monde repart à 0 paire.",
  replaceOff: "Remplacer des cartes est désactivé sur ce serveur.",
  newOff: "Les nouvelles parties sont désactivées sur ce serveur.",
  bothOff: "Remplacer des cartes et lancer de nouvelles parties est désactivé sur ce serveur.",

  // --- a name that another browser also uses ---
  namesake: (name) => `${name} est déjà là`,
  namesakeWords:
    "Quelqu’un joue sous ce nom dans un autre navigateur. Si c’est toi, continue : vous ne ferez qu’un, avec les mêmes cartes et les mêmes paires. Sinon, prends un nom à toi.",
  playAlong: (name) => `Continuer en tant que ${name}`,
  playAs: (name) => `Jouer en tant que ${name}`,

  // --- labels of cards for screen readers, counted from 1 ---
  place: (row, column) => `ligne ${row}, colonne ${column}`,
  takenBy: (name) => `vide, prise par ${name}`,
  takenByYou: "vide, prise par toi",
  faceDown: "face cachée",
  free: "visible, libre",
  yours: "visible, à toi",
  heldBy: (name) => `visible, tenue par ${name}`,
  heldByGone: (name) => `visible, tenue par ${name}, qui n’est plus là`,
  waiting: (names) => `${list(names)} ${plural(names.length, { one: "attend", other: "attendent" })}`,
  youAreWaiting: "tu l’attends",
  waitingForIt: "tu attends",
  it: "la carte",

  // --- the next step ---
  over: "La partie est finie : il ne reste pas deux cartes identiques.",
  waitElsewhere: (name) => `Tu attends ${name} dans un autre onglet.`,
  waitFor: (name, card) => `Tu attends que ${name} lâche ${card}.`,
  waitForAtMost: (name, card, time) => `Tu attends que ${name} lâche ${card} : ${seconds(time)} au plus.`,
  waitForGone: (left) => `${left} Tu l’attends.`,
  awaited: (names, time) =>
    `${list(names)} ${plural(names.length, { one: "attend", other: "attendent" })} ta carte. Retournes-en une d’ici ${seconds(time)}, ou elle part.`,
  takeLast: "Plus rien à trouver. N’importe quel coup enlève ta paire du plateau.",
  lastHeldBy: (name) => `Plus rien à trouver : ${name} tient la dernière paire.`,
  lastInHands: "Plus rien à trouver : les dernières paires sont entre les mains des joueurs.",
  youSplit: (card, name) => `${name} tient l’autre ${card} : l’un de vous doit lâcher.`,
  youSplitGone: (card, name) =>
    `${name} est parti avec l’autre ${card}. Il faut son retour ou une nouvelle partie pour continuer.`,
  youSplitFree: (card, name, time) =>
    `${name} n’est plus là : dans ${seconds(time)} l’autre ${card} sera libre, et tu pourras la prendre.`,
  split: (card, names) => `${list(names)} ont une ${card} chacun : l’un doit la lâcher.`,
  splitGone: (card, name) =>
    `${name} est parti avec une des dernières ${card}. Il faut son retour ou une nouvelle partie pour continuer.`,
  canTakeBoth: (card, name) => `Ta ${card} est de nouveau libre : ${name} peut maintenant prendre les deux.`,
  twinOpen: (card) => `Tu tiens ${card}, et l’autre est visible. Prends-la !`,
  twinHeld: (card, name) => `Tu tiens ${card}, et ${name} aussi. Toute autre carte lâche la tienne.`,
  pairYours: (card) => `Une paire de ${card} ! Elle est à toi. Continue avec une autre carte.`,
  youHold: (card) => `Tu tiens ${card}. Trouve maintenant l’autre.`,
  missed: "Différentes. Continue avec une autre carte.",
  freeAgain: "Ta première carte est de nouveau libre. Continue avec une autre carte.",
  turnOver: "Retourne une carte.",
  stopWaiting: "Ne plus attendre",
  takeIt: "Prendre",
  letGo: "Lâcher",
  escape: "Échap",

  // --- events ---
  isHere: (name) => `${name} est là.`,
  hasLeft: (name) => `${name} n’est plus là.`,
  hasLeftWith: (name, cards) => `${name} est parti avec ${list(cards)}.`,
  hasLeftFor: (name, cards, time) =>
    `${name} n’est plus là : dans ${seconds(time)}, ${list(cards)} ${plural(cards.length, { one: "sera libre", other: "seront libres" })}.`,
  newGameBegun: "Une nouvelle partie : les cartes sont mélangées.",
  youBegan: "Tu as commencé une nouvelle partie : les cartes sont mélangées.",
  began: (name) => `${name} a commencé une nouvelle partie : les cartes sont mélangées.`,
  replaced: (names, cards) =>
    `${list(names)} ${plural(names.length, { one: "a", other: "ont" })} remplacé ${list(cards.map(({ before, after }) => `${before} par ${after}`))}.`,
  replacedDown: (names) =>
    `${list(names)} ${plural(names.length, { one: "a", other: "ont" })} remplacé des cartes cachées.`,
  everyIsNow: (before, after) => `Chaque ${before} est maintenant ${after}.`,
  letGoOf: (name, cards) => `${name} a lâché ${list(cards)}.`,
  letGoOfPair: (name, card) => `${name} a lâché la paire de ${card}.`,
  isUp: (card, place) => `${card} est visible : ${place}.`,
  turnedUp: (name, card, place) => `${name} a retourné ${card} : ${place}.`,
  has: (name, card, place) => `${name} a ${card} : ${place}.`,
  became: (before, after, place) => `${before} est devenu ${after} : ${place}.`,
  took: (name, card) => `${name} a pris la paire de ${card}.`,
  youTook: (card) => `Tu as pris la paire de ${card}.`,
  turnedDown: (cards) => `${count(cards, { one: "carte", other: "cartes" })} de nouveau face cachée.`,
  waitsAt: (name, place) => `${name} attend : ${place}.`,
  aPair: (card) => `${card}. Une paire !`,
  notAlike: (card) => `${card}. Différentes.`,
  findTwin: (card) => `${card}. Trouve maintenant l’autre.`,

  // --- own moves that failed or must wait ---
  nowWaiting: "Quelqu’un d’autre tient cette carte : tu l’attends.",
  noLongerWait: "Tu n’attends plus cette carte.",
  waitedFor: "La carte que tu attendais est à toi.",
  gone: "La carte a été enlevée pendant que tu l’attendais.",
  empty: "Il n’y a pas de carte ici.",
  emptySecond: "Il n’y a pas de carte ici, et tu lâches la première.",
  takenSecond: "Quelqu’un d’autre tient cette carte, et tu lâches la première.",
  sameSecond: "C’est ta première carte elle-même, et tu la lâches.",
  noFlip: "tu ne peux pas retourner de carte maintenant",
  noReplacement: "rien n’a été remplacé",
  noNewGame: "il n’y a pas de nouvelle partie",
  noLongerWaitAny: "Tu n’attends plus de carte.",
  lastMove: "Ton dernier coup n’est peut-être pas arrivé.",
  otherBoard: (rows, columns) =>
    `C’est un autre plateau maintenant : ${count(rows, { one: "ligne", other: "lignes" })} de ${number(columns)}.`,
  changedMeanwhile: (cards) =>
    `Entre-temps, ${count(cards, { one: "carte", other: "cartes" })} ${plural(cards, { one: "a", other: "ont" })} changé.`,
  noLongerHold: (cards) => `Tu ne tiens plus ${list(cards)}.`,
  refusals: {
    "already-waiting": () => "Tu attends encore une carte : une à la fois.",
    restarted: () => "Quelqu’un a commencé une nouvelle partie pendant que tu attendais.",
    "switched-off": () => "C’est désactivé sur ce serveur.",
    "too-soon": ({ wait_s }) => `La prochaine nouvelle partie sera possible dans ${seconds(Number(wait_s))}.`,
  },

  // --- beside the board ---
  pairsLeft: (left, all) => `encore ${number(left)} / ${pairs(all)}`,
  pairs,
  waits: "attend",
  away: "absent",
  leftWith: (cards) => `n’est plus là : ${cards}`,
  freeIn: (time, cards) => `libre dans ${time} s : ${cards}`,

  // --- the end ---
  gameOver: "Partie finie",
  noneAlike: "Il n’y a pas deux cartes identiques.",
  allFound: "Toutes trouvées !",
  youTookAll: (taken) => plural(taken, { one: "Tu as pris la seule paire.", other: `Tu as pris les ${pairs(taken)}.` }),
  draw: "Égalité !",
  drew: (names, you, taken) => `${list(you ? ["Toi", ...names] : names)} : ${pairs(taken)} chacun.`,
  youWin: "Tu as gagné !",
  youTookMost: (taken) => `Tu as pris ${pairs(taken)}, plus que tous les autres.`,
  wins: (name) => `${name} gagne !`,
  tookPairs: (name, taken) => `${name} a pris ${pairs(taken)}.`,
  figures: (hits, streak, memory) => `Réussite ${percent(hits)} · série ${number(streak)} · mémoire ${number(memory)}`,
};

export default words;
