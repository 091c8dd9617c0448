/**
 * The scores over the moves, as lines in an SVG drawing. SVG follows the theme's colours without code. The drawing is
 * made once for each overview. A drag moves only the playhead: it changes one property of one element.
 */

import { element, setText } from "../shared/dom.js";
import { badge, paint } from "../shared/player.js";

/** @import { Line, Overview } from "./reel.js" */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000; // in units of the drawing
const HEIGHT = 100;
const MOST_BADGES = 5;
const BADGE_SHARE = 0.2; // height of one badge, as a share of the chart's height
const TICKS = 5;

export class Chart {
  #place;
  #ticks;
  #svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  #head = element("div", { class: "playhead" });
  #badges = element("div", { class: "chart-badges", "aria-hidden": "true" });
  #top = element("span", { class: "chart-top", "aria-hidden": "true" });
  #told = 0;

  /**
   * `onSeek(seq)` is called during a drag on the chart.
   * @param {{place: HTMLElement, ticks: HTMLElement, onSeek: (seq: number) => void}} parts
   */
  constructor({ place, ticks, onSeek }) {
    this.#place = place;
    this.#ticks = ticks;
    place.append(this.#svg, this.#head, this.#badges, this.#top);
    /** @param {PointerEvent} event */
    const seek = (event) => {
      const { left, width } = place.getBoundingClientRect();
      onSeek(Math.round(Math.max(0, Math.min(1, (event.clientX - left) / width)) * this.#told));
    };
    place.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      place.setPointerCapture(event.pointerId);
      seek(event);
    });
    place.addEventListener("pointermove", (event) => {
      if (place.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  /**
   * Draw an overview. `clock(seq)` returns the time of a move as text.
   * @param {Pick<Overview, "told" | "lines">} overview
   * @param {(seq: number) => string} clock
   */
  show({ told, lines }, clock) {
    this.#told = told;
    const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, , score]) => score)));
    const least = Math.min(0, ...lines.flatMap(({ points }) => points.map(([, , score]) => score)));
    /** @param {number} seq */
    const x = (seq) => (told === 0 ? 0 : (seq / told) * WIDTH);
    /** @param {number} score */
    const y = (score) => HEIGHT - 3 - ((score - least) / (most - least)) * (HEIGHT - 10);
    const drawn = lines.map(({ player, points }) => {
      let path = "";
      for (const [seq, , score] of points)
        path +=
          path === "" ? `M${x(seq).toFixed(1)} ${y(score).toFixed(1)}` : `H${x(seq).toFixed(1)}V${y(score).toFixed(1)}`;
      return paint(svg("path", { d: `${path}H${WIDTH}`, class: "chart-line" }), player);
    });
    const floor = svg("path", { d: `M0 ${y(0)}H${WIDTH}`, class: "chart-floor" });
    this.#svg.replaceChildren(floor, ...drawn.reverse()); // the line of the leader is drawn last, above the others
    setText(this.#top, String(most));
    this.#showBadges(lines, y);
    this.#ticks.replaceChildren(
      ...Array.from({ length: TICKS }, (_, i) => {
        const seq = Math.round((told * i) / (TICKS - 1));
        const tick = element("span", { text: clock(seq) });
        tick.style.left = `${(100 * i) / (TICKS - 1)}%`;
        return tick;
      }),
    );
  }

  /**
   * Put the playhead at a move.
   * @param {number} seq
   */
  move(seq) {
    this.#head.style.transform = `translateX(${this.#told === 0 ? 0 : (seq / this.#told) * this.#place.clientWidth}px)`;
  }

  /**
   * Show the players' initials at the ends of the lines, because colour must not be the only sign. At most
   * `MOST_BADGES` fit.
   * @param {Line[]} lines
   * @param {(score: number) => number} y
   */
  #showBadges(lines, y) {
    const ends = lines
      .slice(0, MOST_BADGES)
      .map(({ player, points }) => ({ player, at: y(points.at(-1)?.[2] ?? 0) / HEIGHT }));
    ends.sort((a, b) => a.at - b.at);
    let above = -1;
    for (const end of ends) above = end.at = Math.max(end.at, above + BADGE_SHARE, BADGE_SHARE / 2);
    let below = 1 + BADGE_SHARE / 2;
    for (const end of ends.toReversed()) below = end.at = Math.min(end.at, below - BADGE_SHARE);
    this.#badges.replaceChildren(
      ...ends.map(({ player, at }) => {
        const initials = badge(player);
        initials.style.top = `${100 * at}%`;
        initials.title = player;
        return initials;
      }),
    );
  }
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @returns {SVGSVGElement}
 */
function svg(tag, attributes) {
  const made = /** @type {SVGSVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
