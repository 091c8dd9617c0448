/**
 * The part of a game that this page needs: the exports of the module that the game's `KIND` loads with `replay`.
 * Default words replace missing words. A game without a replay module has a plain scene.
 */

import { loadKind } from "../shared/kinds.js";
import { PlainScene } from "./plainscene.js";
import { WORDS } from "./words.js";

/** @import { Palette } from "./palette.js" */
/** @import { Scene } from "./scene.js" */
/** @import { Tell } from "./telling.js" */

/**
 * @typedef {object} GameWords in the language of the page
 * @property {string} unit the unit of the scores
 * @property {string} heatOf the unit of the heat map
 * @property {(number: number) => string} heat a number with the unit of the heat map
 * @property {string} choice the label of the scene's `choices`
 * @property {Record<string, string>} columns titles of the totals, by their codes
 * @property {Record<string, (figure: any) => string>} figures formats of the columns that are not plain numbers
 */
/**
 * @typedef {object} Exported
 * @property {new (frame: any, palette: Palette, canvas: HTMLCanvasElement) => Scene} [Scene] default: PlainScene
 * @property {Tell} [tell] makes the sentences for moves, see `teller` of `telling.js`
 * @property {string[]} [styles] style sheets with the colours of the board, in the game's folder
 * @property {Partial<GameWords>} [words]
 */
/** @typedef {{title: string, words: GameWords} & Required<Pick<Exported, "Scene" | "tell">>} Game */

/**
 * Load a game's replay module, styles and title. A game without a replay module gets the defaults. Throw if a module
 * cannot be loaded.
 * @param {string} kind
 * @returns {Promise<Game>}
 */
export async function loadGame(kind) {
  const { title, replay, isLost } = await loadKind(kind);
  if (isLost) throw new TypeError(`client/${kind}/kind.js cannot be loaded`);
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
 * Add a style sheet before the page's own style sheet, which takes precedence. Wait until it has loaded or failed.
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
