/** The keys of the page. They work everywhere except on elements with their own keys, for example text fields. */

import { hit } from "../shared/dom.js";

/**
 * @typedef {object} KeyActions
 * @property {() => void} toggle
 * @property {(seq: number) => void} go
 * @property {(moves: number) => void} by
 * @property {(sign: number) => void} leap
 * @property {() => number} end
 * @property {() => void} heat
 */

/**
 * Return the listener for `keydown`, which calls the functions `toggle()`, `go(seq)`, `by(moves)`, `leap(sign)`,
 * `end()` and `heat()`.
 * @param {KeyActions} does
 * @returns {(event: KeyboardEvent) => void}
 */
export function actions({ toggle, go, by, leap, end, heat }) {
  /** @type {Record<string, () => void>} */ const keys = {
    ArrowLeft: () => by(-1),
    ArrowRight: () => by(1),
    PageUp: () => leap(-1),
    PageDown: () => leap(1),
    Home: () => go(0),
    End: () => go(end()),
    h: heat,
    H: heat,
  };
  return (event) => {
    if (
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      hit(event, "select, input:not([type=range]), textarea") !== null
    )
      return;
    if (event.key === " ") {
      if (hit(event, "button, a, summary") !== null) return; // the space bar presses this element
      event.preventDefault();
      toggle();
    } else if (keys[event.key] !== undefined) {
      event.preventDefault();
      keys[event.key]();
    }
  };
}
