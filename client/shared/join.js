/** The dialog for joining. It suggests a name, and the user accepts the name with Enter. */

import { avatarChoice } from "./avatarchoice.js";
import { element, within } from "./dom.js";
import { isName, keepName, lastName, nameOfTab, suggestName } from "./player.js";
import { Refused } from "./rooms.js";
import { ROOM, SHARED } from "./words.js";

/** @typedef {(name: string) => Promise<string>} Claim claims a name in a room. The result is the player */

/**
 * The name to play under: this tab's name after a reload, otherwise the name that the user enters in `dialog`. The
 * dialog is a `<dialog class="dialog join">` with a form, an input named "player", buttons `.another` and `.cancel`,
 * and a line `.error`. This function waits for a name, and returns null after a click on a button `.watch`. In a room,
 * `claim` converts the name to a player, and the function returns the player. The tab keeps the typed name.
 * @param {HTMLDialogElement} dialog
 * @param {import("./player.js").TabNames} tabs
 * @param {Claim | null} claim
 * @returns {Promise<string | null>}
 */
export async function askName(dialog, tabs, claim = null) {
  const kept = nameOfTab();
  let problem = "";
  if (kept !== null && !(await tabs.elsewhere()).has(kept)) {
    try {
      const player = claim === null ? kept : await claim(kept);
      tabs.claim(kept);
      return player;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem = error.words;
    }
  }
  return mustName(dialog, tabs, lastName(), { problem, claim });
}

/**
 * Ask for another name, because `taken` belongs to another person. Return null if the user prefers to watch.
 * @param {HTMLDialogElement} dialog
 * @param {import("./player.js").TabNames} tabs
 * @param {string} taken
 * @param {Claim | null} claim
 * @returns {Promise<string | null>}
 */
export function nameInsteadOf(dialog, tabs, taken, claim = null) {
  const problem = SHARED.nameTaken(taken);
  return mustName(dialog, tabs, null, { problem, claim });
}

/**
 * Repeat the question until the user enters a name or chooses to watch.
 * @param {HTMLDialogElement} dialog
 * @param {import("./player.js").TabNames} tabs
 * @param {string | null} current
 * @param {{problem: string, claim: Claim | null}} options
 */
function mustName(dialog, tabs, current, options) {
  return changeName(dialog, tabs, current, { mayCancel: false, ...options });
}

/**
 * Ask for another name. The dialog begins with the name `current` (null: an invented name), and shows a `problem`.
 * Return null if the user keeps the old name. In a room, `claim` converts the name to a player, and the result is the
 * player. If an invented name is taken there, the user plays under the similar name that the server offers.
 * @param {HTMLDialogElement} dialog
 * @param {import("./player.js").TabNames} tabs
 * @param {string | null} current
 * @param {{mayCancel?: boolean, problem?: string, claim?: Claim | null}} options
 * @returns {Promise<string | null>}
 */
export function changeName(dialog, tabs, current, { mayCancel = true, problem = "", claim = null } = {}) {
  const form = within(dialog, "form", HTMLFormElement);
  const input = within(form, "[name=player]", HTMLInputElement);
  const error = within(dialog, ".error");
  const listeners = new AbortController();
  /**
   * @param {EventTarget} target
   * @param {string} event
   * @param {(event: Event) => void} listener
   */
  const listen = (target, event, listener) => target.addEventListener(event, listener, { signal: listeners.signal });

  const cancel = within(dialog, ".cancel");

  /** @type {string | null} */ let invented = null;
  const invent = () => {
    invented = input.value = suggestName();
  };

  input.dir = "auto";
  if (current === null) invent();
  else input.value = current;
  error.textContent = problem;
  cancel.hidden = !mayCancel;
  for (const watch of dialog.querySelectorAll(".watch")) watch.toggleAttribute("hidden", mayCancel);
  let touched = false;
  const offer = claim === null ? null : setUpForRoom(dialog, input);
  const avatars = claim === null ? null : avatarChoice(input.value);
  if (avatars !== null) {
    form.querySelector(".avatar-choice")?.remove();
    within(form, ".buttons").before(avatars.element);
  }

  return new Promise((done) => {
    /** @param {string | null} name */
    const finish = (name) => {
      listeners.abort(); // before close(), so that the close event does not call them
      dialog.close();
      done(name);
    };
    listen(input, "input", () => {
      touched = true;
      error.textContent = "";
      offer?.setAttribute("hidden", "");
    });
    listen(within(dialog, ".another"), "click", () => {
      touched = true;
      error.textContent = "";
      invent();
      input.focus();
    });
    /** @param {string} name */
    const ask = async (name) => {
      if (claim === null) return;
      avatars?.keep();
      try {
        const player = await claim(name);
        keepName(name);
        tabs.claim(name);
        finish(player);
      } catch (refused) {
        if (!(refused instanceof Refused)) throw refused;
        const free = refused.params.offer === undefined ? null : String(refused.params.offer);
        if (free !== null && name === invented) {
          invented = null; // only one retry
          return ask(free);
        }
        error.textContent = refused.words;
        input.focus();
        if (offer === null || free === null) return;
        offer.textContent = ROOM.playAs(free);
        offer.dataset.name = free;
        offer.hidden = false;
      }
    };
    if (offer !== null)
      listen(offer, "click", () => {
        input.value = offer.dataset.name ?? "";
        offer.hidden = true;
        void ask(input.value);
      });
    listen(form, "submit", (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (claim !== null) {
        void ask(name);
        return;
      }
      if (!isName(name)) {
        error.textContent = SHARED.badName;
        input.focus();
        return;
      }
      keepName(name);
      tabs.claim(name);
      finish(name);
    });
    listen(cancel, "click", () => finish(null));
    const watch = dialog.querySelector(".watch");
    if (watch !== null) listen(watch, "click", () => finish(null));
    listen(dialog, "cancel", (event) => {
      event.preventDefault();
      if (mayCancel) finish(null);
    });
    listen(dialog, "close", () => {
      // Browsers close the dialog after a second Escape, even if a listener prevents the cancel event.
      if (mayCancel) finish(null);
      else dialog.showModal();
    });
    dialog.showModal();
    input.focus();
    input.select();
    if (!mayCancel) {
      tabs.elsewhere().then((names) => {
        if (touched || !names.has(input.value)) return;
        invent(); // another tab of this browser uses the other name
        input.select();
      });
    }
  });
}

/**
 * Make the dialog accept names in any script. Return its hidden button for an offered name.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLInputElement} input
 */
function setUpForRoom(dialog, input) {
  input.maxLength = 48; // in UTF-16 units; the server counts characters
  const hint = dialog.querySelector(".hint");
  if (hint !== null) hint.textContent = ROOM.nameRule;
  const found = dialog.querySelector(".offer");
  const offer =
    found instanceof HTMLButtonElement ? found : element("button", { type: "button", class: "button offer" });
  offer.hidden = true;
  within(dialog, ".error").after(offer);
  return offer;
}
