/**
 * A keyboard on the page for touch screens. The system's keyboard would cover the board and correct the input.
 */

import { element, hit } from "../shared/dom.js";
import { WORDS } from "./words.js";

const ROWS = ["qwertyuiop", "asdfghjkl-", "zxcvbnm"];
const RUB = "Backspace";

/**
 * Fill `panel` with keys. `onKey(key)` is called with "a" to "z", "-" or "Backspace". One more key switches between the
 * whole board and large squares, and calls `onWhole(whole)`. Return this key.
 * @param {HTMLElement} panel
 * @param {{onKey: (key: string) => void, onWhole: (whole: boolean) => void}} callbacks
 */
export function setUpKeys(panel, { onKey, onWhole }) {
  /** @type {(name: string, text: string, label: string | null) => HTMLButtonElement} */
  const key = (name, text, label) =>
    element("button", { type: "button", class: "key", "data-key": name, "aria-label": label, text });
  const label = WORDS.fitWhole;
  const whole = element("button", {
    type: "button",
    class: "key key-whole",
    "aria-pressed": "false",
    "aria-label": label,
    text: WORDS.fit,
  });
  whole.addEventListener("click", () => onWhole(whole.getAttribute("aria-pressed") !== "true"));
  panel.append(
    ...ROWS.map((letters, nth) =>
      element(
        "div",
        { class: "key-row" },
        nth === ROWS.length - 1 ? whole : null,
        ...[...letters].map((letter) => key(letter, letter, letter === "-" ? WORDS.hyphen : null)),
        nth === ROWS.length - 1 ? key(RUB, "⌫", WORDS.rubOut) : null,
      ),
    ),
  );
  panel.addEventListener("click", (event) => {
    const pressed = hit(event, ".key[data-key]");
    if (pressed !== null) onKey(String(pressed.dataset.key));
  });
  return whole;
}
