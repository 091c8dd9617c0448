/**
 * The recording, in pieces: fetched when they are needed, kept as far as memory allows. docs/reference/replay.md has
 * what is in them.
 */

const MOST_CHARACTERS = 32_000_000; // of pieces kept as text, some 80,000 each: 200,000 moves, and 64 MB at most
const MOST_PARSED = 12; // pieces kept ready to be stepped through
const AHEAD_PAUSE_MS = 40; // between two pieces that nobody has asked for yet
const REFUSED_PAUSE_MS = 2000; // when the server asks for a pause

export class Reel {
  overview = null;
  #texts = new Map(); // number -> text, oldest first
  #characters = 0; // of all texts
  #parsed = new Map(); // number -> piece, oldest first
  #asked = new Map(); // number -> promise
  #onPiece;
  #ahead = null;

  /** `onPiece()` is called when a piece has come that was not there before. */
  constructor({ onPiece }) {
    this.#onPiece = onPiece;
  }

  /** Asks for the overview anew. Throws an Error in words if there is none. */
  async look() {
    this.overview = JSON.parse(await get("replay/data"));
    return this.overview;
  }

  /** How many moves are ready to be shown. */
  get told() {
    return this.overview?.told ?? 0;
  }

  /** The piece in which move `seq` is, or 0 the beginning; null: it has been asked for, and will come. */
  piece(seq) {
    const number = this.#numberOf(seq);
    const parsed = this.#parsed.get(number);
    if (parsed !== undefined && parsed.start + parsed.steps.length >= seq) return renew(this.#parsed, number, parsed, MOST_PARSED);
    const kept = this.#texts.get(number);
    if (kept !== undefined) {
      const piece = JSON.parse(kept);
      if (piece.start + piece.steps.length >= seq) {
        this.#keep(number, kept);
        return renew(this.#parsed, number, piece, MOST_PARSED);
      }
    }
    void this.#ask(number);
    return null;
  }

  /** What move `seq` was: `{time, player, rule, words, also, change}`; null if it is not here yet. */
  step(seq) {
    const piece = seq > 0 && seq <= this.told ? this.piece(seq) : null;
    if (piece === null) return null;
    const [time, player, rule, words, also, change] = piece.steps[seq - 1 - piece.start];
    return { time, player, rule, words, also, change };
  }

  /** Milliseconds since the beginning at move `seq`, as well as is known without its piece. */
  timeAt(seq) {
    const { times, every, told, span } = this.overview;
    const number = Math.min(Math.floor(seq / every), times.length - 1);
    const [from, to] = [times[number], times[number + 1] ?? span];
    const length = Math.min(every, told - number * every);
    return length === 0 ? from : from + ((to - from) * (seq - number * every)) / length;
  }

  /** Fetches what lies around move `seq`, one piece after the other, so that dragging finds it there. */
  fetchAround(seq) {
    clearTimeout(this.#ahead);
    const here = this.#numberOf(seq);
    const last = this.#numberOf(this.told);
    const room = (MOST_CHARACTERS * this.#texts.size) / Math.max(1, this.#characters); // in pieces
    const reach = Math.min(last, Math.floor(room / 2) - 1);
    const next = async () => {
      let pause = AHEAD_PAUSE_MS;
      for (let away = 0; away <= reach; away += 1) {
        const number = [here + away, here - away].find((n) => n >= 0 && n <= last && !this.#texts.has(n) && !this.#asked.has(n));
        if (number === undefined) continue;
        if (!(await this.#ask(number))) pause = REFUSED_PAUSE_MS;
        this.#ahead = setTimeout(next, pause);
        return;
      }
    };
    this.#ahead = setTimeout(next, AHEAD_PAUSE_MS);
  }

  /** Keeps a text as the newest, and lets go of the oldest ones if there are too many. */
  #keep(number, text) {
    this.#characters += text.length - (this.#texts.get(number)?.length ?? 0);
    this.#texts.delete(number);
    this.#texts.set(number, text);
    for (const [oldest, { length }] of this.#texts) {
      if (this.#characters <= MOST_CHARACTERS || oldest === number) break;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }

  #numberOf(seq) {
    return Math.floor(Math.max(0, seq - 1) / (this.overview?.every ?? 1));
  }

  /** Whether it worked. */
  #ask(number) {
    if (!this.#asked.has(number)) this.#asked.set(number, this.#fetch(number).finally(() => this.#asked.delete(number)));
    return this.#asked.get(number);
  }

  async #fetch(number) {
    let text = null;
    try {
      text = await get(`replay/data?from=${number * this.overview.every}`);
    } catch {
      await new Promise((done) => setTimeout(done, AHEAD_PAUSE_MS * 5)); // asked for again if it is still wanted
    }
    if (text !== null) {
      this.#parsed.delete(number);
      this.#keep(number, text);
    }
    queueMicrotask(this.#onPiece);
    return text !== null;
  }
}

/** Puts a value at the end of a map, as the newest, and drops the oldest beyond `most`. */
function renew(map, key, value, most) {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value);
  return value;
}

async function get(path) {
  const response = await fetch(new URL(path, document.baseURI));
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim() || response.statusText);
  return text;
}
