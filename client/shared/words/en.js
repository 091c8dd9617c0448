/** The words that the pages share, in English. The other catalogues have the same keys, with the same parameters. */

/** @typedef {Record<string, string | number>} Params of a refusal, from the server */

export default {
  language: "Language",
  messages: "Messages",
  yourName: "Your name",
  another: "Another",
  suggestName: "Suggest another name",
  cancel: "Cancel",
  ok: "OK",

  // --- refusals of the server, by their code; what has none here is said in the server's words ---
  refusals: /** @type {Record<string, (params: Params) => string>} */ ({
    "may-not-open": () => "This server lets only some people start games. Join an open one.",
    "too-many-opened": ({ wait_s }) => `That were many games at once. Try again in ${wait_s} s.`,
    "rooms-full": () => "There are as many games as this server can have. Try again later, or join an open one.",
  }),
};
