/** A picture of each game, made of a few squares. */

import { element } from "../shared/dom.js";

/** @type {Record<string, [text: string, is: string][]>} */
const ART = {
  memory: [
    ["", "back"],
    ["🦊", "card"],
    ["", "back"],
    ["🦊", "card"],
    ["", "back"],
    ["🐼", "card"],
    ["", "back"],
    ["", "back"],
    ["", "gone"],
  ],
  minesweeper: [
    ["1", "dug"],
    ["1", "dug"],
    ["", "tile"],
    ["", "dug"],
    ["2", "dug two"],
    ["⚑", "tile flag"],
    ["", "dug"],
    ["2", "dug two"],
    ["", "tile"],
  ],
  crossword: [
    ["", "none"],
    ["p", "one"],
    ["", "none"],
    ["f", "two"],
    ["l", "both"],
    ["y", "two"],
    ["", "none"],
    ["a", "one"],
    ["", "none"],
  ],
};

/** @param {string} game */
export function artOf(game) {
  const squares = (ART[game] ?? []).map(([text, is]) => element("span", { class: `art-square ${is}`, text }));
  return element("div", { class: `art art-${game}`, "aria-hidden": "true" }, ...squares);
}
