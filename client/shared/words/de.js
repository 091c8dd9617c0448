/** The words that the pages share, in German. */

/** @type {typeof import("./en.js").default} */
const words = {
  language: "Sprache",
  messages: "Meldungen",
  yourName: "Dein Name",
  another: "Anderer",
  suggestName: "Anderen Namen vorschlagen",
  cancel: "Abbrechen",
  ok: "OK",

  // --- refusals of the server, by their code; what has none here is said in the server's words ---
  refusals: {
    "may-not-open": () => "Auf diesem Server dürfen nur manche Spiele starten. Spiel bei einem offenen mit.",
    "too-many-opened": ({ wait_s }) => `Das waren viele Spiele auf einmal. Versuch es in ${wait_s} s noch einmal.`,
    "rooms-full": () =>
      "Mehr Spiele fasst dieser Server nicht. Versuch es später noch einmal oder spiel bei einem offenen mit.",
  },
};

export default words;
