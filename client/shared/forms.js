/**
 * Parts of the form for a new game: a row of chips for one choice, a number, a switch, a text of the user. A page with
 * this form uses the style sheet `choices.css`.
 */

import { element, within } from "./dom.js";
import { SHARED } from "./words.js";

const WORDS = SHARED.form;

const MOST_FILE_BYTES = 1_000_000; // the server's limit

/** @typedef {{value: string, label: string, note?: string, picture?: Element}} Choice */

/**
 * A size like "6x6" as readable text: "6 × 6".
 * @param {string} size
 */
export const sizeOf = (size) => size.replace("x", " × ");

/**
 * A row of chips. The user chooses one chip.
 * @param {string} name
 * @param {string} legend
 * @param {Choice[]} choices
 * @param {string} chosen
 */
export function chips(name, legend, choices, chosen) {
  return element(
    "fieldset",
    { class: "pick", "data-field": name },
    element("legend", { text: legend }),
    element(
      "div",
      { class: "chips", on: { focusin: reveal } },
      ...choices.map(({ value, label, note, picture }) =>
        element(
          "label",
          { class: picture === undefined ? "pick-one" : "pick-one pick-picture" },
          element("input", { type: "radio", name, value, checked: value === chosen }),
          element(
            "span",
            { class: "pick-face" },
            picture,
            element("span", { text: label }),
            note === undefined ? null : element("span", { class: "pick-note", text: note }),
          ),
        ),
      ),
    ),
    element("p", { class: "error", role: "alert", "data-error": name }),
  );
}

/**
 * Scroll a row of chips to the chip that gets the focus by a key: a browser leaves a partly visible chip where it is.
 * A press with a pointer must not move the chip below the pointer.
 * @param {Event} event
 */
function reveal({ target }) {
  if (target instanceof Element && target.matches(":focus-visible"))
    target.scrollIntoView({ block: "nearest", inline: "center" });
}

/**
 * A switch.
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 */
export function toggle(name, label, checked) {
  return element(
    "label",
    { class: "toggle" },
    element("input", { type: "checkbox", name, checked }),
    element("span", { text: label }),
  );
}

/**
 * A field for a number, with a label.
 * @param {string} name
 * @param {string} label
 * @param {{value: number, min: number, max: number}} range
 */
export function number(name, label, { value, min, max }) {
  return element(
    "label",
    { class: "pick-number", "data-field": name },
    label,
    element("input", { class: "field", type: "number", inputmode: "numeric", name, value, min, max, required: true }),
  );
}

/**
 * The choice of the turn clock: the time that a player may hold a card or place for which others wait.
 * @param {(string | number)[]} clocks
 * @param {string} chosen
 */
export function turnClock(clocks, chosen) {
  const choices = clocks.map(String).map((value) => ({ value, label: WORDS.turnClocks(value) }));
  return chips("turn_clock", WORDS.turnClock, choices, chosen);
}

/**
 * A group of choices that is hidden while the user enters a text instead.
 * @param {...Element} choices
 */
export const replaceable = (...choices) => element("div", { class: "replaceable" }, ...choices);

/** @typedef {{text: string, words: string}} Converted the text of a file, and the words to show instead */

/**
 * A field for a text of the user: pasted, dropped, or from a file. The field is folded at first.
 *
 * `convert` converts a file of another format to a text. It returns null if the file is a text already. The message of
 * its Error is for the user. While the field has a text, the choices in `replaced` are hidden and have no effect.
 * @param {string} name
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.hint
 * @param {string} parts.accept
 * @param {HTMLElement} parts.replaced
 * @param {(file: File) => Promise<Converted | null>} [parts.convert]
 */
export function ownText(name, { title, hint, accept, replaced, convert = async () => null }) {
  const area = element("textarea", {
    class: "field own-text",
    name,
    rows: 5,
    spellcheck: "false",
    autocapitalize: "off",
    "aria-label": title,
    placeholder: WORDS.dropHint,
  });
  area.addEventListener("input", () => {
    replaced.hidden = area.value.trim() !== "";
  });
  const error = element("p", { class: "error", role: "alert", "data-error": name });
  const file = element("input", { type: "file", class: "unseen", accept, tabindex: -1, "aria-hidden": "true" });
  const converted = element("span", { role: "status" });
  const instead = element(
    "p",
    { class: "own-instead", hidden: true },
    converted,
    element("button", {
      type: "button",
      class: "button button-small",
      text: WORDS.removeText,
      on: { click: () => put("") },
    }),
  );
  /**
   * Put a text into the field. If `words` are given, show them instead of the text.
   * @param {string} text
   * @param {string} words
   */
  function put(text, words = "") {
    area.value = text;
    area.hidden = words !== "";
    instead.hidden = words === "";
    converted.textContent = words;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const details = element(
    "details",
    { class: "own", "data-field": name },
    element("summary", { text: title }),
    element("p", { class: "hint", text: hint }),
    area,
    instead,
    file,
    element("button", {
      type: "button",
      class: "button button-small",
      text: WORDS.chooseFile,
      on: { click: () => file.click() },
    }),
    error,
  );
  /** @param {File | undefined} taken */
  const take = async (taken) => {
    if (taken === undefined) return;
    error.textContent = taken.size > MOST_FILE_BYTES ? WORDS.tooLong : "";
    if (taken.size > MOST_FILE_BYTES) return;
    details.open = true;
    try {
      const found = await convert(taken);
      put(found?.text ?? (await taken.text()), found?.words);
    } catch (refused) {
      error.textContent = refused instanceof Error ? refused.message : "";
    }
  };
  file.addEventListener("change", async () => {
    await take(file.files?.[0]);
    file.value = ""; // so that choosing the same file again is a change
  });
  for (const event of ["dragover", "drop"]) details.addEventListener(event, (dropped) => dropped.preventDefault());
  details.addEventListener("dragover", () => details.setAttribute("data-over", ""));
  details.addEventListener("dragleave", () => details.removeAttribute("data-over"));
  details.addEventListener("drop", (event) => {
    details.removeAttribute("data-over");
    take(event.dataTransfer?.files[0]);
  });
  return details;
}

/**
 * Show an error in a text of the user, and the line with the error.
 * @param {HTMLElement} own made by `ownText`
 * @param {string} words
 * @param {number} line from 1, or 0 for an error without a line
 */
export function showMistake(own, words, line) {
  const area = within(own, "textarea", HTMLTextAreaElement);
  const lines = area.value.split("\n");
  const text = lines[line - 1];
  const error = within(own, ".error");
  error.replaceChildren(words);
  if (text === undefined) return;
  error.append(element("code", { class: "mistake", text: WORDS.lineOf(line, text) }));
  const start = lines.slice(0, line - 1).reduce((sum, before) => sum + before.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + text.length);
}

/**
 * The current values of a form's fields, by name. A switch is "on" or absent.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/**
 * Put stored values into a form. Values without a field or a choice in the form are ignored.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} kept
 */
export function restore(form, kept) {
  for (const input of form.querySelectorAll("input")) {
    const value = kept[input.name];
    if (input.type === "radio" && value !== undefined) {
      const known = [...form.querySelectorAll("input")].some((one) => one.name === input.name && one.value === value);
      if (known) input.checked = input.value === value;
    } else if (input.type === "checkbox") input.checked = value === "on";
    else if ((input.type === "number" || input.type === "range") && value !== undefined) input.value = value;
  }
}
