/**
 * Quiet lines: what went wrong or what happened, in plain words, gone after a few seconds, and kept in a log that
 * one can open. Never a dialog, never in the way.
 */

import { element } from "./dom.js";

const SHOWN_MS = 6000;
const MOST_SHOWN = 3;
const MOST_KEPT = 200;

export class Toasts {
  #region;
  #log;
  #announce;

  /**
   * `region` holds the lines that show, `log` is the `<ol>` that keeps them, `announce` the say() of announce.js.
   */
  constructor({ region, log, announce = () => {} }) {
    this.#region = region;
    this.#log = log;
    this.#announce = announce;
  }

  /**
   * Shows a line and keeps it. `kind` is "info", "good" or "fail"; `rule` (such as "1-A") is shown behind it.
   * The same line again moves to the front instead of piling up.
   */
  say(text, { kind = "info", rule = null } = {}) {
    this.note(text, { kind, rule });
    this.#announce(rule === null ? text : `${text} Rule ${rule}.`);
    for (const shown of [...this.#region.children]) if (shown.dataset.text === text) shown.remove();
    const toast = element("p", { class: "toast", "data-kind": kind, "data-text": text },
      element("span", { text }), rule === null ? null : element("span", { class: "rule", text: `rule ${rule}` }),
      element("button", { class: "toast-close", type: "button", "aria-label": "Dismiss", on: { click: () => toast.remove() } }, "×"));
    this.#region.append(toast);
    while (this.#region.children.length > MOST_SHOWN) this.#region.firstElementChild.remove();
    this.#fade(toast);
  }

  /** Keeps a line in the log without showing it. */
  note(text, { kind = "info", rule = null } = {}) {
    const now = new Date();
    const time = element("time", { datetime: now.toISOString(), text: now.toLocaleTimeString() });
    const entry = element("li", { "data-kind": kind }, time, element("span", { text: rule === null ? text : `${text} (rule ${rule})` }));
    this.#log.prepend(entry);
    while (this.#log.children.length > MOST_KEPT) this.#log.lastElementChild.remove();
  }

  /** Takes a line away after a while, but not while somebody points at it or has the focus in it. */
  #fade(toast) {
    setTimeout(() => {
      if (toast.matches(":hover, :focus-within")) this.#fade(toast);
      else toast.remove();
    }, SHOWN_MS);
  }
}
