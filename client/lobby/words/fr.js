/** The lobby's words in French. */

import { grammar } from "../../shared/grammar.js";

const { count, list } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  title: "Scramble",
  newGame: "Nouvelle partie",
  liveNow: "En direct",
  openGames: "Parties ouvertes",
  yours: "Tes parties",
  lastResult: "Ton dernier résultat",
  noOpenGames: "Aucune partie ouverte en ce moment. Lances-en une ci-dessus, ouverte à tous : elle apparaîtra ici.",
  noGamesOfYours: "Ici apparaissent les parties que tu lances, joues ou regardes, pour que tu les retrouves.",
  changeName: "Changer ton nom",
  youAre: "Tu es",
  nameRule: "Un nom a 24 caractères au plus.",
  options: "Options",
  playBot: "Contre un bot",
  playFriends: "Entre amis",
  playAlone: "En solo",
  forGame: (act, game) => `${act} : ${game}`,
  start: "Commencer",
  forget: (title) => `Retirer ${title} de cette liste`,
  join: "Jouer",
  watch: "Regarder",
  goOn: "Continuer",
  replay: "Revoir",
  notConnected: "La liste n’est plus à jour : le serveur ne répond pas.",
  token: "Mot de passe pour lancer des parties sur ce serveur",

  // --- choices ---
  bots: "Bots",
  noBots: "Aucun",
  level: "Leur niveau",
  levels: { easy: "Facile", medium: "Moyen", hard: "Difficile" },
  access: "Qui peut jouer",
  byLink: "Qui a le lien",
  anybody: "Tout le monde",
  aClass: "Une classe",
  gameTitle: "Nom de la partie",

  // --- rows of the lists ---
  hostedBy: (name) => `par ${name}`,
  players: (number) => count(number, { one: "joueur", other: "joueurs" }),
  botCount: (number) => count(number, { one: "bot", other: "bots" }),
  watching: (number) => count(number, { one: "spectateur", other: "spectateurs" }),
  nobody: "personne encore",
  over: "terminée",
  closed: "fermée",
  broken: "arrêtée par une panne",
  wonBy: (names) => (names.length === 0 ? "égalité" : `gagnée par ${list(names)}`),
  justOpened: "nouvelle",
  minutes: (number) => `${number} min`,
  hours: (number) => `${number} h`,
  days: (number) => count(number, { one: "jour", other: "jours" }),

  // --- the daily challenge ---
  streak: (days) => `🔥 ${count(days, { one: "jour", other: "jours" })} de suite`,
  nextIn: (hours) =>
    hours > 1 ? `Le prochain défi arrive dans ${hours} heures` : "Le prochain défi arrive dans moins d’une heure",
  nobodyYet: "Personne n’a encore joué aujourd’hui",
  bestToday: (name, time) => `Meilleur du jour : ${name}, ${time}`,
  bestBefore: (name, time) => `Meilleur du dernier défi : ${name}, ${time}.`,
  play: "Jouer",
  table: "Tableau",
  share: "Partager",
  points: (points) => count(points, { one: "point", other: "points" }),
  records: "Mes records",
  noRecords: "Tes résultats apparaissent ici après ta première partie. Ils restent dans ce navigateur.",
  saveRecords: "Enregistrer dans un fichier",
  addRecords: "Ajouter depuis un fichier",
  closeRecords: "Fermer",
  wrongRecords: "Ce fichier ne contient pas de records. Rien n’a changé.",
  recordsNotKept: "Les records ne peuvent pas être enregistrés dans ce navigateur.",
  recordsAdded: (games) => `${count(games, { one: "partie ajoutée", other: "parties ajoutées" })}`,
};

export default words;
