/**
 * Kinds of games. `client/GAME/kind.js` exports `KIND`, with the parts that the lobby and a room need of the game. The
 * server determines the games: `GET /rooms/kinds` lists them, and a room's record has the name of its game.
 */

import { retry } from "./retry.js";

/** @import { Values as Best } from "./records.js" */
/** @import { Figures, Settings } from "./rooms.js" */
/** @import { Palette } from "../replay/palette.js" */
/** @import { Scene } from "../replay/scene.js" */

/**
 * @typedef {object} KindInfo a game in the answer to GET /rooms/kinds. It also has the game's own choices
 * @property {string} game
 * @property {string} title in English
 * @property {number} bots the maximum number of bots in a room
 * @property {boolean} turn_clock true if a room can limit the time that a player keeps others waiting
 */
/** @typedef {Record<string, string>} Values of a form, by field name. A switch is "on" or absent */
/** @typedef {[text: string, classes: string][]} Art nine squares, row by row. lobby.css has their classes */
/** @typedef {[title: string, figure: (figures: Figures) => string | number | null]} Column null if unknown */
/** @typedef {Scene & {receive: (frame: any) => boolean}} LiveScene `receive` gets the frames of spectators */
/**
 * @template {KindInfo} [Info=any]
 * @typedef {object} Kind a game, in the form that its kind.js exports. Its words are in the language of the page
 * @property {string} title
 * @property {string} [pitch] a description of the game in one line
 * @property {Art} [art] the picture on the game's card
 * @property {(info: Info, token: () => string) => HTMLElement[]} [fields] makes the fields of the form for a new game,
 * with the parts in forms.js. `token()` returns the password for new games
 * @property {(values: Values, info: Info) => {settings: object}} [body] converts the values to a part of the body of
 * POST /rooms
 * @property {(values: Values, info: Info) => string} [summary] describes the chosen values in one line
 * @property {(form: HTMLFormElement, values: Values, info: Info) => void} [refresh] called after each change of the
 * form
 * @property {boolean} [mayBeAlone] true if one person can play the game. Then the value `alone` may be "on"
 * @property {number} [places] the maximum number of players, if the game has one
 * @property {Column[]} [columns] of the table at the end. A column that is null for all players is not shown
 * @property {string} [hint] explains the columns
 * @property {{byOne?: string, flawless?: string}} [headlines] words of the game for these headlines at the end
 * @property {(figures: Figures) => number | null} [stars] the quality of a result of a daily challenge, from 0 to 3;
 * null if it is unknown
 * @property {(settings: Settings, figures: Figures) => {board: string, values: Best}} [record] the values of a player's
 * result that count as personal records; games with the same `board` are compared
 * @property {{href: string, words: string}} [file] for saving a game that is over
 * @property {() => Promise<import("../replay/game.js").Exported>} [replay] loads the game's module for the replay page
 * @property {() => Promise<{Live: new (frame: any, palette: Palette, canvas: HTMLCanvasElement) => LiveScene}>} [live]
 * loads the small picture of a running game, for the lobby
 */

/** Defaults for the optional parts of a KIND. Without columns, the table at the end has only the points. */
const PLAIN = {
  title: "", // the page then uses the server's title
  pitch: "",
  art: /** @type {Art} */ ([
    ["", "tile"],
    ["", "tile"],
    ["", "tile"],
    ["", "tile"],
    ["", "one"],
    ["", "two"],
    ["", "tile"],
    ["", "two"],
    ["", "one"],
  ]),
  fields: () => [],
  body: () => ({ settings: {} }),
  summary: () => "",
  places: Infinity,
  record: (/** @type {Settings} */ _settings, /** @type {Figures} */ { score }) => ({ board: "", values: { score } }),
};

/**
 * @typedef {Kind & Required<Pick<Kind, keyof typeof PLAIN>> & {isLost?: boolean}} KnownKind `isLost`: the game has a
 * kind.js, but it could not be loaded
 */

/** @type {Map<string, Promise<KnownKind>>} */
const loading = new Map();

/**
 * Load a kind of game, once. A game whose kind.js is missing or fails to load gets the defaults.
 * @param {string} game
 * @returns {Promise<KnownKind>}
 */
export function loadKind(game) {
  const kind = loading.get(game) ?? load(game);
  loading.set(game, kind);
  return kind;
}

/**
 * @param {string} game
 * @returns {Promise<KnownKind>}
 */
async function load(game) {
  const module = new URL(`../${game}/kind.js`, import.meta.url);
  const isMissing = () =>
    fetch(module, { method: "HEAD" }).then(
      ({ status }) => status === 404,
      () => false,
    );
  try {
    /** @type {{KIND: Kind}} */
    const { KIND } = await retry(() => import(`../${game}/kind.js`), isMissing);
    return { ...PLAIN, ...KIND };
  } catch (error) {
    console.warn(`client/${game}/kind.js cannot be loaded:`, error);
    if (await isMissing()) return PLAIN;
    loading.delete(game); // the next call tries again
    return { ...PLAIN, isLost: true };
  }
}
