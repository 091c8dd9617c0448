/** Memory Scramble for the lobby, rooms and replays. */

import { element, setText, within } from "../shared/dom.js";
import { chips, ownText, replaceable, sizeOf } from "../shared/forms.js";
import { language } from "../shared/language.js";
import { retry } from "../shared/retry.js";
import { SHARED } from "../shared/words.js";

/** @import { Kind, KindInfo } from "../shared/kinds.js" */
/**
 * @typedef {object} Choices
 * @property {string[]} [themes]
 * @property {Record<string, string[]>} [samples] a few cards of each theme
 * @property {Record<string, number>} [cards] the number of different cards of each theme
 * @property {string[]} [sizes]
 */

/** @type {typeof import("./kind-words/en.js").default} */
const WORDS = (await retry(() => import(`./kind-words/${language}.js`))).default;

const MISSES = [5, 9, 14]; // most misses for three, two and one star: a perfect memory misses about 5 times in 20 cards
const MOST_SAMPLES = 1; // sample cards on a chip; the preview shows more
const BAR_PX = 180; // height of the header, the prompt and the parts below a board
const EDGE_PX = 16;
const FINGER_PX = 32; // size of the smallest cell that a finger hits without zooming in
const POINTER_PX = 24;

/** @type {Kind<KindInfo & Choices>} */
export const KIND = {
  title: WORDS.title,
  pitch: WORDS.pitch,
  art: [
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
  fields({ themes = [], samples = {}, sizes = [] }) {
    const some = sizes.some((size) => !fitsScreen(size));
    const replaced = replaceable(
      chips(
        "theme",
        WORDS.theme,
        themes.map((theme) => ({
          value: theme,
          label: WORDS.themes[theme] ?? theme,
          note: samples[theme]?.slice(0, MOST_SAMPLES).join(" "),
        })),
        themes[0] ?? "",
      ),
      element("div", { class: "pick-preview", "aria-hidden": "true" }),
      chips(
        "size",
        WORDS.size,
        sizes.map((size) => ({ value: size, label: `${sizeOf(size)}${fitsScreen(size) ? "" : " ○"}` })),
        sizes.includes("6x6") ? "6x6" : (sizes[0] ?? ""),
      ),
      element("p", { class: "hint cards-hint", role: "status" }),
      ...(some ? [element("p", { class: "hint", text: WORDS.fitsHint })] : []),
    );
    return [
      replaced,
      ownText("board", { title: WORDS.ownBoard, hint: WORDS.ownBoardHint, accept: ".txt,text/plain", replaced }),
    ];
  },
  body: ({ theme, size, board }) => ({ settings: board.trim() === "" ? { theme, size } : { board } }),
  summary: ({ theme, size, board }) =>
    board.trim() === "" ? `${sizeOf(size)} · ${WORDS.themes[theme] ?? theme}` : WORDS.ownBoard,
  refresh(form, { theme, size }, { samples = {}, cards = {} }) {
    const preview = within(form, ".pick-preview");
    if (preview.dataset.theme !== theme) {
      preview.dataset.theme = theme;
      preview.replaceChildren(...(samples[theme] ?? []).map((card) => element("span", { text: card })));
    }
    const [rows, columns] = size.split("x").map(Number);
    const [pairs, different] = [(rows * columns) / 2, cards[theme] ?? Infinity];
    setText(within(form, ".cards-hint"), pairs > different ? WORDS.tooFewCards(different, pairs) : "");
  },
  columns: [
    [WORDS.pairs, ({ score }) => score],
    [WORDS.accuracy, ({ turns, found, matches }) => (turns > 0 ? SHARED.percent((found ?? matches) / turns) : null)],
    [WORDS.streak, ({ streak }) => streak || null],
    [WORDS.memory, ({ memory }) => memory || null],
  ],
  hint: WORDS.hint,
  headlines: { byOne: WORDS.byOnePair },
  stars: ({ turns, found = 0 }) => (turns === undefined ? null : MISSES.filter((most) => turns - found <= most).length),
  record: ({ size }, { seconds, turns }) =>
    size === undefined ? { board: "", values: {} } : { board: size, values: { seconds, turns } }, // not for own boards
  replay: () => import("./replay.js"),
  live: () => import("./live.js"),
};

/**
 * True if a whole board of this size fits on the screen with cells that are large enough to hit.
 * @param {string} size "rows x columns"
 */
function fitsScreen(size) {
  const [rows, columns] = size.split("x").map(Number);
  const cell = Math.min((window.innerWidth - EDGE_PX) / columns, (window.innerHeight - BAR_PX) / rows);
  return cell >= (matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : POINTER_PX);
}
