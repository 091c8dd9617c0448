/**
 * One WebSocket that reconnects by itself after a restart of the server, a sleep of the machine, or a network failure.
 *
 * States: "connecting" (the first time), "online", "moving" (the game goes to another process, and so does this, at
 * once), "lost" (trying again, later and later), "closed" (by us). A move that takes long becomes a loss. It is online
 * as soon as the server has sent a frame that lets it in: one that is full says so, and is asked again later and
 * later. The server sends everything on connection, so to reconnect is to resync; what was sent into a dead connection
 * is not sent again, because a move made twice is worse than a move refused in words.
 */

import { within } from "./dom.js";
import { SHARED } from "./words.js";

/** @typedef {"connecting" | "online" | "moving" | "lost" | "closed"} State */
/**
 * @typedef {object} Status
 * @property {State} state
 * @property {string} word for people
 * @property {boolean} again whether "online" is a return
 * @property {number | null} awayMs how long that took; null if it was a move, of which nobody needs to hear
 * @property {number | null} code with which the connection was closed that was lost; null before
 * @property {string} reason of the same; "" before
 */

const FIRST_DELAY_MS = 400;
const MOVE_DELAY_MS = 100; // the first after the game has moved, which another process has taken over by then, or soon
const MOVING_MS = 3_000; // a game that is not back by then may be longer away: its player should know
const LONGEST_DELAY_MS = 10_000;
const ANSWER_MS = 8_000; // a server that does not answer a frame or a new connection within this time is gone
const LOOK_MS = 10_000; // how often to look for a leap of the clock
const LEAP_MS = 100_000; // hidden tabs run timers once a minute: a longer gap means that the machine slept

/** The code of a connection that was closed because its player's name is somebody else's. */
export const SEAT_TAKEN = 4403;

/** The code of a connection that was closed because its game goes on in another process. */
const MOVED = 1012;

/** The code of a connection that was closed because the server is full. */
export const FULL = 1013;

/** The codes of a connection to a room that is none, is there no more, or has a damaged file: it does not come back. */
export const GONE = new Set([4404, 4410, 4503]);

const WORDS = {
  connecting: SHARED.connecting,
  online: SHARED.connected,
  moving: SHARED.oneMoment,
  lost: SHARED.reconnecting,
  closed: SHARED.disconnected,
};

/**
 * The address of a WebSocket beside this page: ws or wss, behind whatever path a proxy put it.
 * @param {string} path
 * @param {string} query
 */
export function socketUrl(path, query = "") {
  const url = new URL(path, document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = query;
  url.hash = "";
  return url.href;
}

export class Connection {
  #url;
  #onFrame;
  #onState;
  #turnsAway;
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {State} */ #state = "closed";
  #failures = 0;
  /** @type {number | undefined} */ #retryTimer = undefined;
  /** @type {number | undefined} */ #moveTimer = undefined;
  /** @type {number | undefined} */ #lookTimer = undefined;
  #lastLook = 0;
  #lastHeard = 0;
  /** @type {number | null} */ #lostAt = null;
  /** @type {number | null} */ #code = null;
  #reason = "";

  /**
   * `url` is an address, or a function that makes one for each attempt. `onFrame(frame, isFirst)` gets each parsed
   * frame, and whether it is the first of its connection; `onState(status)` each change: `{state, word, again, awayMs,
   * code, reason}` - `again` is true and `awayMs` how long it took when "online" is a return; `code` and `reason` are
   * those with which the connection that was lost was closed, null and "" before. `turnsAway(frame)` says whether a
   * frame from a server that has not let us in yet does not let us in either.
   * @param {string | (() => string)} url
   * @param {object} callbacks
   * @param {(frame: any, isFirst: boolean) => void} callbacks.onFrame
   * @param {(status: Status) => void} callbacks.onState
   * @param {(frame: any) => boolean} [callbacks.turnsAway]
   */
  constructor(url, { onFrame, onState, turnsAway = () => false }) {
    this.#url = url;
    this.#onFrame = onFrame;
    this.#onState = onState;
    this.#turnsAway = turnsAway;
    window.addEventListener("online", () => this.retry());
    window.addEventListener("pageshow", (event) => event.persisted && this.#renew());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#look();
    });
  }

  get state() {
    return this.#state;
  }

  /** Connect, and stay connected until close(). */
  open() {
    if (this.#state !== "closed") return;
    this.#failures = 0;
    this.#lostAt = null;
    this.#enter("connecting");
    this.#lastLook = Date.now();
    this.#lookTimer = setInterval(() => this.#look(), LOOK_MS);
    this.#connect();
  }

  /** Disconnect for good. */
  close() {
    clearInterval(this.#lookTimer);
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#moveTimer);
    this.#drop();
    this.#enter("closed");
  }

  /** Retry at once instead of waiting for the next attempt. */
  retry() {
    if ((this.#state !== "lost" && this.#state !== "moving") || this.#socket !== null) return;
    clearTimeout(this.#retryTimer);
    this.#connect();
  }

  /**
   * Send a frame as JSON. False if there is no connection: it was not sent, and will not be.
   * @param {object} frame
   */
  send(frame) {
    return this.sendText(JSON.stringify(frame));
  }

  /**
   * Send one text frame, if it is to be sent `outside` also to a server that has not let us in; `answered` says that
   * the server answers such a frame at once.
   * @param {string} text
   * @param {{answered?: boolean, outside?: boolean}} options
   */
  sendText(text, { answered = true, outside = false } = {}) {
    if (this.#state !== "online" && !(outside && this.#socket?.readyState === WebSocket.OPEN)) return false;
    const socket = /** @type {WebSocket} */ (this.#socket);
    const sentAt = performance.now();
    socket.send(text);
    if (answered) {
      setTimeout(() => {
        if (this.#socket === socket && this.#lastHeard < sentAt) this.#renew();
      }, ANSWER_MS);
    }
    return true;
  }

  #connect() {
    const socket = new WebSocket(typeof this.#url === "function" ? this.#url() : this.#url);
    this.#socket = socket;
    let isFirst = true;
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      this.#lastHeard = performance.now();
      if (this.#state !== "online") {
        if (this.#turnsAway(frame)) this.#wait();
        else this.#arrive();
      }
      this.#onFrame(frame, isFirst);
      isFirst = false;
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) this.#lose(code, reason);
    };
    setTimeout(() => {
      if (this.#socket !== socket || !isFirst) return;
      this.#drop(); // browsers themselves wait for minutes
      this.#lose(1006);
    }, ANSWER_MS);
  }

  #arrive() {
    const again = this.#lostAt !== null;
    const awayMs = this.#state === "moving" ? null : Date.now() - (this.#lostAt ?? Date.now());
    this.#lostAt = null;
    this.#failures = 0;
    clearTimeout(this.#moveTimer);
    this.#enter("online", { again, awayMs });
  }

  /** The server has not let us in, and may close the connection only later. */
  #wait() {
    const isNews = this.#state !== "lost" || this.#code !== FULL;
    this.#code = FULL;
    if (isNews) this.#enter("lost");
  }

  /**
   * @param {number} code
   * @param {string} reason
   */
  #lose(code, reason = "") {
    if (GONE.has(code)) {
      this.#code = code;
      this.#reason = reason;
      this.close();
      return;
    }
    const moves = this.#state === "moving" || (this.#state === "online" && code === MOVED);
    const isNews = moves ? this.#state === "online" : this.#state !== "lost" || (this.#code === FULL && code !== FULL);
    this.#socket = null;
    this.#code = code;
    this.#reason = reason;
    this.#lostAt ??= Date.now();
    const soon = moves || code === MOVED; // a server that answers so knows that it will not be long
    const [first, longest] = soon ? [MOVE_DELAY_MS, FIRST_DELAY_MS] : [FIRST_DELAY_MS, LONGEST_DELAY_MS];
    const delay = Math.min(longest, first * 2 ** this.#failures);
    this.#failures += 1;
    // Jitter, so that a classroom does not come back in one instant.
    this.#retryTimer = setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2));
    if (isNews) this.#enter(moves ? "moving" : "lost");
    if (isNews && moves) this.#moveTimer = setTimeout(() => this.#stillAway(), MOVING_MS);
  }

  #stillAway() {
    if (this.#state !== "moving") return;
    this.#failures = 0;
    this.#enter("lost");
  }

  /** Drop the socket without waiting for its closing handshake, which may take minutes on a dead network. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #renew() {
    if (this.#state !== "online") return this.retry();
    this.#drop();
    this.#lose(1006);
    this.retry();
  }

  #look() {
    const leap = Date.now() - this.#lastLook;
    this.#lastLook = Date.now();
    if (leap > LEAP_MS) this.#renew();
    else this.retry();
  }

  /**
   * @param {State} state
   * @param {{again?: boolean, awayMs?: number | null}} options
   */
  #enter(state, { again = false, awayMs = 0 } = {}) {
    this.#state = state;
    const word = state === "lost" && this.#code === FULL ? SHARED.serverFull : WORDS[state];
    this.#onState({ state, word, again, awayMs, code: this.#code, reason: this.#reason });
  }
}

/**
 * Show statuses in a `<button class="link-state">`, whose `.dot` and `.word` follow them; a click calls `onRetry`.
 * Returns the function to call with each status.
 * @param {HTMLElement} button
 * @param {() => void} onRetry
 * @returns {(status: Status) => void}
 */
export function showConnection(button, onRetry) {
  button.addEventListener("click", onRetry);
  return ({ state, word }) => {
    button.dataset.state = state;
    within(button, ".word").textContent = word;
    button.title = state === "lost" ? SHARED.tryNow : word;
  };
}
