/** The words that the pages share, in Spanish. */

/** @type {typeof import("./en.js").default} */
const words = {
  language: "Idioma",
  messages: "Mensajes",
  yourName: "Tu nombre",
  another: "Otro",
  suggestName: "Sugerir otro nombre",
  cancel: "Cancelar",
  ok: "Aceptar",

  // --- refusals of the server, by their code; what has none here is said in the server's words ---
  refusals: {
    "may-not-open": () => "En este servidor solo algunos pueden empezar partidas. Entra en una abierta.",
    "too-many-opened": ({ wait_s }) => `Son muchas partidas de golpe. Inténtalo de nuevo en ${wait_s} s.`,
    "rooms-full": () => "En este servidor no caben más partidas. Inténtalo más tarde o entra en una abierta.",
  },
};

export default words;
