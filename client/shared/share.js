/** The link that brings others into this game, and a button that copies it. */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The address of this game without anything of this tab in it. */
export function shareLink() {
  return new URL(".", document.baseURI).href;
}

/**
 * Fill `field` (a read-only input) with the link, let `button` copy it, and warn in `hint` when the link works on
 * this computer only. `onCopied(worked)` is called after a click.
 * @param {{field: HTMLInputElement, button: HTMLElement, hint: HTMLElement, onCopied: (worked: boolean) => void}} parts
 */
export function setUpShare({ field, button, hint, onCopied }) {
  field.value = shareLink();
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => onCopied(await copy(field)));
  hint.hidden = !LOOPBACK.test(location.hostname);
}

/** @param {HTMLInputElement} field */
async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // No clipboard without https on a LAN: the old way still works there.
    field.select();
    return document.execCommand("copy");
  }
}
