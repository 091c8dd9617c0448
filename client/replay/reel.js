/**
 * The recording, in pieces. A piece is fetched when the page needs it, and kept while the memory limit allows it.
 * docs/reference/replay.md describes the pieces.
 */

import { sentenceOf } from "./telling.js";

/** @import { Tell } from "./telling.js" */

const MOST_CHARACTERS = 32_000_000; // of pieces kept as text, about 80,000 each: 200,000 moves, and 64 MB at most
const MOST_PARSED = 12; // pieces that are kept as parsed objects
const AHEAD_PAUSE_MS = 40; // pause between two pieces that are fetched in advance
const REFUSED_PAUSE_MS = 2000; // pause after a failed request

/** @typedef {{player: string, points: [seq: number, time: number, score: number][]}} Line of a chart */
/**
 * @typedef {object} Overview of a recording
 * @property {string} kind of game
 * @property {boolean} reading true while the server reads the recording
 * @property {number} told the number of moves that are ready
 * @property {number} span the duration in milliseconds
 * @property {number} every the number of moves in a piece
 * @property {number[]} times the time at which each piece begins, in milliseconds
 * @property {Line[]} lines
 * @property {any} frame data for the scene that holds for the whole game
 * @property {{columns: string[], rows: Record<string, (string | number | null)[]>}} summary
 * @property {Record<string, string>} names by player's ID, for players with a name that differs from the ID
 */
/** @typedef {[code: string, params: Record<string, any>]} ToldFrame */
/**
 * @typedef {[time: number, player: string | null, rule: string | null, told: ToldFrame, also: ToldFrame[],
 *   change: any]} StepFrame
 */
/** @typedef {{start: number, whole: any, steps: StepFrame[]}} Piece */
/** @typedef {{time: number, words: string, also: string[]}} Step a move in the language of this page */

export class Reel {
  /** @type {Overview | null} */ overview = null;
  /** @type {Tell} */ tell = () => null; // replaced when the game is known
  /** @type {Map<number, string>} */ #texts = new Map(); // number -> text, oldest first
  #characters = 0; // the number of characters of all texts
  /** @type {Map<number, Piece>} */ #parsed = new Map(); // number -> piece, oldest first
  /** @type {Map<number, Promise<boolean>>} */ #asked = new Map(); // number -> promise of the request
  #onPiece;
  /** @type {number | undefined} */ #ahead = undefined;

  /**
   * `onPiece()` is called after a request for a piece, also if the request failed.
   * @param {{onPiece: () => void}} callbacks
   */
  constructor({ onPiece }) {
    this.#onPiece = onPiece;
  }

  /**
   * Fetch the overview. If there is no overview, throw an Error with a message for the viewer.
   * @returns {Promise<Overview>}
   */
  async look() {
    const overview = JSON.parse(await get("replay/data"));
    this.overview = overview;
    return overview;
  }

  /** The number of moves that the page can show. */
  get told() {
    return this.overview?.told ?? 0;
  }

  /**
   * The piece with move `seq`; move 0 is the beginning. Return null and fetch the piece if it is not loaded yet.
   * @param {number} seq
   * @returns {Piece | null}
   */
  piece(seq) {
    const number = this.#numberOf(seq);
    const parsed = this.#parsed.get(number);
    if (parsed !== undefined && parsed.start + parsed.steps.length >= seq)
      return renew(this.#parsed, number, parsed, MOST_PARSED);
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

  /**
   * Move `seq` in words, or null if its piece is not loaded yet.
   * @param {number} seq
   * @returns {Step | null}
   */
  step(seq) {
    const piece = seq > 0 && seq <= this.told ? this.piece(seq) : null;
    if (piece === null) return null;
    const [time, , , told, also] = piece.steps[seq - 1 - piece.start];
    const [words, ...more] = [told, ...also].map(([code, params]) => sentenceOf({ code, params }, this.tell));
    return { time, words, also: more };
  }

  /**
   * The time of move `seq` in milliseconds since the beginning: an estimate that does not need the move's piece.
   * @param {number} seq
   */
  timeAt(seq) {
    if (this.overview === null) return 0;
    const { times, every, told, span } = this.overview;
    const number = Math.min(Math.floor(seq / every), times.length - 1);
    const [from, to] = [times[number], times[number + 1] ?? span];
    const length = Math.min(every, told - number * every);
    return length === 0 ? from : from + ((to - from) * (seq - number * every)) / length;
  }

  /**
   * Fetch the pieces around move `seq`, one after the other, so that a drag finds them loaded.
   * @param {number} seq
   */
  fetchAround(seq) {
    clearTimeout(this.#ahead);
    const here = this.#numberOf(seq);
    const last = this.#numberOf(this.told);
    const room = (MOST_CHARACTERS * this.#texts.size) / Math.max(1, this.#characters); // in pieces
    const reach = Math.min(last, Math.floor(room / 2) - 1);
    const next = async () => {
      let pause = AHEAD_PAUSE_MS;
      for (let away = 0; away <= reach; away += 1) {
        const number = [here + away, here - away].find(
          (n) => n >= 0 && n <= last && !this.#texts.has(n) && !this.#asked.has(n),
        );
        if (number === undefined) continue;
        if (!(await this.#ask(number))) pause = REFUSED_PAUSE_MS;
        this.#ahead = setTimeout(next, pause);
        return;
      }
    };
    this.#ahead = setTimeout(next, AHEAD_PAUSE_MS);
  }

  /**
   * Keep a text as the newest. Drop the oldest texts if all texts together are longer than the limit.
   * @param {number} number
   * @param {string} text
   */
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

  /** @param {number} seq */
  #numberOf(seq) {
    return Math.floor(Math.max(0, seq - 1) / (this.overview?.every ?? 1));
  }

  /**
   * Fetch a piece. Return true if the request succeeded.
   * @param {number} number
   * @returns {Promise<boolean>}
   */
  #ask(number) {
    const before = this.#asked.get(number);
    if (before !== undefined) return before;
    const asked = this.#fetch(number).finally(() => this.#asked.delete(number));
    this.#asked.set(number, asked);
    return asked;
  }

  /** @param {number} number */
  async #fetch(number) {
    let text = null;
    try {
      text = await get(`replay/data?from=${number * (this.overview?.every ?? 1)}`);
    } catch {
      await new Promise((done) => setTimeout(done, AHEAD_PAUSE_MS * 5)); // `piece` fetches it again
    }
    if (text !== null) {
      this.#parsed.delete(number);
      this.#keep(number, text);
    }
    queueMicrotask(this.#onPiece);
    return text !== null;
  }
}

/**
 * Put a value at the end of a map, as the newest. Drop the oldest value if the map has more than `most`.
 * @template Key, Value
 * @param {Map<Key, Value>} map
 * @param {Key} key
 * @param {Value} value
 * @param {number} most
 */
function renew(map, key, value, most) {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete([...map.keys()][0]);
  return value;
}

/** @param {string} path */
async function get(path) {
  const response = await fetch(new URL(path, document.baseURI));
  const text = await response.text();
  if (!response.ok) throw new Error(text.trim() || response.statusText);
  return text;
}
