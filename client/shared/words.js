/** The common words of the pages, from `words/`, in the language of this page. */

import { language } from "./language.js";
import { retry } from "./retry.js";

/** @type {typeof import("./words/en.js").default} */
export const SHARED = (await retry(() => import(`./words/${language}.js`))).default;

/** The words of games' pages in rooms. */
export const ROOM = SHARED.room;
