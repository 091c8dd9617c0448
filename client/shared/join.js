/** Joining takes five seconds: a dialog that suggests a name, and takes it with Enter. */

import { isName, keepName, lastName, nameOfTab, suggestName } from "./player.js";

/**
 * The name to play under: that of this tab if it was only reloaded, else what the user says in `dialog`,
 * a `<dialog class="dialog join">` with a form, an input named "player", a button `.another` and a line `.error`.
 * Waits until there is one. `tabs` is a TabNames.
 */
export async function askName(dialog, tabs) {
  const kept = nameOfTab();
  if (kept !== null && !(await tabs.elsewhere()).has(kept)) {
    tabs.claim(kept);
    return kept;
  }
  const name = await changeName(dialog, tabs, lastName() ?? suggestName(), { mayCancel: false });
  return name;
}

/** Asks for another name, after it was said that `taken` is somebody else's. */
export function nameInsteadOf(dialog, tabs, taken) {
  return changeName(dialog, tabs, suggestName(), { mayCancel: false, problem: `${taken} belongs to somebody else here: take another name.` });
}

/** Asks for another name, with `current` to start from and a `problem` to tell; null if the user keeps the old one. */
export function changeName(dialog, tabs, current, { mayCancel = true, problem = "" } = {}) {
  const form = dialog.querySelector("form");
  const input = form.elements.player;
  const error = dialog.querySelector(".error");
  const listeners = new AbortController();
  const listen = (target, event, listener) => target.addEventListener(event, listener, { signal: listeners.signal });

  input.value = current;
  error.textContent = problem;
  let touched = false;

  return new Promise((done) => {
    const finish = (name) => {
      listeners.abort(); // before close(), which tells of itself
      dialog.close();
      done(name);
    };
    listen(input, "input", () => {
      touched = true;
      error.textContent = "";
    });
    listen(dialog.querySelector(".another"), "click", () => {
      touched = true;
      error.textContent = "";
      input.value = suggestName();
      input.focus();
    });
    listen(form, "submit", (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (!isName(name)) {
        error.textContent = "Use 1 to 20 letters A to Z, digits or underscores.";
        input.focus();
        return;
      }
      keepName(name);
      tabs.claim(name);
      finish(name);
    });
    listen(dialog, "cancel", (event) => {
      event.preventDefault();
      if (mayCancel) finish(null);
    });
    listen(dialog, "close", () => {
      // A browser lets a second Escape through, whatever the cancel event says.
      if (mayCancel) finish(null);
      else dialog.showModal();
    });
    dialog.showModal();
    input.focus();
    input.select();
    if (!mayCancel) {
      tabs.elsewhere().then((names) => {
        if (touched || !names.has(input.value)) return;
        input.value = suggestName(); // another tab of this browser plays under that name already
        input.select();
      });
    }
  });
}
