/** Memory Scramble's words, from `words/`, in the language of this page. */

import { language } from "../shared/language.js";
import { isolating } from "../shared/names.js";

/** @type {typeof import("./words/en.js").default} */
export const WORDS = isolating((await import(`./words/${language}.js`)).default);
