/** Minesweeper for the lobby, rooms and replays. */

import { element, within } from "../shared/dom.js";
import { chips, number, ownText, replaceable, sizeOf, toggle } from "../shared/forms.js";
import { language } from "../shared/language.js";
import { retry } from "../shared/retry.js";
import { ROOM } from "../shared/words.js";

/** @import { Kind, KindInfo } from "../shared/kinds.js" */
/** @typedef {{size: string, bombs: number}} Preset `size` is rows x columns */
/** @typedef {{presets?: Record<string, Preset>}} Choices */

/** @type {typeof import("./kind-words/en.js").default} */
const WORDS = (await retry(() => import(`./kind-words/${language}.js`))).default;

const MOST_SOLVABLE = 0.25; // largest share of squares with bombs, for a field that needs no guessing

/** @type {Kind<KindInfo & Choices>} */
export const KIND = {
  title: WORDS.title,
  pitch: WORDS.pitch,
  art: [
    ["1", "dug"],
    ["1", "dug"],
    ["", "tile"],
    ["", "dug"],
    ["2", "dug green"],
    ["⚑", "tile flag"],
    ["", "dug"],
    ["2", "dug green"],
    ["", "tile"],
  ],
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
        : { field: field.endsWith("\n") ? field : `${field}\n` }, // a pasted text may lack the final newline
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
    within(form, ".toggle:has([name=safe_start])").hidden = solvable; // then the first dig is always safe
    const squares = Math.max(4, Number(rows) * Number(columns) || 0);
    const bombs = within(form, "[name=bombs]", HTMLInputElement);
    bombs.max = String(Math.floor(squares * (solvable ? MOST_SOLVABLE : 0.5)));
    within(form, ".pick-range-words").textContent = WORDS.bombsOf(Number(bombs.value), squares);
  },
  columns: [
    [ROOM.points, ({ score, squares }) => (squares === undefined ? null : score)], // null for old results
    [WORDS.squares, ({ score, squares, opened }) => squares ?? opened ?? score],
    [WORDS.flags, ({ flags }) => flags ?? null],
    [WORDS.booms, ({ booms }) => booms ?? null],
  ],
  headlines: { flawless: WORDS.flawless },
  stars: ({ booms }) => (booms === undefined ? null : 3 - booms),
  record: ({ size, bombs = 0 }, { seconds }) =>
    size === undefined ? { board: "", values: {} } : { board: `${size}, ${bombs} 💣`, values: { seconds } },
  replay: () => import("./replay.js"),
  live: () => import("./live.js"),
};
