/** Questions that a dialog asks. */

/**
 * Open `dialog` as a question and wait until it is closed: what it was closed with, "" by Escape.
 *
 * A `close` event comes with the browser's next frame. By then the same dialog may ask something else, and would take
 * the event for an answer. That `open` has gone is told before anything else can happen.
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
