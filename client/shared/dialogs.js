/** Questions that a dialog asks. */

/**
 * Open `dialog` as a question, and wait until it is closed. Return the dialog's return value, or "" after Escape.
 *
 * The `close` event comes with the browser's next frame. The same dialog may then already ask another question, and the
 * event would count as its answer. So this function observes the attribute `open`, which changes immediately.
 * @param {HTMLDialogElement} dialog
 * @returns {Promise<string>}
 */
export function ask(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((answer) => {
    const closing = new MutationObserver(() => {
      closing.disconnect();
      answer(dialog.returnValue);
    });
    closing.observe(dialog, { attributeFilter: ["open"] });
  });
}
