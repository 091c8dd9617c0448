/**
 * Who this tab is to the server, and how it gets back after a lost connection or a reload: the ID, its token, and
 * where it was. Kept in sessionStorage, which a reload keeps and another tab does not share.
 *
 * Every connection begins in START. `begin()` says what to send then by itself: the ID with its token, which takes back
 * a match within the grace; if that is refused, `refused()` says to send the ID alone, which is enough to choose again.
 */

import { keepName } from "../shared/player.js";

const KEY = "scramble.crossword.session";

export class Identity {
  #kept = read(); // {player, token, state, match}: who this tab was, and where, when it was last heard of
  #trying = null; // null, "token" or "name": what was sent on this connection without asking anybody
  #typed = null; // {player, token}: what a person has entered, and whether it will do is not known yet
  #lost = null; // the {state, match} that could not be taken back

  /** Who this tab was when it was last heard of, or null. */
  get player() {
    return this.#kept?.player ?? null;
  }

  /** Whether this tab is about to come back by itself. */
  get isTrying() {
    return this.#trying !== null;
  }

  /** A connection has begun: the line to send by itself, or null if a person must be asked. */
  begin() {
    this.#lost = null;
    this.#trying = this.#kept === null ? null : "token";
    return this.#kept === null ? null : `${this.#kept.player} ${this.#kept.token}`;
  }

  /** What was sent by itself is refused: the next line to try, or null if a person must be asked. */
  refused() {
    if (this.#trying !== "token") {
      this.forget();
      return null;
    }
    const { player, state, match } = this.#kept;
    this.#lost = { state, match };
    this.#trying = "name";
    return player;
  }

  /** A line that a person has sent in START: it may bring a token of its own. */
  typed(line) {
    const [player, token = null] = line.split(" ");
    this.#typed = { player, token };
  }

  /**
   * A frame of a session that has begun. Returns null, or, when it is the first after coming back by itself,
   * `{lost}`: the `{state, match}` that it could not take back, or null if it is where it was.
   */
  entered({ player, token, state, match }) {
    const came = this.#trying === null ? null : { lost: this.#lost };
    const known = token ?? [this.#typed, this.#kept].find((one) => one?.player === player && one.token !== null)?.token ?? null;
    this.#typed = null;
    this.#trying = null;
    this.#lost = null;
    if (known !== null) this.#keep({ player, token: known, state, match: match?.id ?? null });
    keepName(player);
    return came;
  }

  /** Logged out: nobody comes back by itself. */
  forget() {
    this.#trying = null;
    this.#keep(null);
  }

  #keep(kept) {
    if (JSON.stringify(kept) === JSON.stringify(this.#kept)) return;
    this.#kept = kept;
    try {
      if (kept === null) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      /* storage is switched off: a reload begins anew */
    }
  }
}

function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    return typeof kept?.player === "string" && typeof kept?.token === "string" ? kept : null;
  } catch {
    return null;
  }
}
