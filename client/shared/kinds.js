/**
 * Kinds of games. `client/GAME/kind.js` exports `KIND`: what the lobby and a room need of that game.
 * Which games there are is what the server says: `GET /rooms/kinds` has a list, and a room's record names its game.
 */

/** @import { Figures } from "./rooms.js" */

/**
 * @typedef {object} KindInfo a game in the answer to GET /rooms/kinds, which has its choices, too
 * @property {string} game
 * @property {string} title in English
 * @property {number} bots the most in a room
 * @property {boolean} turn_clock whether a room can limit how long players hold what others wait for
 */
/** @typedef {Record<string, string>} Values of a form, by the names of its fields; a switch is "on" or absent */
/** @typedef {[text: string, classes: string][]} Art nine squares, row by row; lobby.css has their classes */
/** @typedef {[title: string, figure: (figures: Figures) => string | number | null]} Column null: not known */
/**
 * @template {KindInfo} [Info=any]
 * @typedef {object} Kind a game, as its kind.js exports it; its words are in the language of the page
 * @property {string} title
 * @property {string} [pitch] what it is about, in one line
 * @property {Art} [art] the picture on its card
 * @property {(info: Info, token: () => string) => HTMLElement[]} [fields] of the form for a new game, made of the parts
 * in forms.js; `token()` is the password for new games
 * @property {(values: Values, info: Info) => {settings: object}} [body] what they add to the body of POST /rooms
 * @property {(values: Values, info: Info) => string} [summary] what is chosen, in one line
 * @property {(form: HTMLFormElement, values: Values, info: Info) => void} [refresh] called after each change
 * @property {boolean} [mayBeAlone] whether it can be played alone: then `alone` is "on" in the values
 * @property {number} [places] players of a game that can be full
 * @property {Column[]} [columns] of the table at the end; one that is null for all players is left out
 * @property {string} [hint] on what the columns mean
 * @property {{href: string, words: string}} [file] of a game that is over: to save it
 * @property {() => Promise<import("../replay/game.js").Exported>} [replay] loads what the replay page needs of the game
 */

/** Stands in for what a KIND leaves out. The table at the end then has the points alone. */
const PLAIN = {
  title: "", // as the server calls it
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
};

/** @typedef {Kind & Required<Pick<Kind, keyof typeof PLAIN>>} KnownKind */

/** @type {Map<string, Promise<KnownKind>>} */
const loading = new Map();

/**
 * Load a kind of game, once. One that has no kind.js of its own, or one that does not work, is a plain one.
 * @param {string} game
 * @returns {Promise<KnownKind>}
 */
export function loadKind(game) {
  const kind = loading.get(game) ?? load(game);
  loading.set(game, kind);
  return kind;
}

/** @param {string} game */
async function load(game) {
  const module = new URL(`../${game}/kind.js`, import.meta.url);
  try {
    return { ...PLAIN, .../** @type {{KIND: Kind}} */ (await import(module.href)).KIND };
  } catch (error) {
    console.warn(`client/${game}/kind.js cannot be loaded:`, error);
    const isServerHere = await fetch(module, { method: "HEAD" }).then(
      () => true,
      () => false,
    );
    if (!isServerHere) loading.delete(game); // try again when it is needed again
    return PLAIN;
  }
}
