/** Words that the pages share, in the language of this page: those of `words/`. */

import { language } from "./language.js";

/** @type {typeof import("./words/en.js").default} */
export const SHARED = (await import(`./words/${language}.js`)).default;

/** Those of pages of games in rooms. */
export const ROOM = SHARED.room;

/**
 * "1 pair", "2 pairs".
 * @param {number} number
 * @param {string} singular
 * @param {string} plural
 */
export function counted(number, singular, plural = `${singular}s`) {
  return `${number} ${number === 1 ? singular : plural}`;
}

/**
 * "3 seconds", "2 minutes".
 * @param {number} milliseconds
 */
export function spanWords(milliseconds) {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds < 120 ? counted(seconds, "second") : counted(Math.round(seconds / 60), "minute");
}
