/** A `<details>` that stays as the user left it: folded rules stay folded at the next visit. */

import { within } from "./dom.js";

/**
 * Keep whether `details` is open under `key`.
 * @param {HTMLDetailsElement} details
 * @param {string} key
 */
export function keepFolded(details, key) {
  try {
    details.open = localStorage.getItem(key) !== "folded";
    // Not the toggle event: it comes later, perhaps too late for a page that is being left.
    const summary = within(details, "summary");
    summary.addEventListener("click", () => localStorage.setItem(key, details.open ? "folded" : "open"));
  } catch {
    /* storage is switched off: unfolded each time */
  }
}
