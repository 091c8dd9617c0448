/**
 * The language of the pages: the user's choice, else the browser's first supported language, else English. A page has
 * one language. If the user chooses another language, the page reloads.
 */

const KEY = "scramble.language";

/** The supported languages, each in its own name. A page's `words/` has a catalogue for each. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };

/** @typedef {keyof typeof LANGUAGES} Language */

const FROM_RIGHT = ["ar", "fa", "he", "ur"]; // right-to-left languages, for future catalogues

/**
 * The language of a tag: "de" for "de-CH". Null if the language is not supported.
 * @param {string | null} tag
 * @returns {Language | null}
 */
function languageOf(tag) {
  const base = (tag ?? "").toLowerCase().split("-")[0];
  return Object.hasOwn(LANGUAGES, base) ? /** @type {Language} */ (base) : null;
}

function kept() {
  try {
    return languageOf(localStorage.getItem(KEY));
  } catch {
    return null; // storage is disabled: use the browser's languages
  }
}

/** The language of this page. */
export const language = kept() ?? navigator.languages.map(languageOf).find((one) => one !== null) ?? "en";

/** The language with the user's region, for times: "en-US" or "de-CH". */
export const locale = navigator.languages.find((tag) => languageOf(tag) === language) ?? language;

/**
 * The words in this page's language, from small catalogues that are in one file. English words replace missing words.
 * @template {object} Words
 * @param {{en: Words} & {[other in Language]?: Partial<Words>}} catalogues
 * @returns {Words}
 */
export const pick = (catalogues) => ({ ...catalogues.en, ...catalogues[language] });

/** The direction of text in this page's language. */
export const direction = FROM_RIGHT.includes(language) ? "rtl" : "ltr";

/**
 * Store another language, and reload the page.
 * @param {string} chosen
 */
export function chooseLanguage(chosen) {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    return; // storage is disabled: a reload would lose the choice
  }
  location.reload();
}
