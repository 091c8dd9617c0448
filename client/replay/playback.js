/** Playing: the moves come in the time in which they were made, or so many times as fast; long pauses are shortened. */

const LONGEST_PAUSE_MS = 3000; // nobody watches a lunch break
const LONGEST_FRAME_MS = 250; // after a tab was asleep, go on from there

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
   * `timeOf(seq)` is when a move was made, in milliseconds, null if that is not known yet; `position()` is the move that is
   * shown and `last()` the last one. `onMove(seq)` shows a move, `onState()` follows play and pause.
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

  /** Plays on; from the beginning, if this is the end. */
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
