/** A `<details>` that stays as it was left: folded rules stay folded at the next visit. */

/** Keeps whether `details` is open under `key`. */
export function keepFolded(details, key) {
  try {
    details.open = localStorage.getItem(key) !== "folded";
    // Not the toggle event: it comes later, perhaps too late for a page that is being left.
    const summary = details.querySelector("summary");
    summary.addEventListener("click", () => localStorage.setItem(key, details.open ? "folded" : "open"));
  } catch {
    /* storage is switched off: unfolded each time */
  }
}
