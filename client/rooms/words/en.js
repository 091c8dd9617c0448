/** The words of the page for a room that cannot be entered, in English. */

/** @import { Refusals } from "../../shared/words/en.js" */

export default {
  titles: /** @type {Record<string, string>} by the code of the refusal */ ({
    "no-such-page": "There is nothing here",
    "no-replay": "There is no replay",
    "no-replay-yet": "The replay comes later",
    "no-such-room": "There is no such game",
    "room-lost": "This game may be lost",
    "room-removed": "This game is over and gone",
    "room-closed": "This game was closed",
    "room-broken": "This game has failed",
    "memory-full": "This server is full",
    "awake-full": "This server is full",
    "room-damaged": "This game cannot be opened",
    moved: "One moment",
    stopped: "This game has stopped",
    closed: "The server is stopping",
  }),
  refusals: /** @type {Refusals} */ ({
    "no-such-page": () => "The link may be cut off, or have a typing error. All games are one tap away.",
    "no-such-room": () =>
      "The link may be cut off, or have a typing error: ask for it again. Or start a game of your own.",
    "no-replay": () => "This game is kept nowhere.",
    "no-replay-yet": () => "It shows the cards, so it is here once the game has ended.",
  }),
  otherwise: "This game cannot be entered",
  toNext: "To their next game",
  toAll: "To all games",
};
