/**
 * The tab's identity for the server, after a lost connection or a reload: the ID, its token, and the last state. The
 * identity is in sessionStorage, because sessionStorage survives a reload and other tabs do not share it.
 *
 * Every connection begins in START. `begin()` returns the first line to send: the ID with its token. With this line the
 * player returns to the match during the grace period. If the server refuses the line, `refused()` returns the ID
 * without the token, to enter the lobby. The tab keeps the token until the server refuses it. A full server does not
 * refuse a token.
 */

import { keepName } from "../shared/player.js";

/** @import { Frame } from "./match.js" */

const KEY = "scramble.crossword.session";

/** @typedef {{state: string, match: string | null}} Lost */
/** @typedef {Lost & {player: string, token: string}} Kept */

export class Identity {
  /** @type {Kept | null} */
  #kept = read(); // {player, token, state, match}: the last session of this tab
  /** @type {"token" | "name" | null} */
  #trying = null; // the line that the page has sent by itself: null, "token" or "name"
  /** @type {{player: string, token: string | null} | null} */
  #typed = null; // {player, token}: the line that the user has sent, until the answer
  /** @type {Lost | null} */ #lost = null; // the {state, match} to which the tab could not return

  /** The last player of this tab, or null. */
  get player() {
    return this.#kept?.player ?? null;
  }

  /** True if this tab is resuming its session. */
  get isTrying() {
    return this.#trying !== null;
  }

  /** Begin a connection. Return the line to send at once, or null if the page must ask for the name. */
  begin() {
    this.#lost = null;
    this.#trying = this.#kept === null ? null : "token";
    return this.#kept === null ? null : `${this.#kept.player} ${this.#kept.token}`;
  }

  /** Note that the server refused the page's line. Return the next line to try, or null to ask for the name. */
  refused() {
    if (this.#trying !== "token" || this.#kept === null) {
      this.forget();
      return null;
    }
    const { player, state, match } = this.#kept;
    this.#lost = { state, match };
    this.#trying = "name";
    return player;
  }

  /**
   * Note a line that the player has sent in START. It may contain a token.
   * @param {string} line
   */
  typed(line) {
    const [player, token = null] = line.split(" ");
    this.#typed = { player, token };
  }

  /**
   * Handle a frame of a session with a player. For the first frame after an automatic return, return `{lost}`: the
   * `{state, match}` to which the tab could not return, or null if nothing is lost. For other frames, return null.
   * @param {Frame} frame
   * @returns {{lost: Lost | null} | null}
   */
  entered({ player, token, state, match }) {
    if (player === null) return null;
    const came = this.#trying === null ? null : { lost: this.#lost };
    const known =
      token ?? [this.#typed, this.#kept].find((one) => one?.player === player && one.token !== null)?.token ?? null;
    this.#typed = null;
    this.#trying = null;
    this.#lost = null;
    if (known !== null) this.#keep({ player, token: known, state, match: match?.id ?? null });
    keepName(player);
    return came;
  }

  /** Forget the session after logging out. */
  forget() {
    this.#trying = null;
    this.#keep(null);
  }

  /** @param {Kept | null} kept */
  #keep(kept) {
    if (JSON.stringify(kept) === JSON.stringify(this.#kept)) return;
    this.#kept = kept;
    try {
      if (kept === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      /* storage is disabled: after a reload, the page asks for the name again */
    }
  }
}

/** @returns {Kept | null} */
function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return typeof kept?.player === "string" && typeof kept?.token === "string" ? kept : null;
  } catch {
    return null;
  }
}
