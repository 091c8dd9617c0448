/** Playback: shows the moves at their original speed or a multiple of it, and shortens long pauses. */

const LONGEST_PAUSE_MS = 3000; // longer pauses between two moves are shortened to this time
const LONGEST_FRAME_MS = 250; // a tab that was suspended continues where it stopped

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
  #owed = 0; // milliseconds of game time that are due but not yet shown
  #before = 0;

  /**
   * `timeOf(seq)` returns the time of a move in milliseconds, or null if it is not known yet. `position()` returns the
   * current move and `last()` the last move. `onMove(seq)` shows a move. `onState()` is called after play and pause.
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

  /** Start to play. At the end of the recording, start from the beginning. */
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
        this.#owed = 0; // the next move is still loading
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
