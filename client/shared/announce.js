/** What others do, told to screen readers through one polite live region; a burst is told as one sentence or two. */

const GATHER_MS = 400; // moves of one burst are read out together
const MOST = 4; // sentences at a time; a listener cannot follow more

/**
 * Speaks into `region`, an element with aria-live="polite" and class "unseen".
 * Returns `say(sentence)`.
 */
export function createAnnouncer(region) {
  let waiting = [];
  let timer = null;

  const speak = () => {
    timer = null;
    const dropped = waiting.length - MOST;
    const told = dropped > 0 ? [`${dropped} more moves.`, ...waiting.slice(-MOST)] : waiting;
    waiting = [];
    region.textContent = told.join(" ");
  };

  return (sentence) => {
    waiting.push(sentence);
    timer ??= setTimeout(speak, GATHER_MS);
  };
}
