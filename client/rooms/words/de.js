/** The words of the page for a room that cannot be entered, in German. */

/** @type {typeof import("./en.js").default} */
const words = {
  titles: {
    "no-such-page": "Hier ist nichts",
    "no-replay": "Es gibt keinen Verlauf",
    "no-replay-yet": "Den Verlauf gibt es später",
    "no-such-room": "Dieses Spiel gibt es nicht",
    "room-lost": "Dieses Spiel ist vielleicht verloren",
    "room-removed": "Dieses Spiel ist vorbei und weg",
    "room-closed": "Dieses Spiel wurde geschlossen",
    "room-broken": "Dieses Spiel ist gescheitert",
    "memory-full": "Dieser Server ist voll",
    "awake-full": "Dieser Server ist voll",
    "room-damaged": "Dieses Spiel lässt sich nicht öffnen",
    moved: "Einen Moment",
    stopped: "Dieses Spiel wurde angehalten",
    closed: "Der Server hält an",
  },
  refusals: {
    "no-such-page": () => "Vielleicht ist der Link abgeschnitten oder vertippt. Zu allen Spielen geht es hier.",
    "no-such-room": () =>
      "Vielleicht ist der Link abgeschnitten oder vertippt: Lass ihn dir noch einmal schicken. Oder fang ein eigenes Spiel an.",
    "no-replay": () => "Dieses Spiel wird nirgends aufbewahrt.",
    "no-replay-yet": () => "Er zeigt die Karten und ist deshalb erst da, wenn das Spiel vorbei ist.",
  },
  otherwise: "In dieses Spiel kommt man nicht hinein",
  toNext: "Zum nächsten Spiel der Runde",
  toAll: "Zu allen Spielen",
};

export default words;
