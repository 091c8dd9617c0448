/** The server's rooms, as pages ask about them (docs/reference/rooms-api.md). */

import { refusalWords } from "./refusals.js";
import { SHARED } from "./words.js";

/** @import { Params } from "./words/en.js" */

/** @typedef {"open" | "ended" | "closed" | "broken"} RoomState */
/** @typedef {Record<string, number>} Figures of a player, by what they count */
/** @typedef {{scores: Figures, winners?: string[], figures?: Record<string, Figures>}} Result */
/**
 * @typedef {object} RoomInfo
 * @property {string} room
 * @property {string} game
 * @property {string} title
 * @property {number} [players]
 * @property {number} [watching]
 * @property {{level: string}[]} [bots]
 * @property {RoomState} state
 * @property {number} [opened] in seconds since 1970
 * @property {{size?: string}} [settings]
 * @property {Result | null} [result]
 * @property {string | null} [after] the room of the game before this one
 * @property {string | null} [successor]
 */
/** @typedef {{error?: string, code?: string, params?: Params}} RefusalFrame */

/** A refusal of the server: in its words, or by its fields. `status` is 0 if the server did not answer. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {RefusalFrame & {errors?: Record<string, string>, codes?: Record<string, RefusalFrame>}} frame
   */
  constructor(status, frame) {
    super(frame.error ?? "");
    this.status = status;
    this.code = frame.code ?? "";
    this.params = frame.params ?? {};
    /** @type {Record<string, string>} what is wrong with each field, in words */
    this.errors = frame.errors ?? {};
    const codes = frame.codes ?? {};
    /** @type {Record<string, Params>} the values in these words */
    this.values = {};
    for (const [field, { code, params = {} }] of Object.entries(codes)) {
      this.errors[field] = refusalWords({ error: this.errors[field], code, params });
      this.values[field] = params;
    }
  }

  /** What to say of it, in a sentence of this page's language. */
  get words() {
    return this.status === 0
      ? SHARED.noAnswer
      : refusalWords({ error: this.message, code: this.code, params: this.params });
  }
}

const PATIENCE = 8; // times that a question is asked again while a game moves to another process, for some 3 s in all
const PAUSE_MS = 300;

/**
 * Whether the server says that the game moves, and is elsewhere at once.
 * @param {Response} response
 */
const moves = (response) => response.status === 503 && response.headers.get("Retry-After") === "1";

/**
 * Ask the server, and return the JSON of its answer, with `room` if it has opened one. Throws Refused. What changes
 * nothing is asked again while the game moves.
 * @param {string} path relative to `base`
 * @param {RequestInit & {base?: string}} options
 * @returns {Promise<any>}
 */
export async function ask(path, { base = document.baseURI, ...options } = {}) {
  const headers = new Headers({ Accept: "application/json", ...options.headers });
  if (typeof options.body === "string") headers.set("Content-Type", "application/json");
  const request = { ...options, headers };
  const mayRepeat = (options.method ?? "GET") === "GET";
  let response;
  try {
    response = await fetch(new URL(path, base), request);
    for (let left = mayRepeat ? PATIENCE : 0; left > 0 && moves(response); left -= 1) {
      await new Promise((go) => setTimeout(go, PAUSE_MS * (0.5 + Math.random())));
      response = await fetch(new URL(path, base), request);
    }
  } catch {
    throw new Refused(0, {});
  }
  const text = await response.text();
  let answer;
  try {
    answer = text === "" ? null : JSON.parse(text);
  } catch {
    answer = null; // a proxy's page, or a line of text
  }
  if (!response.ok) throw new Refused(response.status, answer ?? { error: text.length < 300 ? text.trim() : "" });
  const place = response.status === 201 ? response.headers.get("Location") : null;
  return place === null ? answer : { room: place.split("/").pop(), ...answer };
}
