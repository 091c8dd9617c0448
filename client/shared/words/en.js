/** The words that the pages share, in English. The other catalogues have the same keys, with the same parameters. */

import { grammar } from "../grammar.js";

const { brief, count, list, number, percent, plural, seconds, span } = grammar("en-GB");

/** @typedef {Record<string, string | number>} Params of a refusal, from the server */
/** @typedef {Record<string, (params: Params) => string>} Refusals by their code */

export default {
  // --- words in the markup of most pages ---
  language: "Language",
  theme: /** @type {Record<string, string>} */ ({
    system: "Theme: system",
    light: "Theme: light",
    dark: "Theme: dark",
  }),
  messages: "Messages",
  dismiss: "Dismiss",
  players: "Players",
  playersAndMore: "Players and more",
  playWithOthers: "Play with others",
  link: "Link to this game",
  copy: "Copy",
  copied: "Link copied. Send it to the people you want to play with.",
  copyByHand: "Please copy the link by hand.",
  onlyHere: "This link works on this computer only. For others, start the server with {1}.",
  howToPlay: "How to play",
  whatHappened: "What happened",
  whatHappenedLatest: "What happened, latest first",
  replay: "Replay",
  newGame: "New game",
  lookAtBoard: "Look at the board",
  keepPlaying: "Keep playing",
  play: "Play",
  cancel: "Cancel",
  ok: "OK",
  rule: (/** @type {string} */ text, /** @type {string} */ rule) => `${text} (rule ${rule})`,

  percent,

  // --- names ---
  yourName: "Your name",
  another: "Another",
  suggestName: "Suggest another name",
  changeName: "Change your name",
  youAre: "You are",
  you: "you",
  nameRule: "1 to 20 letters A to Z, digits or underscores.",
  badName: "Use 1 to 20 letters A to Z, digits or underscores.",
  nameTaken: (/** @type {string} */ name) => `The name ${name} belongs to somebody else here: choose another one.`,
  /** The parts of suggested names. They have only the letters A to Z, because some games accept no others. */
  tempers: [
    ["bold", "brave", "bright", "calm", "cheery", "clever", "daring", "eager", "gentle", "happy", "jolly", "keen"],
    ["kind", "lively", "lucky", "merry", "nimble", "proud", "quick", "quiet", "sunny", "swift", "wise", "witty"],
  ].flat(),
  creatures: [
    ["badger", "beaver", "bison", "camel", "crane", "dolphin", "eagle", "falcon", "ferret", "fox", "gecko"],
    ["hamster", "heron", "ibis", "jaguar", "koala", "lemur", "llama", "lynx", "magpie", "marmot", "moose", "newt"],
    ["otter", "panda", "penguin", "puffin", "quail", "raven", "robin", "seal", "swan", "tapir", "turtle", "wombat"],
    ["yak"],
  ].flat(),
  madeName: (/** @type {string} */ temper, /** @type {string} */ creature) => `${temper}_${creature}`,
  others: (/** @type {number} */ others) => `and ${count(others, { one: "other", other: "others" })}`,

  // --- the connection ---
  connecting: "Connecting…",
  connected: "Connected",
  reconnecting: "Reconnecting…",
  oneMoment: "One moment…",
  goesOn: "One moment: the game goes on at once.",
  disconnected: "Disconnected",
  serverFull: "Server full…",
  tryNow: "Try again now",
  serverStopped: "The server has stopped.",
  connectionLost: "The connection is lost.",
  tryingToReconnect: "The connection is lost. Trying to reconnect…",
  connectedAgain: (/** @type {number} */ milliseconds) => `Connected again after ${span(milliseconds)}.`,
  nothingChanged: "Nothing has changed.",
  gameBroken: "The server has stopped this game because of an internal error.",
  serverBroken: "The server has stopped because of an internal error.",
  tooManyMoves: "Too many moves at once: the server has closed the connection. Wait a moment.",
  tooManyCommands: "Too many commands at once: the server has closed the connection. Wait a moment.",
  notConnected: (/** @type {string} */ otherwise) => `Not connected: ${otherwise}.`,
  notYet: (/** @type {string} */ otherwise) => `Try again in a moment: ${otherwise}.`,
  noAnswer: "The server does not answer. Try again in a moment.",
  incomplete: "A part of this page has not loaded.",
  reload: "Try again",
  moreMoves: (/** @type {number} */ moves) => `${count(moves, { one: "more move", other: "more moves" })}.`,

  // --- the page of a small game (plain.js) ---
  place: (/** @type {number} */ row, /** @type {number} */ column) => `row ${row}, column ${column}`,
  empty: "empty",
  callOff: "Call it off",
  keyEscape: "Esc",
  calledOff: "Your move waits no longer.",
  calledOffAway: "Your move waits no longer, because the connection was lost.",
  lastMove: "Your last move may not have been made.",
  noMove: "your move was not made",
  isHere: (/** @type {string} */ name) => `${name} is here.`,
  hasLeft: (/** @type {string} */ name) => `${name} has left.`,

  // --- sounds ---
  sounds: "Sounds",
  soundsOffered: "Would you like to hear the game?",
  soundsOn: "Sounds on",
  soundsAreOn: "Sounds are on.",

  // --- calls, for the tab's title and notifications ---
  notify: "Notify me when something waits for me",
  notifyDenied: "This browser blocks notifications of this page. You can allow them in its settings.",
  calls: {
    yourCard: "Your card has come",
    cardGone: "The card you waited for is gone",
    matchBegun: "Your match has begun",
    challenged: "Your word was challenged",
    lost: (/** @type {string} */ name) => `${name} has lost the connection`,
    back: (/** @type {string} */ name) => `${name} is back`,
    over: "The game is over",
    came: (/** @type {string} */ name) => `${name} has come`,
    nextGame: "The next game has begun",
    goOn: "Your pause is over",
  },

  // --- the form for a new game ---
  form: {
    removeText: "Remove",
    chooseFile: "Choose a file",
    dropHint: "Paste it here, or drop a file.",
    lineOf: (/** @type {number} */ line, /** @type {string} */ text) => `Line ${line}: ${text}`,
    tooLong: "That file is too long.",
    turnClock: "Time to hold what others wait for",
    turnClocks: (/** @type {string} */ clock) => (clock === "off" ? "Any" : `${clock} s`),
  },

  // --- a game in a room ---
  room: {
    allGames: "All games",
    toClass: "Back to the class",
    invite: "Invite",
    inviteTitle: "Invite friends",
    inviteHow: "They scan this, or open the link. Nobody needs an account.",
    inviteQr: "QR code of the link to this game",
    share: "Share…",
    qr: "QR code",
    thisGame: "This game",
    forMe: "For me",
    forGame: "The game",
    forDanger: "Careful",
    you: "You",
    hostNow: "You are the host now: see “This game”.",
    standInNow: "The host is away: you may begin the next game, see “This game”.",
    standIn: "The host is away. You may begin the next game and choose its settings.",
    standInUntil: (/** @type {string} */ time, /** @type {number} */ minutes) =>
      `If the host is not back at ${time}, in ${count(minutes, { one: "minute", other: "minutes" })}, you may also give this game another title, remove players and close it.`,
    title: "Title of this game",
    rename: "Rename",
    askForGame: "Ask for a new game",
    takeBackVote: "No new game for me",
    votes: (/** @type {number} */ votes, /** @type {number} */ needed) =>
      `${number(votes)} of ${number(needed)} ${plural(votes, { one: "wants", other: "want" })} a new game.`,
    nextSettings: "Next game…",
    nextTitle: "Settings of the next game",
    badSettings: "No game can be made of this.",
    choose: "Choose",
    whoToRemove: "Player to remove",
    remove: "Remove",
    close: "Close this game",
    sureAgain: "Begin a new game?",
    sureAgainWords: "Everybody here moves along to it, and this one stays as it is.",
    sureRemove: (/** @type {string} */ name) => `Remove ${name}?`,
    sureRemoveWords: "They can watch this game, but not play in it any more, under any name.",
    sureClose: "Close this game?",
    sureCloseWords: "It ends for everybody, and nobody can come back to it.",
    otherDevice: "Other device…",
    otherTitle: "Go on with another device",
    seatHow: "Scan this with the other device, or open the link there. It works on one device, for five minutes.",
    movedTitle: "You play on your other device now",
    movedHint: (/** @type {string} */ name) =>
      `${name} plays there. You can watch here, or take the seat back to this device.`,
    movedForGood: (/** @type {string} */ name) =>
      `${name} plays there. The way back has expired: to play here again, choose “Other device…” there.`,
    watchHere: "Watch",
    takeBack: "Take it back",
    anotherName: "Play under another name",
    seatQr: "QR code of the link for another device",
    seatLink: "Link for another device",
    seatCopied: "Link copied. Keep it to yourself: who opens it plays as you.",
    finished: "Done",
    react: "React",
    reactWith: (/** @type {string} */ emoji) => `React with ${emoji}`,
    tooManyReactions: "That are many at once. Wait a moment.",
    /**
     * Sentences about acts that affect everybody's game. `by` is the name of the player, or null for most players or a
     * host who does not play. `me` is true if this person did the act.
     * @type {Record<string, (by: string | null, act: {me: boolean, player_name?: string, title?: string}) => string>}
     */
    acts: {
      again: (by, { me }) => (me ? "You began a new game." : by ? `${by} began a new game.` : "A new game begins."),
      settings: (by, { me }) => `${me ? "You" : (by ?? "The host")} changed the settings of the next game.`,
      vote: (by, { me }) => `${me ? "You" : by} would like a new game.`,
      rename: (by, { me, title }) => `${me ? "You" : (by ?? "The host")} called this game “${title}”.`,
      remove: (by, { me, player_name }) => `${me ? "You" : (by ?? "The host")} removed ${player_name} from this game.`,
      close: (by, { me }) => `${me ? "You" : (by ?? "The host")} closed this game.`,
    },
    noNextGame: (/** @type {string} */ reason) => `The next game does not begin: ${reason}`,
    nameRule: "Up to 24 characters, of any script.",
    playAs: (/** @type {string} */ name) => `Play as ${name}`,
    watch: "Just watch",
    join: "Join",
    watchingWords: "You are watching.",
    watchingOnly: "You are watching: press Join to play.",
    watchers: (/** @type {number} */ watching) => `${number(watching)} watching`,
    over: "This game is over.",
    done: "Well done!",
    draw: "A draw",
    youWon: "You have won!",
    youWonWith: "You have won, with others!",
    won: (/** @type {string[]} */ names) => `${list(names)} ${plural(names.length, { one: "has", other: "have" })} won`,
    played: (/** @type {number} */ milliseconds) => `It took ${span(milliseconds)}.`,
    points: "Points",
    nextGame: "To the next game",
    noSuchRoom: "There is no such game any more.",
    damaged: "This game cannot be opened: its file on the server is damaged.",
    again: "Again",
    another: "Another game",
    showResult: "Result",
    myBest: (/** @type {string} */ values) => `Your best here: ${values}`,
    newBest: (/** @type {string} */ values) => `Your new best here: ${values}`,
    values: (/** @type {import("../records.js").Values} */ { seconds, turns, score }) =>
      [
        seconds === undefined ? "" : brief(seconds),
        turns === undefined ? "" : count(turns, { one: "turn", other: "turns" }),
        score === undefined ? "" : count(score, { one: "point", other: "points" }),
      ]
        .filter((value) => value !== "")
        .join(", "),
    myGames: (/** @type {import("../records.js").Statistics} */ { games, won, longest }) =>
      [
        count(games, { one: "game", other: "games" }),
        ...(won > 0 ? [`${number(won)} won`] : []),
        ...(longest > 1 ? [`${number(longest)} in a row`] : []),
      ].join(", "),
    series: (/** @type {number} */ games, /** @type {string} */ wins) =>
      `After ${count(games, { one: "game", other: "games" })}: ${wins}`,
    closed: "The host has closed this game.",
    scanToPlay: "Scan to play",
    scanToWatch: "Scan to watch",

    // --- what was special about a game ---
    headlines: {
      inARow: (/** @type {number} */ number) => `${number} in a row!`,
      byOne: () => "By a single point!",
      flawless: () => "Without a mistake!",
      farAhead: (/** @type {number} */ number) => `Far ahead: by ${number}!`,
    },

    // --- the daily challenge ---
    daily: (/** @type {number} */ number) => `Daily challenge #${number}`,
    placeOf: (/** @type {number} */ place, /** @type {number} */ players) => `Place ${place} of ${players}`,
    shareResult: "Share the result",
    resultCopied: "The result is copied: paste it wherever you like.",
    resultNotCopied: "This browser cannot copy the result.",
  },

  // --- refusals of the server, by code; for other codes the pages show the server's words ---
  refusals: /** @type {Refusals} */ ({
    "may-not-open": () => "This server lets only some people start games. Join an open one.",
    "too-many-opened": ({ wait_s }) => `That were many games at once. Try again in ${seconds(Number(wait_s))}.`,
    "too-many-held": ({ most }) =>
      `Your network has ${most} open games, as many as it may have here. Finish some, or close them.`,
    busy: ({ wait_s }) => `Many games are being prepared just now. Try again in ${seconds(Number(wait_s))}.`,
    "rooms-full": () => "There are as many games as this server can have. Try again later, or join an open one.",
    "settings-full": () => "The boards of all games take as much room as this server has. Try again later.",
    "memory-full": () =>
      "People play in games that take all the memory that this server has for them. Try again later.",
    "awake-full": () => "People play in as many games as this server can run at a time. Try again later.",
    "disk-full": () => "The server's disk is full, so nothing can be changed now.",
    "no-such-room": () => "There is no such game.",
    "room-lost": () => "There is no such game. This server has lost games, and it may have been one of them.",
    "room-removed": () => "That game is gone: its time was over, or its host removed it.",
    "room-closed": () => "That game was closed.",
    "room-broken": () => "That game was stopped by a fault.",
    "room-damaged": () => "That game cannot be opened: its file on the server is damaged.",
    "name-too-long": ({ most }) =>
      `A name has at most ${count(Number(most), { one: "character", other: "characters" })}.`,
    "invisible-in-name": ({ character }) => `A name has no invisible characters, and this one has ${character}.`,
    "stray-mark": () => "A mark needs a letter before it, and a letter has few of them.",
    "empty-name": () => "A name has a letter, a digit or a symbol.",
    "bots-name": () => "Names that begin with bot are for bots.",
    "title-too-long": ({ most }) =>
      `A title has at most ${count(Number(most), { one: "character", other: "characters" })}.`,
    "bad-title": () => "A title is one line of text that people can see.",
    "not-the-host": () => "Only the host of this game may do that.",
    "stands-in": ({ minutes }) =>
      `You stand in for the host: you may do that once the host has been away for ${count(Number(minutes), { one: "minute", other: "minutes" })}.`,
    "not-moved": () => "Make a move first: only who has made one in this game may ask for another.",
    "not-playing": () => "Only a player in this game may do that.",
    "player-removed": () => "The host has removed you from this game: you may watch it.",
    "others-attempt": () => "This is another player's daily challenge: you may watch it.",
    "day-over": () => "This day is over: play today's challenge.",
    "attempt-gone": () => "You have had your attempt today, and its game was removed. Come back tomorrow.",
    "attempts-full": () => "As many people as this server allows have played this challenge today. Come back tomorrow.",
    "no-such-class": () => "This class does not exist, or was forgotten.",
    "class-over": () => "This class is over.",
    "class-full": ({ most }) => `A class has at most ${count(Number(most), { one: "pupil", other: "pupils" })}.`,
    "classes-full": () => "This server has as many classes as it can. Try again later.",
    "not-the-teacher": () => "Only the teacher of this class may do that.",
    "round-moved": () => "The class has changed just now. Look again.",
    "nobody-waits": () => "Nobody has come to this class yet.",
    "seat-taken": ({ player }) => `The name ${player} belongs to somebody else.`,
    "seat-free": ({ player }) => `Nobody here is called ${player}.`,
    "no-such-player": ({ player }) => `Nobody here is called ${player}.`,
    "name-taken": ({ name }) => `The name ${name} is taken here, or looks like one that is.`,
    "host-stays": () => "You cannot remove yourself: close the game, or leave it.",
    "opener-stays": () => "Who has opened this game cannot be removed from it.",
    "names-are-open": () => "Here names belong to everybody: play under yours on any device.",
    "no-such-ticket": () => "This link has been used already, or is too old: ask for another one on your first device.",
    "too-fast": () => "That are many at once: wait a moment.",
    moved: () => "One moment: that did not get through. Try again.",
    "switched-off": ({ move }) =>
      move === "new" ? "New games are switched off on this server." : "Replacing cards is switched off on this server.",
    "too-soon": ({ wait_s }) => `The next new game is possible in ${seconds(Number(wait_s))}.`,

    // errors of one field in the form for a new game
    "bad-board-size": ({ most }) =>
      `Rows x columns, an even number of cards, ${number(Number(most))} at most: such as 6x6.`,
    "bad-field-size": ({ most }) => `Rows x columns, ${number(Number(most))} squares at most: such as 16x16.`,
    "not-solvable-in-time": () => "No field that needs no guess was found. Take fewer bombs, or try again.",
    "bad-file": ({ line, reason }) => `Line ${line}: ${reason}.`,
    "too-long": ({ most }) => `${count(Number(most), { one: "character", other: "characters" })} at most.`,
    "too-many-cards": ({ most, cards }) =>
      `${number(Number(most))} cards at most, and these are ${number(Number(cards))}.`,
    "too-many-squares": ({ most, squares }) =>
      `${number(Number(most))} squares at most, and these are ${number(Number(squares))}.`,
    "no-pair": () => "At least two cards must be alike: nobody can find a pair here.",
    "only-bombs": () => "At least one square must have no bomb: there is nothing to find here.",
    "not-in-range": ({ least, most }) => `A whole number from ${number(Number(least))} to ${number(Number(most))}.`,
    "not-one-of": ({ choices }) => `One of ${choices}.`,
  }),
};
