/** Playback: the moves come at their original pace or a multiple of it; long pauses are shortened. */

const LONGEST_PAUSE_MS = 3000; // nobody watches a lunch break
const LONGEST_FRAME_MS = 250; // after a tab was asleep, go on from there

/**
 * @typedef {object} PlaybackCallbacks
 * @property {(seq: number) => number | null} timeOf
 * @property {() => number} position
 * @property {() => number} last
 * @property {(seq: number) => void} onMove
 * @property {() => void} onState
 */

export class Playback {
  playing = false;
  speed = 1;
  #timeOf;
  #position;
  #last;
  #onMove;
  #onState;
  #owed = 0; // milliseconds of the game that are due and not played yet
  #before = 0;

  /**
   * `timeOf(seq)` is the time of a move in milliseconds, null if not known yet; `position()` is the move
   * that is shown and `last()` the last one. `onMove(seq)` shows a move, `onState()` follows play and pause.
   * @param {PlaybackCallbacks} callbacks
   */
  constructor({ timeOf, position, last, onMove, onState }) {
    this.#timeOf = timeOf;
    this.#position = position;
    this.#last = last;
    this.#onMove = onMove;
    this.#onState = onState;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Play on; from the beginning, if this is the end. */
  play() {
    if (this.#position() >= this.#last()) this.#onMove(0);
    this.playing = true;
    this.#owed = 0;
    this.#before = performance.now();
    this.#onState();
    requestAnimationFrame((now) => this.#frame(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.#onState();
  }

  /** @param {number} now */
  #frame(now) {
    if (!this.playing) return;
    this.#owed += Math.min(LONGEST_FRAME_MS, Math.max(0, now - this.#before)) * this.speed;
    this.#before = now;
    const from = this.#position();
    let seq = from;
    while (seq < this.#last()) {
      const [here, next] = [seq === 0 ? 0 : this.#timeOf(seq), this.#timeOf(seq + 1)];
      if (here === null || next === null) {
        this.#owed = 0; // it is being fetched
        break;
      }
      const pause = Math.min(LONGEST_PAUSE_MS, next - here);
      if (pause > this.#owed) break;
      this.#owed -= pause;
      seq += 1;
    }
    if (seq !== from) this.#onMove(seq);
    if (seq >= this.#last()) this.pause();
    else requestAnimationFrame((later) => this.#frame(later));
  }
}
