/**
 * The language of the pages: the user's choice, else the browser's first supported language, else English. It is fixed
 * when a page loads. The choice of another language reloads the page.
 */

const KEY = "scramble.language";

/** The supported languages, each in its own name. A page's `words/` has a catalogue for each. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };

/** @typedef {keyof typeof LANGUAGES} Language */

const FROM_RIGHT = ["ar", "fa", "he", "ur"]; // for later catalogues

/**
 * A tag's language: "de" of "de-CH"; null if it is not supported.
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
    return null; // storage is switched off: use the browser's languages
  }
}

/** The language of this page. */
export const language = kept() ?? navigator.languages.map(languageOf).find((one) => one !== null) ?? "en";

/** The language with the user's region, for times: "en-US" or "de-CH". */
export const locale = navigator.languages.find((tag) => languageOf(tag) === language) ?? language;

/**
 * Words of this page's language, out of catalogues that stand together in one file, because they are few. Where a
 * language has none they are English.
 * @template {object} Words
 * @param {{en: Words} & {[other in Language]?: Partial<Words>}} catalogues
 * @returns {Words}
 */
export const pick = (catalogues) => ({ ...catalogues.en, ...catalogues[language] });

/** Whether its lines begin on the left or on the right. */
export const direction = FROM_RIGHT.includes(language) ? "rtl" : "ltr";

/**
 * Store another language, and reload the page.
 * @param {string} chosen
 */
export function chooseLanguage(chosen) {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    return; // storage is switched off: the choice would be lost at the reload
  }
  location.reload();
}
