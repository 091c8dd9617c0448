/** The words of the page of a class, from `words/`, in the page's language. */

import { language } from "../shared/language.js";
import { retry } from "../shared/retry.js";

/** @type {typeof import("./words/en.js").default} */
export const WORDS = (await retry(() => import(`./words/${language}.js`))).default;
