/** The crossword for the lobby, rooms and replays. */

import { chips, ownText, replaceable, sizeOf, toggle } from "../shared/forms.js";
import { language } from "../shared/language.js";
import { retry } from "../shared/retry.js";
import { ROOM, SHARED } from "../shared/words.js";

/** @import { Kind, KindInfo } from "../shared/kinds.js" */
/** @typedef {{name: string, title: string, rows: number, columns: number, words: number, shape: string[]}} Puzzle */
/** @typedef {{puzzles?: Puzzle[]}} Choices */

/** @type {typeof import("./kind-words/en.js").default} */
const WORDS = (await retry(() => import(`./kind-words/${language}.js`))).default;

const FILES = ".puz,.ipuz,.puzzle,.txt,text/plain,application/json"; // file types for the browser's file dialog
const SVG = "http://www.w3.org/2000/svg";

/** @type {Kind<KindInfo & Choices>} */
export const KIND = {
  title: WORDS.title,
  pitch: WORDS.pitch,
  art: [
    ["", "none"],
    ["P", "one"],
    ["", "none"],
    ["F", "two"],
    ["L", "both"],
    ["Y", "two"],
    ["", "none"],
    ["A", "one"],
    ["", "none"],
  ],
  mayBeAlone: true,
  places: 2,
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
        accept: FILES,
        replaced,
        convert: async (file) => (await importing()).convertPuzzle(file, token(), WORDS),
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
  columns: [
    [ROOM.points, ({ score }) => score],
    [WORDS.tries, ({ words, tries }) => words ?? tries ?? null],
    [WORDS.challenges, (figures) => (figures.seconds === undefined ? (figures.challenges_won ?? null) : null)],
  ],
  file: { href: "match.txt", words: WORDS.saveText },
  headlines: { flawless: WORDS.flawless },
  stars: ({ mistakes }) => (mistakes === undefined ? null : 3 - mistakes),
  record({ puzzle }, { score, mistakes, seconds }) {
    if (puzzle === undefined) return { board: "", values: {} }; // an own puzzle has no name
    return { board: puzzle, values: mistakes === undefined ? { score } : { score, seconds } }; // alone the time counts
  },
  replay: () => import("./replay.js"),
  live: () => import("./live.js"),
};

/** Load the module that converts files of other programs, when the user opens the first file. */
async function importing() {
  try {
    return await import("./importing.js");
  } catch {
    throw new Error(SHARED.noAnswer);
  }
}

/**
 * A small picture of a puzzle's empty grid. Each row of `shape` is a string, and "." is a square without a letter.
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
