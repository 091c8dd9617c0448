/**
 * One WebSocket that reconnects by itself after a restart of the server, a sleep of the machine, or a network failure.
 *
 * States:
 * - "connecting": first attempt to connect.
 * - "online": the server has sent a frame that admits this client.
 * - "slow": connected, but the server has not answered for some seconds, or has reported an outage.
 * - "moving": retries at once, because the game moves to another process or its process has ended.
 * - "lost": retries with growing delays. "slow" and "moving" become "lost" after some time. The state is also "lost"
 *   while the server is full.
 * - "closed": closed by this page.
 *
 * The server sends its complete state after each connection, so a reconnection brings the page up to date. A frame that
 * was lost with a connection is not sent again, because a repeated move is worse than a lost move.
 */

import { within } from "./dom.js";
import { SHARED } from "./words.js";

/** @typedef {"connecting" | "online" | "slow" | "moving" | "lost" | "closed"} State */
/**
 * @typedef {object} Status
 * @property {State} state
 * @property {string} word the name of the state, for the user
 * @property {boolean} again true if "online" is a reconnection
 * @property {number | null} awayMs the time without a connection, or null after "moving", a short break that is not
 * reported
 * @property {number | null} code the close code of the lost connection; null before a loss
 * @property {string} reason the close reason of the lost connection; "" before a loss
 */

const FIRST_DELAY_MS = 400;
const MOVE_DELAY_MS = 100; // before the first retry after the game has moved; another process takes over quickly
const MOMENT_MS = 4_000; // a longer break is reported; another process takes over a game within 2.5 s
const SLOW_MS = 2_000; // time without an answer to a move until the state is "slow"
const LONGEST_DELAY_MS = 10_000;
const ANSWER_MS = 8_000; // time without an answer to a frame or a new connection until the page reconnects
const LOOK_MS = 10_000; // interval of the checks for a sleep of the machine
const LEAP_MS = 100_000; // a longer gap means that the machine slept; hidden tabs run timers once a minute

/** Close code: the player's name belongs to another person. */
export const SEAT_TAKEN = 4403;

/** Close code: the game has moved to another process. */
const MOVED = 1012;

/** Close codes of short breaks: the game has moved, or its server has ended (1001) or crashed (1006). */
const BRIEF = new Set([MOVED, 1001, 1006]);

/** Replacement for a close code: this page has closed a connection that does not answer. */
const SILENT = 0;

/** Close code: the server is full. */
export const FULL = 1013;

/** Close codes of a room that does not exist, was removed or closed, or has a damaged file: no retries. */
export const GONE = new Set([4404, 4410, 4503]);

const WORDS = {
  connecting: SHARED.connecting,
  online: SHARED.connected,
  slow: SHARED.oneMoment,
  moving: SHARED.oneMoment,
  lost: SHARED.reconnecting,
  closed: SHARED.disconnected,
};

/**
 * The address of a WebSocket of the page's server: ws or wss, with the path prefix of a proxy.
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
  /** @type {number | undefined} */ #momentTimer = undefined; // runs while the state is "moving" or #isHeld is true
  /** @type {number | undefined} */ #lookTimer = undefined;
  #lastLook = 0;
  #lastHeard = 0;
  #isHeld = false; // the server has reported an outage
  /** @type {number | null} */ #lostAt = null;
  /** @type {number | null} */ #code = null;
  #reason = "";

  /**
   * `url` is an address, or a function that makes one for each attempt. `onFrame(frame, isFirst)` gets each parsed
   * frame; `isFirst` is true for the first frame of a connection. `onState(status)` gets each `Status`.
   * `turnsAway(frame)` returns true if the first frame does not admit this client because the server is full.
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

  /** True if the server has admitted this client and the page can send frames. */
  get isConnected() {
    return this.#state === "online" || this.#state === "slow";
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

  /** Disconnect, and do not reconnect. */
  close() {
    clearInterval(this.#lookTimer);
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#momentTimer);
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
   * Send a frame as JSON. Without a connection return false, and do not queue the frame.
   * @param {object} frame
   */
  send(frame) {
    return this.sendText(JSON.stringify(frame));
  }

  /**
   * Send one text frame. Without a connection return false. With `outside`, also send to a server that has not admitted
   * this client. With `answered`, expect an answer: reconnect if the server does not answer in time.
   * @param {string} text
   * @param {{answered?: boolean, outside?: boolean}} options
   */
  sendText(text, { answered = true, outside = false } = {}) {
    if (!this.isConnected && !(outside && this.#socket?.readyState === WebSocket.OPEN)) return false;
    const socket = /** @type {WebSocket} */ (this.#socket);
    const sentAt = performance.now();
    socket.send(text);
    if (answered) {
      const isUnanswered = () => this.#socket === socket && this.#lastHeard < sentAt;
      setTimeout(() => isUnanswered() && this.#slow(true), SLOW_MS);
      setTimeout(() => isUnanswered() && this.#renew(), ANSWER_MS);
    }
    return true;
  }

  #connect() {
    const socket = new WebSocket(typeof this.#url === "function" ? this.#url() : this.#url);
    this.#socket = socket;
    this.#isHeld = false;
    let isFirst = true;
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      this.#lastHeard = performance.now();
      if (frame.type === "held") return this.#hold(frame.held);
      if (this.isConnected) {
        if (!this.#isHeld) this.#slow(false);
      } else if (this.#turnsAway(frame)) this.#wait();
      else this.#arrive();
      this.#onFrame(frame, isFirst);
      isFirst = false;
    };
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) this.#lose(code, reason);
    };
    setTimeout(() => {
      if (this.#socket !== socket || !isFirst) return;
      this.#drop(); // the browser's own timeout is minutes
      this.#lose(SILENT);
    }, ANSWER_MS);
  }

  #arrive() {
    const again = this.#lostAt !== null;
    const awayMs = this.#state === "moving" ? null : Date.now() - (this.#lostAt ?? Date.now());
    this.#lostAt = null;
    this.#failures = 0;
    clearTimeout(this.#momentTimer);
    this.#enter("online", { again, awayMs });
  }

  /**
   * Handle the outage flag of the server. During a long outage reconnect, because another process may work.
   * @param {boolean} held
   */
  #hold(held) {
    if (!this.isConnected || held === this.#isHeld) return;
    this.#isHeld = held;
    clearTimeout(this.#momentTimer);
    if (held) this.#momentTimer = setTimeout(() => this.#renew(), MOMENT_MS);
    this.#slow(held);
  }

  /** @param {boolean} isSlow */
  #slow(isSlow) {
    if (this.#state !== (isSlow ? "online" : "slow")) return;
    this.#lostAt = isSlow ? Date.now() : null; // the start of a possible loss
    this.#enter(isSlow ? "slow" : "online");
  }

  /** Handle the frame of a full server. The server may close the connection later. */
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
    const moves = BRIEF.has(code) && (this.isConnected || this.#state === "moving");
    const isNews = moves ? this.#state !== "moving" : this.#state !== "lost" || (this.#code === FULL && code !== FULL);
    this.#socket = null;
    if (!moves || isNews) [this.#code, this.#reason] = [code, reason]; // else keep the first code and reason
    this.#lostAt ??= Date.now();
    const soon = moves || code === MOVED; // MOVED means a short wait
    const [first, longest] = soon ? [MOVE_DELAY_MS, FIRST_DELAY_MS] : [FIRST_DELAY_MS, LONGEST_DELAY_MS];
    const delay = Math.min(longest, first * 2 ** this.#failures);
    this.#failures += 1;
    // Random delay, so that not all pages of a class reconnect at the same time.
    this.#retryTimer = setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2));
    if (!isNews) return;
    clearTimeout(this.#momentTimer);
    if (moves) this.#momentTimer = setTimeout(() => this.#stillAway(), MOMENT_MS);
    this.#enter(moves ? "moving" : "lost");
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
    if (!this.isConnected) return this.retry();
    this.#drop();
    this.#lose(SILENT);
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
 * The words for a move that was not sent, by the state of the connection. `otherwise` describes the move.
 * @param {State} state
 * @param {string} otherwise
 * @returns {[string, {kind: "info" | "fail"}]}
 */
export function unsentWords(state, otherwise) {
  if (state === "moving") return [SHARED.notYet(otherwise), { kind: "info" }];
  return [SHARED.notConnected(otherwise), { kind: "fail" }];
}

/**
 * Return a function that shows a status in `button`, a `<button class="link-state">` with a `.dot` and a `.word`. A
 * click on the button calls `onRetry`.
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
