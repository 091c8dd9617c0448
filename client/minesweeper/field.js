/**
 * What this tab knows of the field, from the server's frames (docs/reference/minesweeper-websocket.md). No rules, no
 * page: a model that frames are applied to and that answers questions. Where bombs are it cannot know.
 */

const UNTOUCHED = "-".charCodeAt(0);
const FLAGGED = "F".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

export class Field {
  version = -1;
  columns = 0;
  rows = 0;
  you = null; // this tab's number; null after a loss
  players = new Map(); // number -> {id, name, at: index or null}
  untouched = 0;
  flagged = 0;
  craters = new Set(); // indexes of squares where somebody was seen to blow up
  #squares = new Uint8Array(0); // character codes, row by row

  index(x, y) {
    return y * this.columns + x;
  }

  place(index) {
    return [index % this.columns, Math.floor(index / this.columns)];
  }

  has(x, y) {
    return x >= 0 && y >= 0 && x < this.columns && y < this.rows;
  }

  isUntouched(index) {
    return this.#squares[index] === UNTOUCHED;
  }

  isFlagged(index) {
    return this.#squares[index] === FLAGGED;
  }

  isDug(index) {
    return !this.isUntouched(index) && !this.isFlagged(index);
  }

  /** How many neighbours of a dug square have a bomb. */
  count(index) {
    const code = this.#squares[index];
    return code === SPACE ? 0 : code - ZERO;
  }

  /** A copy of the squares, to compare with later. */
  squares() {
    return this.#squares.slice();
  }

  /** Takes over everything that a `field` frame says. */
  replaceAll(frame) {
    const same = frame.columns === this.columns && frame.rows === this.rows && frame.version >= this.version;
    this.version = frame.version;
    this.columns = frame.columns;
    this.rows = frame.rows;
    this.you = frame.you;
    this.#squares = new TextEncoder().encode(frame.lines.join(""));
    this.untouched = 0;
    this.flagged = 0;
    for (const code of this.#squares) this.#tally(code, 1);
    this.players = new Map();
    for (const player of frame.players) this.#arrive(player);
    if (!same) this.craters.clear();
  }

  /**
   * Takes over one event of a `change` frame. Returns `{at, changed, before}`: the index of the square of a move (null
   * for comings and goings), how many squares look different, and the player as it was before (null if unknown).
   */
  apply(event) {
    if (event.is === "connected") {
      this.#arrive(event.player);
      return { at: null, changed: 0, before: null };
    }
    const before = this.players.get(event.player) ?? null;
    if (event.is === "disconnected") {
      this.players.delete(event.player);
      return { at: null, changed: 0, before };
    }
    let changed = 0;
    for (const [x, y, text] of event.runs) {
      const first = this.index(x, y);
      for (let i = 0; i < text.length; i += 1) {
        this.#tally(this.#squares[first + i], -1);
        this.#squares[first + i] = text.charCodeAt(i);
        this.#tally(text.charCodeAt(i), 1);
      }
      changed += text.length;
    }
    const at = this.index(event.x, event.y);
    if (event.is === "exploded") this.craters.add(at);
    if (before !== null) this.players.set(event.player, { ...before, at });
    return { at, changed, before };
  }

  /** Whether another player has the same name, so that a number must tell them apart. */
  isNamesake(player) {
    for (const other of this.players.values()) if (other.id !== player.id && other.name === player.name) return true;
    return false;
  }

  /** The players whose last square this is. */
  playersAt(index) {
    return [...this.players.values()].filter(({ at }) => at === index);
  }

  #arrive({ id, name, at }) {
    this.players.set(id, { id, name, at: at === null ? null : this.index(...at) });
  }

  #tally(code, by) {
    if (code === UNTOUCHED) this.untouched += by;
    else if (code === FLAGGED) this.flagged += by;
  }
}
