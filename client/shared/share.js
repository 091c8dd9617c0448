/** The link to this game for other people, and a button that copies it. */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The address of this game, without the parameters of this tab. */
export function shareLink() {
  return new URL(".", document.baseURI).href;
}

/**
 * Fill `field` (a read-only input) with the link. A click on `button` copies the link and calls `onCopied(worked)`.
 * `hint` shows a warning if the link works only on this computer.
 * @param {{field: HTMLInputElement, button: HTMLElement, hint: HTMLElement, onCopied: (worked: boolean) => void}} parts
 */
export function setUpShare({ field, button, hint, onCopied }) {
  field.value = shareLink();
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => onCopied(await copy(field)));
  hint.hidden = !worksOnlyHere(location.href);
}

/**
 * True if a link has an address that means the reader's own computer.
 * @param {string} link
 */
export const worksOnlyHere = (link) => LOOPBACK.test(new URL(link).hostname);

/**
 * Copy the text of a field on the page. Return false if the browser cannot copy.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Browsers have no clipboard API without HTTPS, for example on a LAN. The old command still works there.
    field.select();
    return document.execCommand("copy");
  }
}
