/** The words of the page for a room that cannot be entered, in French. */

/** @type {typeof import("./en.js").default} */
const words = {
  titles: {
    "no-such-room": "Cette partie n’existe pas",
    "room-lost": "Cette partie est peut-être perdue",
    "room-removed": "Cette partie est finie et n’est plus là",
    "room-closed": "Cette partie a été fermée",
    "room-broken": "Cette partie est en panne",
    "memory-full": "Ce serveur est plein",
    "awake-full": "Ce serveur est plein",
    "room-damaged": "Cette partie ne peut pas être ouverte",
    moved: "Un instant",
    stopped: "Cette partie s’est arrêtée",
    closed: "Le serveur s’arrête",
  },
  otherwise: "On ne peut pas entrer dans cette partie",
  toNext: "À leur partie suivante",
  toAll: "À toutes les parties",
};

export default words;
