/** Announcements of other players' moves for screen readers, in one polite live region. A burst becomes one text. */

import { SHARED } from "./words.js";

const GATHER_MS = 400; // moves within this time are one burst
const MOST = 4; // sentences in one announcement, because a listener cannot follow more

/**
 * Return `say(sentence)`, which puts sentences into `region`, an element with aria-live="polite" and class "unseen".
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
