/**
 * The two players side by side: the expected total, words and challenge points during the match, and the winner at the
 * end. The expected total is the player's points at the end if all words of the player are right.
 */

import { byId, element } from "../shared/dom.js";
import { paint } from "../shared/hues.js";
import { chip } from "../shared/player.js";
import { endWords, figure, signed, timeWords, WORDS } from "./words.js";

/** @import { Clock, Match, Missing, Result } from "./match.js" */

/**
 * Draw the panel during a match. `missing` is the player without a connection, or null. `drawn` is the return value of
 * the last call. If the panel has not changed, the function does not draw it again.
 * @param {Match} match
 * @param {string | null} missing
 * @param {string} drawn
 */
export function showDuel(match, missing, drawn) {
  if (match.isAlone) return showAlone(match, drawn);
  const sides = [match.me, match.other].map((player) => ({
    player,
    points: match.points[player],
    ...match.countOf(player),
  }));
  const looks = JSON.stringify([sides, match.words.length, missing]);
  if (looks === drawn) return looks;
  byId("duel").replaceChildren(
    ...sides.map(({ player, points, entered, confirmed }) => {
      const whose = player === match.me ? "mine" : "theirs";
      const total = entered + points;
      const side = element(
        "div",
        { class: "side", "data-player": player, "data-side": whose, "data-missing": player === missing },
        chip(player, { you: player === match.you }),
        element(
          "p",
          { class: "side-points", title: WORDS.expectedTotal(total) },
          figure(total),
          element("span", { class: "side-unit", text: WORDS.ifAllRight }),
        ),
        player === missing
          ? away()
          : element(
              "p",
              { class: "side-words" },
              swatch(player === match.me, false),
              element("span", { text: WORDS.wordCount(entered) }),
              ...(confirmed > 0
                ? [
                    swatch(player === match.me, true),
                    element(
                      "span",
                      {},
                      String(confirmed),
                      element("span", { class: "side-more", text: WORDS.confirmedCount }),
                    ),
                  ]
                : []),
            ),
        element("p", { class: "side-challenges", text: `${signed(points)}${WORDS.challengeUnit}` }),
      );
      return paint(side, player);
    }),
    progress(
      sides.map(({ player, entered }) => [player, entered]),
      match.words.length,
    ),
  );
  return looks;
}

/**
 * Draw the panel of a single-player match: the time, the found words, and the mistakes.
 * @param {Match} match
 * @param {string} drawn
 */
function showAlone(match, drawn) {
  const { entered } = match.countOf(match.me);
  const mistakes = Math.abs(match.points[match.me]);
  const looks = JSON.stringify([match.me, entered, mistakes, match.words.length]);
  if (looks === drawn) return looks;
  const side = element(
    "div",
    { class: "side", "data-player": match.me, "data-side": "mine" },
    chip(match.me, { you: match.me === match.you }),
    element("p", { class: "side-points side-time", role: "timer" }),
    element(
      "p",
      { class: "side-words" },
      element("span", { text: WORDS.foundOf(entered, match.words.length) }),
      element("span", { class: "side-mistakes", "data-some": mistakes > 0, text: WORDS.mistakes(mistakes) }),
    ),
  );
  byId("duel").replaceChildren(paint(side, match.me), progress([[match.me, entered]], match.words.length));
  return looks;
}

/** The note for a player without a connection, in place of the word count. */
function away() {
  return element(
    "p",
    { class: "side-words side-away" },
    element("span", { class: "side-more", text: WORDS.lost }),
    element("span", { class: "away-left", text: WORDS.mayReturn }),
  );
}

/**
 * A sample square with the look of a player's words on the board.
 * @param {boolean} isMine
 * @param {boolean} confirmed
 */
function swatch(isMine, confirmed) {
  return element("span", {
    class: "swatch",
    "data-side": isMine ? "mine" : "theirs",
    "data-confirmed": confirmed,
    "aria-hidden": "true",
  });
}

/**
 * @param {[player: string, words: number][]} shares
 * @param {number} whole
 */
function progress(shares, whole) {
  return element(
    "div",
    { class: "progress", "aria-hidden": "true" },
    ...shares.map(([player, share], nth) => {
      const part = paint(element("span", { "data-side": nth === 0 ? "mine" : "theirs" }), player);
      part.style.width = `${(100 * share) / whole}%`;
      return part;
    }),
  );
}

/** The countdown in the players' panel, until a lost connection ends the match. */
export class Countdown {
  /** @type {number | undefined} */ #timer = undefined;
  /** @type {number | null} */ #until = null; // a time of performance.now()

  /**
   * Begin with a frame's `missing`, which is null if no player is missing.
   * @param {Missing | null} missing
   */
  begin(missing) {
    clearInterval(this.#timer);
    this.#until = missing?.seconds_left === undefined ? null : performance.now() + 1000 * missing.seconds_left;
    if (this.#until !== null) this.#timer = setInterval(() => this.show(), 1000);
    this.show();
  }

  /** Show the remaining time. */
  show() {
    const place = document.querySelector("#duel .away-left");
    if (place === null || this.#until === null) return;
    const seconds = Math.max(0, Math.ceil((this.#until - performance.now()) / 1000));
    place.textContent = WORDS.timeToReturn(timeWords(seconds));
  }
}

/** The time of a single-player match, in the panel. It continues between two frames. */
export class Stopwatch {
  /** @type {number | undefined} */ #timer = undefined;
  /** @type {Clock | null} */ #clock = null;
  #since = 0; // a time of performance.now()

  /**
   * Begin with a frame's `clock`, which is null if the match has two players.
   * @param {Clock | null} clock
   */
  begin(clock) {
    clearInterval(this.#timer);
    this.#clock = clock;
    this.#since = performance.now();
    if (clock?.running) this.#timer = setInterval(() => this.show(), 500);
    this.show();
  }

  /** Show the time. */
  show() {
    const place = document.querySelector("#duel .side-time");
    if (place === null || this.#clock === null) return;
    const passed = this.#clock.running ? (performance.now() - this.#since) / 1000 : 0;
    const text = timeWords(this.#clock.seconds + passed);
    if (place.textContent !== text) place.textContent = text;
  }
}

/**
 * Draw the result of a match.
 * @param {Result} result
 * @param {Match} match
 */
export function showResult(result, match) {
  const { title, words } = endWords(result, match);
  byId("result-title").textContent = title;
  byId("result-words").textContent = words;
  byId("result").dataset.outcome = result.winner === null ? "draw" : result.winner === match.me ? "won" : "lost";
  if (match.isAlone) {
    byId("result-sides").replaceChildren();
    return;
  }
  byId("result-sides").replaceChildren(
    ...[match.me, match.other].map((player) => {
      const points = result.points[player];
      const challenges = match.points[player];
      return paint(
        element(
          "li",
          { class: "score", "data-player": player, "data-winner": result.winner === player },
          chip(player, { you: player === match.you }),
          element("span", {
            class: "score-points",
            text: figure(points),
            "aria-label": WORDS.pointCount(points),
          }),
          element("span", {
            class: "score-how",
            text: WORDS.scoreHow(points - challenges, signed(challenges)),
          }),
        ),
        player,
      );
    }),
  );
}
