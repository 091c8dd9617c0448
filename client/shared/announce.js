/** Announcements of other players' moves to screen readers, in one polite live region. A burst is read out together. */

import { SHARED } from "./words.js";

const GATHER_MS = 400; // moves of one burst are read out together
const MOST = 4; // sentences at a time: a listener cannot follow more

/**
 * Speak into `region`, an element with aria-live="polite" and class "unseen".
 * Returns `say(sentence)`.
 * @param {HTMLElement} region
 * @returns {(sentence: string) => void}
 */
export function createAnnouncer(region) {
  /** @type {string[]} */ let waiting = [];
  /** @type {number | null} */ let timer = null;

  const speak = () => {
    timer = null;
    const dropped = waiting.length - MOST;
    const told = dropped > 0 ? [SHARED.moreMoves(dropped), ...waiting.slice(-MOST)] : waiting;
    waiting = [];
    region.textContent = told.join(" ");
  };

  return (sentence) => {
    waiting.push(sentence);
    if (timer === null) timer = setTimeout(speak, GATHER_MS);
  };
}
