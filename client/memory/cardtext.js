/** The text of a card, in the largest size that fits. If it is cut or tiny, a peek above the cell shows all of it. */

import { contextOf, element } from "../shared/dom.js";

const MOST_LINES = 4; // for a text that is too long for one line
const LINE_SHARE = 0.84; // share of a cell's width for text
const TEXT_SHARE = 0.82; // share of a cell's height for text
const LINE_HEIGHT = 1.15; // the same value as in memory.css
const SMALLEST_TEXT_REM = 0.625; // the same value as in memory.css
const READABLE_PX = 8; // the peek also shows smaller text
const UNEVEN = 1.25; // reserve for lines that are not full, because a letter that does not fit moves to the next line
const BREAKS = /-|(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])/u; // possible line breaks; a card has no spaces

const canvas = contextOf(element("canvas"));
const MEASURED_PX = 100;
/** @type {Map<string, number>} */ const widths = new Map(); // card -> width in ems; a board has few distinct cards

/**
 * The width of a card's text at a font size of 1, in the font of the page's cards.
 * @param {string} text
 */
export function widthInEms(text) {
  const known = widths.get(text);
  if (known !== undefined) return known;
  canvas.font = `600 ${MEASURED_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const width = Math.max(1, canvas.measureText(text).width / MEASURED_PX);
  widths.set(text, width);
  return width;
}

/**
 * The width of the longest word of a card's text, in ems.
 * @param {string} text
 */
export const longestWordInEms = (text) => Math.max(...text.split(BREAKS).map(widthInEms));

/**
 * The largest font size for a text of that width, as a share of the cell, on the best number of lines.
 * @param {number} ems
 */
export function shareOnLines(ems) {
  const on = (/** @type {number} */ lines) =>
    Math.min((LINE_SHARE * lines) / (ems * UNEVEN), TEXT_SHARE / (lines * LINE_HEIGHT));
  return Math.max(...Array.from({ length: MOST_LINES }, (_, nth) => on(nth + 1)));
}

/**
 * The number of lines that fit into a cell at the smallest font size.
 * @param {number} cell size in pixels
 */
export function linesIn(cell) {
  const smallest = SMALLEST_TEXT_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const lines = Math.floor((TEXT_SHARE * cell) / (smallest * LINE_HEIGHT));
  return Math.max(1, Math.min(MOST_LINES, lines));
}

/** The whole text of a card that is too long for its cell. */
export class Peek {
  #frame;
  #element = element("div", { class: "peek", "aria-hidden": "true", hidden: true });

  /** @param {HTMLElement} frame of the board: the peek stays below the frame's upper edge */
  constructor(frame) {
    this.#frame = frame;
    document.body.append(this.#element);
    frame.addEventListener("scroll", () => this.hide(), { passive: true });
  }

  /**
   * Show the text of a card if the text in the cell is cut or tiny. Return true if the peek is visible.
   * @param {HTMLElement} cell
   * @param {string} card
   */
  show(cell, card) {
    this.hide();
    const text = cell.querySelector(".face-text");
    if (text === null || !(isCut(text) || isTiny(text))) return false;
    this.#element.dir = "auto";
    this.#element.textContent = card;
    this.#element.hidden = false;
    const box = cell.getBoundingClientRect();
    const width = this.#element.offsetWidth;
    const left = Math.max(8, Math.min(window.innerWidth - width - 8, box.left + box.width / 2 - width / 2));
    const above = box.top - this.#element.offsetHeight - 6;
    this.#element.style.left = `${left}px`;
    this.#element.style.top = `${above > this.#frame.getBoundingClientRect().top ? above : box.bottom + 6}px`;
    return true;
  }

  hide() {
    this.#element.hidden = true;
  }
}

/** @param {Element} text */
const isTiny = (text) => Number.parseFloat(getComputedStyle(text).fontSize) < READABLE_PX;

/**
 * True if a part of the text is invisible. A picture that is slightly higher than its line is still visible.
 * @param {Element} text
 */
function isCut({ scrollWidth, clientWidth, scrollHeight, clientHeight, firstChild }) {
  if (scrollWidth > clientWidth) return true;
  const range = document.createRange();
  range.selectNodeContents(/** @type {Node} */ (firstChild));
  const line = range.getClientRects()[0].height;
  return scrollHeight > clientHeight + line / 2;
}
