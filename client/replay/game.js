/**
 * The part of a game that this page needs: the exports of the module that its `KIND` names as `replay`, with general
 * words for all that the module leaves out. A game without that module has a plain scene.
 */

import { loadKind } from "../shared/kinds.js";
import { PlainScene } from "./plainscene.js";
import { WORDS } from "./words.js";

/** @import { Palette } from "./palette.js" */
/** @import { Scene } from "./scene.js" */
/** @import { Tell } from "./telling.js" */

/**
 * @typedef {object} GameWords in the language of the page
 * @property {string} unit what a score counts
 * @property {string} heatOf what the heat map counts
 * @property {(number: number) => string} heat so many of it
 * @property {string} choice what `choices` of the scene is a choice of
 * @property {Record<string, string>} columns titles of the totals, by their codes
 * @property {Record<string, (figure: any) => string>} figures of the columns that are no plain numbers
 */
/**
 * @typedef {object} Exported
 * @property {new (frame: any, palette: Palette, canvas: HTMLCanvasElement) => Scene} [Scene] a PlainScene without one
 * @property {Tell} [tell] makes sentences of what happened, see `teller` of `telling.js`
 * @property {string[]} [styles] files with the colours of the board, beside that module
 * @property {Partial<GameWords>} [words]
 */
/** @typedef {{title: string, words: GameWords} & Required<Pick<Exported, "Scene" | "tell">>} Game */

/**
 * Load the part of a kind of game, its styles, and its title. A game without such a part is a plain one.
 * @param {string} kind
 * @returns {Promise<Game>}
 */
export async function loadGame(kind) {
  const { title, replay } = await loadKind(kind);
  const {
    Scene = PlainScene,
    tell = () => null,
    styles = [],
    words = {},
  } = /** @type {Exported} */ ((await replay?.()) ?? {});
  await Promise.all(styles.map((path) => addStyle(new URL(`../${kind}/${path}`, import.meta.url).href)));
  return {
    title: title || kind,
    Scene,
    tell,
    words: {
      unit: WORDS.points,
      heatOf: WORDS.movesThere,
      heat: WORDS.moveCount,
      choice: WORDS.board,
      figures: {},
      ...words,
      columns: { ...WORDS.columns, ...words.columns },
    },
  };
}

/**
 * Add a style sheet before the page's own, which has the last word. Waits until it is there, or cannot be had.
 * @param {string} href
 */
function addStyle(href) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  const loaded = new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
  });
  document.querySelector("link[rel=stylesheet]:last-of-type")?.before(link);
  return loaded;
}
