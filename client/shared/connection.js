/**
 * One WebSocket that reconnects by itself after a restart of the server, a sleep of the machine, or a network failure.
 *
 * States: "connecting" (the first time), "online", "slow" (connected, but the server has not answered for a while, or
 * says that nothing goes on), "moving" (trying again at once: the game goes to another process, or that of this page
 * has ended, and another may be there), "lost" (trying again, later and later), "closed" (by us). What is slow, or
 * moves, for long becomes a loss. It is online as soon as the server has sent a frame that lets it in: one that is full
 * says so, and is asked again later and later. The server sends everything on connection, so to reconnect is to resync;
 * what was sent into a dead connection is not sent again, because a move made twice is worse than a move refused in
 * words.
 */

import { within } from "./dom.js";
import { SHARED } from "./words.js";

/** @typedef {"connecting" | "online" | "slow" | "moving" | "lost" | "closed"} State */
/**
 * @typedef {object} Status
 * @property {State} state
 * @property {string} word for people
 * @property {boolean} again whether "online" is a return
 * @property {number | null} awayMs how long that took; null if it was but a moment, of which nobody needs to hear
 * @property {number | null} code with which the connection was closed that was lost; null before
 * @property {string} reason of the same; "" before
 */

const FIRST_DELAY_MS = 400;
const MOVE_DELAY_MS = 100; // the first after the game has moved, which another process has taken over by then, or soon
const MOMENT_MS = 4_000; // another process takes a game over within 2.5 s: one that is away for longer is news
const SLOW_MS = 2_000; // a player who has heard nothing of a move for so long wonders
const LONGEST_DELAY_MS = 10_000;
const ANSWER_MS = 8_000; // a server that does not answer a frame or a new connection within this time is gone
const LOOK_MS = 10_000; // how often to look for a leap of the clock
const LEAP_MS = 100_000; // hidden tabs run timers once a minute: a longer gap means that the machine slept

/** The code of a connection that was closed because its player's name is somebody else's. */
export const SEAT_TAKEN = 4403;

/** The code of a connection that was closed because its game goes on in another process. */
const MOVED = 1012;

/** The codes of connections that may be back in a moment: it moved, or its server has ended (1001) or died (1006). */
const BRIEF = new Set([MOVED, 1001, 1006]);

/** In place of a code: the connection was given up by us. */
const SILENT = 0;

/** The code of a connection that was closed because the server is full. */
export const FULL = 1013;

/** The codes of a connection to a room that is none, is there no more, or has a damaged file: it does not come back. */
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
  /** @type {number | undefined} */ #momentTimer = undefined; // runs while the state is "moving", or #isHeld
  /** @type {number | undefined} */ #lookTimer = undefined;
  #lastLook = 0;
  #lastHeard = 0;
  #isHeld = false; // the server has said that nothing goes on
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

  /** Whether the server has let us in, and what is sent may reach it. */
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

  /** Disconnect for good. */
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
      this.#drop(); // browsers themselves wait for minutes
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
   * The server says whether all that goes on in it is held up; if that lasts, another process may do better.
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
    this.#lostAt = isSlow ? Date.now() : null; // if it becomes a loss, it has begun here
    this.#enter(isSlow ? "slow" : "online");
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
    const moves = BRIEF.has(code) && (this.isConnected || this.#state === "moving");
    const isNews = moves ? this.#state !== "moving" : this.#state !== "lost" || (this.#code === FULL && code !== FULL);
    this.#socket = null;
    if (!moves || isNews) [this.#code, this.#reason] = [code, reason]; // what comes after that is no reason
    this.#lostAt ??= Date.now();
    const soon = moves || code === MOVED; // a server that answers so knows that it will not be long
    const [first, longest] = soon ? [MOVE_DELAY_MS, FIRST_DELAY_MS] : [FIRST_DELAY_MS, LONGEST_DELAY_MS];
    const delay = Math.min(longest, first * 2 ** this.#failures);
    this.#failures += 1;
    // Jitter, so that a classroom does not come back in one instant.
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
 * What to tell a player whose move was not sent, because the connection is in this state; `otherwise` is what did not
 * happen.
 * @param {State} state
 * @param {string} otherwise
 * @returns {[string, {kind: "info" | "fail"}]}
 */
export function unsentWords(state, otherwise) {
  if (state === "moving") return [SHARED.notYet(otherwise), { kind: "info" }];
  return [SHARED.notConnected(otherwise), { kind: "fail" }];
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
