/** The words of the page for a room that cannot be entered, in French. */

/** @type {typeof import("./en.js").default} */
const words = {
  titles: {
    "no-such-page": "Il n’y a rien ici",
    "no-replay": "Cette partie ne peut pas être revue",
    "no-replay-yet": "Cette partie pourra être revue plus tard",
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
  refusals: {
    "no-such-page": () => "Le lien est peut-être coupé ou mal tapé. D’ici, on arrive à toutes les parties.",
    "no-such-room": () =>
      "Le lien est peut-être coupé ou mal tapé : demande-le encore une fois. Ou commence ta propre partie.",
    "no-replay": () => "Cette partie n’est gardée nulle part.",
    "no-replay-yet": () => "On y voit les cartes : ce sera possible une fois la partie finie.",
  },
  otherwise: "On ne peut pas entrer dans cette partie",
  toNext: "À leur partie suivante",
  toAll: "À toutes les parties",
};

export default words;
