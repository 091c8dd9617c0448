/** The counts above the field (bombs left, squares to dig, the clock), and the countdown of a pause over the field. */

import { byId, setAttribute, setText, within } from "../shared/dom.js";
import { clockWords } from "../shared/grammar.js";

/** @import { Field } from "./field.js" */

export class Meters {
  #element = byId("meters");
  #bombs = byId("meter-bombs");
  #clock = byId("meter-clock");
  #bar = within(this.#element, ".meter-bar > span");
  #pause = byId("pause");
  #frame = byId("frame");
  #field;

  /** @param {Field} field */
  constructor(field) {
    this.#field = field;
  }

  /** Show the current counts. A game without counts shows nothing. */
  show() {
    const { contest, bombsLeft, untouched, flagged, columns, rows } = this.#field;
    this.#element.hidden = bombsLeft === null;
    if (bombsLeft === null || contest.left === null || contest.bombs === null) return;
    setText(this.#bombs, bombsLeft.toLocaleString());
    const isLeft = contest.left;
    const free = columns * rows - (untouched + flagged) + isLeft; // an exploded bomb counts as a dug square
    this.#bar.style.width = `${Math.round((1000 * (free - isLeft)) / Math.max(1, free)) / 10}%`;
  }

  /**
   * Show the time, and the remaining time of the player's pause. The page calls this function several times a second.
   * @param {number} now
   * @param {number} pauseMs
   */
  tick(now, pauseMs) {
    setText(this.#clock, clockWords(this.#field.contest.clock(now) ?? 0));
    setAttribute(this.#frame, "data-paused", pauseMs > 0);
    this.#pause.hidden = pauseMs <= 0;
    if (pauseMs > 0) setText(within(this.#pause, "b"), String(Math.ceil(pauseMs / 1000)));
  }
}
