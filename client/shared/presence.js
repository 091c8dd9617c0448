/**
 * Reports of players who come and go. A short absence is not reported: a page that reloads is back in a moment, and so
 * is a page whose game moves to another process.
 */

/** Shorter absences are not reported. */
export const AWAY_MS = 3_000;

export class Presence {
  #onCame;
  #onLeft;
  /** @type {Set<string> | null} */ #reported = null; // the present players by the reports; null before the first list
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */ #absent = new Map(); // absent players, with their timers
  /** @type {string | null} */ #me = null; // the player of this tab: not reported

  /**
   * `onCame(player)` reports that a player has come, `onLeft(player)` that a player has been absent for `AWAY_MS`.
   * @param {{onCame: (player: string) => void, onLeft: (player: string) => void}} reports
   */
  constructor({ onCame, onLeft }) {
    this.#onCame = onCame;
    this.#onLeft = onLeft;
  }

  /**
   * Note the present players. Nobody in the first list is reported. `me` is the player of this tab, or null for a
   * spectator. `isWhole` is false if the list has only some of very many players: then nobody is reported, and the next
   * whole list counts as the first one.
   * @param {string[]} players
   * @param {string | null} me
   */
  note(players, me, isWhole = true) {
    this.#me = me;
    const [before, now] = [this.#reported, new Set(players)];
    if (!isWhole || before === null) {
      this.pause();
      this.#reported = isWhole ? now : null;
      return;
    }
    for (const player of now) {
      this.#end(player);
      if (!before.has(player) && player !== me) this.#onCame(player);
      before.add(player);
    }
    for (const player of before) {
      if (now.has(player) || this.#absent.has(player)) continue;
      const timer = setTimeout(() => this.#left(player), AWAY_MS);
      this.#absent.set(player, timer);
    }
  }

  /** Stop all timers, because the connection is lost. The next list of players starts the timers of absent players. */
  pause() {
    for (const player of [...this.#absent.keys()]) this.#end(player);
  }

  /** @param {string} player */
  #left(player) {
    this.#end(player);
    this.#reported?.delete(player);
    if (player !== this.#me) this.#onLeft(player);
  }

  /** @param {string} player */
  #end(player) {
    clearTimeout(this.#absent.get(player));
    this.#absent.delete(player);
  }
}
