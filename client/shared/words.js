/** Words that the pages share, in the language of this page: those of `words/`. */

import { language } from "./language.js";

/** @type {typeof import("./words/en.js").default} */
export const SHARED = (await import(`./words/${language}.js`)).default;

/** Those of pages of games in rooms. */
export const ROOM = SHARED.room;
