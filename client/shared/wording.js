/**
 * The words of a page, inserted at the keys in its markup, and the switch for another language.
 *
 * `data-words="key"` has the key of an element's text, and `data-words-title="key"` has the key of its attribute
 * `title`. The key is in the page's catalogue, or else in the shared catalogue. The element's first child element
 * replaces "{1}" in a text. `<html data-wording>` hides the page until its words are inserted.
 */

import { element } from "./dom.js";
import { chooseLanguage, direction, LANGUAGES, language } from "./language.js";
import { SHARED } from "./words.js";

const ATTRIBUTES = ["aria-label", "alt", "placeholder", "title"];

/**
 * Insert the words, and declare the page's language. Throw if the catalogues do not have a key.
 * @param {object} words
 */
export function putWords(words) {
  const root = document.documentElement;
  root.lang = language;
  root.dir = direction;
  for (const place of document.querySelectorAll("[data-words]"))
    place.replaceChildren(...filled(find(words, place.getAttribute("data-words")), [...place.children]));
  for (const attribute of ATTRIBUTES)
    for (const place of document.querySelectorAll(`[data-words-${attribute}]`))
      place.setAttribute(attribute, find(words, place.getAttribute(`data-words-${attribute}`)));
  root.removeAttribute("data-wording");
}

/**
 * @param {object} words
 * @param {string | null} key
 * @returns {string}
 */
function find(words, key) {
  const found = { ...SHARED, ...words }[/** @type {keyof typeof SHARED} */ (key)];
  if (typeof found !== "string") throw new Error(`no words for ${key}`);
  return found;
}

/**
 * A text with elements in the places of "{1}", "{2}" and so on.
 * @param {string} text
 * @param {Element[]} children
 */
export function filled(text, children) {
  return text.split(/\{(\d)\}/).map((part, at) => (at % 2 === 0 ? part : children[Number(part) - 1]));
}

/** A small switch for the language, for the bar. It shows each language by its own name. */
export function languageSwitch() {
  const select = languageSelect({ "aria-label": SHARED.language, title: SHARED.language });
  const code = element("span", { "aria-hidden": "true", text: language.toUpperCase() });
  return element("span", { class: "language-switch" }, code, select);
}

/** The language switch with a label, for a panel. */
export function languageChoice() {
  return element("label", { class: "language-choice" }, SHARED.language, languageSelect({ class: "field" }));
}

/** @param {Record<string, string>} attributes */
function languageSelect(attributes) {
  const options = Object.entries(LANGUAGES).map(([tag, name]) =>
    element("option", { value: tag, lang: tag, text: name, selected: tag === language }),
  );
  const select = element("select", attributes, ...options);
  select.addEventListener("change", () => chooseLanguage(select.value));
  return select;
}
