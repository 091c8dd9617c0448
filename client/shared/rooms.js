/** Requests of pages to the rooms API (docs/reference/rooms-api.md). */

import { takeAnswer } from "./pagedata.js";
import { refusalWords } from "./refusals.js";
import { SHARED } from "./words.js";

/** @import { Params } from "./words/en.js" */

/** @typedef {"open" | "ended" | "closed" | "broken"} RoomState */
/** @typedef {Record<string, number>} Figures of a player, by the name of the figure */
/** @typedef {{size?: string, bombs?: number, puzzle?: string}} Settings that pages use; a game may have others */
/** @typedef {{scores: Figures, winners?: string[], figures?: Record<string, Figures>}} Result */
/**
 * @typedef {object} RoomInfo
 * @property {string} room
 * @property {string} game
 * @property {string} title
 * @property {number} [players]
 * @property {number} [watching]
 * @property {{level: string}[]} [bots]
 * @property {string | null} [size] in a list of rooms, if the settings have a size
 * @property {string | null} [hosted_by] in a list of rooms: the display name of the host, while the host plays
 * @property {boolean} [demo] in a list of rooms: the bots play also without people
 * @property {RoomState} state
 * @property {number} [opened] in seconds since 1970
 * @property {number | null} [ended] in seconds since 1970
 * @property {Settings} [settings]
 * @property {Result | null} [result]
 * @property {string | null} [after] the room of the previous game
 * @property {string | null} [successor]
 * @property {boolean} [host] true if this browser has opened the room
 * @property {{day: string, number: number} | null} [daily] the daily challenge that the host plays here
 * @property {string | null} [classroom] the class whose table this is
 */
/** @typedef {{error?: string, code?: string, params?: Params}} RefusalFrame */

/** A refusal of the server, with one error, or with errors by field. `status` is 0 if the server did not answer. */
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
    /** @type {Record<string, string>} the errors by field, in words */
    this.errors = frame.errors ?? {};
    const codes = frame.codes ?? {};
    /** @type {Record<string, Params>} the params of each field's error: the values that its words contain */
    this.values = {};
    for (const [field, { code, params = {} }] of Object.entries(codes)) {
      this.errors[field] = refusalWords({ error: this.errors[field], code, params });
      this.values[field] = params;
    }
  }

  /** The refusal as a sentence in this page's language. */
  get words() {
    return this.status === 0
      ? SHARED.noAnswer
      : refusalWords({ error: this.message, code: this.code, params: this.params });
  }
}

const PATIENCE = 8; // retries of a request while a game moves to another process, about 3 s in total
const PAUSE_MS = 300;

/**
 * True if the game moves to another process and the server asks for a retry.
 * @param {Response} response
 */
const moves = (response) => response.status === 503 && response.headers.get("Retry-After") === "1";

/**
 * Send a request, and return the JSON of the answer, with `room` if the server has opened a room. Throw Refused if the
 * server refuses. A request that changes nothing is retried while the game moves to another process. No request is sent
 * if the page has the answer.
 * @param {string} path relative to `base`
 * @param {RequestInit & {base?: string}} options
 * @returns {Promise<any>}
 */
export async function ask(path, { base = document.baseURI, ...options } = {}) {
  const mayRepeat = (options.method ?? "GET") === "GET";
  const known = mayRepeat && base === document.baseURI ? takeAnswer(path) : null;
  if (known !== null) return known;
  const headers = new Headers({ Accept: "application/json", ...options.headers });
  if (typeof options.body === "string") headers.set("Content-Type", "application/json");
  const request = { ...options, headers };
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
    answer = null; // not JSON: a proxy's page, or a line of text
  }
  if (!response.ok) throw new Refused(response.status, answer ?? { error: text.length < 300 ? text.trim() : "" });
  const place = response.status === 201 ? response.headers.get("Location") : null;
  return place === null ? answer : { room: place.split("/").pop(), ...answer };
}
