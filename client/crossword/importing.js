/** Crossword files of other programs. The server converts a file, so that the user does not see the solution. */

import { ask, Refused } from "../shared/rooms.js";
import { SHARED } from "../shared/words.js";

/** @import { Converted } from "../shared/forms.js" */
/** @typedef {typeof import("./kind-words/en.js").default} Words */

const OWN = /\.(puzzle|txt)$/i; // files in this game's own text format

const ROOT = new URL("../../", import.meta.url).href; // the base address differs on the pages of rooms

/**
 * Convert a file to the text of a puzzle. Return null if the file already is such a text. Throw an Error with words.
 * @param {File} file
 * @param {string} token the password for new games, "" if the server needs no password
 * @param {Words} words
 * @returns {Promise<Converted | null>}
 */
export async function convertPuzzle(file, token, words) {
  if (OWN.test(file.name)) return null;
  try {
    const name = file.name.replace(/\.[^.]*$/, "");
    const found = await ask(`rooms/puzzle?name=${encodeURIComponent(name)}`, {
      base: ROOT,
      method: "POST",
      headers: {
        "Content-Type": "application/octet-stream",
        ...(token === "" ? {} : { "Scramble-Token": token }),
      },
      body: file,
    });
    const size = `${found.rows} × ${found.columns}`;
    return { text: found.source, words: `${found.title} · ${size}, ${words.wordCount(found.words)}` };
  } catch (error) {
    if (error instanceof Refused) throw new Error(sentence(error, words));
    throw error;
  }
}

/**
 * @param {Refused} refused
 * @param {Words} words
 */
function sentence({ status, code, params, message, words: others }, words) {
  if (status === 0) return SHARED.noAnswer;
  if (status === 413) return SHARED.form.tooLong;
  if (code !== "cannot-import") return others;
  const why = words.cannotImport[params.why]?.(params);
  if (why === undefined) return message;
  return params.row === undefined ? why : words.atSquare(Number(params.row), Number(params.column), why);
}
