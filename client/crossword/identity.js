/**
 * The tab's identity for the server, after a lost connection or a reload: the ID, its token, and the last state. They
 * are in sessionStorage: it survives a reload, and other tabs do not share it.
 *
 * Every connection begins in START. `begin()` returns the first line to send: the ID with its token. That line takes a
 * match back within the time of grace. If it is refused, `refused()` returns the ID alone, to enter the lobby. The
 * token is kept until the server refuses it. A full server does not refuse it.
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
  #trying = null; // null, "token" or "name": the automatic line on this connection
  /** @type {{player: string, token: string | null} | null} */
  #typed = null; // {player, token}: the user's input without an answer
  /** @type {Lost | null} */ #lost = null; // the {state, match} that the tab could not take back

  /** The last player of this tab, or null. */
  get player() {
    return this.#kept?.player ?? null;
  }

  /** True if this tab is resuming its session. */
  get isTrying() {
    return this.#trying !== null;
  }

  /** Begin a connection. Returns the line to send at once, or null if the player must be asked. */
  begin() {
    this.#lost = null;
    this.#trying = this.#kept === null ? null : "token";
    return this.#kept === null ? null : `${this.#kept.player} ${this.#kept.token}`;
  }

  /** Note that the automatic line was refused. Returns the next line to try, or null if the player must be asked. */
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
   * Handle a frame of a session with a player. For the first frame after an automatic return, returns `{lost}`: the
   * `{state, match}` that the tab could not take back, or null if nothing is lost. For other frames, returns null.
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
      /* storage is switched off: a reload starts from the beginning */
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
