/** The words of a game in the language of this page: of its folder `words/`, in English if it lacks this language. */

import { language } from "./language.js";
import { isolating } from "./names.js";

/**
 * Load the catalogue in the folder `words/` beside a module: `await catalogue(import.meta.url)`. Names in its sentences
 * keep their direction.
 * @param {string} module
 */
export async function catalogue(module) {
  const load = async (/** @type {string} */ tag) => (await import(new URL(`words/${tag}.js`, module).href)).default;
  return isolating(await load(language).catch(() => load("en")));
}
