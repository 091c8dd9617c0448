/**
 * One WebSocket that comes back by itself: after a restart, a sleep, a lost network.
 *
 * States: "connecting" (the first time), "online", "lost" (trying again, later and later), "closed" (by us).
 * The server sends everything on connection, so to reconnect is to resync; what was sent into a dead connection is
 * never sent again by itself, because a move made twice is worse than a move refused in words.
 */

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 10_000;
const ANSWER_MS = 8_000; // a server that says nothing for so long, to a frame of ours or at the door, is gone
const LOOK_MS = 10_000; // how often to look for a leap of the clock
const LEAP_MS = 100_000; // hidden tabs run timers once a minute: a longer gap means that the machine slept

/** The code of a connection that was closed because its player's name is somebody else's. */
export const SEAT_TAKEN = 4403;

const WORDS = { connecting: "Connecting…", online: "Connected", lost: "Reconnecting…", closed: "Disconnected" };

/** The address of a WebSocket beside this page: ws or wss, behind whatever path a proxy put it. */
export function socketUrl(path) {
  const url = new URL(path, document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = "";
  url.hash = "";
  return url.href;
}

export class Connection {
  #url;
  #onFrame;
  #onState;
  #socket = null;
  #state = "closed";
  #failures = 0;
  #retryTimer = null;
  #lookTimer = null;
  #lastLook = 0;
  #lastHeard = 0;
  #lostAt = null;
  #code = null;

  /**
   * `url` is an address, or a function that makes one for each attempt. `onFrame(frame)` gets each parsed frame;
   * `onState(status)` each change: `{state, word, again, awayMs, code}` - `again` is true and `awayMs` how long it
   * took when "online" is a return; `code` is the close code of the connection that was lost, or null.
   */
  constructor(url, { onFrame, onState }) {
    this.#url = url;
    this.#onFrame = onFrame;
    this.#onState = onState;
    window.addEventListener("online", () => this.retry());
    window.addEventListener("pageshow", (event) => event.persisted && this.#renew());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#look();
    });
  }

  get state() {
    return this.#state;
  }

  /** Connects, and stays connected until close(). */
  open() {
    if (this.#state !== "closed") return;
    this.#failures = 0;
    this.#lostAt = null;
    this.#enter("connecting");
    this.#lastLook = Date.now();
    this.#lookTimer = setInterval(() => this.#look(), LOOK_MS);
    this.#connect();
  }

  /** Disconnects for good. */
  close() {
    clearInterval(this.#lookTimer);
    clearTimeout(this.#retryTimer);
    this.#drop();
    this.#enter("closed");
  }

  /** Tries again at once instead of waiting for the next attempt. */
  retry() {
    if (this.#state !== "lost" || this.#socket !== null) return;
    clearTimeout(this.#retryTimer);
    this.#connect();
  }

  /** Sends a frame as JSON. False if there is no connection: it was not sent, and will not be. */
  send(frame) {
    return this.sendText(JSON.stringify(frame));
  }

  /** Sends one text frame; `answered` says that the server answers such a frame at once. */
  sendText(text, { answered = true } = {}) {
    if (this.#state !== "online") return false;
    const socket = this.#socket;
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
    socket.onopen = () => {
      const again = this.#lostAt !== null;
      const awayMs = again ? Date.now() - this.#lostAt : 0;
      this.#lostAt = null;
      this.#enter("online", { again, awayMs });
    };
    socket.onmessage = ({ data }) => {
      this.#lastHeard = performance.now();
      this.#failures = 0; // only a server that talks counts as back
      this.#onFrame(JSON.parse(data));
    };
    socket.onclose = ({ code }) => {
      if (this.#socket === socket) this.#lose(code);
    };
    setTimeout(() => {
      if (this.#socket !== socket || socket.readyState !== WebSocket.CONNECTING) return;
      this.#drop(); // browsers themselves wait for minutes
      this.#lose(1006);
    }, ANSWER_MS);
  }

  #lose(code) {
    this.#socket = null;
    this.#code = code;
    this.#lostAt ??= Date.now();
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Jitter, so that a classroom does not come back in one instant.
    this.#retryTimer = setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2));
    if (this.#state !== "lost") this.#enter("lost");
  }

  /** Lets go of the socket without waiting for its goodbye, which may take minutes on a dead network. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
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

  #enter(state, { again = false, awayMs = 0 } = {}) {
    this.#state = state;
    this.#onState({ state, word: WORDS[state], again, awayMs, code: this.#code });
  }
}

/**
 * Shows statuses in a `<button class="link-state">`, whose `.dot` and `.word` follow them; a click calls `onRetry`.
 * Returns the function to call with each status.
 */
export function showConnection(button, onRetry) {
  button.addEventListener("click", onRetry);
  return ({ state, word }) => {
    button.dataset.state = state;
    button.querySelector(".word").textContent = word;
    button.title = state === "lost" ? "Try again now" : word;
  };
}
