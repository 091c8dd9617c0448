/**
 * The counts of a game: points, bombs left, the clock, pauses after a boom, and the end. A game on a very large field,
 * or a game from an older server, has fewer counts. The missing counts are null here.
 *
 * Times of the game are milliseconds of the game's own clock, which runs while the room is awake. `now` is always a
 * time of this page, `performance.now()`.
 */

/** @typedef {{squares: number, flags: number, booms: number, points: number}} Tally of one name */
/** @typedef {[x: number, y: number, owner: number]} Owned square; owner 1 is the first in `names`, 0 means no owner */
/**
 * @typedef {object} EndFrame
 * @property {string[]} names
 * @property {string[]} owners a character for each square, with the code 32 + number of the owner
 * @property {Record<string, Tally>} tallies
 * @property {Owned[]} [booms]
 * @property {Owned[]} [wrong] wrong flags
 */
/**
 * @typedef {object} ContestFrame the counts in a `field` frame
 * @property {number} [left]
 * @property {number} [bombs]
 * @property {number | null} [began]
 * @property {number | null} [ended]
 * @property {number} [now]
 * @property {number} [pause_ms]
 * @property {Record<string, number>} [scores]
 * @property {Record<string, Tally>} [tallies]
 * @property {Record<string, number>} [pauses]
 * @property {[x: number, y: number]} [start]
 * @property {boolean} [chord]
 * @property {EndFrame} [end]
 */
/**
 * @typedef {object} ContestEvent the counts in an event
 * @property {string} is
 * @property {number} [at]
 * @property {number} [left]
 * @property {number} [bombs]
 * @property {Tally} [tally]
 * @property {number} [until]
 * @property {EndFrame} [end]
 */

export class Contest {
  /** @type {number | null} */ left = null; // safe squares that are not dug
  /** @type {number | null} */ bombs = null; // number of bombs minus number of flags, may be negative
  /** @type {number | null} */ began = null;
  /** @type {number | null} */ ended = null;
  pauseMs = 0; // the pause after a boom
  hasChords = false;
  /** @type {[x: number, y: number] | null} */ start = null; // the square that must be dug first
  /** @type {Map<string, number>} */ points = new Map(); // by name; with very many players, only some of them
  /** @type {Map<string, Tally>} */ tallies = new Map();
  /** @type {Map<string, number>} */ pauses = new Map(); // by name, the end of the pause
  /** @type {End | null} */ end = null;
  #ahead = 0; // this page's clock minus the game's clock

  /** True if the game has a clock, points and an end. */
  get isFull() {
    return this.bombs !== null;
  }

  /**
   * Replace all counts by the counts of a `field` frame.
   * @param {ContestFrame} frame
   * @param {number} now
   */
  replaceAll(frame, now) {
    this.left = frame.left ?? null;
    this.bombs = frame.bombs ?? null;
    this.began = frame.began ?? null;
    this.ended = frame.ended ?? null;
    this.pauseMs = frame.pause_ms ?? 0;
    this.hasChords = frame.chord ?? false;
    this.start = frame.start ?? null;
    this.points = new Map(Object.entries(frame.scores ?? {}));
    this.tallies = new Map(Object.entries(frame.tallies ?? {}));
    this.pauses = new Map(Object.entries(frame.pauses ?? {}));
    this.end = frame.end === undefined ? null : new End(frame.end);
    this.#ahead = now - (frame.now ?? now);
  }

  /**
   * Apply an event: a move by the player `name` that has opened `opened` squares, or the end. `name` is null if the
   * player is unknown.
   * @param {ContestEvent} event
   * @param {string | null} name
   * @param {number} opened
   */
  apply(event, name, opened) {
    if (event.is === "ended") return this.#endCame(event);
    if (this.left === null) return;
    if (!this.isFull) return this.#count(name, opened, event.is === "exploded");
    const digs = event.is !== "flagged" && event.is !== "deflagged";
    if (digs && this.began === null) this.began = event.at ?? null;
    if (digs && opened > 0) this.start = null;
    this.left = event.left ?? this.left;
    this.bombs = event.bombs ?? this.bombs;
    if (name === null) return;
    if (event.tally !== undefined) {
      this.tallies.set(name, event.tally);
      this.points.set(name, event.tally.points);
    }
    if (event.until !== undefined) this.pauses.set(name, event.until);
  }

  /** @param {ContestEvent} event */
  #endCame({ at, end }) {
    if (end === undefined) return;
    this.ended = at ?? null;
    this.end = new End(end);
    for (const [name, tally] of this.end.tallies) {
      this.tallies.set(name, tally);
      this.points.set(name, tally.points);
    }
  }

  /**
   * Count a point for each opened square, in a game whose server sends scores only at the beginning.
   * @param {string | null} name
   * @param {number} opened
   * @param {boolean} boom
   */
  #count(name, opened, boom) {
    if (opened === 0 || this.left === null) return;
    this.left -= boom ? opened - 1 : opened;
    if (name !== null) this.points.set(name, (this.points.get(name) ?? 0) + opened);
  }

  /**
   * The time from the first dig to now, or to the end of the game. Null before the first dig.
   * @param {number} now
   * @returns {number | null} milliseconds
   */
  clock(now) {
    return this.began === null ? null : Math.max(0, (this.ended ?? now - this.#ahead) - this.began);
  }

  /**
   * The remaining time of a player's pause, or 0 without a pause.
   * @param {string | null} name
   * @param {number} now
   * @returns {number} milliseconds
   */
  pauseLeft(name, now) {
    const until = name === null || this.ended !== null ? undefined : this.pauses.get(name);
    return until === undefined ? 0 : Math.max(0, until - (now - this.#ahead));
  }

  /**
   * Note a player's pause, from the answer to a move.
   * @param {string} name
   * @param {number} left milliseconds
   * @param {number} now
   */
  pause(name, left, now) {
    this.pauses.set(name, now - this.#ahead + left);
  }
}

/** The end of a game: the owner of each square, and the wrong flags. */
export class End {
  /** @type {string[]} */ names;
  /** @type {Map<string, Tally>} */ tallies;
  #owners;
  /** @type {Map<string, string | null>} */ #wrong;

  /** @param {EndFrame} frame */
  constructor({ names, owners, tallies, wrong = [] }) {
    this.names = names;
    this.tallies = new Map(Object.entries(tallies));
    this.#owners = owners;
    this.#wrong = new Map(wrong.map(([x, y, owner]) => [`${x},${y}`, names[owner - 1] ?? null]));
  }

  /**
   * The player who opened a square or set its flag, or null if no player did.
   * @param {number} x
   * @param {number} y
   */
  ownerOf(x, y) {
    return this.names[(this.#owners[y]?.charCodeAt(x) ?? 32) - 33] ?? null;
  }

  /**
   * True if this square had a flag but no bomb.
   * @param {number} x
   * @param {number} y
   */
  isWrong(x, y) {
    return this.#wrong.has(`${x},${y}`);
  }

  /**
   * The player who set the wrong flag on this square. Null if the player is unknown, or the square has no wrong flag.
   * @param {number} x
   * @param {number} y
   */
  wrongBy(x, y) {
    return this.#wrong.get(`${x},${y}`) ?? null;
  }
}
