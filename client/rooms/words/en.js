/** The words of the page for a room that cannot be entered, in English. */

export default {
  titles: /** @type {Record<string, string>} by the code of the refusal */ ({
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
  otherwise: "This game cannot be entered",
  toNext: "To their next game",
  toAll: "To all games",
};
