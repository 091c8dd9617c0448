/** Memory Scramble's words in the language of this page, from `words/`. */

import { language } from "../shared/language.js";
import { isolating } from "../shared/names.js";
import { retry } from "../shared/retry.js";

/** @type {typeof import("./words/en.js").default} */
export const WORDS = isolating((await retry(() => import(`./words/${language}.js`))).default);
