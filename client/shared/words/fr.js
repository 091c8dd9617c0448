/** The words that the pages share, in French. */

/** @type {typeof import("./en.js").default} */
const words = {
  language: "Langue",
  messages: "Messages",
  yourName: "Ton nom",
  another: "Un autre",
  suggestName: "Proposer un autre nom",
  cancel: "Annuler",
  ok: "OK",

  // --- refusals of the server, by their code; what has none here is said in the server's words ---
  refusals: {
    "may-not-open": () =>
      "Sur ce serveur, seules certaines personnes peuvent lancer des parties. Rejoins-en une ouverte.",
    "too-many-opened": ({ wait_s }) => `Cela fait beaucoup de parties d’un coup. Réessaie dans ${wait_s} s.`,
    "rooms-full": () => "Ce serveur ne peut pas avoir plus de parties. Réessaie plus tard, ou rejoins-en une ouverte.",
  },
};

export default words;
