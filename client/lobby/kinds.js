/** What is to choose of each kind of game: the choices, the settings that they make, and the one line that says so. */

import { element, setText, within } from "../shared/dom.js";
import { chips, number, ownText, replaceable, toggle } from "./forms.js";
import { convertPuzzle, PUZZLE_FILES } from "./importing.js";
import { WORDS } from "./words.js";

const MOST_SAMPLES = 1; // on a chip; the preview has more
const MOST_SOLVABLE = 0.25; // bombs on a square, where nobody is to guess
const BAR_PX = 180; // of the height: header, prompt, and what is below a board
const EDGE_PX = 16;
const FINGER_PX = 32; // the least cell that a finger hits without zooming in first
const POINTER_PX = 24;
const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{name: string, title: string, rows: number, columns: number, words: number, shape: string[]}} Puzzle */
/** @typedef {{size: string, bombs: number}} Preset `size` is rows x columns */
/**
 * @typedef {object} KindInfo as GET /rooms/kinds tells it
 * @property {string} game
 * @property {string} title
 * @property {string[]} [themes]
 * @property {Record<string, string[]>} [samples] a few cards of each theme
 * @property {Record<string, number>} [cards] how many different ones each theme has
 * @property {string[]} [sizes]
 * @property {Record<string, Preset>} [presets]
 * @property {Puzzle[]} [puzzles]
 */
/**
 * @typedef {object} KindOfGame
 * @property {(info: KindInfo, token: () => string) => HTMLElement[]} fields `token` is the password for new games
 * @property {(values: Record<string, string>, info: KindInfo) => object} body what to add to the body of POST /rooms
 * @property {(values: Record<string, string>, info: KindInfo) => string} summary
 * @property {(form: HTMLFormElement, values: Record<string, string>, info: KindInfo) => void} [refresh]
 * @property {number} mostBots
 * @property {boolean} [mayBeAlone] whether it can be played alone, against the clock: the field "alone" is "on"
 */

/**
 * "6x6" as people read it.
 * @param {string} size
 */
export const sizeOf = (size) => size.replace("x", " × ");

/**
 * Whether a board of that size shows whole on this screen, with cells large enough to hit.
 * @param {string} size "rows x columns"
 */
export function fitsScreen(size) {
  const [rows, columns] = size.split("x").map(Number);
  const cell = Math.min((window.innerWidth - EDGE_PX) / columns, (window.innerHeight - BAR_PX) / rows);
  return cell >= (matchMedia("(any-pointer: coarse)").matches ? FINGER_PX : POINTER_PX);
}

/** @type {KindOfGame} */
const memory = {
  mostBots: 3,
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
};

/** @type {KindOfGame} */
const minesweeper = {
  mostBots: 3,
  fields({ presets = {} }) {
    const sizes = Object.entries(presets)
      .sort(([, one], [, other]) => one.bombs - other.bombs)
      .map(([name, { size }]) => ({
        value: name,
        label: WORDS.presets[name] ?? name,
        note: sizeOf(size),
      }));
    const replaced = replaceable(
      chips(
        "preset",
        WORDS.preset,
        [...sizes, { value: "custom", label: WORDS.presets.custom }],
        sizes[0]?.value ?? "custom",
      ),
      element(
        "div",
        { class: "custom", hidden: true },
        element(
          "div",
          { class: "pick-numbers" },
          number("rows", WORDS.rows, { value: 12, min: 2, max: 500 }),
          number("columns", WORDS.columns, { value: 12, min: 2, max: 500 }),
        ),
        element(
          "label",
          { class: "pick-range", "data-field": "bombs" },
          element("span", { class: "pick-range-words", text: WORDS.bombs }),
          element("input", { type: "range", name: "bombs", min: 1, max: 72, value: 22 }),
        ),
        element("p", { class: "error", role: "alert", "data-error": "bombs" }),
      ),
      toggle("safe_start", WORDS.safeStart, true),
      toggle("no_guessing", WORDS.noGuessing, false),
      element("p", { class: "hint no-guessing-hint", text: WORDS.noGuessingHint, hidden: true }),
      element("p", { class: "error", role: "alert", "data-error": "no_guessing" }),
    );
    return [
      replaced,
      ownText("field", { title: WORDS.ownField, hint: WORDS.ownFieldHint, accept: ".txt,text/plain", replaced }),
    ];
  },
  body: ({ preset, rows, columns, bombs, safe_start, no_guessing, field }) => ({
    settings:
      field.trim() === ""
        ? {
            ...(preset === "custom" ? { size: `${rows}x${columns}`, bombs: Number(bombs) } : { preset }),
            ...(no_guessing === "on" ? { no_guessing: true } : { safe_start: safe_start === "on" }),
          }
        : { field: field.endsWith("\n") ? field : `${field}\n` }, // a file ends so, and what is pasted may not
  }),
  summary({ preset, rows, columns, bombs, field: own }, { presets = {} }) {
    if (own.trim() !== "") return WORDS.ownField;
    const field = preset === "custom" ? { size: `${rows}x${columns}`, bombs } : presets[preset];
    return `${WORDS.presets[preset] ?? preset} · ${sizeOf(field.size)}, ${field.bombs} 💣`;
  },
  refresh(form, { preset, rows, columns, no_guessing }) {
    within(form, ".custom").hidden = preset !== "custom";
    const solvable = no_guessing === "on";
    within(form, ".no-guessing-hint").hidden = !solvable;
    within(form, ".toggle:has([name=safe_start])").hidden = solvable; // where nobody guesses the first dig is safe
    const squares = Math.max(4, Number(rows) * Number(columns) || 0);
    const bombs = within(form, "[name=bombs]", HTMLInputElement);
    bombs.max = String(Math.floor(squares * (solvable ? MOST_SOLVABLE : 0.5)));
    within(form, ".pick-range-words").textContent = WORDS.bombsOf(Number(bombs.value), squares);
  },
};

/** @type {KindOfGame} */
const crossword = {
  mostBots: 1,
  mayBeAlone: true,
  fields({ puzzles = [] }, token) {
    const choices = puzzles.map((puzzle) => ({
      value: puzzle.name,
      label: puzzle.title,
      note: `${sizeOf(`${puzzle.rows}x${puzzle.columns}`)}, ${WORDS.wordCount(puzzle.words)}`,
      picture: shapeOf(puzzle),
    }));
    const replaced = replaceable(chips("puzzle", WORDS.puzzle, choices, choices[0]?.value ?? ""));
    return [
      replaced,
      ownText("source", {
        title: WORDS.ownPuzzle,
        hint: WORDS.ownPuzzleHint,
        accept: PUZZLE_FILES,
        replaced,
        convert: (file) => convertPuzzle(file, token()),
      }),
      toggle("alone", WORDS.alone, false),
    ];
  },
  body: ({ puzzle, source, alone }) => ({
    settings: { ...(source.trim() === "" ? { puzzle } : { source }), ...(alone === "on" ? { alone: true } : {}) },
  }),
  summary({ puzzle, source }, { puzzles = [] }) {
    if (source.trim() !== "") return WORDS.ownPuzzle;
    const chosen = puzzles.find(({ name }) => name === puzzle);
    return chosen === undefined ? puzzle : `${chosen.title} · ${WORDS.wordCount(chosen.words)}`;
  },
  refresh(form, { alone }) {
    const bots = form.querySelector("[data-field=bots]");
    if (bots instanceof HTMLElement) bots.hidden = alone === "on";
  },
};

/** @type {Record<string, KindOfGame>} */
export const KINDS = { memory, minesweeper, crossword };

/**
 * A small picture of a puzzle's empty shape; its rows are strings in which "." is a square without a letter.
 * @param {Puzzle} puzzle
 */
function shapeOf({ rows, columns, shape }) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
  picture.setAttribute("class", "shape");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  const squares = shape.flatMap((line, row) =>
    [...line].map((square, column) => (square === "." ? "" : `M${column + 0.06} ${row + 0.06}h.88v.88h-.88z`)),
  );
  path.setAttribute("d", squares.join(""));
  picture.append(path);
  return picture;
}
