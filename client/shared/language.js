/**
 * The language of the pages: the one that its user chose here, else the first of the browser's that there is, else
 * English. It is chosen once, when a page loads; another one loads the page again.
 */

const KEY = "scramble.language";

/** The languages that there are, each in its own name; a page's `words/` has a catalogue for each. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };

/** @typedef {keyof typeof LANGUAGES} Language */

const FROM_RIGHT = ["ar", "fa", "he", "ur"]; // for a catalogue that may come

/**
 * A tag's language: "de" of "de-CH"; null if it is none of ours.
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
    return null; // storage is switched off: the browser's languages do
  }
}

/** The language of this page. */
export const language = kept() ?? navigator.languages.map(languageOf).find((one) => one !== null) ?? "en";

/** The same as this browser's user writes it, such as "en-US" or "de-CH": for times. */
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
 * Keep another language, and load the page again with it.
 * @param {string} chosen
 */
export function chooseLanguage(chosen) {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    return; // storage is switched off, so it would not last for one page
  }
  location.reload();
}
