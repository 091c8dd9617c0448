/** The words that the pages share, in French. */

import { grammar } from "../grammar.js";

const { brief, count, list, number, percent, plural, seconds, span } = grammar("fr");

/** @type {typeof import("./en.js").default} */
const words = {
  // --- words in the markup of most pages ---
  language: "Langue",
  theme: { system: "Thème : celui du système", light: "Thème : clair", dark: "Thème : sombre" },
  messages: "Messages",
  dismiss: "Fermer",
  players: "Joueurs",
  playersAndMore: "Joueurs et plus",
  playWithOthers: "Jouer à plusieurs",
  link: "Lien vers cette partie",
  copy: "Copier",
  copied: "Lien copié. Envoie-le à ceux avec qui tu veux jouer.",
  copyByHand: "Copie le lien à la main, s’il te plaît.",
  onlyHere: "Ce lien ne marche que sur cet ordinateur. Pour les autres, lance le serveur avec {1}.",
  howToPlay: "Comment jouer",
  whatHappened: "Ce qui s’est passé",
  whatHappenedLatest: "Ce qui s’est passé, le plus récent d’abord",
  replay: "Revoir",
  newGame: "Nouvelle partie",
  lookAtBoard: "Voir le plateau",
  keepPlaying: "Continuer",
  play: "Jouer",
  cancel: "Annuler",
  ok: "OK",
  rule: (text, rule) => `${text} (règle ${rule})`,

  percent,

  // --- names ---
  yourName: "Ton nom",
  another: "Un autre",
  suggestName: "Un autre nom, à titre d’idée",
  changeName: "Changer ton nom",
  youAre: "Tu es",
  you: "toi",
  nameRule: "De 1 à 20 lettres de A à Z, chiffres ou tirets bas.",
  badName: "Utilise de 1 à 20 lettres de A à Z, chiffres ou tirets bas.",
  nameTaken: (name) => `Le nom ${name} appartient déjà à quelqu’un ici : choisis-en un autre.`,
  tempers: [
    ["adroit", "agile", "aimable", "brave", "calme", "content", "digne", "doux", "fidele", "fier", "franc", "gai"],
    ["gentil", "habile", "jovial", "libre", "malin", "noble", "poli", "rapide", "sage", "serein", "tendre", "vif"],
  ].flat(),
  creatures: [
    ["alpaga", "bison", "blaireau", "canard", "castor", "cerf", "chamois", "colibri", "cygne", "dauphin", "dingo"],
    ["faucon", "flamant", "furet", "gecko", "guepard", "hamster", "herisson", "hibou", "jaguar", "koala", "lama"],
    ["lapin", "loup", "lynx", "manchot", "merle", "ours", "panda", "phoque", "pinson", "puma", "renard", "tapir"],
    ["tigre", "yak"],
  ].flat(),
  madeName: (temper, creature) => `${creature}_${temper}`,
  others: (others) => `et ${count(others, { one: "autre", other: "autres" })}`,

  // --- the connection ---
  connecting: "Connexion…",
  connected: "Connecté",
  reconnecting: "Reconnexion…",
  oneMoment: "Un instant…",
  goesOn: "Un instant : la partie continue tout de suite.",
  disconnected: "Déconnecté",
  serverFull: "Serveur plein…",
  tryNow: "Réessayer maintenant",
  serverStopped: "Le serveur s’est arrêté.",
  connectionLost: "La connexion est perdue.",
  tryingToReconnect: "La connexion est perdue. Reconnexion…",
  connectedAgain: (milliseconds) => `De nouveau connecté après ${span(milliseconds)}.`,
  nothingChanged: "Rien n’a changé.",
  gameBroken: "Le serveur a arrêté cette partie à cause d’une erreur interne.",
  serverBroken: "Le serveur s’est arrêté à cause d’une erreur interne.",
  tooManyMoves: "Trop de coups à la fois : le serveur a fermé la connexion. Attends un instant.",
  tooManyCommands: "Trop de commandes à la fois : le serveur a fermé la connexion. Attends un instant.",
  notConnected: (otherwise) => `Pas de connexion : ${otherwise}.`,
  notYet: (otherwise) => `Réessaie dans un instant : ${otherwise}.`,
  noAnswer: "Le serveur ne répond pas. Réessaie dans un instant.",
  incomplete: "Une partie de cette page n’a pas été chargée.",
  reload: "Réessayer",
  moreMoves: (moves) => `${count(moves, { one: "autre coup", other: "autres coups" })}.`,

  // --- the page of a small game (plain.js) ---
  place: (row, column) => `ligne ${row}, colonne ${column}`,
  empty: "vide",
  callOff: "Retirer",
  keyEscape: "Échap",
  calledOff: "Ton coup n’attend plus.",
  calledOffAway: "Ton coup n’attend plus, car la connexion a été perdue.",
  lastMove: "Ton dernier coup n’a peut-être pas été joué.",
  noMove: "ton coup n’a pas été joué",
  isHere: (name) => `${name} est là.`,
  hasLeft: (name) => `${name} n’est plus là.`,

  // --- sounds ---
  sounds: "Sons",
  soundsOffered: "Veux-tu entendre la partie ?",
  soundsOn: "Activer les sons",
  soundsAreOn: "Les sons sont activés.",

  // --- calls, for the tab's title and notifications ---
  notify: "M’avertir quand quelque chose m’attend",
  notifyDenied: "Ce navigateur bloque les notifications de cette page. Tu peux les autoriser dans ses réglages.",
  calls: {
    yourCard: "Ta carte est là",
    cardGone: "La carte que tu attendais a disparu",
    matchBegun: "Ton match a commencé",
    challenged: "Ton mot est contesté",
    lost: (name) => `${name} a perdu la connexion`,
    back: (name) => `${name} est de retour`,
    over: "La partie est terminée",
    came: (name) => `${name} est là`,
    nextGame: "La partie suivante a commencé",
    goOn: "Ta pause est terminée",
  },

  // --- the form for a new game ---
  form: {
    removeText: "Retirer",
    chooseFile: "Choisir un fichier",
    dropHint: "Colle ton texte ici ou dépose un fichier.",
    lineOf: (line, text) => `Ligne ${line} : ${text}`,
    tooLong: "Ce fichier est trop long.",
    turnClock: "Temps pour garder ce que d’autres attendent",
    turnClocks: (clock) => (clock === "off" ? "Illimité" : `${clock} s`),
  },

  // --- a game in a room ---
  room: {
    allGames: "Toutes les parties",
    toClass: "Retour à la classe",
    invite: "Inviter",
    inviteTitle: "Inviter des amis",
    inviteHow: "Ils scannent ce code ou ouvrent le lien. Personne n’a besoin d’un compte.",
    inviteQr: "Code QR du lien vers cette partie",
    share: "Partager…",
    qr: "Code QR",
    thisGame: "Cette partie",
    forMe: "Pour moi",
    forGame: "La partie",
    forDanger: "Attention",
    you: "Toi",
    hostNow: "Tu es maintenant l’hôte : vois « Cette partie ».",
    standInNow: "L’hôte est absent : tu peux commencer la partie suivante, vois « Cette partie ».",
    standIn: "L’hôte est absent. Tu peux commencer la partie suivante et choisir ses réglages.",
    standInUntil: (time, minutes) =>
      `S’il n’est pas revenu à ${time}, dans ${count(minutes, { one: "minute", other: "minutes" })}, tu pourras aussi renommer cette partie, en exclure des joueurs et la fermer.`,
    title: "Titre de cette partie",
    rename: "Renommer",
    askForGame: "Demander une nouvelle partie",
    takeBackVote: "Finalement non",
    votes: (votes, needed) =>
      `${number(votes)} sur ${number(needed)} ${plural(votes, { one: "veut", other: "veulent" })} une nouvelle partie.`,
    nextSettings: "Partie suivante…",
    nextTitle: "Réglages de la partie suivante",
    badSettings: "On ne peut pas en faire une partie.",
    choose: "Choisir",
    whoToRemove: "Joueur à exclure",
    remove: "Exclure",
    close: "Fermer cette partie",
    sureAgain: "Commencer une nouvelle partie ?",
    sureAgainWords: "Tout le monde ici y passe, et celle-ci reste comme elle est.",
    sureRemove: (name) => `Exclure ${name} ?`,
    sureRemoveWords: "On peut alors encore regarder cette partie, mais plus y jouer, sous aucun nom.",
    sureClose: "Fermer cette partie ?",
    sureCloseWords: "Elle se termine pour tous, et personne ne peut y revenir.",
    otherDevice: "Autre appareil…",
    otherTitle: "Continuer sur un autre appareil",
    seatHow:
      "Scanne ce code avec l’autre appareil ou ouvres-y le lien. Il sert pour un seul appareil, pendant cinq minutes.",
    movedTitle: "Tu joues maintenant sur ton autre appareil",
    movedHint: (name) => `${name} joue là-bas. Ici, tu peux regarder ou reprendre ta place sur cet appareil.`,
    movedForGood: (name) =>
      `${name} joue là-bas. Le chemin du retour a expiré : pour rejouer ici, choisis là-bas « Autre appareil… ».`,
    watchHere: "Regarder",
    takeBack: "La reprendre",
    anotherName: "Jouer sous un autre nom",
    seatQr: "Code QR du lien pour un autre appareil",
    seatLink: "Lien pour un autre appareil",
    seatCopied: "Lien copié. Garde-le pour toi : qui l’ouvre joue à ta place.",
    finished: "Terminé",
    react: "Réagir",
    reactWith: (emoji) => `Réagir avec ${emoji}`,
    tooManyReactions: "Cela en fait beaucoup à la fois. Attends un instant.",
    acts: {
      again: (by, { me }) =>
        me
          ? "Tu as commencé une nouvelle partie."
          : by
            ? `${by} a commencé une nouvelle partie.`
            : "Une nouvelle partie commence.",
      settings: (by, { me }) => `${me ? "Tu as" : `${by ?? "L’hôte"} a`} changé les réglages de la partie suivante.`,
      vote: (by, { me }) => `${me ? "Tu voudrais" : `${by} voudrait`} une nouvelle partie.`,
      rename: (by, { me, title }) => `${me ? "Tu as" : `${by ?? "L’hôte"} a`} appelé cette partie « ${title} ».`,
      remove: (by, { me, player_name }) =>
        `${me ? "Tu as" : `${by ?? "L’hôte"} a`} exclu ${player_name} de cette partie.`,
      close: (by, { me }) => `${me ? "Tu as" : `${by ?? "L’hôte"} a`} fermé cette partie.`,
    },
    noNextGame: (/** @type {string} */ reason) => `La prochaine partie ne commence pas : ${reason}`,
    nameRule: "Jusqu’à 24 caractères, dans toute écriture.",
    playAs: (name) => `Jouer sous le nom ${name}`,
    watch: "Regarder seulement",
    join: "Jouer",
    watchingWords: "Tu regardes.",
    watchingOnly: "Tu regardes : appuie sur « Jouer » pour participer.",
    watchers: (watching) => count(watching, { one: "spectateur", other: "spectateurs" }),
    over: "Cette partie est terminée.",
    done: "Bien joué !",
    draw: "Égalité",
    youWon: "Tu as gagné !",
    youWonWith: "Tu as gagné, avec d’autres !",
    won: (names) => `${list(names)} ${plural(names.length, { one: "a", other: "ont" })} gagné`,
    played: (milliseconds) => `Durée : ${span(milliseconds)}.`,
    points: "Points",
    nextGame: "À la partie suivante",
    noSuchRoom: "Cette partie n’existe plus.",
    damaged: "Cette partie ne peut pas être ouverte : son fichier sur le serveur est endommagé.",
    again: "Encore",
    another: "Une autre partie",
    showResult: "Résultat",
    myBest: (values) => `Ton record ici : ${values}`,
    newBest: (values) => `Ton nouveau record ici : ${values}`,
    values: ({ seconds, turns, score }) =>
      [
        seconds === undefined ? "" : brief(seconds),
        turns === undefined ? "" : count(turns, { one: "tour", other: "tours" }),
        score === undefined ? "" : count(score, { one: "point", other: "points" }),
      ]
        .filter((value) => value !== "")
        .join(", "),
    myGames: ({ games, won, longest }) =>
      [
        count(games, { one: "partie", other: "parties" }),
        ...(won > 0 ? [plural(won, { one: `${number(won)} gagnée`, other: `${number(won)} gagnées` })] : []),
        ...(longest > 1 ? [`${number(longest)} d’affilée`] : []),
      ].join(", "),
    series: (games, wins) => `Après ${count(games, { one: "partie", other: "parties" })} : ${wins}`,
    closed: "L’hôte a fermé cette partie.",
    scanToPlay: "Scanne et joue",
    scanToWatch: "Scanne et regarde",

    // --- what was special about a game ---
    headlines: {
      inARow: (number) => `${number} d’affilée !`,
      byOne: () => "D’un seul point !",
      flawless: () => "Sans une faute !",
      farAhead: (number) => `Loin devant : ${number} d’avance !`,
    },

    // --- the daily challenge ---
    daily: (number) => `Défi du jour n° ${number}`,
    placeOf: (place, players) => `Place ${place} sur ${players}`,
    shareResult: "Partager le résultat",
    resultCopied: "Le résultat est copié : colle-le où tu veux.",
    resultNotCopied: "Ce navigateur ne peut pas copier le résultat.",
  },

  // --- refusals of the server, by code ---
  refusals: {
    "may-not-open": () =>
      "Sur ce serveur, seules certaines personnes peuvent lancer des parties. Rejoins-en une ouverte.",
    "too-many-opened": ({ wait_s }) =>
      `Cela fait beaucoup de parties d’un coup. Réessaie dans ${seconds(Number(wait_s))}.`,
    "too-many-held": ({ most }) => `Ton réseau a ${most} parties ouvertes, le maximum ici. Terminez-en, ou fermez-en.`,
    busy: ({ wait_s }) => `Beaucoup de parties se préparent en ce moment. Réessaie dans ${seconds(Number(wait_s))}.`,
    "rooms-full": () => "Ce serveur ne peut pas avoir plus de parties. Réessaie plus tard, ou rejoins-en une ouverte.",
    "settings-full": () => "Ce serveur n’a plus de place pour d’autres plateaux. Réessaie plus tard.",
    "memory-full": () =>
      "Les parties en cours prennent toute la mémoire que ce serveur leur donne. Réessaie plus tard.",
    "awake-full": () => "On ne peut pas jouer dans plus de parties à la fois sur ce serveur. Réessaie plus tard.",
    "disk-full": () => "Le disque du serveur est plein : rien ne peut être changé pour l’instant.",
    "no-such-room": () => "Cette partie n’existe pas.",
    "room-lost": () => "Cette partie n’existe pas. Ce serveur a perdu des parties, et peut-être celle-ci.",
    "room-removed": () => "Cette partie n’existe plus : son temps était écoulé, ou l’hôte l’a retirée.",
    "room-closed": () => "Cette partie a été fermée.",
    "room-broken": () => "Cette partie a été arrêtée par une panne.",
    "room-damaged": () => "Cette partie ne peut pas être ouverte : son fichier sur le serveur est endommagé.",
    "name-too-long": ({ most }) => `Un nom a ${most} caractères au plus.`,
    "invisible-in-name": ({ character }) => `Un nom n’a pas de caractères invisibles, et celui-ci a ${character}.`,
    "stray-mark": () => "Un accent suit une lettre, et une lettre en porte peu.",
    "empty-name": () => "Un nom a une lettre, un chiffre ou un symbole.",
    "bots-name": () => "Les noms qui commencent par bot sont pour les bots.",
    "title-too-long": ({ most }) => `Un titre a ${most} caractères au plus.`,
    "bad-title": () => "Un titre est une ligne de texte visible.",
    "not-the-host": () => "Seul l’hôte de cette partie peut faire cela.",
    "stands-in": ({ minutes }) =>
      `Tu remplaces l’hôte : tu pourras faire cela quand il aura été absent ${count(Number(minutes), { one: "minute", other: "minutes" })}.`,
    "not-moved": () => "Joue d’abord un coup : il faut en avoir joué un dans cette partie pour en demander une autre.",
    "not-playing": () => "Il faut jouer dans cette partie pour faire cela.",
    "player-removed": () => "L’hôte t’a exclu de cette partie : tu peux la regarder.",
    "others-attempt": () => "C’est le défi du jour d’une autre personne : tu peux le regarder.",
    "day-over": () => "Cette journée est terminée : joue le défi du jour.",
    "attempt-gone": () => "Tu as déjà fait ton essai aujourd’hui, et sa partie a été supprimée. Reviens demain.",
    "attempts-full": () =>
      "Autant de personnes que ce serveur en accepte ont déjà joué ce défi aujourd’hui. Reviens demain.",
    "no-such-class": () => "Cette classe n’existe pas, ou plus.",
    "class-over": () => "Cette classe est terminée.",
    "class-full": ({ most }) => `Une classe a au plus ${count(Number(most), { one: "élève", other: "élèves" })}.`,
    "classes-full": () => "Ce serveur a autant de classes qu’il peut en avoir. Réessaie plus tard.",
    "not-the-teacher": () => "Seule la personne qui dirige la classe peut faire cela.",
    "round-moved": () => "La classe vient de changer. Regarde à nouveau.",
    "nobody-waits": () => "Personne n’est encore venu dans cette classe.",
    "seat-taken": ({ player }) => `Le nom ${player} appartient à quelqu’un d’autre.`,
    "seat-free": ({ player }) => `Personne ici ne s’appelle ${player}.`,
    "no-such-player": ({ player }) => `Personne ici ne s’appelle ${player}.`,
    "name-taken": ({ name }) => `Le nom ${name} est déjà pris ici, ou ressemble à un nom qui l’est.`,
    "host-stays": () => "Tu ne peux pas t’exclure : ferme la partie, ou quitte-la.",
    "opener-stays": () => "On ne peut pas exclure qui a ouvert cette partie.",
    "names-are-open": () => "Ici les noms sont à tout le monde : joue sous le tien sur n’importe quel appareil.",
    "no-such-ticket": () => "Ce lien a déjà servi, ou est trop vieux : demandes-en un autre sur ton premier appareil.",
    "too-fast": () => "Cela en fait beaucoup à la fois : attends un instant.",
    moved: () => "Un instant : cela n’est pas arrivé. Réessaie.",
    "switched-off": ({ move }) =>
      move === "new"
        ? "Les nouvelles parties sont désactivées sur ce serveur."
        : "Le remplacement de cartes est désactivé sur ce serveur.",
    "too-soon": ({ wait_s }) => `La prochaine partie sera possible dans ${seconds(Number(wait_s))}.`,

    // of one field of a new game
    "bad-board-size": ({ most }) =>
      `Lignes x colonnes, avec un nombre pair de cartes, ${number(Number(most))} au plus : par exemple 6x6.`,
    "bad-field-size": ({ most }) => `Lignes x colonnes, ${number(Number(most))} cases au plus : par exemple 16x16.`,
    "not-solvable-in-time": () => "Aucune grille sans deviner n’a été trouvée. Mets moins de bombes, ou réessaie.",
    "bad-file": ({ line }) => `La ligne ${line} n’a pas le bon format.`,
    "too-long": ({ most }) => `${number(Number(most))} caractères au plus.`,
    "too-many-cards": ({ most, cards }) =>
      `${number(Number(most))} cartes au plus, et il y en a ${number(Number(cards))}.`,
    "too-many-squares": ({ most, squares }) =>
      `${number(Number(most))} cases au plus, et il y en a ${number(Number(squares))}.`,
    "no-pair": () => "Deux cartes au moins doivent être pareilles : ici, il n’y a aucune paire.",
    "only-bombs": () => "Une case au moins doit être sans bombe : ici, il n’y a rien à creuser.",
    "not-in-range": ({ least, most }) => `Un nombre entier de ${number(Number(least))} à ${number(Number(most))}.`,
    "not-one-of": ({ choices }) => `Au choix : ${choices}.`,
  },
};

export default words;
