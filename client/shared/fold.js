/** A `<details>` that stays as it was left: folded rules stay folded at the next visit. */

/** Keeps whether `details` is open under `key`. */
export function keepFolded(details, key) {
  try {
    details.open = localStorage.getItem(key) !== "folded";
    details.addEventListener("toggle", () => localStorage.setItem(key, details.open ? "open" : "folded"));
  } catch {
    /* storage is switched off: unfolded each time */
  }
}
