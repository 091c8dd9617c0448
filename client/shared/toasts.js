/**
 * Toasts: lines in plain words about failures and events. A toast disappears after a few seconds. The player can open a
 * log with all lines. Toasts are not dialogs, and do not cover important parts of the page.
 */

import { element } from "./dom.js";
import { locale } from "./language.js";
import { SHARED } from "./words.js";

/** @typedef {"info" | "good" | "fail"} Kind of line */

const SHOWN_MS = 6000;
const MOST_SHOWN = 3;
const MOST_KEPT = 200;

export class Toasts {
  #region;
  #log;
  #announce;

  /**
   * `region` has the visible lines. `log` is the `<ol>` of all lines. `announce` is the say() of announce.js.
   * @param {{region: HTMLElement, log: HTMLElement, announce?: (text: string) => void}} parts
   */
  constructor({ region, log, announce = () => {} }) {
    this.#region = region;
    this.#log = log;
    this.#announce = announce;
  }

  /**
   * Show a line and log it. `kind` is "info", "good" or "fail". `rule` (such as "1-A") is only for the log. A repeated
   * line moves to the front and does not appear twice.
   * @param {string} text
   * @param {{kind?: Kind, rule?: string | null}} options
   */
  say(text, { kind = "info", rule = null } = {}) {
    this.note(text, { kind, rule });
    this.#announce(text);
    this.takeBack(text);
    const toast = element(
      "p",
      { class: "toast", "data-kind": kind, "data-text": text },
      element("span", { class: "toast-text", text, on: { click: () => toast.toggleAttribute("data-whole") } }),
      element(
        "button",
        { class: "toast-close", type: "button", "aria-label": SHARED.dismiss, on: { click: () => toast.remove() } },
        "×",
      ),
    );
    this.#region.append(toast);
    while (this.#region.children.length > MOST_SHOWN) this.#region.firstElementChild?.remove();
    this.#fade(toast);
  }

  /**
   * Remove a visible line that is no longer true. The log keeps the line.
   * @param {string} text
   */
  takeBack(text) {
    for (const shown of [...this.#region.children]) if (shown.getAttribute("data-text") === text) shown.remove();
  }

  /**
   * Log a line without showing it.
   * @param {string} text
   * @param {{kind?: Kind, rule?: string | null}} options
   */
  note(text, { kind = "info", rule = null } = {}) {
    const now = new Date();
    const time = element("time", { datetime: now.toISOString(), text: now.toLocaleTimeString(locale) });
    const entry = element(
      "li",
      { "data-kind": kind },
      time,
      element("span", { text: rule === null ? text : SHARED.rule(text, rule) }),
    );
    this.#log.prepend(entry);
    while (this.#log.children.length > MOST_KEPT) this.#log.lastElementChild?.remove();
  }

  /**
   * Remove a line after some seconds, but not while the pointer or the focus is on the line.
   * @param {HTMLElement} toast
   */
  #fade(toast) {
    setTimeout(() => {
      if (toast.matches(":hover, :focus-within")) this.#fade(toast);
      else toast.remove();
    }, SHOWN_MS);
  }
}
