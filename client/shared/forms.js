/**
 * Parts of the form for a new game: rows of chips to pick one from, a number, a switch, a text of one's own. A page
 * with that form has the sheet `choices.css`.
 */

import { element, within } from "./dom.js";
import { SHARED } from "./words.js";

const WORDS = SHARED.form;

const MOST_FILE_BYTES = 1_000_000; // the server takes no more

/** @typedef {{value: string, label: string, note?: string, picture?: Element}} Choice */

/**
 * "6x6" as people read it.
 * @param {string} size
 */
export const sizeOf = (size) => size.replace("x", " × ");

/**
 * A row of chips of which one is chosen.
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
      { class: "chips" },
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
 * A number with a label, to type.
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
 * How long players may hold what others wait for.
 * @param {(string | number)[]} clocks
 * @param {string} chosen
 */
export function turnClock(clocks, chosen) {
  const choices = clocks.map(String).map((value) => ({ value, label: WORDS.turnClocks(value) }));
  return chips("turn_clock", WORDS.turnClock, choices, chosen);
}

/**
 * Choices that a text of one's own replaces.
 * @param {...Element} choices
 */
export const replaceable = (...choices) => element("div", { class: "replaceable" }, ...choices);

/** @typedef {{text: string, words: string}} Converted the text of a file, and what stands in its place */

/**
 * A text of one's own: pasted, dropped, or from a file; folded until somebody wants it.
 *
 * `convert` makes the text of a file of another kind, null of one that is a text already. Its Error has words for
 * people. While there is a text, the choices in `replaced` count for nothing, and are not shown.
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
   * Put a text in; `words` stand in its place.
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
    file.value = ""; // the same file, chosen again after a correction, is a change
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
 * Show what is wrong with a text of one's own, and the line of the mistake.
 * @param {HTMLElement} own made by `ownText`
 * @param {string} words
 * @param {number} line from 1; 0: it is about none
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
 * What a form says now: the values of its fields by name; a switch is "on" or absent.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

/**
 * Put kept values back into a form, those that it still has a place for.
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
