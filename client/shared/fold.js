/** A `<details>` element that stores its state: folded rules stay folded at the next visit. */

import { within } from "./dom.js";

/**
 * Store the state of `details`, open or folded, under `key`.
 * @param {HTMLDetailsElement} details
 * @param {string} key
 */
export function keepFolded(details, key) {
  try {
    details.open = localStorage.getItem(key) !== "folded";
    // Listen to clicks, because the toggle event may come too late when the user leaves the page.
    const summary = within(details, "summary");
    summary.addEventListener("click", () => localStorage.setItem(key, details.open ? "folded" : "open"));
  } catch {
    /* storage is disabled: unfolded on each visit */
  }
}
