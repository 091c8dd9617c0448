/** Words for a refusal of the server: by code in the language of this page, else the server's English words. */

import { SHARED } from "./words.js";

/** @import { Params, Refusals } from "./words/en.js" */
/** @typedef {{error?: string | null, reason?: string | null, code?: string, params?: Params}} RefusingFrame */

/**
 * The words of a refusal, as a sentence. `own` are the page's own words, by code.
 * @param {RefusingFrame} refused
 * @param {Refusals} own
 */
export function refusalWords({ error, reason, code = "", params = {} }, own = {}) {
  const words = own[code] ?? SHARED.refusals[code];
  return words?.(params) ?? asSentence(error ?? reason ?? "");
}

/**
 * The server's words as a sentence.
 * @param {string} words
 */
export function asSentence(words) {
  return words === ""
    ? SHARED.noAnswer
    : `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
