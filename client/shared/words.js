/** Words that the pages share, in the language of this page: those of `words/`. */

import { language } from "./language.js";

/** @type {typeof import("./words/en.js").default} */
export const SHARED = (await import(`./words/${language}.js`)).default;

/**
 * "1 pair", "2 pairs".
 * @param {number} number
 * @param {string} singular
 * @param {string} plural
 */
export function counted(number, singular, plural = `${singular}s`) {
  return `${number} ${number === 1 ? singular : plural}`;
}

/**
 * "3 seconds", "2 minutes".
 * @param {number} milliseconds
 */
export function spanWords(milliseconds) {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
}

/** The words of what every room's page has: their one catalogue. */
export const ROOM = {
  allGames: "All games",
  invite: "Invite",
  inviteTitle: "Invite friends",
  inviteHow: "They scan this, or open the link. Nobody needs an account.",
  inviteQr: "QR code of the link to this game",
  link: "Link to this game",
  copy: "Copy",
  share: "Share…",
  play: "Play",
  qr: "QR code",
  onlyHere: "This link works on this computer only. For others, start the server with --host 0.0.0.0.",
  thisGame: "This game",
  you: "You",
  hostNow: "You are the host now: see “This game”.",
  title: "Title of this game",
  rename: "Rename",
  newGame: "New game",
  askForGame: "Ask for a new game",
  takeBackVote: "No new game for me",
  votes: (/** @type {number} */ votes, /** @type {number} */ needed) => `${votes} of ${needed} want a new game.`,
  nextSettings: "Next game…",
  nextTitle: "Settings of the next game",
  badSettings: "No game can be made of this.",
  choose: "Choose",
  cancel: "Cancel",
  keepPlaying: "Keep playing",
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
  seatHow: "Scan this with the other device, or open the link there. It works once, for five minutes.",
  seatQr: "QR code of the link for another device",
  seatLink: "Link for another device",
  seatCopied: "Link copied. Keep it to yourself: who opens it plays as you.",
  finished: "Done",
  sounds: "Sounds",
  yourCard: "Your card has come",
  matchBegun: "Your match has begun",
  challenged: "Your word is challenged",
  react: "React",
  reactWith: (/** @type {string} */ emoji) => `React with ${emoji}`,
  tooManyReactions: "That are many at once. Wait a moment.",
  /**
   * What somebody did to the game of all; `by` is null if most players did, or a host who does not play.
   * @type {Record<string, (by: string | null, act: {player_name?: string, title?: string}) => string>}
   */
  acts: {
    again: (by) => (by === null ? "A new game begins." : `${by} began a new game.`),
    settings: (by) => `${by ?? "The host"} changed the settings of the next game.`,
    vote: (by) => `${by} would like a new game.`,
    rename: (by, { title = "" }) => `${by ?? "The host"} called this game “${title}”.`,
    remove: (by, { player_name = "" }) => `${by ?? "The host"} removed ${player_name} from this game.`,
    close: (by) => `${by ?? "The host"} closed this game.`,
  },
  nameRule: "Up to 24 characters, of any script.",
  playAs: (/** @type {string} */ name) => `Play as ${name}`,
  watch: "Just watch",
  join: "Join",
  watchingWords: "You are watching.",
  watchingOnly: "You are watching: press Join to play.",
  watchers: (/** @type {number} */ number) => `${number} watching`,
  over: "This game is over.",
  done: "Well done!",
  draw: "A draw",
  youWon: "You have won!",
  youWonWith: "You have won, with others!",
  won: (/** @type {string[]} */ names) => `${names.join(", ")} ${names.length === 1 ? "has" : "have"} won`,
  played: (/** @type {string} */ time) => `It took ${time}.`,
  pairs: "Pairs",
  flips: "Flips",
  accuracy: "Hits",
  squares: "Squares",
  flags: "Flags",
  booms: "Booms",
  points: "Points",
  tries: "Words",
  challenges: "Caught",
  nextGame: "To the next game",
  copied: "Link copied. Send it to the people you want to play with.",
  copyByHand: "Please copy the link by hand.",
  noSuchRoom: "There is no such game any more.",
  damaged: "This game cannot be opened: its file on the server is damaged.",
  removed: "The host has removed you from this game. You may watch it.",
  again: "Again",
  another: "Another game",
  replay: "Replay",
  lookAtBoard: "Look at the board",
  saveText: "Save the match as text",
  showResult: "Result",
  series: (/** @type {number} */ games, /** @type {string} */ wins) => `After ${counted(games, "game")}: ${wins}`,
  noAnswer: "The server does not answer. Try again in a moment.",
  closed: "The host has closed this game.",
  scan: "Scan to play",
  scanToPlay: "Everybody can join: scan the code.",
  scanToWatch: "Everybody can watch: scan the code.",
};
