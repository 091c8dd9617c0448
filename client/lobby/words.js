/** The lobby's words in the language of this page, from `words/`. */

import { language } from "../shared/language.js";

/** @type {typeof import("./words/en.js").default} */
export const WORDS = (await import(`./words/${language}.js`)).default;
