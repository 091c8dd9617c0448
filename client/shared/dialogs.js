/** Questions that a dialog asks. */

/**
 * Open `dialog` as a question, and wait until it is closed. Returns the dialog's return value, "" after Escape.
 *
 * The `close` event comes with the browser's next frame. By then the same dialog may ask another question, and would
 * take the event for an answer. So this function observes the attribute `open`: it changes before anything else
 * happens.
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
